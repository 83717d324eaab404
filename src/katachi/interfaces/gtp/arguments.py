"""Arguments of commands, as a client wrote them."""

import math
import re

from katachi.interfaces.gtp.errors import INVALID_COLOR, SYNTAX_ERROR, CommandError
from katachi.rules.color import BLACK, WHITE

_COLORS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


def is_color(text: str) -> bool:
    """Whether the text names a colour, in either case."""
    return text.lower() in _COLORS


def parse_color(text: str, error: str = INVALID_COLOR) -> int:
    """BLACK or WHITE; raises CommandError with `error` for any other text."""
    if not is_color(text):
        raise CommandError(error)
    return _COLORS[text.lower()]


def parse_integer(text: str, error: str = SYNTAX_ERROR) -> int:
    """A whole number of at most nine digits; raises CommandError with `error` otherwise."""
    if not is_integer(text):
        raise CommandError(error)
    return int(text)


def is_integer(text: str) -> bool:
    """Whether `parse_integer` takes the text."""
    return _INTEGER.fullmatch(text) is not None


def parse_number(text: str, error: str = SYNTAX_ERROR) -> float:
    """A finite number; raises CommandError with `error` for anything else, nan and inf included."""
    if not is_number(text):
        raise CommandError(error)
    number = float(text)
    if not math.isfinite(number):
        raise CommandError(error)
    return number


def is_number(text: str) -> bool:
    """Whether the text is written as a number."""
    return _NUMBER.fullmatch(text) is not None


def parse_flag(text: str) -> bool:
    """True or False as client programs write them."""
    if text.lower() not in _FLAGS:
        raise CommandError(SYNTAX_ERROR)
    return _FLAGS[text.lower()]


def expect(arguments: list[str], *counts: int, error: str = SYNTAX_ERROR) -> None:
    """Raises CommandError unless there is one of these numbers of arguments."""
    if len(arguments) not in counts:
        raise CommandError(error)
