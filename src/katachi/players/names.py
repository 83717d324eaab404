"""Names of players, known without loading what they play with."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from typing import NamedTuple

from katachi.rules.errors import KatachiError
from katachi.rules.limits import LONGEST_GAME, MAX_SIZE

PLAYER_NAMES = (
    "random",
    "alp",
    "influence",
    "playouts",
    "shape",
    "rlgo",
    "territory",
    "linear",
    "crbm",
    "gibbs",
    "search",
    "dyna",
    "phases",
    "opening",
)
EVALUATING_NAMES = ("alp", "influence", "shape", "rlgo", "territory", "linear", "crbm")
"""Players whose opinion of a position can stand at the leaves of a search."""
PROGRAM_PREFIX = "gtp:"
LEARNING_NAME = "shape"
"""The player whose opinion can be learned anew before each move."""
MOST_PLAYOUTS = 1_000_000
MOST_GAMES = 1_000_000
DEEPEST_SEARCH = 40
MOST_OPENING_MOVES = 200
COLDEST, HOTTEST = 1e-6, 1e6
"""Temperatures that a player may be asked to play at."""
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian keeps games; often not on the PATH."""
TEMPERATURE = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?")
"""How a temperature is written."""
LIMIT = re.compile(r"(?P<move>[0-9]{1,5})|(?P<percent>[0-9]{1,3})%|(?P<size>[0-9]{1,2})x(?P=size)")
"""How an end of a part of a game is written."""


class Setting(NamedTuple):
    """What stands behind the colon of a player's name."""

    word: str
    """As it is written in messages: `playouts:N`."""
    meaning: str
    is_right: Callable[[str], bool]
    is_optional: bool = False


def _is_count(setting: str) -> bool:
    is_number = setting.isdecimal() and len(setting) <= len(str(MOST_PLAYOUTS))
    return is_number and 0 < int(setting) <= MOST_PLAYOUTS


def split_thinking(setting: str) -> tuple[int | None, str]:
    """(number or None, evaluating player) of what follows `search:` or `dyna:`, such as `3:shape`:
    plies or games; by default as much as the time allows, by shape."""
    first, _, rest = setting.partition(":")
    if first.isdecimal() and len(first) <= len(str(MOST_GAMES)):
        return int(first), rest or "shape"
    return None, setting or "shape"


def split_temperature(setting: str) -> tuple[float | None, str]:
    """(temperature or None, evaluating player) of what follows `gibbs:`, such as `0.5:shape`."""
    first, _, rest = setting.partition(":")
    if TEMPERATURE.fullmatch(first):
        return float(first), rest
    return None, setting


def split_phases(setting: str) -> list[tuple[dict[str, int], str]]:
    """([limits by name, player], ...) of what follows `phases:`, such as `20:territory,shape`; no
    limits where none can be read."""
    parts = []
    for part in setting.split(","):
        first, _, rest = part.partition(":")
        found = [LIMIT.fullmatch(word) for word in first.split("/")]
        limits = [match.groupdict() for match in found if match is not None]
        kinds = [(kind, int(text)) for each in limits for kind, text in each.items() if text]
        is_read = len(limits) == len(found) == len(dict(kinds))
        parts.append((dict(kinds), rest) if is_read else ({}, part))
    return parts


def _is_phases(setting: str) -> bool:
    *parts, (last, closing) = split_phases(setting)
    names = [name for _, name in parts] + [closing]
    return (
        not last
        and len(parts) > 0
        and all(limits and _are_limits(limits) for limits, _ in parts)
        and all(split_name(name)[0] != "phases" and is_own_player(name) for name in names)
    )


def _are_limits(limits: dict[str, int]) -> bool:
    most = {"move": LONGEST_GAME, "percent": 100, "size": MAX_SIZE}
    return all(1 <= value <= most[kind] for kind, value in limits.items())


def split_opening(setting: str) -> tuple[str, int | None, str]:
    """(model, moves or None, player that goes on) of what follows `opening:`, such as
    `MODEL:30:alp`; by default the shipped model, as many moves as it knows, and shape."""
    model, _, rest = setting.partition(":")
    first, _, player = rest.partition(":")
    if first.isdecimal() and len(first) <= len(str(MOST_OPENING_MOVES)):
        return model, int(first), player or "shape"
    return model, None, rest or "shape"


def _is_opening(setting: str) -> bool:
    _, moves, player = split_opening(setting)
    if moves is not None and not 1 <= moves <= MOST_OPENING_MOVES:
        return False
    if player.startswith(PROGRAM_PREFIX):
        return True
    return split_name(player)[0] != "opening" and is_own_player(player)


def programs_inside(name: str) -> list[str]:
    """The programs that a player of ours hands over to, as players' names."""
    player, setting = split_name(name)
    inner: list[str] = []
    if player == "phases":
        inner = [each for _, each in split_phases(setting)]
    elif player == "opening":
        inner = [split_opening(setting)[2]]
    found = [[each] if each.startswith(PROGRAM_PREFIX) else programs_inside(each) for each in inner]
    return [program for programs in found for program in programs]


def _is_gibbs(setting: str) -> bool:
    temperature, name = split_temperature(setting)
    return _is_evaluating(name, EVALUATING_NAMES) and (
        temperature is None or COLDEST <= temperature <= HOTTEST
    )


def _is_search(setting: str) -> bool:
    return _is_thinking(setting, EVALUATING_NAMES, DEEPEST_SEARCH)


def _is_dyna(setting: str) -> bool:
    return _is_thinking(setting, (LEARNING_NAME,), MOST_GAMES)


def _is_thinking(setting: str, names: tuple[str, ...], most: int) -> bool:
    number, name = split_thinking(setting)
    return _is_evaluating(name, names) and (number is None or 1 <= number <= most)


def _is_evaluating(name: str, names: tuple[str, ...]) -> bool:
    return split_name(name)[0] in names and is_own_player(name)


def is_own_player(name: str) -> bool:
    """Whether a name is that of a player of ours, with a setting that it takes."""
    player, inner = split_name(name)
    if player not in PLAYER_NAMES:
        return False
    known = SETTINGS.get(player)
    if known is None:
        return name == player
    return known.is_right(inner) or (known.is_optional and not inner)


SETTINGS = {
    "playouts": Setting("N", f"a number from 1 to {MOST_PLAYOUTS}", _is_count, is_optional=True),
    "shape": Setting("MODEL", "a model's folder or name", bool, is_optional=True),
    "territory": Setting("MODEL", "a model's folder or name", bool, is_optional=True),
    "linear": Setting("MODEL", "a linear model's folder or name", bool),
    "crbm": Setting("MODEL", "a linear model's folder or name", bool, is_optional=True),
    "rlgo": Setting("FILE", "an existing file of RLGO's weights", os.path.isfile),
    "gibbs": Setting(
        "[T:]PLAYER",
        f"one of {', '.join(EVALUATING_NAMES)}, T a temperature from {COLDEST:g} to {HOTTEST:g}",
        _is_gibbs,
    ),
    "search": Setting(
        "[DEPTH:]PLAYER", f"one of {', '.join(EVALUATING_NAMES)}", _is_search, is_optional=True
    ),
    "dyna": Setting(
        "[GAMES:]PLAYER", f"{LEARNING_NAME} or {LEARNING_NAME}:MODEL", _is_dyna, is_optional=True
    ),
    "phases": Setting(
        "LIMIT:PLAYER,PLAYER",
        "players of ours with commas between, each but the last after where it ends: 20 for moves "
        "to the 20th, 30% for boards less filled, 9x9 for boards no larger, or several with / "
        "between",
        _is_phases,
    ),
    "opening": Setting(
        "MODEL[:N]:PLAYER",
        f"a model's folder or name or nothing, N 1 to {MOST_OPENING_MOVES}, and a player of ours "
        f"or {PROGRAM_PREFIX}COMMAND",
        _is_opening,
        is_optional=True,
    ),
}
"""The players that take a setting."""


def split_name(name: str) -> tuple[str, str]:
    """(player, setting) of a name such as `playouts:64`; the setting may be empty."""
    player, _, setting = name.partition(":")
    return player, setting


def check_player_name(name: str) -> None:
    """Raises KatachiError, saying what would be right, unless such a player can be made."""
    player, setting = split_name(name)
    if player in PLAYER_NAMES:
        _check_setting(name, player, setting)
        for program in programs_inside(name):
            check_player_name(program)
        return
    if is_program(name):
        program = split_command(command_of(name))[0]
        if find_program(program) is None:
            raise KatachiError(f"no program {program!r} on the PATH")
    else:
        choices = ", ".join(map(_form_of, PLAYER_NAMES))
        raise KatachiError(f"no player {name!r}: choose {choices} or {PROGRAM_PREFIX}COMMAND")


def _check_setting(name: str, player: str, setting: str) -> None:
    known = SETTINGS.get(player)
    if known is None:
        if name != player:
            raise KatachiError(f"no player {name!r}: {player} takes no setting")
    elif not (known.is_right(setting) or (known.is_optional and not setting)):
        form = f"{player}:{known.word}"
        raise KatachiError(f"no player {name!r}: in {form}, {known.word} must be {known.meaning}")


def _form_of(player: str) -> str:
    """How a player's name is written, with the setting it takes."""
    known = SETTINGS.get(player)
    if known is None:
        return player
    return f"{player}[:{known.word}]" if known.is_optional else f"{player}:{known.word}"


def is_program(name: str) -> bool:
    """Whether a player's name is an external program: `gtp:COMMAND`, or a command line whose first
    word is a program that can be found."""
    if split_name(name)[0] in PLAYER_NAMES:
        return False
    if name.startswith(PROGRAM_PREFIX):
        return True
    try:
        return find_program(split_command(name)[0]) is not None
    except KatachiError:
        return False


def command_of(name: str) -> str:
    """The command line of an external program."""
    return name.removeprefix(PROGRAM_PREFIX)


def split_command(command: str) -> list[str]:
    """The words of a command line, at least one; as in a shell, quotes hold a word with blanks
    together. Raises KatachiError where there are none, or a quote is not closed."""
    try:
        words = shlex.split(command)
    except ValueError:
        text = "a quote is not closed, or a backslash ends it"
        raise KatachiError(f"the command {command!r} cannot be read: {text}") from None
    if not words or not words[0]:
        raise KatachiError(f"the command {command!r} names no program")
    if "\0" in command:
        raise KatachiError(f"the command {command!r} holds a character that no command can")
    return words


def find_program(name: str) -> str | None:
    """The full path of a program on the PATH or in the games folders, or None."""
    folders = [os.environ.get("PATH", os.defpath), *GAMES_FOLDERS]
    return shutil.which(name, path=os.pathsep.join(folders))
