"""The opening player opens by its net, then hands over."""

from pathlib import Path

import numpy as np
import pytest

from katachi.arena.roster import describe_player
from katachi.arena.settings import GameSettings
from katachi.arena.workers import GameTask, PlayerRunner
from katachi.errors import KatachiError
from katachi.evaluators.opening_net import OpeningNet
from katachi.features.opening_inputs import RAW, OpeningInputs
from katachi.players.clock import Clock
from katachi.players.kinds import split_opening
from katachi.players.names import check_player_name, programs_inside
from katachi.players.phases import AnalysingPhases, PhasesPlayer
from katachi.players.program import ProgramPlayer
from katachi.players.roster import files_of, make_evaluator, make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from tests.checks import check_player
from tests.players.test_program import ROGUE


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A net for 5x5 that wants the middle, then the left."""
    net = OpeningNet(OpeningInputs(RAW, 5))
    net.moves = 4
    net.weights[1:] = np.tile(np.arange(5, 0, -1), 5) * 1000
    net.weights[13] = 10_000
    net.save(tmp_path / "net", "# A net")
    return str(tmp_path / "net")


def test_it_opens_by_the_net_and_hands_over(model: str) -> None:
    player = make_player(f"opening:{model}:3:alp", 1)
    other = make_player("alp", 1)
    game = Game(5)
    assert vertex_from_point(player.choose(game, BLACK).point or 0, 5) == "C3"
    for vertex in ("C3", "B3", "D3"):
        game.play(game.to_play, point_from_vertex(vertex, 5))
    assert player.choose(game, WHITE) == other.choose(game, WHITE)


def test_other_boards_are_the_successors_from_the_first_move(model: str) -> None:
    player = make_player(f"opening:{model}:alp", 1)
    assert isinstance(player, AnalysingPhases)
    assert player.parts[0].limits.move == 4
    assert player.choose(Game(7), BLACK) == make_player("alp", 1).choose(Game(7), BLACK)


def test_it_is_a_player(model: str) -> None:
    check_player(lambda seed: make_player(f"opening:{model}:4:random", seed))


def test_its_net_is_an_evaluator_and_its_files_decide(model: str) -> None:
    assert make_evaluator(f"opening:{model}").name == "opening"
    names = [file.name for file in files_of(f"opening:{model}:3:alp")]
    assert names == ["config.json", "weights.safetensors"]


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ("", ("", None, "shape")),
        ("net", ("net", None, "shape")),
        ("net:30", ("net", 30, "shape")),
        ("net:30:search:2:shape", ("net", 30, "search:2:shape")),
        ("net:playouts:64", ("net", None, "playouts:64")),
        (":20:alp", ("", 20, "alp")),
    ],
)
def test_names_have_parts(setting: str, parts: tuple[str, int | None, str]) -> None:
    assert split_opening(setting) == parts
    check_player_name(f"opening:{setting.replace('net', 'opening19')}")


def test_it_hands_over_to_a_program(model: str) -> None:
    program = f"gtp:{ROGUE} passes"
    name = f"opening:{model}:2:{program}"
    assert describe_player(name)["programs"] == [describe_player(program)]
    player = make_player(name)
    assert isinstance(player, PhasesPlayer)
    game, clock = Game(5), Clock()
    points = []
    try:
        for _ in range(4):
            player.tell_time(game, game.to_play, clock)
            points.append(player.choose(game, game.to_play).point)
            game.play(game.to_play, points[-1] or 0)
    finally:
        player.close()
    assert PASS not in points[:2]
    assert points[2:] == [PASS, PASS]


def test_its_program_ends_with_the_game(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[ProgramPlayer] = []
    close = ProgramPlayer.close

    def spy(player: ProgramPlayer) -> None:
        running.append(player)
        close(player)

    monkeypatch.setattr(ProgramPlayer, "close", spy)
    name = f"opening:{model}:2:gtp:{ROGUE} passes"
    runner = PlayerRunner()
    runner.work(GameTask(0, name, "random", GameSettings(5, opening_moves=0), 0, 1))
    assert [player.command for player in running] == [f"{ROGUE} passes"]


def test_a_program_that_is_not_there_is_refused_by_its_name() -> None:
    with pytest.raises(KatachiError, match="no program 'no-such-program' on the PATH"):
        check_player_name("opening::9:gtp:no-such-program --mode gtp")


def test_programs_are_found_inside_players() -> None:
    assert programs_inside("opening::9:gtp:gnugo --level 1") == ["gtp:gnugo --level 1"]
    assert programs_inside("phases:4:alp,opening::9:gtp:gnugo") == ["gtp:gnugo"]
    assert programs_inside("opening") == programs_inside("alp") == []


@pytest.mark.parametrize("setting", ["net:0:alp", "net:201:alp", "net:9:nobody", "net:9:opening"])
def test_other_names_are_refused(setting: str) -> None:
    with pytest.raises(KatachiError, match=r"in opening:MODEL\[:N\]:PLAYER"):
        check_player_name(f"opening:{setting}")


def test_the_shipped_model_plays_19x19() -> None:
    player = make_player("opening::2:random")
    game = Game(19)
    for color in (BLACK, WHITE, BLACK):
        choice = player.choose(game, color)
        assert choice.point
        game.play(color, choice.point)
