"""Dates of games and ranks of players as numbers that can be compared."""

import re

from katachi.errors import KatachiError

UNKNOWN_DATE = 0

_DATE = re.compile(r"(?<!\d)(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)")


def date_from_text(text: str) -> int:
    """The first date a DT text tells (`1997-03-26,27`, `1846`, `2001-02`), or UNKNOWN_DATE."""
    match = _DATE.search(text)
    if match is None:
        return UNKNOWN_DATE
    month, day = int(match[2] or 0), int(match[3] or 0)
    if month > 12:
        month = day = 0
    return int(match[1]) * 10000 + month * 100 + (day if day <= 31 and month else 0)


def last_date(text: str) -> int:
    """The highest date number within a year, month or day the user names as an upper bound."""
    date = first_date(text)
    if date % 10000 == 0:
        return date + 9999
    return date + 99 if date % 100 == 0 else date


def first_date(text: str) -> int:
    """The lowest date number within a year, month or day the user names as a lower bound."""
    date = date_from_text(text) if _DATE.fullmatch(text.strip()) else UNKNOWN_DATE
    if date == UNKNOWN_DATE:
        raise KatachiError(f"{text!r} is not a date: write 1997, 1997-03 or 1997-03-26")
    return date


# Kyu, dan and professional grades in the spellings records use.
_RANK = re.compile(r"(\d{1,2})\s*(kyu|k|級|级|급|dan|d|段|단|pro|p)(?![^\W\d_])", re.IGNORECASE)
_PROFESSIONAL = re.compile(r"\bpro(?:fessional)?\b", re.IGNORECASE)
_KYU = ("k", "級", "级", "급")


def rank_from_text(text: str) -> int | None:
    """The strength a rank text states, higher is stronger; None when it states none.

    30 kyu is -29, 1 kyu 0, 1 dan 1, 9 dan 9, and professional grades follow: 1p is 10, 9p 18.
    Titles and doubts around the grade (`9p, Honinbo`, `4d?`) are ignored.
    """
    match = _RANK.search(text)
    if match is None:
        return None
    grade, unit = int(match[1]), match[2].lower()
    if unit.startswith(_KYU):
        return 1 - grade if 1 <= grade <= 50 else None
    if not 1 <= grade <= 9:
        return None
    is_professional = unit.startswith("p") or _PROFESSIONAL.search(text) is not None
    return 9 + grade if is_professional else grade


def text_from_rank(rank: int) -> str:
    """The short text of a rank number: `12k`, `7d`, `9p`."""
    if rank < 1:
        return f"{1 - rank}k"
    return f"{rank}d" if rank < 10 else f"{rank - 9}p"
