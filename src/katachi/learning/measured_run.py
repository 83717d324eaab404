"""A run that learns from records in batches, measures now and then, and goes on after any end.

| file | holds |
|---|---|
| `config.json` | settings, games, seed, versions, commit |
| `metrics.jsonl` | a line a measurement |
| `checkpoints/` | the newest two and the best, each made right after a measurement |
| `model/` | the model, when the run is finished |
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.learning.checkpoints import check_run
from katachi.learning.run_folder import RunFolder

KEPT = 2
STEPS_AT_ONCE = 20
SPLIT_SEED = 1
"""Divides games into those to learn from and those to measure on: the same for every run."""
_RUN = "run"
"""Whose checkpoint it is, among its tensors: the digest of the run's config as text."""

Tensors = dict[str, npt.NDArray[np.generic]]


class Measured(Protocol):
    """What every measurement tells."""

    @property
    def steps(self) -> int:
        """Batches learned from."""
        ...


Measurement = TypeVar("Measurement", bound=Measured)
Told_co = TypeVar("Told_co", covariant=True)


class Trainer(Protocol[Told_co]):
    """Learns from batches that depend only on their numbers."""

    @property
    def steps(self) -> int:
        """Batches learned from."""
        ...

    def train(self, count: int) -> None:
        """Learns from `count` more batches; raises KatachiError where that came to nothing."""
        ...

    def measure(self) -> Told_co:
        """How it stands; measuring twice changes nothing that is learned."""
        ...

    def standing(self) -> Tensors:
        """All that going on needs, beside the settings and the games."""
        ...

    def restore(self, tensors: Tensors) -> None:
        """Goes on from a standing; raises KatachiError where it is of other settings."""
        ...


class MeasuredRun(Generic[Measurement]):
    """A run in a folder. Killed at any instant, it goes on from its last measurement and ends with
    the same weights, on one kind of machine."""

    form: type[Measurement]
    """What a line of the metrics holds."""

    def __init__(
        self, folder: RunFolder, trainer: Trainer[Measurement], steps: int, measure_every: int
    ) -> None:
        self.folder = folder
        self.measurements: list[Measurement] = []
        self._learner = trainer
        self._goal = steps
        self._every = measure_every

    def close(self) -> None:
        """Lets another process go on in the folder."""
        self.folder.release()

    @property
    def steps(self) -> int:
        """Batches learned from."""
        return self._learner.steps

    @property
    def goal(self) -> int:
        """Batches in all."""
        return self._goal

    @property
    def is_finished(self) -> bool:
        """Whether all steps are done."""
        return self._learner.steps >= self._goal

    def best(self) -> Measurement | None:
        """The measurement whose checkpoint is kept beside the newest, if any is."""
        return None

    def run(self, is_interrupted: Callable[[], bool]) -> Iterator[Measurement]:
        """Learns, measures and keeps, until the end or an interrupt."""
        while not self.is_finished:
            done = self._learner.steps
            goal = min(done // self._every * self._every + self._every, self._goal)
            while self._learner.steps < goal:
                if is_interrupted():
                    return
                self._learner.train(min(STEPS_AT_ONCE, goal - self._learner.steps))
            measured = self._learner.measure()
            self.measurements.append(measured)
            self.keep(measured)
            yield measured

    def keep(self, measured: Measurement) -> None:
        """Writes the metrics and a checkpoint, and drops old ones."""
        lines = b"".join(msgspec.json.encode(each) + b"\n" for each in self.measurements)
        write_atomically(self.folder.path / "metrics.jsonl", lines, is_durable=True)
        folder = self.folder.path / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        run = np.frombuffer(self.folder.checkpoints.run.encode(), np.uint8)
        data = save(self._learner.standing() | {_RUN: run.copy()})
        write_atomically(folder / f"{measured.steps:012}.safetensors", data, is_durable=True)
        best = self.best()
        for old in checkpoint_files(folder)[KEPT:]:
            if best is None or int(old.stem) != best.steps:
                old.unlink(missing_ok=True)

    def restore(self) -> None:
        """Goes on from the newest whole checkpoint, or from the beginning; raises KatachiError
        where one is of another net."""
        for path in checkpoint_files(self.folder.path / "checkpoints"):
            tensors = read_checkpoint(path)
            if tensors is not None:
                self._restore_from(path, tensors)
                break
        found = read_measurements(self.folder.path / "metrics.jsonl", self.form)
        self.measurements = [each for each in found if each.steps <= self._learner.steps]

    def _restore_from(self, path: Path, tensors: Tensors) -> None:
        kept = tensors.pop(_RUN, np.empty(0, np.uint8)).tobytes().decode(errors="replace")
        check_run(path, kept, self.folder.checkpoints.run)
        self._learner.restore(tensors)

    def take_best(self) -> None:
        """Goes back to where the best measurement was made."""
        best = self.best()
        if best is not None and best.steps != self._learner.steps:
            path = self.folder.path / "checkpoints" / f"{best.steps:012}.safetensors"
            tensors = read_checkpoint(path) if path.exists() else None
            if tensors is None:
                raise KatachiError(f"{path}, the best checkpoint, cannot be read")
            self._restore_from(path, tensors)

    def last(self) -> Measurement:
        """The measurement of where the trainer stands, made now where there is none."""
        told = {each.steps: each for each in self.measurements}
        return told.get(self._learner.steps) or self._learner.measure()


def checkpoint_files(folder: Path) -> list[Path]:
    """Every checkpoint, the newest first."""
    found = folder.glob("*.safetensors")
    return sorted((each for each in found if each.stem.isdecimal()), reverse=True)


def read_checkpoint(path: Path) -> Tensors | None:
    """What a checkpoint holds; None for a damaged one."""
    try:
        return dict(load(path.read_bytes()))
    except (SafetensorError, ValueError, KeyError, OverflowError):
        return None


def read_measurements(path: Path, form: type[Measurement]) -> list[Measurement]:
    """The measurements of a run; raises KatachiError for a damaged file."""
    if not path.exists():
        return []
    try:
        return [msgspec.json.decode(line, type=form) for line in path.read_bytes().splitlines()]
    except msgspec.MsgspecError as error:
        raise KatachiError(f"{path} is damaged: {error}") from None
