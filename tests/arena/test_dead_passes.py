"""A program that passes beside dead stones is warned about, once."""

from pathlib import Path

import pytest

from katachi.arena.dead_passes import PassWatch, stones_left
from katachi.arena.game import Table
from katachi.arena.match import MatchFolder, MatchSettings, play_match
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished, GameTask
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Move
from katachi.rules.point import PASS, point_from_vertex
from tests.arena.shell_engines import write_engine

SMALL = GameSettings(5, opening_moves=0)
LEFT = ("A4", "B4", "C4", "D4", "E4", "A2", "B2", "C2", "D2", "E2", "C3")
"""Black's wall around the board and one white stone inside, C3, which is dead."""


def game_with_a_dead_stone() -> Outcome:
    table = Table(make_player("random"), make_player("random"), SMALL)
    for vertex in LEFT:
        color = WHITE if vertex == "C3" else BLACK
        table.game.play(*Move(color, point_from_vertex(vertex, 5)))
    table.game.play(WHITE, PASS)
    table.game.play(BLACK, PASS)
    return table.finish(EMPTY, Ending.SCORE, 0.0)


def finished(black: str, white: str, settings: GameSettings = SMALL) -> Finished:
    return Finished(GameTask(0, black, white, settings), game_with_a_dead_stone())


def test_dead_stones_are_counted_for_who_left_them() -> None:
    outcome = game_with_a_dead_stone()
    assert (stones_left(outcome, BLACK), stones_left(outcome, WHITE)) == (1, 0)


def test_it_is_reported_once_for_each_program(caplog: pytest.LogCaptureFixture) -> None:
    watch = PassWatch(SMALL)
    for _ in range(2):
        watch.look(finished("gtp:gnugo --mode gtp", "random"))
        watch.look(finished("gtp:other", "random"))
    assert [record.getMessage() for record in caplog.records] == [
        f"{name} passed while 1 stone looks dead: games here count all stones alive (use the "
        "player gnugo, or a referee)"
        for name in ("gtp:gnugo --mode gtp", "gtp:other")
    ]


@pytest.mark.parametrize(
    ("black", "white", "referee"),
    [
        ("random", "gtp:gnugo", None),
        ("gnugo:3", "random", None),
        ("alp", "random", None),
        ("gtp:gnugo", "random", "gnugo --mode gtp"),
    ],
)
def test_others_are_not_warned_about(
    caplog: pytest.LogCaptureFixture, black: str, white: str, referee: str | None
) -> None:
    settings = GameSettings(5, opening_moves=0, referee=referee)
    PassWatch(settings).look(finished(black, white, settings))
    assert not caplog.records


def test_a_match_warns_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.arena.dead_passes.stones_left", lambda *_: 2)
    engine = write_engine(tmp_path / "engine")
    with MatchFolder(tmp_path / "m", MatchSettings(engine, "random", 2, SMALL)) as match:
        list(play_match(match))
    [record] = caplog.records
    assert f"{engine} passed while 2 stones look dead" in record.getMessage()
