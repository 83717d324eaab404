"""Names of players, known without loading what they play with."""

import os
import shutil

from katachi.rules.errors import KatachiError

PLAYER_NAMES = ("random", "alp", "influence")
PROGRAM_PREFIX = "gtp:"
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian keeps games; often not on the PATH."""


def check_player_name(name: str) -> None:
    """Raises KatachiError, saying what would be right, unless such a player can be made."""
    if name.startswith(PROGRAM_PREFIX):
        program = name.removeprefix(PROGRAM_PREFIX).partition(" ")[0]
        if find_program(program) is None:
            raise KatachiError(f"no program {program!r} on the PATH")
    elif name not in PLAYER_NAMES:
        choices = ", ".join(PLAYER_NAMES)
        raise KatachiError(f"no player {name!r}: choose {choices} or {PROGRAM_PREFIX}COMMAND")


def find_program(name: str) -> str | None:
    """The full path of a program on the PATH or in the games folders, or None."""
    folders = [os.environ.get("PATH", os.defpath), *GAMES_FOLDERS]
    return shutil.which(name, path=os.pathsep.join(folders))
