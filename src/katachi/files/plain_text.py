"""Text of others on its way out: names, file names, engines' answers.

Nothing in it may steer a terminal, end a line of a protocol or stop the program that prints it.
"""

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters; tabs and ends of lines are text
    "\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # other lines, other directions
    "\ud800-\udfff]"  # halves of characters, as bytes that are not UTF-8 are read
)
_FIRST_BYTE = 0xDC00
"""A byte that is not UTF-8 is read as this and its value (`surrogateescape`)."""


LONGEST_REASON = 200
"""Characters of the report of a failure."""


def shorten(text: str, most: int = LONGEST_REASON) -> str:
    """A text by somebody else on one line of at most so many characters, all of them printable."""
    line = " ".join(text[: 4 * most].split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in line)
    whole = len(text) <= 4 * most and len(shown) <= most
    return shown if whole else f"{shown[: most - 3]}..."


def visible(text: str) -> str:
    """The text with what would steer a terminal written out in hexadecimal; lines stay lines."""
    return text if text.isascii() and text.isprintable() else _STEERING.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if _FIRST_BYTE + 0x80 <= code <= _FIRST_BYTE + 0xFF:
        code -= _FIRST_BYTE
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def one_line(text: object) -> str:
    """The text in one line that steers nothing."""
    return visible(" ".join(str(text).split()))


def shown_text(text: str) -> str:
    """A name in one line that steers nothing: ends of lines and tabs are written out, too."""
    return visible(text).replace("\n", "\\x0a").replace("\t", "\\x09")
