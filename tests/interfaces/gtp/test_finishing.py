"""Passing and resigning as a client sees it."""

from dataclasses import replace
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.gtp import EngineOptions
from katachi.players.finish_settings import Counting, FinishSettings
from katachi.records.conversion import game_from_record
from katachi.records.dataset import open_games
from katachi.rules.color import BLACK
from katachi.rules.point import PASS, vertex_from_point
from tests.interfaces.gtp.conversation import ask, talk

GNUGO_GAMES = Path(__file__).parents[2] / "data" / "gnugo9.sgf"
PLAYERS = ["alp", "shape", "territory"]


def finished_game() -> str:
    """The commands up to the last stone of a finished game that White won by 8.5 points."""
    game = game_from_record(open_games(GNUGO_GAMES, use_cache=False)[0])
    moves = [move for move in game.moves if move.point != PASS]
    words = (f"{'b' if m.color == BLACK else 'w'} {vertex_from_point(m.point, 9)}" for m in moves)
    return f"komi 5.5|gogui-play_sequence {' '.join(words)}"


def engine(player: str = "alp", **finish: object) -> EngineOptions:
    settings = replace(FinishSettings(), **finish)  # type: ignore[arg-type]
    return EngineOptions(player=player, seed=1, size=9, finish=settings)


@pytest.mark.parametrize("player", PLAYERS)
def test_a_pass_in_a_finished_game_is_answered_by_a_pass(player: str) -> None:
    lines = [*finished_game().split("|"), "play b pass"]
    assert ask(*lines, "genmove w", options=engine(player)) == "= pass"
    assert ask(*lines, "genmove w", "final_score", options=engine(player)) == "= W+8.5"
    assert ask(*lines, "genmove w", options=engine(player, passes=False)) != "= pass"


@pytest.mark.parametrize("command", ["kata-genmove_analyze", "lz-genmove_analyze"])
def test_a_move_with_its_analysis_may_be_a_pass(command: str) -> None:
    lines = [*finished_game().split("|"), "play b pass"]
    assert ask(*lines, f"{command} w", options=engine("shape")).endswith("\nplay pass")


@pytest.mark.parametrize("player", PLAYERS)
def test_a_finished_game_is_left_in_peace_by_both_sides(player: str) -> None:
    talked = talk(f"{finished_game()}|genmove b|genmove w|final_score\n".replace("|", "\n"),
                  engine(player))  # fmt: skip
    assert talked.texts[-3:] == ["= pass", "= pass", "= W+8.5"]


def test_the_parameters_are_set_and_shown() -> None:
    lines = [
        "katachi-param pass 0",
        "katachi-param resign never",
        "katachi-param counting japanese",
    ]
    shown = ask(*lines, "katachi-param")
    assert "[bool] pass 0\n[string] resign never\n" in shown
    assert shown.splitlines()[3].endswith("] counting japanese")
    assert "counting japanese, pass off, resign never" in ask(*lines, "gomill-describe_engine")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("resign 0.9", "? cannot resign below a chance of '0.9': use 0 to 0.5, or never"),
        ("resign often", "? cannot resign below a chance of 'often': use 0 to 0.5, or never"),
        ("pass perhaps", "? syntax error"),
        ("counting stones", "? no counting 'stones': choose from agreed, all-alive, japanese"),
        ("komi 7", "? no such parameter: use seconds, pass, resign, counting"),
    ],
)
def test_a_wrong_parameter_is_refused(line: str, reply: str) -> None:
    assert ask(f"katachi-param {line}") == reply


@pytest.mark.parametrize("chance", [-0.1, 0.6, float("nan")])
def test_no_engine_starts_with_a_chance_that_is_none(chance: float) -> None:
    with pytest.raises(KatachiError, match="cannot resign"):
        FinishSettings(resign=chance)


@pytest.mark.parametrize(
    ("line", "counting"),
    [
        ("kata-set-rules tromp-taylor", "all-alive"),
        ("kata-set-rules cgos", "all-alive"),
        ("kata-set-rules chinese", "agreed"),
        ("kgs-rules chinese", "agreed"),
        ("cgos-opponent_name gnugo", "all-alive"),
    ],
)
def test_rules_and_servers_say_how_games_are_counted(line: str, counting: str) -> None:
    assert f"counting {counting}\n" in ask(line, "katachi-param")


# White's stone at B5 is dead; so is Black's at E2.
DEAD = (
    "boardsize 5|komi 0|gogui-setup b C5 b C4 b C3 b C2 b C1 b A4 b B3 "
    "w D5 w D4 w D3 w D2 w D1 w E4 w B5 b E2"
)


def test_final_score_follows_the_counting() -> None:
    options = EngineOptions(size=5)
    start = DEAD.split("|")
    assert ask(*start, "final_score", options=options) == "= B+5"
    assert ask(*start, "katachi-param counting japanese", "final_score", options=options) == "= B+4"
    lifted = ask(*start, "final_status_list dead", options=options)
    assert lifted.split() == ["=", "E2", "B5"]


def test_cleaning_up_takes_every_dead_stone_before_it_passes() -> None:
    lines = [*DEAD.split("|"), "gogui-setup_player b"]
    for _ in range(6):
        lines += ["kgs-genmove_cleanup b", "play w pass"]
    talked = talk("\n".join([*lines, "final_status_list dead", "showboard"]) + "\n",
                  EngineOptions(size=5, player="alp"))  # fmt: skip
    assert all(reply.is_success for reply in talked.replies)
    cleaned = [r.text for r in talked.replies[len(DEAD.split("|")) + 1 : -2 : 2]]
    assert "pass" in cleaned
    before = talk("\n".join(lines[: 4 + 2 * cleaned.index("pass")]) + "\nfinal_status_list dead\n",
                  EngineOptions(size=5, player="alp"))  # fmt: skip
    assert before.texts[-1] in ("= E2", "=")


def test_counting_of_rules_is_settled_by_their_name() -> None:
    from katachi.players.finish_settings import counting_of_rules

    assert counting_of_rules("Tromp_Taylor") is Counting.ALL_ALIVE
    assert counting_of_rules("japanese") is Counting.JAPANESE
    assert counting_of_rules("aga") is Counting.AGREED
