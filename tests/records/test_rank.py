import pytest

from katachi.records.rank import rank_from_text, text_from_rank

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
