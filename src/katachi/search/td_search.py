"""Temporal-difference search: before a move, the value of shapes is learned again from games that
begin in the position at hand (Silver, Sutton, Müller 2012), then alpha-beta looks ahead with that.

The model is the long-term memory and never changes. What the games from here teach goes into a
copy, the short-term memory, which lasts as long as the game does (their Dyna-2, with one set of
weights in place of a sum of two).
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator
from katachi.features.units import Weights
from katachi.rules.checking import check_color
from katachi.rules.color import BLACK
from katachi.rules.game import Game, Move
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import Rules
from katachi.rules.state import PLY, BoardState, new_states, state_of_game
from katachi.search.alphabeta import DEFAULT_SECONDS, SearchResult, SearchSettings
from katachi.search.shape_search import searcher_of, shapes_of
from katachi.search.stopping import look_for_stop
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.shape_memory import MOVES_A_POINT, GameSettings, new_game
from katachi.td.targets import ErrorRule

FIRST_GAMES, MOST_GAMES = 4, 200
SECONDS_BETWEEN_LOOKS = 0.01
AFTERTHOUGHT_BITS = 16
"""Of the table of the alpha-beta search, which is made again for each move."""


@dataclass(frozen=True)
class TdSettings:
    """How to learn before a move."""

    alpha: float = 0.5
    """Step size."""
    epsilon: float = 0.1
    """Share of random moves."""
    games: int | None = None
    """Games before each move; None for as many as the time allows."""
    share: float = 0.9
    """Of the time, for learning; the rest is for looking ahead."""
    depth: int = 3
    """Plies to look ahead afterwards."""


def position_to_begin(game: Game, color: int) -> BoardState:
    """A game's position, `color` to move, with its past, as games in a kernel begin from it: Black
    moves after an even number of plies, so the oldest position may be there twice."""
    ply = int(game.words[PLY])
    past = game.state.hashes[: ply + 1]
    if ply % 2 != color - BLACK:
        past = np.concatenate([past[:1], past])
    state = state_of_game(new_states(1, game.size, len(past)), 0)
    state.words[:] = game.words
    state.words[PLY] = len(past) - 1
    state.hashes[:] = past
    return state


class TdSearch:
    """Learns from games that begin here, then searches with what was learned.

    With a fixed number of games and no clock, equal seeds of `random` find equal moves in equal
    games.
    """

    def __init__(self, evaluator: Evaluator, settings: TdSettings | None = None) -> None:
        """A searcher for boards of the model's size, or of any."""
        self._shapes = shapes_of(evaluator)
        self.settings = settings or TdSettings()
        self._weights: Weights = np.zeros(0, np.int32)
        self._moves: list[Move] | None = None
        self._terms: tuple[int, float, Rules, tuple[Move, ...]] | None = None
        """Size, komi, rules and set-up stones of the game that `_weights` is of."""
        self.learned = 0
        """Games that the last search learned from."""

    def search(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,
        depth: int | None = None,
        random: np.random.Generator | None = None,
    ) -> SearchResult:
        """As `Searcher.search`; raises KatachiError on a board the model is not for."""
        begin = time.perf_counter()
        check_color(color)
        if seconds is None:
            seconds = DEFAULT_SECONDS if self.settings.games is None else math.inf
        model = self._recall(game)
        seed = int((random or np.random.default_rng(0)).integers(1 << 62))
        self._learn(model, game, color, seed, begin + self.settings.share * seconds)
        rest = max(0.0, begin + seconds - time.perf_counter())
        searcher = searcher_of(model, SearchSettings(table_bits=AFTERTHOUGHT_BITS))
        depth = self.settings.depth if depth is None else depth
        result = searcher.search(game, color, rest, depth, random)
        return result._replace(seconds=time.perf_counter() - begin)

    def _recall(self, game: Game) -> LocalShape:
        """The model with the short-term memory for its weights: empty unless the game goes on."""
        model = self._shapes(game.size)
        past, terms = self._moves, (game.size, game.komi, game.rules, tuple(game.setup))
        if past is None or self._terms != terms or game.moves[: len(past)] != past:
            self._weights = model.weights.copy()
        self._moves, self._terms = list(game.moves), terms
        return LocalShape(model.sets, model.size, model.bins, self._weights)

    def _learn(self, model: LocalShape, game: Game, color: int, seed: int, end: float) -> None:
        """Lets the model learn from games that begin here until the time or the games are over."""
        settings = self.settings
        start = position_to_begin(game, color)
        limit = int(start.words[PLY]) + MOVES_A_POINT * game.size * game.size
        memory = new_game(model.tables, game.size, limit, start)
        rates = learning_rates(model.tables, [settings.alpha] * len(model.sets))
        learner = Learner(
            model.weights[None],
            model.seen[None],
            np.ones(1, np.uint8),
            rates,
            ErrorRule(is_squared=False),
        )
        terms = GameSettings(settings.epsilon, game.komi, game.rules.ko.value)
        self.learned, count = 0, FIRST_GAMES
        while settings.games is None or self.learned < settings.games:
            look_for_stop()
            before = time.perf_counter()
            if before >= end:
                break
            if settings.games is not None:
                count = min(count, settings.games - self.learned)
            randoms = random_states(seed, self.learned, count)
            train_pair(memory, model.tables, learner, terms, randoms, self.learned)
            self.learned += count
            took = max(time.perf_counter() - before, 1e-9)
            fitting = int(count * SECONDS_BETWEEN_LOOKS / took)
            count = min(max(1, fitting), 2 * count, MOST_GAMES)
