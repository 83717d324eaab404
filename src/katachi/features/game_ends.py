# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Who holds each point when a recorded game is over: what propensity is learned from."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.records.dataset import GameSet
from katachi.records.replay import GameArrays, Scratch, begin_game
from katachi.records.stones import COLOR_UNIT, Ragged, Rows
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import STRIDE
from katachi.rules.state import COLOR, EMPTIES, EMPTY_COUNT, TRACE_CAPTURES, TRACE_LENGTHS, Words

Numbers = npt.NDArray[np.int64]

_STONES, _LEFT_OUT = -1, -2


class Ending(StrEnum):
    """What is looked at when the game is over."""

    STONES = "stones"
    """The stone on the point in the last position, dead or alive."""
    OWNERS = "owners"
    """The owner of the point."""


class EndedGames(NamedTuple):
    """Games of one board size, and where to find who holds the points at the end."""

    rows: Rows
    """[G]: rows of the games' columns."""
    owner_starts: Numbers
    """[G]: where the owners of each game begin, or -1 where stones are looked at."""
    owners: npt.NDArray[np.int8]


def ended_games(
    games: GameSet, ending: Ending, owners: Ragged | None
) -> list[tuple[int, EndedGames]]:
    """(board size, its games), the smallest first.

    `owners` has a list for each game of the set: the owners of its points at the end row by row,
    +1 Black, -1 White, 0 nobody; or nothing for a game to leave out. Without it, the owners that
    the records mark are taken. They are looked at only for `Ending.OWNERS`. Raises KatachiError
    for owners that do not fit, or when no game is left.
    """
    sizes = np.asarray(games.info["size"], np.int64)
    starts, values = np.full(len(games), _STONES, np.int64), np.zeros(1, np.int8)
    if ending is Ending.OWNERS:
        starts, values = _owners(games, owners, sizes)
    used = starts != _LEFT_OUT
    if not used.any():
        raise KatachiError("no game to learn propensity from: none has a final ownership")
    chosen = [(size, used & (sizes == size)) for size in np.unique(sizes[used]).tolist()]
    return [(size, EndedGames(games.rows[each], starts[each], values)) for size, each in chosen]


def _owners(
    games: GameSet, owners: Ragged | None, sizes: Numbers
) -> tuple[Numbers, npt.NDArray[np.int8]]:
    if owners is None:
        owners = games.columns.owners.take(games.rows)
    lengths = owners.lengths
    if len(lengths) != len(games):
        raise KatachiError(f"owners of {len(lengths)} games for a set of {len(games)}")
    if not ((lengths == 0) | (lengths == sizes**2)).all():
        raise KatachiError("a game has owners for a board of another size")
    starts = np.where(lengths > 0, owners.starts[:-1], _LEFT_OUT)
    return starts, np.ascontiguousarray(owners.values, np.int8)


@kernel
def find_final(
    games: GameArrays, ended: EndedGames, index: int, scratch: Scratch, final: Numbers
) -> None:
    """Writes into `final` [CELLS] who holds each point at the end of a game: +1 Black, -1 White,
    0 nobody. The scratch board is then at the end of the game, or where it was."""
    row = ended.rows[index]
    size = np.int64(games.sizes[row])
    start = ended.owner_starts[index]
    if start == _STONES:
        begin_game(games, row, scratch)
        for at in range(games.move_starts[row], games.move_starts[row + 1]):
            code = np.int64(games.moves[at])
            play_move(scratch.state, code % COLOR_UNIT, code // COLOR_UNIT)
    for number in range(size * size):
        point = (number // size + 1) * STRIDE + number % size + 1
        if start == _STONES:
            color = scratch.state.words[COLOR + point]
            final[point] = np.int64(color == BLACK) - np.int64(color == WHITE)
        else:
            final[point] = ended.owners[start + number]


@kernel
def list_captured(board: Words, points: Numbers) -> int:
    """Writes the points that the last move emptied; returns how many there are."""
    freed = 0
    for capture in range(board[TRACE_CAPTURES]):
        freed += int(board[TRACE_LENGTHS + capture])
    end = np.int64(board[EMPTY_COUNT])
    for index in range(freed):
        points[index] = board[EMPTIES + end - freed + index]
    return freed
