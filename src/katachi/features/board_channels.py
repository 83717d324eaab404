# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Boards as channels that are on or off: what a convolutional RBM sees.

| channels | one of these is on at each point |
|---|---|
| `stones` | the viewer's stone, the other's, empty |
| `liberties` | empty; a stone whose block has 1, 2, 3, 4 or more liberties |
| `edge` | the first, second, third line; further in |
"""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.features.window_map import Viewers, seen_state
from katachi.rules.checking import check_boards, check_viewers
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.legality import count_liberties
from katachi.rules.point import STRIDE
from katachi.rules.state import COLOR, SIZE, BoardState, Words

Floats = npt.NDArray[np.float32]

STONES, LIBERTIES, EDGE = "stones", "liberties", "edge"
GROUPS = {STONES: 3, LIBERTIES: 5, EDGE: 4}
"""How many channels each input has."""
_INPUTS = tuple(GROUPS)
EMPTY_CHANNEL = 2
CHANNEL_OF_STATE = np.array([EMPTY_CHANNEL, 0, 1])
"""The channel of stones that is on, by what a point is to the viewer: empty, own, the other's."""
_MOST_LIBERTIES = GROUPS[LIBERTIES] - 1
_INNERMOST = GROUPS[EDGE] - 1


def check_inputs(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The same inputs; raises KatachiError for unknown ones or if the first is not the stones."""
    unknown = [name for name in inputs if name not in GROUPS]
    if unknown or len(set(inputs)) != len(inputs) or inputs[:1] != (STONES,):
        raise KatachiError(
            f"no inputs {','.join(inputs) or 'at all'}: give stones first, and then, once each, "
            "liberties and edge"
        )
    return inputs


def channels_of(
    states: BoardState, inputs: tuple[str, ...], viewers: Viewers | None = None
) -> Floats:
    """[B, C, N, N]: positions of one board size as their viewers see them, Black by default."""
    size = int(states.words.flat[SIZE])
    count = sum(GROUPS[name] for name in inputs)
    channels = np.zeros((len(states.words), count, size, size), np.float32)
    if viewers is None:
        viewers = np.full(len(channels), BLACK, np.uint8)
    kinds = np.array([_INPUTS.index(name) for name in inputs])
    check_boards(states.words)
    check_viewers(viewers, len(states.words))
    fill_channels(states.words, kinds, viewers, channels)
    return channels


@kernel
def fill_channels(
    words: Words, kinds: npt.NDArray[np.int64], viewers: Viewers, channels: Floats
) -> None:
    """Turns on one channel of each input at every point of many boards."""
    size = channels.shape[2]
    for index in range(len(words)):
        for row in range(size):
            for col in range(size):
                first = 0
                for kind in kinds:
                    point = (row + 1) * STRIDE + col + 1
                    viewer = np.int64(viewers[index])
                    chosen = _channel(words[index], kind, point, viewer)
                    channels[index, first + chosen, row, col] = 1.0
                    first += 3 if kind == 0 else (5 if kind == 1 else 4)


@kernel
def _channel(board: Words, kind: int, point: int, viewer: int) -> int:
    """Which channel of an input is on at a point."""
    color = np.int64(board[COLOR + point])
    if kind == 0:
        return (seen_state(color, viewer) + 2) % 3
    if kind == 1:
        return 0 if color == EMPTY else min(count_liberties(board, point), _MOST_LIBERTIES)
    size = np.int64(board[SIZE])
    row, col = point // STRIDE - 1, point % STRIDE - 1
    nearest = min(min(row, size - 1 - row), min(col, size - 1 - col))
    return min(nearest, _INNERMOST)
