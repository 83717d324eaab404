"""Whatever a player answers, the engine plays by the rules and lives on."""

import time

import numpy as np
import pytest

from katachi.evaluators.simple import AverageLiberties
from katachi.interfaces.gtp import EngineOptions
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.finish_settings import FinishSettings
from katachi.players.protocol import Choice
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, point_from_vertex
from katachi.search.analysis import Analysis
from tests.interfaces.gtp.conversation import ask, talk
from tests.interfaces.gtp.scripted import FAILURE, ScriptedPlayer, options_for, options_with

# Black has just taken at C2; White may not retake at B2.
KO = "gogui-play_sequence b B3 w C3 b A2 w D2 b B1 w C1 w B2 b C2"


def point(vertex: str) -> int:
    return point_from_vertex(vertex, 9)


@pytest.mark.parametrize("rules", ["cgos", "tromp-taylor", "simple-ko", "chinese", "new-zealand"])
@pytest.mark.parametrize("answer", ["occupied", "ko", "suicide", "off board", "nonsense"])
def test_an_illegal_answer_is_never_passed_on(rules: str, answer: str) -> None:
    points = {
        "occupied": point("C3"),
        "ko": point("B2"),
        "suicide": point("A1"),
        "off board": 31,
        "nonsense": 10**9,
    }
    lines = f"kata-set-rules {rules}\n{KO}\ngenmove w\nundo\ngenmove w\n"
    talked = talk(lines, options_for(points[answer]))
    assert [reply.is_success for reply in talked.replies] == [True] * 5
    for reply in (talked.replies[2], talked.replies[4]):
        assert reply.text == "A9"
    assert "illegal" in talked.log[-1]


def test_a_repetition_is_not_played_even_where_the_rules_allow_it() -> None:
    # Two passes leave the ko to White under simple ko, but the position has been there before.
    lines = ["kata-set-rules simple-ko", KO, "play w pass", "play b pass"]
    assert ask(*lines, "play w B2") == "="
    assert ask(*lines, "genmove w", options=options_for(point("B2"))) != "= B2"


def test_whole_games_hold_no_move_illegal_under_positional_superko() -> None:
    played = 0
    for seed in range(5):
        finish = FinishSettings(passes=False)
        options = EngineOptions(player="random", seed=seed, size=3, finish=finish)
        moves = talk("kata-set-rules new-zealand\n" + "genmove b\ngenmove w\n" * 60, options)
        game = Game(3)
        for number, reply in enumerate(moves.replies[1:]):
            game.play(1 + number % 2, point_from_vertex(reply.text, 3))
        played += sum(move.point != PASS for move in game.moves)
    assert played > 50


def test_a_player_that_fails_is_an_error_and_not_the_end() -> None:
    talked = talk("genmove b\nname\ngenmove b\n", options_for(FAILURE, ValueError("a\n\nb"), PASS))
    assert talked.texts == [
        "? the program has ended",
        "= katachi",
        "? internal error: ValueError: a b",
    ]
    assert talked.status == 0


def test_a_player_that_cannot_analyse_is_kept_apart() -> None:
    reply = ask("kata-analyze b 10", options=options_for(PASS))
    assert reply == "? the player scripted does not analyse"


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "cgos-genmove_analyze"])
def test_a_player_that_cannot_analyse_still_moves(command: str) -> None:
    assert ask(f"{command} b", "undo", options=options_for(PASS)) == "="
    assert ask(f"{command} b", options=options_for(PASS)) == "=\nplay pass"


def test_thinking_time_follows_the_clock() -> None:
    player = ScriptedPlayer([PASS])
    talk(
        "genmove b\ntime_settings 280 0 0\ngenmove b\ntime_left b 28 0\ngenmove b\n"
        "kgs-time_settings none\nkata-set-param maxTime 2\ngenmove b\n",
        options_with(player),
    )
    free, full, tenth, changed = player.seconds
    assert (free, changed) == (5.0, 2.0)
    assert full == pytest.approx(10, rel=0.1)
    assert tenth == pytest.approx(1, rel=0.1)


class SlowAnalyst(EvaluatingPlayer):
    """Takes a while to analyse, and remembers how long it might have thought about moves."""

    def __init__(self) -> None:
        super().__init__("slow", AverageLiberties())
        self.seconds: list[float | None] = []

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.seconds.append(seconds)
        return super().choose(game, color, seconds)

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        time.sleep(0.2)
        return super().analyse(game, color, points)


@pytest.mark.parametrize("restriction", ["", " avoid b A1 1", " allow b D4,E4 1"])
def test_a_move_with_its_analysis_is_one_move_on_the_clock(restriction: str) -> None:
    player = SlowAnalyst()
    options = EngineOptions(size=9, make_player=lambda _name, _seed: player)
    generate = f"kata-genmove_analyze b{restriction}"
    ask("kgs-time_settings canadian 0 10 2", generate, "genmove b", options=options)
    # One stone is left to play in what is left of the ten seconds, less the part kept for safety.
    seconds = player.seconds[-1]
    assert seconds is not None
    assert 5 < seconds <= 0.9 * (10 - 0.2)


def test_the_player_is_closed_at_the_end() -> None:
    player = ScriptedPlayer([PASS])
    talk("genmove b\nquit\n", options_with(player))
    assert player.closings == 1


def test_the_player_gets_a_copy_of_the_game() -> None:
    class Vandal(ScriptedPlayer):
        def choose(self, game, color, seconds=None):  # type: ignore[no-untyped-def]
            game.clear()
            return super().choose(game, color, seconds)

    reply = ask("play b D4", "genmove w", "undo", "play w D4", options=options_with(Vandal([PASS])))
    assert reply == "? illegal move"


def test_numbers_from_numpy_are_moves_too() -> None:
    answer = np.uint16(point("D4"))
    assert ask("genmove b", options=options_for(answer)) == "= D4"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "moves",
    ["fixed_handicap 4\nplay w E5", "play b E5", "play b E5\nundo\nset_free_handicap C3 G7"],
)
def test_learning_before_a_move_begins_with_the_stones_that_are_there(moves: str) -> None:
    options = EngineOptions(player="dyna:20:shape:shape9", seed=1, size=9)
    asked = talk(f"{moves}\ngenmove b\ngenmove b\ngenmove w\nquit\n", options)
    assert all(reply.is_success for reply in asked.replies)
