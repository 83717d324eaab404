"""Names of players, known without loading what they play with."""

import os
import shutil

from katachi.rules.errors import KatachiError

PLAYER_NAMES = ("random", "alp", "influence", "playouts")
PROGRAM_PREFIX = "gtp:"
MOST_PLAYOUTS = 1_000_000
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian keeps games; often not on the PATH."""


def split_name(name: str) -> tuple[str, str]:
    """(player, setting) of a name such as `playouts:64`; the setting may be empty."""
    player, _, setting = name.partition(":")
    return player, setting


def check_player_name(name: str) -> None:
    """Raises KatachiError, saying what would be right, unless such a player can be made."""
    player, setting = split_name(name)
    if player in PLAYER_NAMES:
        is_count = setting.isdecimal() and 0 < int(setting) <= MOST_PLAYOUTS
        if setting and not (player == "playouts" and is_count):
            raise KatachiError(f"no player {name!r}: only playouts:N takes a number, from 1 up")
        return
    program = command_of(name).partition(" ")[0]
    if is_program(name):
        if find_program(program) is None:
            raise KatachiError(f"no program {program!r} on the PATH")
    else:
        choices = ", ".join(PLAYER_NAMES)
        raise KatachiError(f"no player {name!r}: choose {choices} or {PROGRAM_PREFIX}COMMAND")


def is_program(name: str) -> bool:
    """Whether a player's name is an external program: `gtp:COMMAND`, or a command line whose first
    word is a program that can be found."""
    if split_name(name)[0] in PLAYER_NAMES:
        return False
    return name.startswith(PROGRAM_PREFIX) or find_program(name.partition(" ")[0]) is not None


def command_of(name: str) -> str:
    """The command line of an external program."""
    return name.removeprefix(PROGRAM_PREFIX)


def find_program(name: str) -> str | None:
    """The full path of a program on the PATH or in the games folders, or None."""
    folders = [os.environ.get("PATH", os.defpath), *GAMES_FOLDERS]
    return shutil.which(name, path=os.pathsep.join(folders))
