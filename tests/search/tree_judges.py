"""Judges for trees, each the same for kernels and for an oracle."""

import zlib

import numpy as np

from katachi.evaluators.protocol import Evaluator
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.state import SIZE, BoardState, colors_of
from katachi.search.tree import Floats, Numbers
from katachi.search.tree_leaves import Judge
from katachi.search.tree_walk import Said


def chance_of(colors: bytes, side: int) -> float:
    """A value without rhyme or reason."""
    return zlib.crc32(colors + bytes([side])) / (1 << 32)


def scores_of(colors: bytes, side: int, points: int) -> Floats:
    """Scores of moves without rhyme or reason."""
    return np.random.default_rng(zlib.crc32(colors + bytes([side, 7]))).normal(size=points)


def scrambled(states: BoardState, sides: Numbers) -> Said:
    """What `chance_of` and `scores_of` say."""
    rows = [row.tobytes() for row in colors_of(states.words)]
    points = int(states.words.flat[SIZE]) ** 2
    asked = list(zip(rows, sides.tolist(), strict=True))
    values = np.array([chance_of(*each) for each in asked])
    scores = np.stack([scores_of(*each, points) for each in asked])
    return Said(values, 10.0 * values - 5.0, scores, np.zeros((len(rows), 0), np.uint8))


def even(states: BoardState, sides: Numbers) -> Said:
    """Calls every position even and every move as likely as the others."""
    count, points = len(sides), int(states.words.flat[SIZE]) ** 2
    owned = np.full((count, points), 128, np.uint8)
    return Said(np.full(count, 0.5), np.zeros(count), np.zeros((count, points)), owned)


def by_scrambler(_evaluator: Evaluator, _komi: float, _seed: int) -> Judge:
    return scrambled


def by_nobody(_evaluator: Evaluator, _komi: float, _seed: int) -> Judge:
    return even


def oracle_scrambler(game: Game, side: int) -> tuple[float, dict[int, float]]:
    """The scrambler for the oracle."""
    colors = colors_of(game.states.words)[0].tobytes()
    points = points_of(game.size).tolist()
    scores = scores_of(colors, side, len(points)).tolist()
    return chance_of(colors, side), dict(zip(points, scores, strict=True))
