import pytest

from katachi.errors import KatachiError
from katachi.records.date import date_from_text, first_date, last_date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("1997-03-26", 19970326),
        ("1997-03-26,27", 19970326),
        ("1846", 18460000),
        ("2001-02", 20010200),
        ("2001/2/3", 20010203),
        ("around 1670", 16700000),
        ("1997-99-99", 19970000),
        ("", 0),
        ("yesterday", 0),
        ("123456", 0),
    ],
)
def test_a_date_text_is_a_number(text: str, date: int) -> None:
    assert date_from_text(text) == date


@pytest.mark.parametrize("text", ["1997", "1997-03", "1997-03-26"])
def test_a_bound_holds_the_days_it_names(text: str) -> None:
    assert first_date(text) <= 19970326 <= last_date(text)


def test_a_bound_excludes_the_day_after_it() -> None:
    assert last_date("1997-03") < date_from_text("1997-04-01")
    assert last_date("1997") < date_from_text("1998")


def test_a_bound_that_is_no_date_is_refused() -> None:
    with pytest.raises(KatachiError, match="'March' is not a date"):
        first_date("March")
