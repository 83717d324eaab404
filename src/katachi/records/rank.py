"""Ranks of players as numbers that can be compared."""

import re

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
