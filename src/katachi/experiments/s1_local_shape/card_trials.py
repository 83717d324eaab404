"""Trials on a card: the runs of each setting at once, and the settings side by side."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event

import msgspec

from katachi.batch.card_lanes import MOST_STREAMS, new_streams
from katachi.errors import KatachiError
from katachi.experiments.runner import Task
from katachi.experiments.s1_local_shape.trials import Trial, TrialSettings
from katachi.learning.shape_card import CardRuns
from katachi.learning.shape_training import TrainingSettings

AHEAD = 4
"""Tests that may wait on the card while it works."""


class _Group:
    """The runs of one setting."""

    def __init__(
        self, settings: TrialSettings, training: TrainingSettings, tasks: list[Task], stream: object
    ) -> None:
        if training.horizon:
            raise KatachiError("weights are averaged on the CPU: use --device cpu")
        self.settings, self.tasks = settings, tasks
        games, every = settings.games, settings.test_every
        self._ends = [*range(every, games, every), games]
        self._due = games // every
        self._runs = CardRuns(training, [task.seed for task in tasks], stream)
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

    def learn(self, stop: Event) -> list[tuple[Task, Trial]]:
        """What comes of each run; it is of no use where somebody said stop."""
        while self._done < len(self._ends) and not stop.is_set():
            self.advance()
            if self._done % AHEAD == 0:
                self._runs.wait()
        self._runs.test(self._final, 0)
        tests = self._runs.wins_of(self._tests)[: self._due]
        finals = self._runs.wins_of(self._final)[0]
        curves = [[test[run] for test in tests] for run in range(len(self.tasks))]
        found = map(Trial, curves, finals)
        return list(zip(self.tasks, found, strict=True))


def learn_together(
    settings: TrialSettings, asked: list[tuple[TrainingSettings, Task]]
) -> Iterator[list[tuple[Task, Trial]]]:
    """What `trials.learn` makes of each of these, those of a setting together as soon as they are
    there."""
    groups = _groups_of(settings, asked)
    for group in groups[:1]:
        group.advance()  # compiles all that the others need
    stop = Event()
    with ThreadPoolExecutor(MOST_STREAMS) as pool:
        waiting = [pool.submit(group.learn, stop) for group in groups]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            stop.set()


def _groups_of(settings: TrialSettings, asked: list[tuple[TrainingSettings, Task]]) -> list[_Group]:
    """The runs by setting, the longest first; where streams are not enough for all, the shortest
    share one."""
    found: dict[str, tuple[TrainingSettings, list[Task]]] = {}
    for training, task in sorted(asked, key=lambda each: -each[1].cost):
        found.setdefault(task.setting, (training, []))[1].append(task)
    streams = new_streams(len(found))
    streams += streams[::-1] * len(found)
    return [
        _Group(settings, msgspec.structs.replace(training, seed=0), tasks, stream)
        for (training, tasks), stream in zip(found.values(), streams, strict=False)
    ]
