"""The player is made, and has started, before a clock runs."""

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.gtp import EngineOptions
from katachi.players.protocol import Player
from katachi.rules.game import Game
from katachi.rules.point import PASS
from tests.interfaces.gtp.conversation import ask, talk
from tests.interfaces.gtp.scripted import ScriptedPlayer

CLOCKS = [
    *("time_settings 60 0 0", "time_settings 60 10 5", "time_left b 10 0", "time_left w 10 0"),
    *("kgs-time_settings byoyomi 60 10 5", "kata-time_settings fischer 60 1"),
]
NO_CLOCKS = ["time_settings 0 1 0", "kgs-time_settings none", "play b D4", "komi 5.5", "name"]


class Maker:
    """Makes players that note on which boards they were started."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.made = 0
        self.started: list[int] = []

    def __call__(self, _name: str, _seed: int) -> Player:
        self.made += 1
        if self.error is not None:
            raise self.error
        return StartedPlayer(self.started)

    @property
    def options(self) -> EngineOptions:
        return EngineOptions(size=9, make_player=self)


class StartedPlayer(ScriptedPlayer):
    """Passes, and notes how often it was started."""

    def __init__(self, started: list[int]) -> None:
        super().__init__([PASS])
        self.started = started

    def start(self, game: Game) -> None:
        self.started.append(game.size)


@pytest.mark.parametrize("line", CLOCKS)
def test_a_clock_makes_the_player_and_starts_it(line: str) -> None:
    maker = Maker()
    assert ask(line, options=maker.options) == "="
    assert (maker.made, maker.started) == (1, [9])


@pytest.mark.parametrize("line", NO_CLOCKS)
def test_without_a_clock_it_is_made_when_it_moves(line: str) -> None:
    maker = Maker()
    ask(line, options=maker.options)
    assert (maker.made, maker.started) == (0, [])


@pytest.mark.parametrize("line", ["time_settings 60 x 0", "time_left", "time_left b 10"])
def test_a_refused_command_makes_nobody(line: str) -> None:
    maker = Maker()
    assert ask(line, options=maker.options).startswith("? ")
    assert maker.made == 0


def test_it_is_made_once_and_started_once_for_each_size() -> None:
    maker = Maker()
    lines = ("time_settings 60 0 0", "time_left b 60 0", "genmove b", "time_left b 59 0")
    ask(*lines, "boardsize 5", "time_left b 60 0", "time_left w 60 0", options=maker.options)
    assert (maker.made, maker.started) == (1, [9, 5])


@pytest.mark.parametrize("line", CLOCKS)
@pytest.mark.parametrize(
    ("error", "reply"),
    [
        (KatachiError("no model of that name"), "? no model of that name"),
        (ValueError("nonsense"), "? internal error: ValueError: nonsense"),
    ],
)
def test_a_player_that_cannot_be_made_says_so_in_its_move(
    line: str, error: Exception, reply: str
) -> None:
    maker = Maker(error)
    talked = talk(f"{line}\n{line}\nname\n", maker.options)
    assert talked.texts == ["=", "=", "= katachi"]
    assert (talked.status, maker.made) == (0, 1)
    assert ask(line, "genmove b", options=maker.options) == reply


def test_being_ready_changes_no_move() -> None:
    options = EngineOptions(player="gibbs:alp", seed=5, size=9)
    games = [
        talk(f"{line}\n" + "genmove b\ngenmove w\n" * 5, options).texts[1:]
        for line in ("name", "time_settings 600 0 0")
    ]
    assert games[0] == games[1]
    assert len(set(games[0])) > 1
