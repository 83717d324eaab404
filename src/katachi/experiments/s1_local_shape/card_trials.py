"""Trials on a GPU: the runs of each setting at once, and the settings side by side."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import NamedTuple

import numpy as np

from katachi.batch.card_lanes import MOST_STREAMS
from katachi.errors import KatachiError
from katachi.experiments.runner import Task
from katachi.experiments.s1_local_shape.trials import Trial, TrialSettings
from katachi.features.units import Weights
from katachi.learning.shape_card import CardRuns
from katachi.learning.shape_training import TrainingSettings

RUNS_AT_ONCE = 800
"""Runs side by side: enough to keep the GPU busy, and what is done is kept the sooner."""
AHEAD = 4
"""Tests that may wait on the GPU while it works."""


class CardTrial(NamedTuple):
    """What came of one run."""

    task: Task
    trial: Trial
    weights: Weights
    """[agents, N]: what was learned; nothing where nobody asked for it."""


class _Group:
    """The runs of one setting."""

    def __init__(
        self, settings: TrialSettings, training: TrainingSettings, tasks: list[Task]
    ) -> None:
        if training.horizon:
            raise KatachiError("weights are averaged on the CPU: use --device cpu")
        self.settings, self.tasks = settings, tasks
        games, every = settings.games, settings.test_every
        self._ends = [*range(every, games, every), games]
        self._due = games // every
        self._runs = CardRuns(training, [task.seed for task in tasks])
        self._randoms = self._runs.random_states(0, games)
        self._tests = self._runs.new_tests(self._ends, settings.test_games)
        self._final = self._runs.new_tests([games], settings.final_games)
        self._done = 0

    def advance(self) -> None:
        """Begins what comes up to the next test, and the test."""
        end = self._ends[self._done]
        first = self._ends[self._done - 1] if self._done else 0
        self._runs.learn(self._randoms, (first, end))
        if self._done < self._due:
            self._runs.test(self._tests, self._done)
        self._done += 1

    def learn(self, stop: Event, *, keeps_weights: bool) -> list[CardTrial]:
        """What comes of each run; it is of no use where somebody said stop."""
        while self._done < len(self._ends) and not stop.is_set():
            self.advance()
            if self._done % AHEAD == 0:
                self._runs.wait()
        self._runs.test(self._final, 0)
        tests = self._runs.wins_of(self._tests)[: self._due]
        finals = self._runs.wins_of(self._final)[0]
        curves = [[test[run] for test in tests] for run in range(len(self.tasks))]
        nothing = np.zeros((len(self.tasks), 0, 0), np.int32)
        weights = self._runs.weights() if keeps_weights else nothing
        return list(map(CardTrial, self.tasks, map(Trial, curves, finals), weights))


def learn_together(
    settings: TrialSettings,
    asked: list[tuple[TrainingSettings, Task]],
    *,
    keeps_weights: bool = False,
) -> Iterator[list[CardTrial]]:
    """What `trials.learn` makes of each of these, those of a setting together as soon as they are
    there; the longest begin first."""
    settings_asked = _by_setting(asked)
    at_once = max(1, RUNS_AT_ONCE * len(settings_asked) // len(asked))
    first = _Group(settings, *settings_asked[0])
    first.advance()  # compiles all that the others need
    stop = Event()

    def learn(training: TrainingSettings, tasks: list[Task]) -> list[CardTrial]:
        if stop.is_set():
            return []
        return _Group(settings, training, tasks).learn(stop, keeps_weights=keeps_weights)

    with ThreadPoolExecutor(min(at_once, MOST_STREAMS)) as pool:
        waiting = [pool.submit(first.learn, stop, keeps_weights=keeps_weights)]
        waiting += [pool.submit(learn, *each) for each in settings_asked[1:]]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            stop.set()


def _by_setting(
    asked: list[tuple[TrainingSettings, Task]],
) -> list[tuple[TrainingSettings, list[Task]]]:
    """The runs of each setting, the longest first."""
    found: dict[str, tuple[TrainingSettings, list[Task]]] = {}
    for training, task in sorted(asked, key=lambda each: -each[1].cost):
        found.setdefault(task.setting, (training, []))[1].append(task)
    return list(found.values())
