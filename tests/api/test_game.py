"""A game as people write it."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from katachi import BLACK, PASS, WHITE, Game, IllegalMove, KatachiError, KoRule, Rules
from katachi.rules.point import point_from_vertex
from katachi.rules.state import TRACE, TRACE_WORDS


def played() -> Game:
    """A game with setup stones, a capture and a pass."""
    game = Game(5, 0.5, Rules(KoRule.SITUATIONAL))
    game.place_setup([point_from_vertex("A1", 5)], [])
    game.first_to_play = WHITE
    for move in ("A2", "C3", "B1", "pass"):
        game.play(move)
    return game


def test_moves_are_names_or_points_of_either_colour() -> None:
    game = Game(9)
    game.play("d4")
    game.play(WHITE, "E5")
    game.play(WHITE, point_from_vertex("F6", 9))
    game.play(PASS)
    game.play("pass")
    assert [move.color for move in game.moves] == [BLACK, WHITE, WHITE, BLACK, WHITE]
    assert game.is_over
    assert not game.is_legal(BLACK, "D4")
    assert game.judge(BLACK, "D4") == "occupied"


@pytest.mark.parametrize("move", ["Z9", "", "D44", "white"])
def test_what_is_no_move_is_one_line(move: str) -> None:
    game = Game(9)
    with pytest.raises(KatachiError, match=r"vertex|board"):
        game.play(move)
    with pytest.raises(KatachiError, match="use BLACK or WHITE"):
        game.play("white", "D4")
    assert not game.moves


def test_a_forbidden_move_changes_nothing() -> None:
    game = Game(9)
    game.play("D4")
    with pytest.raises(IllegalMove, match="occupied"):
        game.play("D4")
    assert len(game.moves) == 1


def test_a_game_shows_itself_as_a_diagram() -> None:
    game = Game(3, 1)
    game.play("B2")
    assert repr(game).splitlines()[2:] == [
        " 2 .(X). 2",
        " 1 . . . 1",
        "   A B C",
        "1 move, White to play, komi 1",
    ]


def test_sgf_keeps_setup_komi_and_moves(tmp_path: Path) -> None:
    game = played()
    file = tmp_path / "game.sgf"
    file.write_text(game.to_sgf())
    for source in (game.to_sgf(), file, str(file), file.read_bytes()):
        read = Game.from_sgf(source)
        assert isinstance(read, Game)
        assert (read.moves, read.komi, read.to_play) == (game.moves, game.komi, game.to_play)
        assert (read.colors == game.colors).all()
    assert len(Game.from_sgf(file, moves=2).moves) == 2
    assert Game.from_sgf(file, rules=Rules()).rules == Rules()


def test_what_holds_no_game_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError):
        Game.from_sgf("(")
    with pytest.raises(KatachiError):
        Game.from_sgf(tmp_path / "none.sgf")
    with pytest.raises(KatachiError, match="no move 9"):
        Game.from_sgf("(;SZ[5];B[cc])", moves=9)


def test_a_pickled_game_goes_on_as_the_first_one() -> None:
    game = played()
    twin = pickle.loads(pickle.dumps(game))  # noqa: S301 (our own)
    assert (twin.moves, twin.setup, twin.rules, twin.hash) == (
        game.moves,
        game.setup,
        game.rules,
        game.hash,
    )
    rest = np.r_[:TRACE, TRACE + TRACE_WORDS : len(game.words)]
    assert (twin.words[rest] == game.words[rest]).all()
    twin.play("E5")
    assert (twin.states.words[0] == twin.words).all()
    twin.undo()
    twin.undo()
    assert len(game.moves) == 4
