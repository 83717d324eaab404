"""A run: a learner in a folder. Killed at any instant, it goes on from its last checkpoint and ends
with the same weights and metrics as one that was never stopped, on one kind of machine.

`run_folder` says what it leaves. A kind of run is a subclass that says how its learner is made.
"""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, get_args

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.files.provenance import commit_of_tree, versions
from katachi.learning.learner import Learner, MetricsT
from katachi.learning.material import Material, RunGames, check_material, material_of_games
from katachi.learning.run_folder import METRICS, RunFolder, done_at
from katachi.workers import Workers

PIECE_SECONDS = 0.2
"""Learning goes in pieces of about this length: between them a run can be stopped."""
LONGEST_PIECE = 1 << 20
CHECKPOINT_SECONDS = 30.0
_MEASURED = "measured"
"""How many lines of the metrics a checkpoint counts on, among its tensors."""

Settings = TypeVar("Settings")
Plan = TypeVar("Plan")


class RunConfig(
    msgspec.Struct, Generic[Settings, Plan], frozen=True, forbid_unknown_fields=True
):  # fmt: skip
    """What a run was asked for, and with what it was begun."""

    settings: Settings
    plan: Plan
    command: str = ""
    """As it was typed; what made the run longer follows after `&&`."""
    versions: dict[str, str] = {}
    commit: str = "unknown"
    material: Material = {}
    """Digests of what is learned from."""
    kind: str = ""
    format: int = 1

    def card(self, title: str, about: str, facts: Iterable[str], model: type | None = None) -> str:
        """What a model says about itself, and how to load one of its class: Markdown."""
        made_by = f"katachi {self.versions.get('katachi', 'unknown')}, commit {self.commit}"
        lines = [f"# {title}", "", about, "", *(f"- {each}" for each in (*facts, made_by))]
        if model is not None:
            load = f"from {model.__module__} import {model.__name__}"
            made = f'model = {model.__name__}.load(Path("this folder"))'
            lines += ["", "```python", "from pathlib import Path", "", load, "", made, "```"]
        return "\n".join(lines) + "\n"


class Place(NamedTuple):
    """Where a run is done; it changes no result but by rounding."""

    device: str = "cpu"
    makers: int = 1
    """Threads that make batches."""
    workers: Workers = 1
    """Who plays games."""


HERE = Place()


class Progress(NamedTuple, Generic[MetricsT]):
    """How far a run is."""

    done: int
    goal: int
    speed: float
    """Units a second over the last pieces."""
    metrics: MetricsT | None
    """What was measured just now, where anything was."""


ConfigT = TypeVar("ConfigT", bound=RunConfig[Any, Any])
LearnerT = TypeVar("LearnerT", bound=Learner[Any])
RunT = TypeVar("RunT", bound="Run[Any, Any, Any]")


class Run(ABC, Generic[ConfigT, LearnerT, MetricsT]):
    """A learner that goes on in a folder. Close it, so that another process may."""

    kind: ClassVar[str]
    """What `config.json` calls it."""
    form: type[ConfigT]
    """Of `config.json`, and of a line of the metrics: what a kind of run is made from says them."""
    metrics_form: type[MetricsT]
    old_metrics: ClassVar[dict[str, str]] = {}
    """What earlier versions called the numbers of a measurement, and their names now."""
    games: RunGames | None = None
    """Those of a run that learns from recorded games."""
    saves_between: ClassVar[bool] = False
    """Whether a checkpoint can be made between measurements; else each follows one."""
    measures_last: ClassVar[bool] = True
    """Whether the end is measured where no measurement is due."""

    def __init_subclass__(cls) -> None:
        cls.form, _, cls.metrics_form = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]

    def __init__(self, folder: RunFolder, config: ConfigT, place: Place = HERE) -> None:
        """Use `begin` or `resume`."""
        self.folder = folder
        self.config = config
        self.metrics: list[MetricsT] = []
        self._pieces: deque[tuple[int, float]] = deque(maxlen=8)
        self.learner = self.make_learner(place)

    # What a kind of run says of itself.

    @classmethod
    def checked(cls, config: ConfigT, place: Place) -> ConfigT:  # noqa: ARG003 (for the kinds)
        """The config, made whole; raises KatachiError, before anything is read, for what makes no
        sense."""
        return config

    @abstractmethod
    def make_learner(self, place: Place) -> LearnerT:
        """The learner that the config asks for, at its beginning; reads what it learns from."""

    @property
    def goal(self) -> int:
        """Units in all."""
        return int(self.config.settings.steps)

    @property
    def measure_every(self) -> int:
        """Units from one measurement to the next."""
        return int(self.config.plan.measure_every)

    @property
    def patience(self) -> int:
        """Measurements without a better one after which a run ends with the best; 0 for none."""
        return 0

    @property
    def counts(self) -> dict[str, int]:
        """How many recorded games there are to learn from, and to measure on."""
        parts = {} if self.games is None else self.games._asdict()
        return {name: len(parts.get(name, ())) for name in ("train", "validation")}

    def material(self) -> Material:
        """Digests of what is learned from."""
        return material_of_games(self.games)

    def loss(self, metrics: MetricsT) -> float | None:  # noqa: ARG002 (for the kinds)
        """What the best measurement has least of; None where that is not known."""
        return None

    def start(self) -> None:
        """Gives the learner of a new run what it begins with."""

    def card(self, model: Any, last: MetricsT) -> str:  # noqa: ARG002 (for the kinds)
        """What the model says about itself: Markdown."""
        numbers = msgspec.to_builtins(last)
        return self.config.card(self.kind, "", [f"{name}: {numbers[name]}" for name in numbers])

    def facts(self) -> dict[str, Any]:
        """What else the model's notes should say."""
        return {"games": self.counts}

    # Beginning and ending.

    @classmethod
    def begin(cls: type[RunT], path: Path, config: Any, place: Place = HERE) -> RunT:
        """A new run in a folder of its own; raises KatachiError, with nothing written, where one is
        already there or what is asked for makes no sense."""
        folder = RunFolder(path)
        folder.check_free()  # before anything is read; it is asked again when the run is begun
        origin = {"versions": versions(), "commit": commit_of_tree(), "kind": cls.kind}
        run = cls(folder, msgspec.structs.replace(cls.checked(config, place), **origin), place)
        run.start()
        run.config = msgspec.structs.replace(run.config, material=run.material())
        with folder.begun(run.config):
            run.save()
        return run

    @classmethod
    def resume(cls: type[RunT], path: Path, place: Place = HERE) -> RunT:
        """A run that was begun, at its newest checkpoint; raises KatachiError where there is none,
        or where what it learns from has changed."""
        folder = RunFolder(path)
        with folder.resumed(cls.kind, 1, cls.form) as config:
            run = cls(folder, cls.checked(config, place), place)
            check_material(path, config.material, run.material())
            run.restore()
        return run

    def close(self) -> None:
        """Lets another process go on in the folder."""
        self.folder.release()

    # Going on.

    @property
    def done(self) -> int:
        """Units learned from."""
        return self.learner.done

    @property
    def is_finished(self) -> bool:
        """Whether all is done, or more would be in vain."""
        return self.done >= self.goal or self._is_in_vain()

    def _is_in_vain(self) -> bool:
        best = self.best()
        if not self.patience or best is None:
            return False
        return self.metrics.index(best) < len(self.metrics) - self.patience

    def best(self) -> MetricsT | None:
        """The best measurement, where one is known to be."""
        losses = [(self.loss(each), each) for each in self.metrics]
        known = [(loss, each) for loss, each in losses if loss is not None]
        return min(known, key=lambda pair: pair[0])[1] if known else None

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> Iterator[Progress[MetricsT]]:
        """Learns until the end or until `should_stop` says so, telling how far it is; all is saved
        every so often. Where learning fails with a KatachiError what was learned before is kept."""
        due = time.monotonic() + checkpoint_seconds
        try:
            while not self.is_finished and not should_stop():
                progress = self._advance()
                is_due = self.saves_between and time.monotonic() >= due
                if is_due or (progress.metrics is not None and not self.saves_between):
                    self.save()
                    due = time.monotonic() + checkpoint_seconds
                yield progress
        except KatachiError:
            if self.saves_between:
                self.save()
            raise
        if self.saves_between:
            self.save()

    def _advance(self) -> Progress[MetricsT]:
        before, begin = self.done, time.perf_counter()
        stop = min(
            before // self.measure_every * self.measure_every + self.measure_every, self.goal
        )
        self.learner.learn(min(self._next_piece(), stop - before))
        self._pieces.append((self.done - before, time.perf_counter() - begin))
        metrics = None
        if self.done == stop and (self.measures_last or stop % self.measure_every == 0):
            metrics = self.learner.measure()
            self.keep(metrics)
        return Progress(self.done, self.goal, self.speed, metrics)

    @property
    def speed(self) -> float:
        """Units a second over the last pieces; 0 before the first."""
        seconds = sum(piece[1] for piece in self._pieces)
        return sum(piece[0] for piece in self._pieces) / seconds if seconds else 0.0

    def _next_piece(self) -> int:
        """How many units to learn from next: one at first, for nobody knows how long it takes."""
        if not self._pieces:
            return 1
        units, seconds = self._pieces[-1]
        fitting = units * PIECE_SECONDS / max(seconds, 1e-6)
        return max(1, min(int(fitting), 4 * units, LONGEST_PIECE))

    def keep(self, metrics: MetricsT) -> None:
        """Notes a measurement."""
        self.metrics.append(metrics)
        self.folder.add_line(METRICS, metrics)

    # Checkpoints.

    def save(self) -> None:
        """Writes a checkpoint; raises OSError."""
        self.folder.settle(METRICS)
        best = self.best()
        state = self.learner.state() | {_MEASURED: np.array([len(self.metrics)])}
        self.folder.write_checkpoint(self.done, state, None if best is None else best.done)

    def restore(self) -> None:
        """Goes on from the newest whole checkpoint, or from the beginning where nothing was learned
        yet; raises KatachiError, with the reason, where neither can be."""
        reason = ""
        for path in self.folder.checkpoints():
            try:
                count = self._load(path)
                break
            except KatachiError as error:
                reason = reason or str(error)
        else:
            if self.folder.checkpoints() or self.folder.keep_lines(METRICS, None):
                raise KatachiError(f"{self.folder.path}: {reason or 'there is no checkpoint'}")
            return self.start()
        self.metrics = self._kept_metrics(count)
        self.folder.write_lines(METRICS, self.metrics)
        return None

    def _load(self, path: Path) -> int | None:
        """Goes on from a checkpoint; returns how many measurements it counts on, if it says."""
        tensors = self.folder.read_checkpoint(path)
        count = tensors.pop(_MEASURED, None)
        self.learner.load_state(tensors)
        return None if count is None else int(count[0])

    def _kept_metrics(self, count: int | None) -> list[MetricsT]:
        """So many measurements, or in a run of an earlier katachi those up to the checkpoint;
        raises KatachiError where they cannot be read."""
        path = self.folder.path / METRICS
        lines = path.read_bytes().splitlines()[:count] if path.exists() else []
        try:
            found = [self._metrics_of(line) for line in lines]
        except msgspec.MsgspecError as error:
            raise KatachiError(f"{path} is damaged: {error}") from None
        if count is not None and len(found) < count:
            raise KatachiError(f"{path} has {len(found)} lines where the checkpoint counts {count}")
        return [each for each in found if each.done <= self.done]

    def _metrics_of(self, line: bytes) -> MetricsT:
        """A line of the metrics, whatever version wrote it; raises MsgspecError."""
        numbers = msgspec.json.decode(line, type=dict[str, Any])
        renamed = {self.old_metrics.get(name, name): each for name, each in numbers.items()}
        return msgspec.convert(renamed, self.metrics_form)

    def take_best(self) -> None:
        """Goes back to where the best measurement was made."""
        best = self.best()
        if best is None or best.done == self.done:
            return
        for path in self.folder.checkpoints():
            if done_at(path) == best.done:
                self._load(path)
                return
        where = self.folder.path / "checkpoints"
        raise KatachiError(f"{where} has lost the best checkpoint, the one of {best.done:,}")

    # The end.

    def last(self) -> MetricsT:
        """The measurement of where the learner is, made now where there is none."""
        made = [metrics for metrics in self.metrics if metrics.done == self.done]
        return made[-1] if made else self.learner.measure()

    def finish(self) -> Path:
        """Writes the model and returns where; after this the run does not go on."""
        if self.patience:
            self.take_best()
        model, last = self.learner.model(), self.last()
        model.training = self.notes(last)
        where = self.folder.path / "model"
        model.save(where, self.card(model, last))
        return where

    def notes(self, last: MetricsT) -> dict[str, Any]:
        """How the model was made, as plain data; of files their names alone."""
        notes: dict[str, Any] = msgspec.to_builtins(self.config)
        plan = notes["plan"]
        plan["games"] = [Path(place).name for place in plan["games"]]
        for name in ("below", "start"):
            if plan.get(name):
                plan[name] = Path(plan[name]).name
        for name in ("kind", "format"):
            notes.pop(name)
        return notes | {"last": msgspec.to_builtins(last)} | self.facts()
