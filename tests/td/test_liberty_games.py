"""Games learned from inside one kernel, liberty shapes included, equal the plain computation."""

import random

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.random_play import (
    index_from_random,
    is_exploring,
    list_sensible_moves,
    next_random,
    random_states,
    sample_best,
)
from katachi.rules.ruleset import KoRule
from katachi.rules.state import BoardState, new_states
from katachi.search.td_search import position_to_begin
from katachi.td.shape_learning import Learner, train_pair
from katachi.td.shape_memory import GameSettings, new_game
from katachi.td.targets import ErrorRule, fill_errors, fill_steps
from tests.oracle.games import play_random_move

BINS = 500
"""Few: shapes share weights."""
PLAIN = "1x1-2x2:LI+LD"
LIBERTY = "1x1-3x3:LI+LD:liberty"


def trajectory(moves: list[int], size: int, color: int, first: int) -> BoardState:
    """The positions after each of a colour's own moves from number `first` on."""
    game = Game(size)
    own = []
    for number, point in enumerate(moves):
        game.play(BLACK + number % 2, point)
        if BLACK + number % 2 == color and number >= first:
            own.append(game.copy().state)
    states = new_states(len(own), size, len(moves) + 1)
    for index, state in enumerate(own):
        states.words[index] = state.words
        states.hashes[index] = state.hashes[: len(moves) + 1]
    return states


def choose_plainly(game: Game, model: LocalShape, epsilon: float, chance: int) -> tuple[int, int]:
    """(the move of an epsilon-greedy player, new random state), each afterstate judged anew."""
    color = game.to_play
    moves = np.zeros(game.size**2, np.uint16)
    count = list_sensible_moves(game.state, color, KoRule.POSITIONAL.value, moves)
    if count == 0:
        return 0, chance
    first = np.uint64(next_random(np.uint64(chance)))
    second = np.uint64(next_random(first))
    if is_exploring(first, epsilon):
        return int(moves[index_from_random(second, count)]), int(second)
    afterstates = new_states(count, game.size, 2)
    for index, point in enumerate(moves[:count].tolist()):
        twin = game.copy()
        twin.play(color, point)
        afterstates.words[index] = twin.words
        afterstates.words[index, 3] = 0
        afterstates.hashes[index, 0] = twin.hash
    values = model.predict(afterstates).sum(axis=1)
    return int(moves[sample_best(values, count, second)]), int(second)


def learn_plainly(
    models: list[LocalShape], moves: list[int], first: int, komi: float, learner: Learner
) -> None:
    """What both players learn from the moves of a game from number `first` on, models[0] Black:
    all errors first, then all steps."""
    rule, rates = learner.rule, learner.rates
    size = models[0].size
    game = Game(size, komi)
    for number, point in enumerate(moves):
        game.play(BLACK + number % 2, point)
    margin = game.area_score()
    lessons = []
    for view, model in enumerate(models):
        states = trajectory(moves, size, BLACK + view, first)
        logits = model.predict(states)
        errors, steps = np.zeros(logits.shape), np.zeros(logits.shape, np.int64)
        outcome = 0.5 + 0.5 * np.sign(margin if view == 0 else -margin)
        fill_errors(logits, model.tables.general, outcome, rule, UNIT, errors)
        fill_steps(errors, rates, UNIT, steps)
        lessons.append((model, states, steps))
    for model, states, steps in lessons:
        model.nudge(states, steps)


CASES = [
    (f"{PLAIN},{LIBERTY}", 5, ErrorRule(), 2),
    (LIBERTY, 4, ErrorRule(lam=0.7, is_squared=False), 2),
    (f"{LIBERTY},2x2:LI,4x3:LD", 5, ErrorRule(is_cascade=True), 2),
    (f"{PLAIN},{LIBERTY}", 4, ErrorRule(lam=0.4), 1),
]
IDS = ["td", "lambda, cross-entropy", "cascade, hashed", "self-play"]


@pytest.mark.parametrize("opening", [0, 1, 6, 7])
@pytest.mark.parametrize(("sets", "size", "rule", "agents"), CASES, ids=IDS)
def test_learning_inside_the_kernel_is_the_plain_loops(
    sets: str, size: int, rule: ErrorRule, agents: int, opening: int
) -> None:
    """From the empty board, or after the opening moves of another game."""
    chosen = parse_sets(sets)
    plain = [LocalShape(chosen, size, BINS) for _ in range(agents)]
    tables = plain[0].tables
    rates = 3.0 / (len(chosen) * tables.windows)
    count = len(plain[0].weights)
    weights, seen = np.zeros((agents, count), np.int32), np.zeros((agents, count), np.uint64)
    learner = Learner(weights, seen, np.ones(agents, np.uint8), rates, rule)
    settings = GameSettings(0.2, 7.5 if agents == 2 else 7.0, KoRule.POSITIONAL.value)
    limit = 3 * size * size
    begin = Game(size, settings.komi)
    for _ in range(opening):
        play_random_move(begin, random.Random(opening))
    start = position_to_begin(begin, begin.to_play) if opening else None
    memory = new_game(tables, size, limit, start, is_cascade=rule.is_cascade)
    for number in range(4):
        randoms = random_states(5, number, 1)
        length = train_pair(memory, tables, learner, settings, randoms, number)
        players = [plain[number % 2 % agents], plain[(number + 1) % 2 % agents]]
        moves = play_plainly(players, settings, int(randoms[0]), begin, limit)
        assert memory.record[opening : opening + length].tolist() == moves[opening:]
        learn_plainly(players, moves, opening, settings.komi, learner)
        for agent, model in enumerate(plain):
            np.testing.assert_array_equal(weights[agent], model.weights)
            np.testing.assert_array_equal(seen[agent], model.seen)
    assert (weights != 0).mean() > (0.02 if opening else 0.05)


def play_plainly(
    players: list[LocalShape], settings: GameSettings, chance: int, begin: Game, limit: int
) -> list[int]:
    """The moves of a game between two models that goes on from another one."""
    game = begin.copy()
    while not game.is_over and len(game.moves) < limit:
        model = players[game.to_play - BLACK]
        point, chance = choose_plainly(game, model, settings.epsilon, chance)
        game.play(game.to_play, point)
    return [move.point for move in game.moves]
