import pytest

from katachi.errors import KatachiError
from katachi.records.properties import (
    date_from_text,
    first_date,
    last_date,
    rank_from_text,
    text_from_rank,
)


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


READINGS = [
    ("30k", -29),
    ("12k", -11),
    ("1 kyu", 0),
    ("1d", 1),
    ("7d", 7),
    ("6 dan", 6),
    ("4d?", 4),
    ("9p", 18),
    ("1p", 10),
    ("9p, Honinbo", 18),
    ("9 dan pro", 18),
    ("3段", 3),
    ("Meijin", None),
    ("10d", None),
    ("0k", None),
    ("99p", None),
    ("5 days", None),
    ("", None),
    ("?", None),
]


@pytest.mark.parametrize(("text", "rank"), READINGS)
def test_a_rank_text_is_a_number(text: str, rank: int | None) -> None:
    assert rank_from_text(text) == rank


def test_ranks_rise_from_kyu_over_dan_to_professionals() -> None:
    order = ["30k", "10k", "2k", "1k", "1d", "2d", "9d", "1p", "2p", "9p"]
    ranks = [rank_from_text(text) for text in order]
    assert ranks == sorted(ranks, key=lambda rank: -100 if rank is None else rank)
    assert len(set(ranks)) == len(order)


@pytest.mark.parametrize("text", ["30k", "1k", "1d", "9d", "1p", "9p"])
def test_a_rank_written_out_reads_back(text: str) -> None:
    rank = rank_from_text(text)
    assert rank is not None
    assert text_from_rank(rank) == text
