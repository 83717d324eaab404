import json

import pytest

from katachi.interfaces.cgos.table import Table, Verdict, checked_analysis, comment_of
from katachi.interfaces.cgos.wire import Setup, TimedMove
from katachi.rules.color import BLACK, EMPTY, WHITE

SETUP = Setup("1", 5, 7.0, 10_000, "white(1500)", "black(1500)")


def make_table(**changes: object) -> Table:
    return Table(SETUP._replace(**changes), "2026-01-01 00:00:00")  # type: ignore[arg-type]


def play(table: Table, *answers: str, now: float = 0.0) -> Verdict | None:
    verdict = None
    for answer in answers:
        table.start_clock(now)
        verdict = table.hear(answer, now, takes_analysis=False)
    return verdict


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        (["pass", "PASS"], Verdict(WHITE, "W+7.0")),
        (["c3", "pass", "pass"], Verdict(BLACK, "B+18.0")),
        (["resign"], Verdict(WHITE, "W+Resign")),
        (["C3", "Resign"], Verdict(BLACK, "B+Resign")),
        (["C3", "C3"], Verdict(BLACK, "B+Illegal", "occupied")),
        (["A1", "A2", "C3", "B1", "A1"], Verdict(WHITE, "W+Illegal", "suicide")),
        (["Z99"], Verdict(WHITE, "W+Illegal", "no point of the board")),
        ([""], Verdict(WHITE, "W+Illegal", "no point of the board")),
        (["\x00" * 5000], Verdict(WHITE, "W+Illegal", "no point of the board")),
    ],
)
def test_how_games_end(answers: list[str], verdict: Verdict) -> None:
    assert play(make_table(), *answers) == verdict


def test_a_repeated_position_loses() -> None:
    ko = ["B3", "C3", "A2", "D2", "B1", "C1", "C2", "B2"]
    assert play(make_table(), *ko) is None
    assert play(make_table(), *ko, "C2") == Verdict(WHITE, "W+Illegal", "ko")


def test_an_even_count_is_a_draw() -> None:
    assert play(make_table(komi=25.0), "C3", "pass", "pass") == Verdict(EMPTY, "Draw")


def test_a_move_costs_what_exceeds_the_gift() -> None:
    table = make_table()
    table.start_clock(100.0)
    assert table.milliseconds(BLACK, 101.0) == 9000
    table.hear("C3", 101.0, takes_analysis=False)
    assert table.milliseconds(BLACK, 200.0) == 9250
    table.start_clock(101.0)
    table.hear("C2", 101.2, takes_analysis=False)
    assert table.milliseconds(WHITE, 200.0) == 10_000


def test_a_flag_falls_behind_the_gift_at_a_move_or_a_look() -> None:
    table = make_table()
    assert not table.is_flag_down(1e9)
    table.start_clock(0.0)
    assert not table.is_flag_down(10.2)
    assert table.is_flag_down(10.3)
    assert table.hear("C3", 10.3, takes_analysis=False) == Verdict(WHITE, "W+Time")
    assert table.moves == []


def test_a_table_is_rebuilt_from_its_moves() -> None:
    table = make_table()
    for number, answer in enumerate(["C3", "pass", "B2"]):
        table.start_clock(number)
        table.hear(answer, number + 1.25, takes_analysis=False)
    twin = Table(SETUP, table.started, table.gift, list(table.moves))
    assert twin.game.hash == table.game.hash
    assert twin.left == table.left
    assert twin.resumed_setup().moves == (
        TimedMove("C3", 9000),
        TimedMove("pass", 9000),
        TimedMove("B2", 8000),
    )


def test_analysis_is_kept_only_if_agreed_and_only_as_json() -> None:
    answers = {
        'C3 {"winrate": 0.5}': '{"winrate": 0.5}',
        "C3 not json": "",
        "C3 [1, 2]": "",
        "C3": "",
    }
    for answer, kept in answers.items():
        table = make_table()
        table.hear(answer, 0.0, takes_analysis=True)
        assert table.moves[0].analysis == kept
    table = make_table()
    table.hear('C3 {"winrate": 0.5}', 0.0, takes_analysis=False)
    assert table.moves[0].analysis == ""


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 5000, '{"x": NaN}', '{"a": "' + "x" * 70_000 + '"}', "{"]
)
def test_hostile_analysis_is_dropped(text: str) -> None:
    assert checked_analysis(text) == ""


def test_a_comment_can_always_be_written() -> None:
    analysis = checked_analysis('{"comment": "\\ud800 ]\\\\"}')
    comment_of(analysis).encode()
    assert comment_of(json.dumps({"comment": 5})) == ""
    assert comment_of("") == ""
