import pytest

from katachi.records.result import (
    Ending,
    Result,
    result_from_score,
    result_from_text,
    text_from_result,
)
from katachi.rules.color import BLACK, EMPTY, WHITE

READINGS = [
    ("B+3.5", Result(BLACK, Ending.COUNT, 3.5)),
    ("W+12", Result(WHITE, Ending.COUNT, 12.0)),
    ("w+0.5", Result(WHITE, Ending.COUNT, 0.5)),
    ("B+2,5", Result(BLACK, Ending.COUNT, 2.5)),
    ("B+R", Result(BLACK, Ending.RESIGN)),
    ("W+Resign", Result(WHITE, Ending.RESIGN)),
    ("B+T", Result(BLACK, Ending.TIME)),
    ("W+Time", Result(WHITE, Ending.TIME)),
    ("B+Forfeit", Result(BLACK, Ending.FORFEIT)),
    ("Black + 7", Result(BLACK, Ending.COUNT, 7.0)),
    ("W+", Result(WHITE, Ending.WON)),
    ("B+0", Result(BLACK, Ending.WON)),
    ("W+?", Result(WHITE, Ending.WON)),
    ("0", Result(EMPTY, Ending.COUNT, 0.0)),
    ("Draw", Result(EMPTY, Ending.COUNT, 0.0)),
    ("Void", Result(EMPTY, Ending.VOID)),
    ("?", Result()),
    ("", Result()),
    ("Black wins, it seems", Result()),
    ("B+" + "9" * 5000, Result(BLACK, Ending.WON)),
]


@pytest.mark.parametrize(("text", "result"), READINGS, ids=[text[:12] for text, _ in READINGS])
def test_a_result_text_is_understood(text: str, result: Result) -> None:
    assert result_from_text(text) == result


@pytest.mark.parametrize("text", ["B+3.5", "W+12", "B+R", "W+T", "B+F", "W+", "0", "Void", ""])
def test_a_result_written_out_reads_back(text: str) -> None:
    assert text_from_result(result_from_text(text)) == text


@pytest.mark.parametrize(("score", "text"), [(3.5, "B+3.5"), (-12.0, "W+12"), (0.0, "0")])
def test_a_score_is_a_counted_result(score: float, text: str) -> None:
    assert str(result_from_score(score)) == text


def test_a_draw_is_counted_but_not_decided() -> None:
    draw = result_from_text("0")
    assert draw.ending == Ending.COUNT
    assert not draw.is_decided
