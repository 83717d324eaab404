"""The kernel plays as the slow, obvious oracle does: every size, every ruleset, 100,000 moves."""

import random
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.rules.area import area_difference, area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import CAPTURED, EMPTY_COUNT, KO
from tests.oracle.games import (
    EVERY_RULES,
    RULES_IDS,
    Duel,
    colors_of_stones,
    oracle_for,
    play_random_move,
    point_of,
    random_games,
    stones_of,
)
from tests.oracle.go import (
    OracleGame,
    blocks_of,
    is_eye,
    liberties_of,
    owners_of,
    spots_of,
)
from tests.oracle.go import area_difference as oracle_area_difference

SIZES = range(2, 26)
# Moves to play at each size under each ruleset: most on small boards, where stones are captured
# and positions repeat all the time; one full board at least on large ones.
MOVES = {size: 1500 if size <= 4 else 900 if size <= 8 else size * size + 200 for size in SIZES}


def test_a_hundred_thousand_moves_are_compared_in_all() -> None:
    assert len(EVERY_RULES) * sum(MOVES.values()) >= 100_000


def assert_same_position(duel: Duel) -> None:
    game, oracle = duel.game, duel.oracle
    assert game.colors.tolist() == colors_of_stones(oracle.stones, duel.size)
    assert game.captures == (oracle.lost[WHITE], oracle.lost[BLACK])
    assert game.words[CAPTURED + BLACK] == oracle.lost[BLACK]
    assert game.words[EMPTY_COUNT] == duel.size**2 - len(oracle.stones)
    assert game.is_over == oracle.is_over
    assert len(game.moves) == len(oracle.moves)


def assert_same_blocks(duel: Duel) -> None:
    """Blocks, exact liberties, eyes and area are the same."""
    board, stones, size = duel.game.board, duel.oracle.stones, duel.size
    for color in (BLACK, WHITE):
        blocks = blocks_of(stones, size, color)
        points = [sorted(point_of(spot) for spot in block) for block in blocks]
        assert board.blocks(color) == sorted(points)
        for block in blocks:
            liberties = len(liberties_of(stones, size, block))
            assert {board.liberties_at(point_of(spot)) for spot in block} == {liberties}
        for spot in spots_of(size):
            assert board.is_eye(point_of(spot), color) == is_eye(stones, size, spot, color)
    owners = owners_of(stones, size)
    assert area_owners(board.words).tolist() == [owners[spot] for spot in spots_of(size)]
    assert area_difference(board.words) == oracle_area_difference(stones, size)


def assert_same_legality(duel: Duel) -> None:
    """Both colours may play the same moves, and the same reasons forbid the others."""
    for color in (BLACK, WHITE):
        verdicts = {spot: duel.oracle.verdict(color, spot) for spot in spots_of(duel.size)}
        legal = [point_of(spot) for spot, verdict in verdicts.items() if verdict == "legal"]
        assert duel.game.legal_moves(color).tolist() == legal
        for spot, verdict in verdicts.items():
            assert duel.game.judge(color, point_of(spot)) == verdict
        duel.seen.update(verdicts.values())
        duel.seen["ko point"] += bool(duel.game.words[KO])


def is_chosen(source: random.Random, size: int) -> bool:
    """Whether to compare all moves now: at every ply on tiny boards, once or twice a game on
    large ones."""
    return source.random() < max(100 / size**4, 1.5 / size**2)


def play_moves(size: int, rules: Rules, count: int, seed: int) -> Counter[str]:
    """Plays whole games until `count` moves are made, comparing on the way; what happened."""
    source = random.Random(seed)
    seen: Counter[str] = Counter()
    hashes: dict[int, object] = {}
    positions: dict[object, int] = {}
    while seen["moves"] < count:
        duel = Duel(size, rules, source, seen)
        while not duel.is_over and seen["moves"] < count:
            duel.play()
            assert_same_position(duel)
            if is_chosen(source, size) or (duel.game.words[KO] and size <= 9):
                assert_same_legality(duel)
            if source.randrange(size**2) < 4:
                assert_same_blocks(duel)
            stones, position = duel.game.hash & ~1, duel.oracle.history[-1]
            assert hashes.setdefault(stones, position) == position
            assert positions.setdefault(position, stones) == stones
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("rules", EVERY_RULES, ids=RULES_IDS)
def test_kernel_equals_oracle_in_random_games_of_every_size(rules: Rules) -> None:
    compare_games(rules, SIZES)


def test_kernel_equals_oracle_in_random_games_of_the_default_rules() -> None:
    compare_games(Rules(), (*range(2, 14), 19, 25))


def compare_games(rules: Rules, sizes: Iterable[int]) -> None:
    """Compares on boards of these sizes, and that everything happened there."""
    seen: Counter[str] = Counter()
    for size in sizes:
        seen += play_moves(size, rules, MOVES[size], seed=100 * size + EVERY_RULES.index(rules))
    assert seen["moves"] >= sum(MOVES[size] for size in sizes)
    assert seen["captures"] > 1000
    assert seen["captures of several blocks"] > 50
    assert seen["captures of three or more blocks"] > 0
    assert seen["joins of several blocks"] > 100
    assert seen["colour twice in a row"] > 1000
    assert seen["passes"] > 100
    assert seen["ko"] > 10
    assert (seen["superko"] > 50) == (rules.ko != KoRule.SIMPLE)
    assert (seen["suicides"] > 100) == rules.suicide
    assert (seen["suicides of several stones"] > 20) == rules.suicide
    # Where suicide is allowed only that of a single stone, under simple ko, is refused.
    assert (seen["suicide"] > 50) == (not rules.suicide or rules.ko == KoRule.SIMPLE)


@pytest.mark.kernel
@pytest.mark.parametrize("rules", EVERY_RULES, ids=RULES_IDS)
@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_kernel_equals_oracle_in_one_game(size: int, rules: Rules) -> None:
    seen = play_moves(size, rules, 30 + 3 * size, seed=size)
    assert seen["moves"] == 30 + 3 * size


@pytest.mark.kernel
def test_kernel_equals_oracle_on_the_largest_board() -> None:
    seen = play_moves(25, Rules(), 60, seed=1)
    assert seen["moves"] == 60


@given(random_games(max_size=7))
def test_any_position_has_the_oracles_legal_moves(game: Game) -> None:
    oracle = OracleGame(game.size, game.rules.ko.name, game.rules.suicide)
    spots = {point_of(spot): spot for spot in spots_of(game.size)}
    for move in game.moves:
        oracle.play(move.color, spots.get(move.point))
    assert stones_of(game) == oracle.stones
    for color in (BLACK, WHITE):
        legal = [point_of(spot) for spot in oracle.legal_spots(color)]
        assert game.legal_moves(color).tolist() == legal


@given(random_games(max_size=25, longest=40), st.integers(0, 2**32 - 1))
def test_a_copy_plays_on_alone(game: Game, seed: int) -> None:
    before, moves = game.hash, list(game.moves)
    twin = game.copy()
    source = random.Random(seed)
    for _ in range(10):
        play_random_move(twin, source)
    assert (game.hash, game.moves) == (before, moves)
    assert stones_of(game) == oracle_for(game).stones
    assert len(twin.moves) == len(moves) + 10
