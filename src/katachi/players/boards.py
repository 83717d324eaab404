"""Which boards a player's model is for, known before anything is loaded."""

from pathlib import Path

from katachi.errors import KatachiError
from katachi.files.shipped_folders import read_model
from katachi.players.kinds import model_of, parts_of, split_name, split_opening, split_phases


def check_board(name: str, size: int) -> None:
    """Raises KatachiError, naming the model, where a player would refuse boards of this size."""
    for part in _always_playing(name):
        board = _board(part)
        if board is not None and board != size:
            what = split_name(part)[1]
            raise KatachiError(f"{what} is for {board}x{board} boards, not {size}x{size}")


def board_of(name: str) -> int | None:
    """The one size of board that a player plays on; None where it plays on any."""
    return next(filter(None, map(_board, _always_playing(name))), None)


def _always_playing(name: str) -> list[str]:
    """The parts of a player that must fit every board: those that it hands over to on some boards
    only are left out, and so is an opening net, which others stand in for."""
    player, setting = split_name(name)
    if player == "phases":
        parts = [each for limits, each in split_phases(setting) if "size" not in limits]
    elif player == "opening":
        parts = [split_opening(setting)[2]]
    else:
        return list(parts_of(name))
    return [found for part in parts for found in _always_playing(part)]


def _board(name: str) -> int | None:
    player, setting = split_name(name)
    if player == "rlgo":
        from katachi.evaluators.rlgo import read_weights  # which loads the compiler

        return read_weights(Path(setting))[1]
    model = model_of(name)
    return read_model(model).heading.size if model else None
