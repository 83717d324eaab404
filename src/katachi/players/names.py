"""Names of players, known without loading what they play with."""

import os
import shlex
import shutil

from katachi.errors import KatachiError
from katachi.files.shipped_folders import has_model, model_names, nearest, read_model
from katachi.players.kinds import (
    COLDEST,
    DEFAULT_PLAYER,
    EVALUATING_NAMES,
    GNUGO,
    GNUGO_COMMAND,
    GNUGO_LEVELS,
    HOTTEST,
    KINDS,
    PLAYER_NAMES,
    PROGRAM_PREFIX,
    is_own_player,
    model_of,
    parts_of,
    player_of_model,
    split_name,
    split_opening,
    split_phases,
    split_temperature,
    split_thinking,
)

__all__ = [
    "COLDEST",
    "DEFAULT_PLAYER",
    "EVALUATING_NAMES",
    "HOTTEST",
    "KINDS",
    "PLAYER_NAMES",
    "PROGRAM_PREFIX",
    "check_player_name",
    "command_of",
    "find_program",
    "is_own_player",
    "is_program",
    "programs_inside",
    "split_command",
    "split_name",
    "split_opening",
    "split_phases",
    "split_temperature",
    "split_thinking",
]
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian keeps games; often not on the PATH."""


def check_player_name(name: str) -> None:
    """Raises KatachiError, saying what would be right, unless such a player can be made: also
    where a model is another player's, or a program is not there. No weights are loaded."""
    player, setting = split_name(name)
    if player in KINDS:
        _check_setting(name, player, setting)
        for part in parts_of(name):
            _check_part(part)
    elif is_program(name):
        _check_part(name)
    elif has_model(name):
        heading = read_model(name).heading
        raise KatachiError(f"{name} holds a model of kind {heading.kind!r}, which no player has")
    elif os.path.isdir(name):
        raise KatachiError(f"{name} is a folder that holds no model and no training run")
    else:
        near = nearest(player, [*KINDS, *model_names()])
        raise KatachiError(f"no player {name!r}: {near}`katachi players` lists all")


def _check_part(name: str) -> None:
    if is_program(name):
        program = split_command(command_of(name))[0]
        if find_program(program) is None:
            missing = "GNU Go is not installed (apt-get install gnugo)"
            is_gnugo = split_name(name)[0] == GNUGO
            raise KatachiError(missing if is_gnugo else f"no program {program!r} on the PATH")
    model, player = model_of(name), split_name(name)[0]
    if not model:
        return
    found = read_model(model).heading.kind
    if found != KINDS[player].model:
        other = player_of_model(model)
        hint = f": its player is {other}:{model}" if other else ""
        wanted = KINDS[player].model
        raise KatachiError(f"{model} holds a model of kind {found!r}, not {wanted!r}{hint}")


def _check_setting(name: str, player: str, setting: str) -> None:
    known = KINDS[player].setting
    if known is None:
        if name != player:
            raise KatachiError(f"no player {name!r}: {player} takes no setting")
    elif not (known.is_right(setting) or (known.is_optional and not setting)):
        form = f"{player}:{known.word}"
        raise KatachiError(f"no player {name!r}: in {form}, {known.word} must be {known.meaning}")


def programs_inside(name: str) -> list[str]:
    """The programs that a player of ours hands over to, as players' names."""
    return [part for part in list(parts_of(name))[1:] if is_program(part)]


def is_program(name: str) -> bool:
    """Whether a player's name is an external program: `gtp:COMMAND`, or a command line whose first
    word is a program that can be found; or GNU Go by its name."""
    player = split_name(name)[0]
    if player in KINDS:
        return player == GNUGO
    if name.startswith(PROGRAM_PREFIX):
        return True
    try:
        return find_program(split_command(name)[0]) is not None
    except KatachiError:
        return False


def command_of(name: str) -> str:
    """The command line of an external program."""
    player, setting = split_name(name)
    if player == GNUGO:
        return f"{GNUGO_COMMAND} {setting or GNUGO_LEVELS[-1]}"
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
