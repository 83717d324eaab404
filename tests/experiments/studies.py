"""A study whose runs cost nothing, for tests of how runs are done."""

import os
import signal
import time
from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.protocol import Row, Settings, Table
from katachi.experiments.runner import Study, Task, cross, tasks_of


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


def measure(settings: ToySettings, task: Task) -> Toy:
    if settings.marks:
        (Path(settings.marks) / f"{task.setting}-{task.run}-{time.monotonic_ns()}").touch()
    time.sleep(settings.seconds)
    if task.setting == settings.fails_at:
        raise KatachiError("no such shape")
    if task.setting == settings.dies_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return Toy(settings.factor * len(task.setting) + task.run, task.seed)


def toy_study(
    settings: ToySettings, seed: int = 1, behaviour: str = "as ever"
) -> Study[ToySettings, Toy]:
    names = ("a", "bb", "ccc")
    tasks = tasks_of(cross(name=names), settings.runs, lambda key: len(key["name"]))
    return Study("toy", settings, seed, tasks, measure, behaviour)


def row_named(table: Table, label: str, quantity: str) -> Row:
    """The row of a setting by what it is called where the table is printed."""
    for row in table.rows:
        if (table.label(row), row.quantity) == (label, quantity):
            return row
    raise KeyError((label, quantity))
