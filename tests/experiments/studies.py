"""A study whose runs cost nothing, for tests of how runs are done."""

import os
import signal
import time
from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.crew import Task
from katachi.experiments.protocol import Settings
from katachi.experiments.workbench import Study


class ToySettings(Settings, frozen=True, kw_only=True):
    """What the toy runs do."""

    runs: int = 3
    factor: int = 10
    seconds: float = 0.0
    fails_at: str = ""
    dies_at: str = ""
    marks: str = ""
    """A folder in which each run leaves a mark, to be counted."""


class Toy(msgspec.Struct, frozen=True):
    """What a toy run measures."""

    value: int
    seed: int


def measure(settings: ToySettings, task: Task, seed: int) -> Toy:
    if settings.marks:
        (Path(settings.marks) / f"{task.setting}-{task.run}-{time.monotonic_ns()}").touch()
    time.sleep(settings.seconds)
    if task.setting == settings.fails_at:
        raise KatachiError("no such shape")
    if task.setting == settings.dies_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return Toy(settings.factor * len(task.setting) + task.run, seed)


def toy_study(
    settings: ToySettings, seed: int = 1, behaviour: str = "as ever"
) -> Study[ToySettings, Toy]:
    names = ("a", "bb", "ccc")
    numbers = range(1, settings.runs + 1)
    tasks = [Task(name, number, len(name)) for name in names for number in numbers]
    return Study("toy", settings, seed, tasks, measure, Toy, behaviour)
