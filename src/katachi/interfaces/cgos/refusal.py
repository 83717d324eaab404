"""What a server's words at the door mean: that trying again may help, or that it will not.

One server says `Error: ...` and closes, another `Sorry, ...`, and some close without a word.
"""

import re

_PASSING = re.compile(r"\b(already logged|try again|again later|in time|is full)\b", re.IGNORECASE)
_RIVAL = re.compile(r"another (login|connection)", re.IGNORECASE)
_SORRY = re.compile(r"(sorry|error)\b", re.IGNORECASE)


def is_error(line: str) -> bool:
    """Whether a line says that something is wrong, in the way most servers do."""
    return line.split(maxsplit=1)[0].rstrip(":").lower() == "error"


def is_passing(text: str) -> bool:
    """Whether what a server complains of may be over at the next try.

    A server that has not noticed the end of our last connection says that we are here already.
    """
    return _PASSING.search(text) is not None


def is_rival(text: str) -> bool:
    """Whether someone else has logged in, or tries to, under our name."""
    return _RIVAL.search(text) is not None


def is_apology(line: str) -> bool:
    """Whether a line after the password refuses it without calling that an error."""
    return _SORRY.match(line) is not None
