"""What an agent may do in a game."""

from functools import cache

import numpy as np
import numpy.typing as npt

from katachi.envs.stepping import Mask
from katachi.errors import KatachiError
from katachi.rules.game import Game
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import CELLS, PASS, points_of


def check_limit(limit: int | None, size: int) -> int:
    """The moves after which a game ends: as given, or three times the points of the board.

    Raises KatachiError for a limit that no game can have.
    """
    limit = 3 * size * size if limit is None else limit
    if not 1 <= limit < LONGEST_GAME:
        raise KatachiError(f"a limit of {limit} moves: use 1 to {LONGEST_GAME - 1:,}")
    return limit


def action_mask(game: Game) -> Mask:
    """[size * size + 1]: 1 for each legal action of the player to move, the pass included."""
    mask = np.zeros(game.size * game.size + 1, np.int8)
    mask[_actions_of_points(game.size)[game.legal_moves(game.to_play)]] = 1
    mask[-1] = 1
    return mask


def point_from_action(action: int, size: int) -> int:
    """The point that an action means, or PASS; raises KatachiError for a number of none."""
    if not 0 <= action <= size * size:
        raise KatachiError(f"action {action}: use 0 to {size * size}, the pass")
    return PASS if action == size * size else int(points_of(size)[action])


def action_from_point(point: int, size: int) -> int:
    """The action of a point of the board, or of PASS."""
    return int(_actions_of_points(size)[point])


@cache
def _actions_of_points(size: int) -> npt.NDArray[np.int64]:
    """[CELLS]: the action of each point of a board, and of PASS; read-only."""
    actions = np.full(CELLS, size * size, np.int64)
    actions[points_of(size)] = np.arange(size * size)
    actions.flags.writeable = False
    return actions
