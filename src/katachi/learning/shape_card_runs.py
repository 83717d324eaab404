"""Whole runs of local shape that learn on a GPU together and are kept each for itself.

Each run is what it is on the CPU; only that what its agents learn, and how their tests end, comes
from the GPU, which does a piece for all runs as soon as the first of them asks for it.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.features.units import Counts, Weights
from katachi.learning.loop import Learned
from katachi.learning.shape_card import CardRuns, check_for_card
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun
from katachi.learning.shape_training import AtPlay
from katachi.td.targets import UpdateRule

AT_ONCE = 2048
"""Runs; what is finished of more than these is kept when the others begin."""


class _Piece(NamedTuple):
    """What all runs have after some games."""

    weights: Weights
    seen: Counts
    moves: list[int]
    """Of these games."""


class _Together:
    """Runs that all ask for the same pieces and tests, one after another; what was asked for is
    kept until each has had it."""

    def __init__(self, runs: list[ShapeRun]) -> None:
        trainers = [run.learner.trainer for run in runs]
        seeds = [trainer.settings.seed for trainer in trainers]
        weights = np.stack([[each.weights for each in trainer.agents] for trainer in trainers])
        self.first_seen = np.stack([[each.seen for each in t.agents] for t in trainers])
        self._runs = CardRuns(trainers[0].settings, seeds, weights=weights)
        self._moves = np.zeros(len(runs), np.int64)
        self._pieces: dict[int, _Piece] = {}
        self._tests: dict[tuple[int, int], list[list[int]]] = {}
        self._served: dict[object, int] = {}

    def piece(self, rule: UpdateRule, first: int, end: int) -> _Piece:
        """What learning from these games makes of all runs."""
        if end not in self._pieces:
            self._runs.learn(self._runs.random_states(first, end), (first, end), rule.rates)
            seen = self._runs.seen() + self.first_seen
            before, self._moves = self._moves, self._runs.moves()
            moves = (self._moves - before).tolist()
            self._pieces[end] = _Piece(self._runs.weights(), seen, moves)
        found = self._pieces[end]
        if self._is_served(end):
            del self._pieces[end]
        return found

    def test(self, after: int, games: int) -> list[list[int]]:
        """[runs][agents]: the wins in a test of all runs as they are."""
        key = after, games
        if key not in self._tests:
            tests = self._runs.new_tests([after], games)
            self._runs.test(tests, 0)
            self._tests[key] = self._runs.wins_of(tests)[0]
        found = self._tests[key]
        if self._is_served(key):
            del self._tests[key]
        return found

    def _is_served(self, key: object) -> bool:
        """Counts whoever asks; returns whether all have asked."""
        self._served[key] = self._served.get(key, 0) + 1
        return self._served[key] == len(self._runs.seeds) and self._served.pop(key) > 0


class _OnCard:
    """The agents of one of these runs."""

    def __init__(self, together: _Together, number: int, run: ShapeRun) -> None:
        self._together, self._number = together, number
        self._trainer = run.learner.trainer
        self._here: AtPlay = self._trainer.at_play
        self._trainer.at_play = self

    def learn(self, rule: UpdateRule, numbers: Sequence[int]) -> Learned:
        """Takes what the GPU has learned from these games."""
        if not numbers:
            return Learned(0, 0, 0.0)
        piece = self._together.piece(rule, numbers[0], numbers[-1] + 1)
        for agent, model in enumerate(self._trainer.agents):
            model.weights[:] = piece.weights[self._number, agent]
            model.seen[:] = piece.seen[self._number, agent]
        return Learned(len(numbers), piece.moves[self._number], 0.0)

    def test(self, after: int, games: int, weights: Weights | None = None) -> list[int]:
        """Takes the wins from the GPU; other weights are tested here."""
        if weights is not None or games == 0:
            return self._here.test(after, games, weights)
        return self._together.test(after, games)[self._number]


def runs_on_card(folder: Path, configs: list[ShapeConfig]) -> Iterator[tuple[ShapeConfig, Path]]:
    """(config, folder) of each run when it is finished; configs differ in their seeds alone. Raises
    KatachiError for what a GPU cannot do, before anything is learned."""
    _check(configs[0])
    paths = [folder / f"run-{number}" for number in range(len(configs))]
    runs = [ShapeRun.begin(path, each) for path, each in zip(paths, configs, strict=True)]
    try:
        together = _Together(runs)
        for number, run in enumerate(runs):
            _OnCard(together, number, run)
            run.learns_up_to_tests = True
        for _ in zip_longest(*[run.run() for run in runs]):  # in step, a test a round
            pass
        for config, run in zip(configs, runs, strict=True):
            yield config, run.finish()
    finally:
        for run in runs:
            run.close()


def _check(config: ShapeConfig) -> None:
    """Raises KatachiError for runs that cannot keep in step."""
    check_for_card(config.settings)
    if config.opponent is not None:
        raise KatachiError(f"games with {config.opponent} are played on the CPU: use --device cpu")
    if config.plan.grow_to is not None:
        raise KatachiError("boards grow on the CPU: use --device cpu")
