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
from katachi._jit.lanes import add_at, lane_count, lane_number, meet
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import index_of
from katachi.features.units import LARGEST_WEIGHT, UNIT, Counts, Sums, Weights
from katachi.rules.state import PLY
from katachi.td.shape_games import log_slot, play_shape_game
from katachi.td.shape_memory import ENTRY, FIRST_INDEX, STOOD, UNTIL, GameSettings, ShapeGame
from katachi.td.targets import ErrorRule, fill_errors, fill_steps, outcome_of


class Learner(NamedTuple):
    """A agents' weights and how they learn."""

    weights: Weights
    """[A, N], in units."""
    seen: Counts
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
def _is_learning(learner: Learner, owner: int) -> bool:
    return owner >= 0 and learner.learns[owner] != 0


@inlined
def _add_totals(game: ShapeGame, view: int, plies: int) -> None:
    """Sums the steps of a view's own positions, which follow its moves: plies 1, 3, .. of Black."""
    sets = game.steps.shape[1]
    start = np.int64(game.start.words[PLY])
    for number in range(lane_number(), sets, lane_count()):
        game.totals[2 * ((start + 1) * sets + number) + view] = 0
    for ply in range(start + 1, plies + 1):
        is_own = (ply - 1) % 2 == view
        for number in range(lane_number(), sets, lane_count()):
            at = 2 * (ply * sets + number) + view
            step = game.steps[(ply - 1) // 2, number] if is_own else 0
            game.totals[at + 2 * sets] = game.totals[at] + step


@inlined
def _nudge(theta: Weights, seen: Counts, index: int, step: int, count: int) -> None:
    """Moves the weight of a shape that stood in `count` positions."""
    if lane_count() == 1:
        theta[index] = min(max(theta[index] + step, -LARGEST_WEIGHT), LARGEST_WEIGHT)
        seen[index] += np.uint64(count)
    elif count != 0:
        add_at(seen, index, np.uint64(count))
        value = add_at(theta, index, np.int32(step)) + step
        # Lanes add in any order; at the bound, which is 16 logits away, that could show.
        if abs(value) > LARGEST_WEIGHT:
            theta[index] = LARGEST_WEIGHT if value > 0 else -LARGEST_WEIGHT


@inlined
def _nudge_logged(game: ShapeGame, learner: Learner, owners: Sums, words: int) -> None:
    """Lets each view that learns nudge the shapes in these words of the log, by the steps of its
    own positions in which they stood. Positions of odd plies are Black's, the others White's. Lanes
    share the entries."""
    log, totals = game.log, game.totals
    sets = game.steps.shape[1]
    learns = (_is_learning(learner, owners[0]), _is_learning(learner, owners[1]))
    theta, other_theta = learner.weights[owners[0]], learner.weights[owners[1]]
    seen, other_seen = learner.seen[owners[0]], learner.seen[owners[1]]
    for entry in range(ENTRY * lane_number(), words, ENTRY * lane_count()):
        at = index_of(entry)
        stood, until = index_of(log[at + STOOD]), index_of(log[at + UNTIL])
        since, number = stood >> 16, stood & 0xFFFF
        index, other_index = index_of(log[at + FIRST_INDEX]), index_of(log[at + FIRST_INDEX + 1])
        before, after = index_of(2 * (since * sets + number)), index_of(2 * (until * sets + number))
        black_positions = (until >> 1) - (since >> 1)
        if learns[0]:
            _nudge(theta, seen, index, totals[after] - totals[before], black_positions)
        if learns[1]:
            step = totals[after + 1] - totals[before + 1]
            _nudge(other_theta, other_seen, other_index, step, until - since - black_positions)


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
    meet()
    logged, slots = game.logged[0], len(tables.slot_set)
    for slot in range(lane_number(), slots, lane_count()):
        log_slot(game, slot, plies + 1, logged + ENTRY * slot)
    start = np.int64(game.start.words[PLY])
    for view in range(2):
        before, own = (start + 1 - view) // 2, (plies + 1 - view) // 2
        if _is_learning(learner, owners[view]):
            outcome = outcome_of(margin if view == 0 else -margin)
            errors, steps = game.errors[before:own], game.steps[before:own]
            fill_errors(
                game.logits[view, before:own], tables.general, outcome, learner.rule, UNIT, errors
            )
            fill_steps(errors, learner.rates, UNIT, steps)
            _add_totals(game, view, plies)
    meet()
    _nudge_logged(game, learner, owners, logged + ENTRY * slots)
    meet()


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
