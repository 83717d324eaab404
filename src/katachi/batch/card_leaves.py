"""The leaves of a tree search judged with random games on a GPU, all of a batch in one launch."""

import itertools

import numpy as np

from katachi.batch.cuda_playouts import play_out
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.rules.state import Words
from katachi.search.tree import Floats, Numbers
from katachi.search.tree_leaves import Comparing, Judge, Owners, PlayOn, judge_of

PLAYOUTS = 64
"""Random games from each leaf: a launch takes about as long with one."""


def judge_on_card(evaluator: Evaluator, komi: float, seed: int = 0) -> Judge:
    """As `judge_of`, with more random games where it plays any."""
    if abilities_of(evaluator).look is not None:
        return judge_of(evaluator, komi, seed)
    return Comparing(evaluator, komi, seed, PLAYOUTS, play=play_on_card(seed))


def play_on_card(seed: int) -> PlayOn:
    """Plays random games on the GPU; each call is a run of a seed of its own, from this one on."""
    seeds = itertools.count(seed)

    def play(words: Words, sides: Numbers, count: int, komi: float) -> tuple[Floats, Owners]:
        found = play_out(words, sides.astype(np.uint8), count, komi, next(seeds))
        shares = (found.owned / count + 1.0) / 2.0
        return found.wins / (2.0 * count), shares.astype(np.float32)

    return play
