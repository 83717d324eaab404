"""GNU Go by its name."""

import pytest

from katachi.arena.roster import describe_player
from katachi.arena.settings import GameSettings
from katachi.arena.workers import GameTask, PlayerRunner
from katachi.errors import KatachiError
from katachi.learning.opponents import Opponent
from katachi.players import names
from katachi.players.names import check_player_name, command_of, is_program, programs_inside
from katachi.players.program import GnuGoPlayer
from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game, Move

FLAGS = "--mode gtp --chinese-rules --capture-all-dead --positional-superko --level"


def moves_of(game: GameTask, runner: PlayerRunner) -> list[Move]:
    return list(runner.work(game).record.moves)


@pytest.mark.parametrize(("name", "level"), [("gnugo", 10), ("gnugo:0", 0), ("gnugo:10", 10)])
def test_it_is_started_with_the_flags_that_area_counting_needs(name: str, level: int) -> None:
    assert is_program(name)
    assert command_of(name) == f"gnugo {FLAGS} {level}"


@pytest.mark.parametrize("level", ["11", "-1", "x", "1.5", "01", ""])
def test_other_levels_are_refused(level: str) -> None:
    if level:
        with pytest.raises(KatachiError, match="LEVEL must be a number from 0 to 10"):
            check_player_name(f"gnugo:{level}")


def test_without_it_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "find_program", lambda _: None)
    for name in ("gnugo", "phases:4:alp,gnugo:2", "opening::4:gnugo"):
        with pytest.raises(KatachiError, match=r"^GNU Go is not installed \(apt-get install gnu"):
            check_player_name(name)


@pytest.mark.gnugo
def test_it_is_described_with_its_version_and_command() -> None:
    known = {"name": "GNU Go", "version": "3.8", "command": f"gnugo {FLAGS} 3"}
    assert describe_player("gnugo:3") == {"spec": "gnugo:3"} | known
    inside = "phases:4:alp,gnugo:3"
    assert programs_inside(inside) == ["gnugo:3"]
    assert describe_player(inside)["programs"] == [describe_player("gnugo:3")]


@pytest.mark.gnugo
def test_equal_seeds_play_equal_games_whatever_was_played_before() -> None:
    settings = GameSettings(5, move_limit=12)
    first, second = (GameTask(number, "gnugo:0", "random", settings) for number in (0, 1))
    runner, others = PlayerRunner(), PlayerRunner()
    try:
        games = [moves_of(task, runner) for task in (first, second, first)]
        assert games[0] == games[2] == moves_of(first, others)
    finally:
        runner.close()
        others.close()


@pytest.mark.gnugo
def test_other_seeds_play_other_games() -> None:
    player = make_player("gnugo:0", 1)
    assert isinstance(player, GnuGoPlayer)
    firsts = set()
    try:
        for seed in range(6):
            player.reseed(1 + seed * 7919)
            firsts.add(player.choose(Game(9), BLACK).point)
    finally:
        player.close()
    assert len(firsts) > 1


@pytest.mark.gnugo
def test_it_is_somebody_to_learn_against() -> None:
    opponent = Opponent.find("gnugo:0")
    try:
        player = opponent.play_anew(7)
        assert isinstance(player, GnuGoPlayer)
        assert player.seed == 7
        assert opponent.play_anew(8) is player
    finally:
        opponent.close()
