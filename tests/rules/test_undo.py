"""Taking moves back restores every word of the position that means something."""

import random

import pytest

from katachi.errors import KatachiError
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import RECENT_MOVES, STONES, recent_moves
from tests.oracle.games import EVERY_RULES, RULES_IDS, SOME_RULES, play_random_move
from tests.rules.meaning import Meaning, assert_same_meaning, meaning_of

Snapshot = tuple[int, Meaning]


def snapshot(game: Game) -> Snapshot:
    return game.hash, meaning_of(game.words)


def assert_is(game: Game, before: Snapshot) -> None:
    assert game.hash == before[0]
    assert_same_meaning(meaning_of(game.words), before[1])


def play_and_undo_all(size: int, rules: Rules, plies: int, source: random.Random) -> None:
    game = Game(size, rules=rules)
    stack = []
    for _ in range(plies):
        stack.append(snapshot(game))
        play_random_move(game, source)
    while stack:
        game.undo()
        assert_is(game, stack.pop())


@pytest.mark.parametrize("rules", SOME_RULES)
def test_undoing_a_whole_game_restores_each_position_on_the_way(rules: Rules) -> None:
    for size in range(2, 26):
        play_and_undo_all(size, rules, min(3 * size * size, 400), random.Random(size))


def test_undo_restores_a_game_longer_than_its_first_room() -> None:
    play_and_undo_all(19, Rules(KoRule.SIMPLE), 1200, random.Random(5))


@pytest.mark.kernel
@pytest.mark.parametrize("rules", EVERY_RULES, ids=RULES_IDS)
def test_undo_restores_small_games(rules: Rules) -> None:
    for size in (2, 3, 4, 7):
        play_and_undo_all(size, rules, 40, random.Random(size))


@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_playing_and_undoing_in_any_order_stays_consistent(size: int) -> None:
    source = random.Random(size)
    game = Game(size, rules=Rules(KoRule.SITUATIONAL, suicide=True))
    stack: list[Snapshot] = []
    for _ in range(1500):
        if stack and source.random() < 0.45:
            game.undo()
            assert_is(game, stack.pop())
        else:
            stack.append(snapshot(game))
            play_random_move(game, source)
    while stack:
        game.undo()
        assert_is(game, stack.pop())


def test_undo_returns_the_move() -> None:
    game = Game(5)
    game.play(BLACK, point_from_vertex("C3", 5))
    assert game.undo() == (BLACK, point_from_vertex("C3", 5))


def test_the_last_moves_are_kept_newest_first_whatever_is_played_and_undone() -> None:
    source = random.Random(3)
    game = Game(5)
    game.place_setup([point_from_vertex("C3", 5)], [])
    for _ in range(300):
        if game.moves and source.random() < 0.4:
            game.undo()
        else:
            play_random_move(game, source)
        played = [move.point for move in reversed(game.moves)] + [PASS] * RECENT_MOVES
        assert recent_moves(game.states.words)[0].tolist() == played[:RECENT_MOVES]


def test_undo_with_nothing_played_is_an_error() -> None:
    with pytest.raises(KatachiError, match="cannot undo"):
        Game(5).undo()


def test_undo_gives_the_turn_back() -> None:
    game = Game(5)
    game.play(WHITE, point_from_vertex("C3", 5))
    game.undo()
    assert game.to_play == BLACK


def test_undo_reopens_a_finished_game() -> None:
    game = Game(5)
    game.play(BLACK, 0)
    game.play(WHITE, 0)
    assert game.is_over
    game.undo()
    assert not game.is_over


@pytest.mark.kernel
def test_a_stone_that_joined_four_blocks_is_lifted_exactly() -> None:
    game = Game(5)
    for vertex in ("C4", "B3", "D3", "C2", "C1", "E3"):
        game.play(BLACK, point_from_vertex(vertex, 5))
    before = meaning_of(game.words)
    root = place_stone(game.words, point_from_vertex("C3", 5), BLACK)
    assert game.words[STONES + root] == 7
    lift_stone(game.words)
    assert_same_meaning(meaning_of(game.words), before)
