"""A game: turns, ends, setup stones, refusals."""

import copy
import pickle
from collections.abc import Callable

import pytest

from katachi.errors import IllegalMove, KatachiError
from katachi.rules import game as game_module
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, points_of
from katachi.rules.ruleset import KoRule, Rules


def point(vertex: str, size: int = 5) -> int:
    return point_from_vertex(vertex, size)


def test_black_begins_and_turns_alternate() -> None:
    game = Game(5)
    turns = [game.to_play]
    for vertex in ("A1", "B1", "pass"):
        game.play(game.to_play, point(vertex))
        turns.append(game.to_play)
    assert turns == [BLACK, WHITE, BLACK, WHITE]


def test_a_color_may_play_twice_in_a_row() -> None:
    game = Game(5)
    game.play(WHITE, point("A1"))
    game.play(WHITE, point("B1"))
    assert game.to_play == BLACK
    assert [move.color for move in game.moves] == [WHITE, WHITE]


def test_two_passes_end_the_game() -> None:
    game = Game(5)
    game.play(BLACK, PASS)
    assert not game.is_over
    game.play(WHITE, PASS)
    assert game.is_over


def test_a_move_between_passes_goes_on() -> None:
    game = Game(5)
    for color, vertex in ((BLACK, "pass"), (WHITE, "C3"), (BLACK, "pass")):
        game.play(color, point(vertex))
    assert not game.is_over


def test_an_illegal_move_says_why_and_changes_nothing() -> None:
    game = Game(5)
    game.play(BLACK, point("C3"))
    before, words = game.hash, game.words.copy()
    with pytest.raises(IllegalMove, match=r"^illegal move white C3: occupied$") as caught:
        game.play(WHITE, point("C3"))
    assert caught.value.reason == "occupied"
    assert game.hash == before
    assert (game.words == words).all()
    assert len(game.moves) == 1


def test_a_point_off_the_board_is_refused() -> None:
    with pytest.raises(IllegalMove, match="off board"):
        Game(5).play(BLACK, point("F1", 9))


def test_the_last_point_is_where_the_last_stone_is() -> None:
    game = Game(5)
    seen = [game.last_point]
    for color, vertex in ((BLACK, "C3"), (WHITE, "pass")):
        game.play(color, point(vertex))
        seen.append(game.last_point)
    assert seen == [None, point("C3"), None]


def test_setup_stones_stand_before_the_first_move() -> None:
    game = Game(5)
    game.place_setup([point("A1"), point("B2")], [point("C3")])
    assert [(m.color, m.point) for m in game.setup] == [
        (BLACK, point("A1")),
        (BLACK, point("B2")),
        (WHITE, point("C3")),
    ]
    assert game.moves == []
    assert game.hash == game.board.hash


@pytest.mark.parametrize(
    ("black", "white", "complaint"),
    [
        (["A1"], ["A1"], "two setup stones on A1"),
        (["A1", "A1"], [], "two setup stones on A1"),
        (["A1"], ["A2", "B1"], "the block at A1 has no liberties"),
        (["pass"], [], "setup stone off the 5x5 board"),
    ],
)
def test_impossible_setup_is_one_clear_line_and_places_nothing(
    black: list[str], white: list[str], complaint: str
) -> None:
    game = Game(5)
    with pytest.raises(KatachiError, match=f"^{complaint}$"):
        game.place_setup([point(v) for v in black], [point(v) for v in white])
    assert not game.colors.any()
    assert game.setup == []


def test_setup_after_a_move_is_refused() -> None:
    game = Game(5)
    game.play(BLACK, point("C3"))
    with pytest.raises(KatachiError, match="before the first move"):
        game.place_setup([point("A1")], [])


def test_white_may_be_the_first_to_play() -> None:
    game = Game(5)
    game.first_to_play = WHITE
    game.place_setup([point("B2")], [])
    assert game.to_play == WHITE
    assert game.hash == game.board.hash | 1
    game.play(WHITE, point("C3"))
    game.undo()
    assert game.to_play == WHITE


def test_clear_keeps_size_komi_and_rules() -> None:
    game = Game(7, 0.5, Rules(KoRule.SIMPLE))
    game.play(BLACK, point("C3", 7))
    game.clear()
    assert (game.size, game.komi, game.rules) == (7, 0.5, Rules(KoRule.SIMPLE))
    assert not game.colors.any()
    assert (game.hash, game.moves, game.captures) == (0, [], (0, 0))


@pytest.mark.parametrize("size", [1, 26, 0, -3])
def test_a_size_that_cannot_be_played_is_refused(size: int) -> None:
    with pytest.raises(KatachiError, match="is not playable"):
        Game(size)


@pytest.mark.parametrize("size", range(2, 26))
def test_every_point_of_an_empty_board_is_legal(size: int) -> None:
    assert Game(size).legal_moves(BLACK).tolist() == points_of(size).tolist()


def test_a_game_stops_at_its_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "LONGEST_GAME", 6)
    game = Game(5)
    for _ in range(6):
        game.play(game.to_play, PASS)
    with pytest.raises(KatachiError, match="already has 6 moves"):
        game.play(BLACK, PASS)


def test_history_outgrows_its_first_room() -> None:
    game = Game(5)
    for _ in range(2000):
        game.play(game.to_play, PASS)
    game.play(BLACK, point("C3"))
    assert game.hash == game.board.hash | 1
    while game.moves:
        game.undo()
    assert game.hash == 0


@pytest.mark.parametrize("again", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])  # noqa: S301
def test_a_game_that_was_pickled_plays_on_as_one(again: Callable[[Game], Game]) -> None:
    game = Game(5)
    game.play(BLACK, point_from_vertex("C3", 5))
    twin = again(game)
    twin.play(WHITE, point_from_vertex("D4", 5))
    assert twin.states.words[0].tolist() == twin.words.tolist()
    assert len(game.moves) == 1
    assert game.hash != twin.hash
