"""Names of players, and the boards they are for, known without loading what they play with."""

import os
import shlex
import shutil
from pathlib import Path
from typing import Any

from katachi.errors import KatachiError
from katachi.files.plugin_names import PLUGIN, installed_names
from katachi.files.shipped_folders import has_model, model_names, nearest, read_model
from katachi.players import kinds
from katachi.search.tree_limits import BATCH_OF_CARD, CPU, MOST_MEMORY, TreeLimits

GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian keeps games; often not on the PATH."""


def check_player_name(name: str) -> None:
    """Raises KatachiError, saying what would be right, unless such a player can be made: also
    where a model is another player's, or a program is not there. No weights are loaded."""
    player, setting = kinds.split_name(name)
    if player in kinds.KINDS:
        _check_setting(name, player, setting)
        for part in kinds.parts_of(name):
            _check_part(part)
            _check_leaves(part)
    elif is_program(name):
        _check_part(name)
    elif has_model(name):
        heading = read_model(name).heading
        raise KatachiError(f"{name} holds a model of kind {heading.kind!r}, which no player has")
    elif os.path.isdir(name):
        raise KatachiError(f"{name} is a folder that holds no model and no training run")
    else:
        near = nearest(player, [*kinds.KINDS, *model_names(), *installed_names()])
        raise KatachiError(f"no player {name!r}: {near}`katachi players` lists all")


def _check_part(name: str) -> None:
    if is_program(name):
        program = split_command(command_of(name))[0]
        if find_program(program) is None:
            missing = "GNU Go is not installed (apt-get install gnugo)"
            is_gnugo = kinds.split_name(name)[0] == kinds.GNUGO
            raise KatachiError(missing if is_gnugo else f"no program {program!r} on the PATH")
    model, player = kinds.model_of(name), kinds.split_name(name)[0]
    if not model:
        return
    found = read_model(model).heading.kind
    if found != kinds.KINDS[player].model:
        other = kinds.player_of_model(model)
        hint = f": its player is {other}:{model}" if other else ""
        wanted = kinds.KINDS[player].model
        raise KatachiError(f"{model} holds a model of kind {found!r}, not {wanted!r}{hint}")


def _check_leaves(name: str) -> None:
    """Raises KatachiError for a search by a model that knows no values."""
    player, setting = kinds.split_name(name)
    if player not in kinds.KINDS or not kinds.KINDS[player].is_search:
        return
    for model in map(kinds.model_of, kinds.KINDS[player].inner(setting)):
        if model and not read_model(model).heading.knows_owners:
            raise judges_no_position(model)


def judges_no_position(model: str) -> KatachiError:
    """What is said of a model that cannot stand at the leaves of a search."""
    return KatachiError(f"{model} predicts moves and judges no position: search by another")


def _check_setting(name: str, player: str, setting: str) -> None:
    known = kinds.KINDS[player].setting
    if known is None:
        if name != player:
            raise KatachiError(f"no player {name!r}: {player} takes no setting")
    elif not (known.is_right(setting) or (known.is_optional and not setting)):
        form = f"{player}:{known.word}"
        raise KatachiError(f"no player {name!r}: in {form}, {known.word} must be {known.meaning}")


def tree_limits(
    name: str, threads: int | None, memory: int | None, device: str | None = None
) -> TreeLimits | None:
    """The limits of a player's trees by the options of a command, memory in MiB; None where none
    was given. Raises KatachiError for numbers that make no sense, and for a player without
    trees."""
    given: dict[str, Any] = {
        "threads": threads,
        "memory": None if memory is None else memory << 20,
        "device": device,
    }
    wanted = {option: value for option, value in given.items() if value is not None}
    if not wanted:
        return None
    if not any(kinds.split_name(part)[0] == kinds.TREE for part in kinds.parts_of(name)):
        options = " and ".join(f"--{option}" for option in wanted)
        raise KatachiError(f"{name} grows no tree: {options} can be used with tree[:PLAYER]")
    if memory is not None and not 1 <= memory <= MOST_MEMORY >> 20:
        raise KatachiError(f"--memory {memory}: use 1 to {MOST_MEMORY >> 20} MiB")
    batch = TreeLimits.batch if device in {None, CPU} else BATCH_OF_CARD
    return TreeLimits(batch, **wanted)


def check_no_plugin(name: str, why: str) -> None:
    """Raises KatachiError, saying why, for a player with code of somebody else's inside: for names
    that come out of files or over the net, which must not run any."""
    for part in kinds.parts_of(name):
        if kinds.split_name(part)[0] == PLUGIN:
            raise KatachiError(f"{part} is a plug-in: {why}")


def check_steady(name: str) -> None:
    """Raises KatachiError for a player whose strength depends on earlier games: where equal seeds
    are to give equal games."""
    auto = f"{kinds.RATED}:{kinds.AUTO}"
    if auto in kinds.parts_of(name):
        raise KatachiError(f"{auto} follows a person's results: here name a rating, as rated:800")


def programs_inside(name: str) -> list[str]:
    """The programs that a player of ours hands over to, as players' names."""
    return [part for part in list(kinds.parts_of(name))[1:] if is_program(part)]


def is_program(name: str) -> bool:
    """Whether a player's name is an external program: `gtp:COMMAND`, or a command line whose first
    word is a program that can be found; or GNU Go by its name."""
    player = kinds.split_name(name)[0]
    if player in kinds.KINDS:
        return player == kinds.GNUGO
    if name.startswith(kinds.PROGRAM_PREFIX):
        return True
    try:
        return find_program(split_command(name)[0]) is not None
    except KatachiError:
        return False


def command_of(name: str) -> str:
    """The command line of an external program."""
    player, setting = kinds.split_name(name)
    if player == kinds.GNUGO:
        return f"{kinds.GNUGO_COMMAND} {setting or kinds.GNUGO_LEVELS[-1]}"
    return name.removeprefix(kinds.PROGRAM_PREFIX)


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


def check_board(name: str, size: int) -> None:
    """Raises KatachiError, naming the model, where a player would refuse boards of this size."""
    for part in _always_playing(name):
        board = _board(part)
        if board is not None and board != size:
            what = kinds.split_name(part)[1]
            raise KatachiError(f"{what} is for {board}x{board} boards, not {size}x{size}")


def board_of(name: str) -> int | None:
    """The one size of board that a player plays on; None where it plays on any."""
    return next(filter(None, map(_board, _always_playing(name))), None)


def _always_playing(name: str) -> list[str]:
    """The parts of a player that must fit every board: those that it hands over to on some boards
    only are left out, and so is an opening net, which others stand in for."""
    player, setting = kinds.split_name(name)
    if player == "phases":
        parts = [each for limits, each in kinds.split_phases(setting) if "size" not in limits]
    elif player == "opening":
        parts = [kinds.split_opening(setting)[2]]
    else:
        return list(kinds.parts_of(name))
    return [found for part in parts for found in _always_playing(part)]


def _board(name: str) -> int | None:
    player, setting = kinds.split_name(name)
    if player == "rlgo":
        from katachi.evaluators.rlgo import read_weights  # which loads the compiler

        return read_weights(Path(setting))[1]
    model = kinds.model_of(name)
    return read_model(model).heading.size if model else None
