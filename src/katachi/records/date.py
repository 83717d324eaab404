"""Dates of games as numbers that can be compared.

A date is year * 10000 + month * 100 + day, with zeros for what is not recorded: 1997 is 19970000,
March 1997 19970300. The order of the numbers is then the order in time, and 0 is an unknown date.
"""

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


def first_date(text: str) -> int:
    """The lowest date number within a year, month or day the user names as a lower bound."""
    return _bound(text)


def last_date(text: str) -> int:
    """The highest date number within a year, month or day the user names as an upper bound."""
    date = _bound(text)
    if date % 10000 == 0:
        return date + 9999
    return date + 99 if date % 100 == 0 else date


def _bound(text: str) -> int:
    date = date_from_text(text) if _DATE.fullmatch(text.strip()) else UNKNOWN_DATE
    if date == UNKNOWN_DATE:
        raise KatachiError(f"{text!r} is not a date: write 1997, 1997-03 or 1997-03-26")
    return date
