"""What an agent sees of a game, and what it may do."""

from functools import cache

import numpy as np
import numpy.typing as npt

from katachi.envs.stepping import PLANE_COUNT, Mask, Planes, write_planes
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


def observation_planes(game: Game, color: int | None = None) -> Planes:
    """[6, size, size]: `stepping.PLANES` of a game as `color` sees it, the one to move by default.

    The planes are 0 or 1: own stones, the opponent's, empty points, the last move, whether it was
    a pass, whether White sees.

    >>> game = katachi.Game(9)
    >>> game.play("D4")
    >>> planes = katachi.observation_planes(game)
    >>> planes.shape, planes[1].sum()
    ((6, 9, 9), 1)
    """
    planes = np.zeros((PLANE_COUNT, game.size, game.size), np.uint8)
    write_planes(game.words, game.to_play if color is None else color, planes)
    return planes


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
