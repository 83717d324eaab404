"""The folder of a training run: what it was asked for, what it has measured, where it stands.

| file | holds |
|---|---|
| `config.json` | settings, plan, seed, versions, commit |
| `metrics.jsonl` | a line a test; byte for byte the same however often a run was interrupted |
| `timing.jsonl` | the seconds that go with it |
| `checkpoints/` | the newest two |
| `samples/` | games to look at, as SGF |
| `curve.svg` | the rate of wins as a picture |
| `agent-1/`, `agent-2/` | the models, when the run is finished |
| `mean/` | the mean of two models whose weights were averaged |
| `result.json` | the last test and what each board took; written last |
"""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.files.locking import locked
from katachi.learning.checkpoints import Checkpoints
from katachi.learning.course import Plan
from katachi.learning.material import Material
from katachi.learning.progress import Measurement, Timing
from katachi.learning.schedules import Stage
from katachi.learning.shape_training import TrainingSettings

FORMAT = 1
KIND = "training of local shape"
LARGEST_CONFIG = 1_000_000
_FIRST_FILES = ("lock", "checkpoints", "curve.svg", "metrics.jsonl", "timing.jsonl", "opponent")
"""What is written before `config.json`."""

Form = TypeVar("Form", bound=msgspec.Struct)


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was asked for, and with what it was begun."""

    settings: TrainingSettings
    plan: Plan
    opponent: str | None = None
    """Somebody to learn against, in place of the other agent."""
    start: str | None = None
    """The model whose weights the agents began with."""
    versions: dict[str, str] = {}
    commit: str = "unknown"
    begun: str = ""
    command: str = ""
    """As it was typed; what made the run longer follows after `&&`."""
    material: Material = {}
    """Digests of the models behind the run."""
    preset: str | msgspec.UnsetType = msgspec.UNSET
    """The name of the settings that options changed; not written where a run had none, so that
    configs of earlier runs stay what they were."""
    kind: str = KIND
    format: int = FORMAT


class _Heading(msgspec.Struct):
    """What every run's config tells first."""

    kind: str = "unknown"
    format: int = 0


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a finished run ended."""

    final: Measurement
    stages: list[Stage]
    """What each board took."""
    seconds: float
    """Spent on learning, tests left out."""
    mean: Measurement | None = None
    """The last test of the agents' mean, where there is one."""


class RunFolder:
    """The files of one run. One process at a time may train in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = Checkpoints(path / "checkpoints")
        self._held = ExitStack()

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "config.json").exists()

    @property
    def is_run(self) -> bool:
        """Whether the config here is that of a run, not of a model."""
        return self.exists and (self.path / "checkpoints").is_dir()

    def check_free(self) -> None:
        """Raises KatachiError unless a run may begin here: what a run leaves that was killed
        before it had begun is no hindrance."""
        if self.exists:
            raise KatachiError(f"{self.path} holds a run: --resume {self.path} goes on with it")
        if self.path.is_dir():
            others = sorted(f.name for f in self.path.iterdir() if f.name not in _FIRST_FILES)
            if others:
                raise KatachiError(f"{self.path} holds other files, such as {others[0]}")

    @contextmanager
    def begun(self, config: msgspec.Struct) -> Iterator[None]:
        """Begins a run: while the block runs the folder is claimed, free, and rid of what a run
        left that was killed before it had begun. The config is written when the block has ended:
        from then on there is a run to resume, and the folder stays claimed until `release`.

        All of this is one step, for between a check and a lock another process may begin a run.
        Raises KatachiError where one did, or trains here; OSError.
        """
        with self._claimed():
            self.check_free()
            self._clear()
            self.checkpoints.run = digest_of_config(msgspec.json.encode(config))
            yield
            write_json(self.path / "config.json", config)

    @contextmanager
    def resumed(self, kind: str, version: int, form: type[Form]) -> Iterator[Form]:
        """Goes on with a run: its config, read when nobody else can change it. The folder is
        claimed until `release`, or until the block fails; raises as `read_config_of`, and
        KatachiError where another process trains here."""
        self.read_config_of(kind, version, form)  # a folder without a run is left as it is
        with self._claimed():
            config = self.read_config_of(kind, version, form)
            self.checkpoints.run = digest_of_config((self.path / "config.json").read_bytes())
            yield config

    @contextmanager
    def _claimed(self) -> Iterator[None]:
        """Makes the folder this process's own, until `release` or until the block fails."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._held.enter_context(locked(self.path / "lock", f"the run in {self.path}"))
        try:
            yield
        except BaseException:
            self.release()
            raise

    def _clear(self) -> None:
        self.keep_measurements(0)
        self.checkpoints.clear()

    def release(self) -> None:
        """Lets another process go on here."""
        self._held.close()

    def read_config(self) -> RunConfig:
        """What the run was asked for; raises KatachiError if there is no run, or one of another
        kind or format."""
        return self.read_config_of(KIND, FORMAT, RunConfig)

    def read_config_of(self, kind: str, version: int, form: type[Form]) -> Form:
        """The same for a run of any kind, in its own form."""
        path = self.path / "config.json"
        if not path.exists():
            raise KatachiError(f"{self.path} holds no training run")
        found = read_json(path, _Heading)
        if (found.kind, found.format) != (kind, version):
            raise KatachiError(
                f"{path} is of kind {found.kind!r} format {found.format}; "
                f"here {kind!r} format {version} is needed"
            )
        return read_json(path, form)

    def write_config(self, config: RunConfig) -> None:
        """Writes what the run was asked for."""
        write_json(self.path / "config.json", config)

    def add_measurement(self, measurement: Measurement, timing: Timing) -> None:
        """Adds a line to the metrics and to their timing."""
        for name, line in (("metrics.jsonl", measurement), ("timing.jsonl", timing)):
            with (self.path / name).open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")

    def settle_metrics(self) -> None:
        """Puts the metrics on the disk, so that a checkpoint can count on them."""
        for name in ("metrics.jsonl", "timing.jsonl"):
            with (self.path / name).open("ab") as file:
                os.fsync(file.fileno())

    def keep_measurements(self, count: int) -> list[Measurement]:
        """The first `count` measurements; later lines, which no checkpoint knows, are dropped.
        Raises KatachiError where there are not so many."""
        self._keep_lines("timing.jsonl", count)
        lines = self._keep_lines("metrics.jsonl", count)
        try:
            found = [msgspec.json.decode(line, type=Measurement) for line in lines]
        except msgspec.MsgspecError as error:
            raise KatachiError(f"{self.path / 'metrics.jsonl'} is damaged: {error}") from None
        if len(found) < count:
            raise KatachiError(
                f"{self.path / 'metrics.jsonl'} has {len(found)} lines where the checkpoint "
                f"counts {count}"
            )
        return found

    def _keep_lines(self, name: str, count: int) -> list[bytes]:
        path = self.path / name
        data = path.read_bytes() if path.exists() else b""
        lines = data.splitlines(keepends=True)[:count]
        if data != b"".join(lines):
            write_atomically(path, b"".join(lines), is_durable=True)
        return lines

    def read_result(self) -> Result | None:
        """How the run ended; None while it is not finished."""
        path = self.path / "result.json"
        return read_json(path, Result) if path.exists() else None

    def write_result(self, result: Result) -> None:
        """Marks the run as finished."""
        write_json(self.path / "result.json", result)

    def drop_result(self) -> None:
        """Makes a finished run one that goes on."""
        (self.path / "result.json").unlink(missing_ok=True)


def digest_of_config(data: bytes) -> str:
    """Of what makes a run another one: all of its config but the command and the games, which are
    what makes a run longer, or where those lie whose digests are kept."""
    told = json.loads(data)
    told.pop("command", None)
    told.get("plan", {}).pop("games", None)
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def write_json(path: Path, what: msgspec.Struct) -> None:
    """Writes a file of a run, whole or not at all."""
    text = msgspec.json.format(msgspec.json.encode(what), indent=1)
    write_atomically(path, text + b"\n", is_durable=True)


def read_json(path: Path, form: type[Form]) -> Form:
    """A file of a run; raises KatachiError, saying what is wrong with it."""
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise KatachiError(f"{path} is too large to be a run's")
        return msgspec.json.decode(path.read_bytes(), type=form)
    except OSError as error:
        raise KatachiError(f"cannot read {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise KatachiError(f"{path} cannot be read: {error}") from None
