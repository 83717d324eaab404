"""The best opening of a tree: forward minimax with any evaluator (Lee, Guesgen and Baltes, 4.3).

From the empty board on, Black takes the recorded move after which the evaluator likes Black's
position best, White the one after which it likes it least, until no opening goes further. That is
no search: each choice looks one move ahead, as the paper's does.
"""

from typing import NamedTuple

import numpy as np

from katachi.evaluators.chances import chances_of
from katachi.evaluators.protocol import Evaluator
from katachi.records.opening_tree import Node, OpeningTree
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import evaluate_moves, mover_logits
from katachi.search.selectors import Greedy, Values


class LineStep(NamedTuple):
    """A move of a line and what the evaluator makes of it."""

    color: int
    point: int
    value: float
    """P = 2 V - 1 after the move, from Black's side: -1 to 1."""
    node: Node
    """What openings made of the position it leads to."""
    choices: int
    """Recorded moves that there were."""


class OpeningLine(NamedTuple):
    """A line from the empty board to its last recorded position."""

    first: float
    """P of the empty board."""
    steps: list[LineStep]
    openings: list[int]
    """The openings of the tree that end there, by number."""


def best_line(tree: OpeningTree, evaluator: Evaluator, seed: int = 0) -> OpeningLine:
    """The line that forward minimax finds; ties are broken by the seed."""
    game = Game(tree.size)
    random = np.random.default_rng(seed % (1 << 64))
    first = 2.0 * float(evaluator.evaluate(game.states).value[0]) - 1.0
    steps: list[LineStep] = []
    node = tree.root
    while choices := list(tree.moves_from(game)):
        color = game.to_play
        points = np.array([point for point, _ in choices], np.uint16)
        logits = mover_logits(evaluator, game, color, points)
        index = Greedy().select(logits, random)
        sign = 1.0 if color == BLACK else -1.0
        value = 2.0 * float(chances_of(sign * logits[index : index + 1])[0]) - 1.0
        point, node = choices[index]
        game.play(color, point)
        steps.append(LineStep(color, point, value, node, len(choices)))
    return OpeningLine(first, steps, node.openings)


def move_values(evaluator: Evaluator, game: Game, points: Points) -> Values:
    """P after each of these legal moves, passes among them, from Black's side."""
    return np.asarray(2.0 * evaluate_moves(evaluator, game, game.to_play, points).value - 1.0)


def replay_line(line: OpeningLine, size: int, moves: int | None = None) -> Game:
    """The line, or its first so many moves, as a game."""
    game = Game(size)
    for step in line.steps[:moves]:
        game.play(step.color, step.point)
    return game
