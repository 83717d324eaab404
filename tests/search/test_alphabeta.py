"""A search finds what playing out every line finds, in the time it has, and by the rules."""

import math
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import BoardState, recent_moves
from katachi.search.afterstates import sensible_moves
from katachi.search.alphabeta import AlphaBeta, SearchSettings, units_of
from katachi.search.analysis import mover_values
from katachi.search.frames import LARGEST, UNIT
from tests.oracle.games import point_of
from tests.oracle.go import OracleGame, spots_of
from tests.oracle.minimax import Judge, move_values
from tests.rules.meaning import assert_same_meaning, meaning_of
from tests.search.evaluators import (
    INFLUENCE,
    PAIRS,
    SCRAMBLERS,
    Pair,
    Scrambler,
)
from tests.search.positions import game_from, positions, without_time

PLAIN = SearchSettings(table_bits=0, has_order=False, has_scouts=False)
WAYS = {
    "plain": PLAIN,
    "table": replace(PLAIN, table_bits=16),
    "tiny table": replace(PLAIN, table_bits=3),
    "order": replace(PLAIN, has_order=True),
    "scouts": replace(PLAIN, has_scouts=True),
    "order by history everywhere": replace(PLAIN, has_order=True, sorted_from=1),
    "no table": SearchSettings(table_bits=0),
    "all": SearchSettings(table_bits=16),
}
every_way = pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS.keys())
every_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.evaluator.name)


class Historian:
    """Notes the last moves of every position that it is asked about."""

    name = "historian"

    def __init__(self) -> None:
        self.seen: set[tuple[int, ...]] = set()

    def evaluate(self, states: BoardState) -> Evaluation:
        self.seen |= {tuple(row) for row in recent_moves(states.words).tolist()}
        return Evaluation(np.full(len(states.words), 0.5))


def oracle_of(game: Game) -> OracleGame:
    """The oracle's game with the same history; there must be no setup stones."""
    spots = {point_of(spot): spot for spot in (None, *spots_of(game.size))}
    oracle = OracleGame(game.size, game.rules.ko.name, game.rules.suicide)
    for color, point in game.moves:
        oracle.play(color, spots[point])
    return oracle


def expected_values(game: Game, color: int, depth: int, judge: Judge) -> dict[int, int]:
    """What each move is worth by the oracle."""
    values = move_values(oracle_of(game), color, depth, game.komi, judge)
    return {point_of(spot): value for spot, value in values.items()}


class Case(NamedTuple):
    """A position and what each move of a colour is worth by the oracle."""

    game: Game
    color: int
    values: dict[int, int]


@cache
def cases(judge: Judge, size: int, depth: int, empties: int, count: int) -> list[Case]:
    """Positions of one kind for both colours; the oracle is slow, so it is asked only once."""
    return [
        Case(game, color, expected_values(game, color, depth, judge))
        for game in positions(size, count, seed=100 * size + depth, empties=empties)
        for color in (BLACK, WHITE)
    ]


def assert_is_minimax(search: AlphaBeta, depth: int, known: list[Case]) -> None:
    """The value is the oracle's, and the move one of the best."""
    for game, color, expected in known:
        best = max(expected.values())
        result = search.search(game, color, depth=depth)
        assert round(result.logit * UNIT) == best
        assert expected[result.move] == best


@every_way
@every_pair
@pytest.mark.parametrize(
    ("depth", "empties"),
    [(1, 25), (2, 25), (3, 8), pytest.param(4, 5, marks=pytest.mark.slow)],
)
def test_a_search_finds_what_playing_out_every_line_finds(
    pair: Pair, settings: SearchSettings, depth: int, empties: int
) -> None:
    search = AlphaBeta(pair.evaluator, settings)
    for size in (3, 4, 5):
        known = cases(pair.judge, size, depth, min(empties, size * size), 3)
        assert_is_minimax(search, depth, known)


@every_way
@pytest.mark.parametrize("pair", SCRAMBLERS, ids=lambda pair: pair.evaluator.name)
def test_the_same_for_many_positions_of_a_scrambled_world(
    pair: Pair, settings: SearchSettings
) -> None:
    search = AlphaBeta(pair.evaluator, settings)
    assert_is_minimax(search, 5, cases(pair.judge, 3, 5, 5, 12))
    assert_is_minimax(search, 4, cases(pair.judge, 4, 4, 5, 6))


def test_without_superko_a_table_is_exact_however_deep_the_search() -> None:
    """Tiny boards come back to the same positions after different numbers of plies."""
    evaluator = Scrambler(10**6)
    search = AlphaBeta(evaluator, SearchSettings(table_bits=12))
    for game in positions(2, 15, seed=9, empties=4, rules=[Rules(KoRule.SIMPLE)]):
        expected = expected_values(game, BLACK, 7, evaluator.judge)
        assert_is_minimax(search, 7, [Case(game, BLACK, expected)])


@pytest.mark.slow
@every_way
@every_pair
def test_the_same_for_hundreds_of_positions(pair: Pair, settings: SearchSettings) -> None:
    search = AlphaBeta(pair.evaluator, settings)
    for size, depth, empties in ((2, 6, 4), (3, 4, 7), (4, 3, 12), (5, 4, 7), (5, 2, 25)):
        assert_is_minimax(search, depth, cases(pair.judge, size, depth, empties, 40))


@pytest.mark.kernel
@pytest.mark.parametrize("settings", [PLAIN, SearchSettings(table_bits=8)], ids=["plain", "all"])
@pytest.mark.parametrize("pair", [SCRAMBLERS[0], INFLUENCE], ids=lambda p: p.evaluator.name)
def test_the_same_on_tiny_boards(pair: Pair, settings: SearchSettings) -> None:
    search = AlphaBeta(pair.evaluator, settings)
    for size, depth, empties in ((2, 4, 4), (3, 2, 9), (3, 3, 5)):
        assert_is_minimax(search, depth, cases(pair.judge, size, depth, empties, 2))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_chance_decides_among_all_moves_of_the_best_value(depth: int) -> None:
    evaluator = Scrambler(3)
    search = AlphaBeta(evaluator)
    source = np.random.default_rng(5)
    for game in positions(3, 6, seed=4, empties=7):
        expected = expected_values(game, BLACK, depth, evaluator.judge)
        best = {point for point, value in expected.items() if value == max(expected.values())}
        drawn = {
            search.search(game, BLACK, depth=depth, random=source).move
            for _ in range(40 * len(best))
        }
        assert drawn == best


def test_one_ply_is_the_greedy_choice() -> None:
    search = AlphaBeta(AverageLiberties())
    for game in positions(7, 10, seed=1, empties=49):
        color = game.to_play
        points = sensible_moves(game, color)
        result = search.search(game, color, depth=1)
        if len(points) == 0:
            assert result.move == PASS
        else:
            rates = mover_values(AverageLiberties(), game, color, points)
            assert result.move == points[np.argmax(rates)]
            assert result.value == pytest.approx(rates.max(), abs=1e-7)
            assert result.line == (result.move,)


WON = LARGEST / UNIT
SETTLED = """
. X O .
X X O O
. X O .
X X O O
"""


@pytest.mark.kernel
@pytest.mark.parametrize(("komi", "value"), [(-0.5, WON), (0.5, -WON), (0.0, 0.0)])
def test_two_passes_end_the_game_by_the_count(komi: float, value: float) -> None:
    """Nobody has a move but to fill his own eyes."""
    search = AlphaBeta(ConstantEvaluator())
    game = game_from(SETTLED, komi)
    assert search.search(game, BLACK, depth=1).logit == 0.0
    for color, sign in ((BLACK, 1), (WHITE, -1)):
        result = search.search(game, color, seconds=60, depth=9)
        assert (result.move, result.logit) == (PASS, sign * value)
        assert (result.line, result.depth) == ((PASS, PASS), 2)


@pytest.mark.kernel
def test_a_pass_after_a_pass_ends_the_game() -> None:
    search = AlphaBeta(ConstantEvaluator())
    game = game_from(SETTLED, komi=0.5)
    game.play(BLACK, PASS)
    assert search.search(game, WHITE, depth=1).logit == WON
    game.play(WHITE, PASS)
    assert search.search(game, BLACK, depth=1).logit == -WON


LAST_POINT = """
. X . O .
X X X O O
. X X O .
X X X O O
X X X O O
"""


@pytest.mark.kernel
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_game_is_read_to_its_end_and_no_further(color: int) -> None:
    """Whoever takes the last point wins, whatever the evaluator says of it."""
    search = AlphaBeta(Scrambler(1000))
    result = search.search(game_from(LAST_POINT, komi=4.0), color, seconds=60, depth=9)
    assert (result.logit, result.depth) == (WON, 3)
    assert result.line == (point_from_vertex("C5", 5), PASS, PASS)


def test_every_move_of_the_line_is_legal() -> None:
    search = AlphaBeta(InfluenceEvaluator())
    for game in positions(5, 40, seed=2, empties=25):
        color = game.to_play
        result = search.search(game, color, depth=3)
        assert result.line[0] == result.move
        assert 1 <= len(result.line) <= 3
        twin = game.copy()
        for point in result.line:
            twin.play(color, point)
            color = 3 - color


def test_the_line_leads_to_the_value() -> None:
    """The last position of a full line has the value of the first."""
    search = AlphaBeta(AverageLiberties())
    for game in positions(6, 20, seed=6, empties=36):
        color = game.to_play
        result = search.search(game, color, depth=4)
        if len(result.line) == 4 and PASS not in result.line:
            twin = game.copy()
            for index, point in enumerate(result.line):
                twin.play(color if index % 2 == 0 else 3 - color, point)
            logit = units_of(AverageLiberties().evaluate(twin.states))[0] / UNIT
            assert result.logit == (logit if color == BLACK else -logit)


def test_a_search_does_not_change_the_game() -> None:
    search = AlphaBeta(AverageLiberties())
    for game in positions(5, 10, seed=11, empties=25):
        before, meaning = game.hash, meaning_of(game.words)
        hashes = game.state.hashes.copy()
        search.search(game, BLACK, depth=3)
        search.search(game, WHITE, seconds=0.01)
        assert game.hash == before
        assert np.array_equal(game.state.hashes, hashes)
        assert_same_meaning(meaning_of(game.words), meaning)


def test_a_search_depends_on_nothing_that_was_searched_before() -> None:
    used, games = AlphaBeta(AverageLiberties()), list(positions(5, 8, seed=12, empties=25))
    for game in games + games[::-1]:
        fresh = AlphaBeta(AverageLiberties()).search(game, game.to_play, depth=3)
        again = used.search(game, game.to_play, depth=3)
        assert without_time(again) == without_time(fresh)


def test_the_deeper_search_wins_material() -> None:
    """White's three stones cannot get away, but only if Black begins on the right side."""
    game = game_from(
        """
        . . . . .
        . X X . .
        X O O . .
        . X O X .
        . X . . .
        """,
        komi=0.5,
    )
    result = AlphaBeta(Material()).search(game, BLACK, depth=3)
    assert result.move == point_from_vertex("D3", 5)
    assert result.logit > AlphaBeta(Material()).search(game, BLACK, depth=1).logit


class Material:
    """Black's stones less White's."""

    name = "material"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = np.stack([Board(words).colors for words in states.words]).astype(int)
        balance = (colors == BLACK).sum(axis=1) - (colors == WHITE).sum(axis=1)
        return Evaluation(1.0 / (1.0 + np.exp(-balance / 4.0)))


def test_a_reduction_with_a_margin_beyond_all_values_changes_nothing() -> None:
    exact, wide = (
        AlphaBeta(AverageLiberties(), SearchSettings(reductions=count, margin=1e8))
        for count in (0, 3)
    )
    for game in positions(5, 10, seed=15, empties=25):
        one, other = (s.search(game, game.to_play, depth=4) for s in (exact, wide))
        assert without_time(one) == without_time(other)


def nodes_of(settings: SearchSettings) -> int:
    """What a search of several positions costs."""
    search = AlphaBeta(AverageLiberties(), settings)
    games = positions(7, 6, seed=17, empties=40)
    return sum(search.search(game, BLACK, depth=4).nodes for game in games)


def test_each_device_spares_nodes() -> None:
    full = SearchSettings(table_bits=16)
    cost = nodes_of(full)
    assert cost < 0.9 * nodes_of(replace(full, table_bits=0))
    assert cost < 0.5 * nodes_of(replace(full, has_order=False))
    assert nodes_of(replace(full, reductions=3, margin=0.02)) < 0.7 * cost


@pytest.mark.kernel
def test_a_reduced_search_runs_everywhere() -> None:
    settings = SearchSettings(table_bits=8, reductions=3, margin=0.01)
    result = AlphaBeta(Scrambler(100), settings).search(Game(3), BLACK, depth=3)
    assert Game(3).is_legal(BLACK, result.move)


def test_logits_are_clipped_and_turn_with_the_colors() -> None:
    chances = np.array([0.0, 2**-30, 0.25, 0.5, 0.75, 1.0 - 2**-30, 1.0])
    logits = units_of(Evaluation(chances))
    assert logits.tolist() == (-logits[::-1]).tolist()
    assert -LARGEST < logits[0] < logits[1]
    assert logits[4] == round(math.log(3) * UNIT)
    certain = Evaluation(chances[:2], None, np.array([-1e300, 1e300]))
    assert units_of(certain).tolist() == [1 - LARGEST, LARGEST - 1]


def test_positions_know_the_moves_that_led_to_them() -> None:
    historian, game = Historian(), Game(3)
    search = AlphaBeta(historian, PLAIN)
    historian.seen.clear()
    last = [point_from_vertex(name, 3) for name in ("B2", "A1")]
    game.play(BLACK, last[0])
    game.play(WHITE, last[1])
    search.search(game, BLACK, depth=2)
    two = {moves for moves in historian.seen if moves[2:4] == (last[1], last[0])}
    one = {moves for moves in historian.seen if moves[1:3] == (last[1], last[0])}
    assert two
    assert two | one == historian.seen
    assert all(len({*moves[:2], *last}) == 4 for moves in two if PASS not in moves[:2])


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_game_read_to_a_draw_is_even_for_both(color: int) -> None:
    game = game_from(". . .\nX X X\n. . .", komi=9)
    result = AlphaBeta(Scrambler(100)).search(game, color, depth=20)
    assert (result.logit, result.value) == (0.0, 0.5)


class Owners:
    """Stones own their points; says nothing true of the chance to win."""

    name = "owners"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = np.stack([Board(words).colors for words in states.words])
        ownership = np.choose(colors, [0.5, 1.0, 0.0]).astype(np.float32)
        return Evaluation(np.full(len(ownership), 0.5), ownership)


@pytest.mark.parametrize("komi", [-60.5, -1.0, 0.0, 2.5, 60.5])
def test_leaves_are_judged_at_the_games_komi(komi: float) -> None:
    """Two plies on, both have one stone more."""
    for color in (BLACK, WHITE):
        game = game_from("X . .\n. . .\n. . O", komi)
        result = AlphaBeta(Owners()).search(game, color, depth=2)
        assert result.logit == pytest.approx((-komi if color == BLACK else komi) / 3)
