"""Commands that set the clocks."""

import math

from katachi.interfaces.gtp.arguments import expect, parse_color, parse_integer, parse_number
from katachi.interfaces.gtp.errors import INVALID_COLOR, SYNTAX_ERROR, CommandError
from katachi.interfaces.gtp.session import Command, Session
from katachi.players.clock import TimeSettings, TimeSystem

LONGEST_SECONDS = 1e8
_NOT_NUMBERS = "not three integers"
_NOT_TIME_LEFT = "time and stones not two integers"
_FISCHER_CAPPED = "fischer-capped"
_COUNTS = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3, "fischer": 2, _FISCHER_CAPPED: 4}


def _seconds(text: str, error: str = SYNTAX_ERROR) -> float:
    seconds = parse_number(text, error)
    if not 0 <= seconds <= LONGEST_SECONDS:
        raise CommandError(error)
    return seconds


def _count(text: str, error: str = SYNTAX_ERROR) -> int:
    count = parse_integer(text, error)
    if count < 0:
        raise CommandError(error)
    return count


def time_settings(session: Session, arguments: list[str]) -> str:
    """Main time, then a period for so many stones (a period for 0 stones: no time limit)."""
    expect(arguments, 3, error=_NOT_NUMBERS)
    main, period = (_seconds(text, _NOT_NUMBERS) for text in arguments[:2])
    stones = _count(arguments[2], _NOT_NUMBERS)
    if period > 0 and stones == 0:
        settings = TimeSettings()
    elif period == 0:
        settings = TimeSettings(TimeSystem.ABSOLUTE, main)
    else:
        settings = TimeSettings(TimeSystem.CANADIAN, main, period, stones)
    session.clock.configure(settings)
    return ""


def time_left(session: Session, arguments: list[str]) -> str:
    """What is left on the clock of a colour: seconds, and stones or periods (0 in main time)."""
    if not arguments:
        raise CommandError(INVALID_COLOR)
    color = parse_color(arguments[0])
    expect(arguments, 3, error=_NOT_TIME_LEFT)
    # A clock that has run out may be reported as less than nothing.
    seconds = min(max(parse_number(arguments[1], _NOT_TIME_LEFT), 0.0), LONGEST_SECONDS)
    session.clock.report(color, seconds, _count(arguments[2], _NOT_TIME_LEFT))
    return ""


def parse_time_system(arguments: list[str]) -> TimeSettings:
    """The settings of `none`, `absolute M`, `byoyomi M T N`, `canadian M T N`, `fischer M I` or
    `fischer-capped M I CAP LONGEST` (where -1 is no limit)."""
    name = arguments[0].lower() if arguments else ""
    if name not in _COUNTS or len(arguments) != 1 + _COUNTS[name]:
        raise CommandError(SYNTAX_ERROR)
    numbers = arguments[1:]
    if name == _FISCHER_CAPPED:
        main, increment = (_seconds(text) for text in numbers[:2])
        cap, longest = (_limit(text) for text in numbers[2:])
        fischer = TimeSystem.FISCHER
        return TimeSettings(fischer, main, increment=increment, cap=cap, longest_move=longest)
    system = TimeSystem(name)
    if system == TimeSystem.FISCHER:
        return TimeSettings(system, _seconds(numbers[0]), increment=_seconds(numbers[1]))
    main, period = ([_seconds(text) for text in numbers[:2]] + [0.0, 0.0])[:2]
    count = _count(numbers[2]) if len(numbers) > 2 else 0
    if len(numbers) > 2 and (count == 0 or period == 0):
        system = TimeSystem.ABSOLUTE
    return TimeSettings(system, main, period, count)


def _limit(text: str) -> float:
    return math.inf if parse_number(text) < 0 else _seconds(text)


def set_time_system(session: Session, arguments: list[str]) -> str:
    """Sets a time system by its name and numbers."""
    session.clock.configure(parse_time_system(arguments))
    return ""


def list_time_systems(_session: Session, _arguments: list[str]) -> str:
    """The time systems that can be set."""
    return " ".join(_COUNTS)


COMMANDS: dict[str, Command] = {
    "time_settings": time_settings,
    "time_left": time_left,
    "kgs-time_settings": set_time_system,
    "kata-time_settings": set_time_system,
    "kata-list_time_settings": list_time_systems,
}
