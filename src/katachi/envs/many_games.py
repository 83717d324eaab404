"""Thousands of games stepped in one call, with arrays in and arrays out."""

import numpy as np
import numpy.typing as npt

from katachi.envs.actions import check_limit
from katachi.envs.stepping import (
    SEEN_WORDS,
    Actions,
    Memory,
    Step,
    Terms,
    reset_games,
    sample_legal,
    step_games,
)
from katachi.errors import KatachiError
from katachi.features.observation import PLANE_COUNT
from katachi.rules.area import SCRATCH
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import Rules, check_komi
from katachi.rules.size import check_size
from katachi.rules.state import empty_words, new_states

MOST_GAMES = 1_000_000


class VectorGames:
    """G games of one size that are stepped together (`katachi.envs.vector`)."""

    def __init__(
        self, size: int, count: int, komi: float, rules: Rules | None, limit: int | None
    ) -> None:
        """New games; raises KatachiError for numbers that make no sense."""
        if not 1 <= count <= MOST_GAMES:
            raise KatachiError(f"{count} games at once: use 1 to {MOST_GAMES:,}")
        self.size, self.count, self.komi = check_size(size), count, check_komi(komi)
        self.rules = rules or Rules()
        self.limit = check_limit(limit, size)
        self.actions = size * size + 1
        states = new_states(count, size, self.limit + 1)
        seen = np.zeros((count, SEEN_WORDS), np.uint64)
        self._memory = Memory(states, seen, empty_words(size), np.zeros(SCRATCH, np.uint16))
        self._terms = Terms(float(komi), self.limit, self.rules.ko.value, self.rules.suicide)
        self._randoms = random_states(0, 0, count)
        self._masks = np.zeros((count, self.actions), np.int8)

    def reset(self, seed: int | None = None) -> Step:
        """Begins every game; `seed` is that of `sample_actions`, which goes on without one."""
        if seed is not None:
            self._randoms = random_states(seed, 0, self.count)
        out = self._outcomes()
        reset_games(self._memory, self._terms, out)
        self._masks = out.masks
        return out

    def step(self, actions: npt.ArrayLike) -> Step:
        """Plays actions [G], one in each game.

        Raises KatachiError, with nothing played, for another number of actions or no integers. An
        action that the rules forbid, or of a number that no action has, loses its game.
        """
        out = self._outcomes()
        step_games(self._memory, self._checked(actions), self._terms, out)
        self._masks = out.masks
        return out

    def sample_actions(self) -> Actions:
        """[G]: a legal action of each game as the last step showed it, all equally likely.

        Raises KatachiError before the first `reset`.
        """
        if not self._masks.any():
            raise KatachiError("the games have not begun: call reset first")
        actions = np.zeros(self.count, np.int64)
        sample_legal(self._masks, self._randoms, actions)
        return actions

    def _checked(self, actions: npt.ArrayLike) -> Actions:
        given = np.asarray(actions)
        if given.shape != (self.count,) or given.dtype.kind not in "iu":
            raise KatachiError(
                f"actions of shape {given.shape} and type {given.dtype}: give {self.count} integers"
            )
        return np.ascontiguousarray(given, np.int64)

    def _outcomes(self) -> Step:
        count, size = self.count, self.size
        return Step(
            np.zeros((count, PLANE_COUNT, size, size), np.uint8),
            np.zeros((count, self.actions), np.int8),
            np.zeros(count, np.float32),
            np.zeros(count, np.bool_),
            np.zeros(count, np.bool_),
            np.zeros(count, np.float32),
            np.zeros(count, np.uint8),
        )
