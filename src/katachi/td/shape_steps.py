# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Local shape learned after each move, as the paper prints it, inside one kernel.

When an agent has moved, the position after its move before that is learned from: its value, by the
weights of now, moves towards that of the new position. So weights change during a game, and what is
followed must be read again after each step; `shape_learning` is faster, and learns by game.
"""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.liberty_tracker import UNKNOWN
from katachi.features.shape_tables import ShapeTables
from katachi.features.units import LARGEST_WEIGHT, UNIT, Weights
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK
from katachi.rules.state import PASSES, PLY
from katachi.td.shape_games import begin_game, choose_move, make_move
from katachi.td.shape_learning import Learner
from katachi.td.shape_memory import GameSettings, ShapeGame
from katachi.td.targets import logistic, nearest, outcome_of

Used = npt.NDArray[np.int32]
"""The weights in use in a position, by slot; kept where others keep the log of a game."""


@inlined
def _value_before(theta: Weights, used: Used) -> float:
    """What the weights of now say of the position in which these were in use."""
    total = np.int64(0)
    for slot in range(len(used)):
        total += theta[used[slot]]
    return logistic(UNIT * total)


@kernel
def _read_again(game: ShapeGame, tables: ShapeTables, theta: Weights, view: int) -> None:
    """Lets a view that stands where it stands use weights that have changed."""
    tracker = game.tracker
    total = np.int64(0)
    for slot in range(len(tables.slot_set)):
        value = theta[tracker.used[view, slot]]
        tracker.value[view, slot] = value
        total += value
    tracker.totals[view] = total
    for cell in range(len(tracker.stale)):
        tracker.stale[cell] |= 1 << view
    for cell in range(len(tables.liberty.cell)):
        game.liberty.gains[view, cell] = UNKNOWN


@kernel
def _learn_step(
    tables: ShapeTables, learner: Learner, owner: int, used: Used, following: float
) -> None:
    """Moves the weights in use in a position so that its value comes nearer to the one that
    followed; TD(0), as `fill_errors` and `fill_steps` do it for one position."""
    theta, seen = learner.weights[owner], learner.seen[owner]
    value = _value_before(theta, used)
    error = (following - value) * (value * (1.0 - value) if learner.rule.is_squared else 1.0)
    scale = 1.0 / UNIT  # exact: a power of two
    for slot in range(len(used)):
        step = nearest(learner.rates[tables.slot_set[slot]] * error * scale)
        index = used[slot]
        theta[index] = min(max(theta[index] + step, -LARGEST_WEIGHT), LARGEST_WEIGHT)
        seen[index] += np.uint64(1)


@kernel
def _play_and_learn(
    game: ShapeGame,
    tables: ShapeTables,
    learner: Learner,
    settings: GameSettings,
    random: np.uint64,
) -> int:
    """Plays one game between `game.owners`, who learn on the way; returns its plies."""
    weights, owners, board = learner.weights, game.owners, game.state.words
    begin_game(game, tables, weights, owners)
    slots = len(tables.slot_set)
    start = np.int64(board[PLY])
    ply = np.int64(board[PLY])
    while board[PASSES] < 2 and ply < len(game.record):
        color = BLACK + ply % 2
        view = color - BLACK
        point, random = choose_move(game, tables, weights[owners[view]], settings, color, random)
        make_move(game, tables, weights, owners, point, color)
        game.record[ply] = point
        used = game.log[view * slots : (view + 1) * slots]
        if ply >= start + 2:
            following = logistic(UNIT * game.tracker.totals[view])
            _learn_step(tables, learner, owners[view], used, following)
            for other in range(2):
                if owners[other] == owners[view]:
                    _read_again(game, tables, weights[owners[view]], other)
        for slot in range(slots):
            used[slot] = game.tracker.used[view, slot]
        ply += 1
    margin = count_filled_area(board) - settings.komi
    for side in range(2):
        if ply > start + side:
            outcome = outcome_of(margin if side == 0 else -margin)
            used = game.log[side * slots : (side + 1) * slots]
            _learn_step(tables, learner, owners[side], used, outcome)
    return ply


@kernel
def train_by_move(
    game: ShapeGame,
    tables: ShapeTables,
    learner: Learner,
    settings: GameSettings,
    randoms: npt.NDArray[np.uint64],
    first: int,
) -> int:
    """As `train_pair`, but agents learn after each of their moves. Of the rule only the loss
    counts: it is TD(0), without cascade."""
    total = 0
    for number in range(len(randoms)):
        turn = (first + number) % 2
        last = len(learner.weights) - 1
        game.owners[0] = min(turn, last)
        game.owners[1] = min(1 - turn, last)
        game.owners[2] = 0
        plies = _play_and_learn(game, tables, learner, settings, randoms[number])
        total += plies - int(game.start.words[PLY])
    return total
