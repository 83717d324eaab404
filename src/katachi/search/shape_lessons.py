# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Local shape learned from whole games, played and learned from inside one kernel.

Weights do not change during a game, so a shape that stood from one ply to another is nudged once,
by all it should learn in between. `katachi.learning.loop` does the same in plain steps; equal seeds
give equal weights.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.evaluators.errors import ErrorRule, fill_errors, fill_steps
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import LARGEST_WEIGHT, UNIT, Sums, Weights
from katachi.rules.state import PLY
from katachi.search.shape_games import (
    FIRST_INDEX,
    SET,
    SINCE,
    UNTIL,
    GameSettings,
    ShapeGame,
    log_slot,
    play_shape_game,
)


class Learner(NamedTuple):
    """A agents' weights and how they learn."""

    weights: Weights
    """[A, N], in units."""
    seen: npt.NDArray[np.uint32]
    """[A, N]: in how many positions each shape was learned from, each occurrence counted."""
    learns: npt.NDArray[np.uint8]
    """[A]: whether an agent learns."""
    rates: npt.NDArray[np.float64]
    """[sets]: the step size of each set."""
    rule: ErrorRule


def learning_rates(tables: ShapeTables, alphas: list[float]) -> npt.NDArray[np.float64]:
    """The rate of each set: its step size over the number of sets and of its windows."""
    return np.array(alphas) / (len(alphas) * tables.windows)


@inlined
def _add_totals(game: ShapeGame, view: int, plies: int) -> None:
    """Sums the steps of a view's own positions, which follow its moves: plies 1, 3, .. of Black."""
    sets = game.steps.shape[1]
    start = np.int64(game.start.words[PLY])
    for number in range(sets):
        game.totals[view, start, number] = 0
    game.counts[view, start] = 0
    for ply in range(start, plies + 1):
        is_own = ply > start and (ply - 1) % 2 == view
        for number in range(sets):
            step = game.steps[(ply - 1) // 2, number] if is_own else 0
            game.totals[view, ply + 1, number] = game.totals[view, ply, number] + step
        game.counts[view, ply + 1] = game.counts[view, ply] + np.int64(is_own)


@inlined
def _nudge(
    game: ShapeGame, view: int, entry: int, theta: Weights, seen: npt.NDArray[np.uint32]
) -> None:
    """Moves the weight of a shape by the steps of the positions in which it stood."""
    number = game.log[entry, SET]
    since, until = game.log[entry, SINCE], game.log[entry, UNTIL]
    index = game.log[entry, FIRST_INDEX + view]
    step = game.totals[view, until, number] - game.totals[view, since, number]
    theta[index] = min(max(theta[index] + step, -LARGEST_WEIGHT), LARGEST_WEIGHT)
    seen[index] += game.counts[view, until] - game.counts[view, since]


@inlined
def learn_from_game(
    game: ShapeGame,
    tables: ShapeTables,
    learner: Learner,
    owners: Sums,
    plies: int,
    margin: float,
) -> None:
    """Lets the owners of both views learn from the game just played."""
    for slot in range(len(game.since)):
        log_slot(game, tables, slot, plies + 1)
    start = np.int64(game.start.words[PLY])
    for view in range(2):
        before, own = (start + 1 - view) // 2, (plies + 1 - view) // 2
        if owners[view] >= 0 and learner.learns[owners[view]] != 0:
            won = margin if view == 0 else -margin
            outcome = 0.5 + 0.5 * np.sign(won)
            errors, steps = game.errors[before:own], game.steps[before:own]
            fill_errors(
                game.logits[view, before:own], tables.general, outcome, learner.rule, UNIT, errors
            )
            fill_steps(errors, learner.rates, UNIT, steps)
            _add_totals(game, view, plies)
    for view in range(2):
        owner = owners[view]
        if owner >= 0 and learner.learns[owner] != 0:
            theta, seen = learner.weights[owner], learner.seen[owner]
            for entry in range(game.logged[0]):
                _nudge(game, view, entry, theta, seen)


@kernel
def train_pair(
    game: ShapeGame,
    tables: ShapeTables,
    learner: Learner,
    settings: GameSettings,
    randoms: npt.NDArray[np.uint64],
    first: int,
) -> int:
    """Plays and learns from games `first` .. of two agents (or of one with itself), who change
    colours after each game; returns the number of moves."""
    total = 0
    for number in range(len(randoms)):
        turn = (first + number) % 2
        last = len(learner.weights) - 1
        game.owners[0] = min(turn, last)
        game.owners[1] = min(1 - turn, last)
        game.owners[2] = 1
        plies, margin = play_shape_game(
            game, tables, learner.weights, game.owners, settings, randoms[number]
        )
        learn_from_game(game, tables, learner, game.owners, plies, margin)
        total += plies - int(game.start.words[PLY])
    return total
