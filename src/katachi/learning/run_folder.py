"""The files of a run, of whatever kind.

| file | holds |
|---|---|
| `config.json` | settings, plan, seed, versions, commit |
| `metrics.jsonl` | a line a measurement; the same however often a run was interrupted |
| `checkpoints/` | the newest two states, and the best where a run asks for it |
| `model/` | the model, when the run is finished |

A run of local shape has a few more: `shape_run` lists them.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.files.locking import locked
from katachi.learning.learner import Tensors

KEPT = 2
"""The newest so many checkpoints are kept."""
LARGEST_CONFIG = 1_000_000
LARGEST_CHECKPOINT = 8_000_000_000
METRICS, TIMING = "metrics.jsonl", "timing.jsonl"
_ENDING = ".safetensors"
_RUN = "run"
"""Whose checkpoint it is, among its tensors: the digest of the run's config as text."""
_FIRST_FILES = ("lock", "checkpoints", "curve.svg", METRICS, TIMING, "opponent", "plates.svg")
"""What is written before `config.json`."""

Form = TypeVar("Form", bound=msgspec.Struct)


class _Heading(msgspec.Struct):
    """What every run's config says first."""

    kind: str = "unknown"
    format: int = 0


class RunFolder:
    """The files of one run. One process at a time may train in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = ""
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
            self.keep_lines(METRICS, 0)
            self.keep_lines(TIMING, 0)
            self._drop_checkpoints(set())
            self._digest = digest_of_config(msgspec.json.encode(config))
            yield
            self.write("config.json", config)

    @contextmanager
    def resumed(self, kind: str, version: int, form: type[Form]) -> Iterator[Form]:
        """Goes on with a run: its config, read when nobody else can change it. The folder is
        claimed until `release`, or until the block fails; raises as `read_config`, and
        KatachiError where another process trains here."""
        self.read_config(kind, version, form)  # a folder without a run is left as it is
        with self._claimed():
            config = self.read_config(kind, version, form)
            self._digest = digest_of_config((self.path / "config.json").read_bytes())
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

    def release(self) -> None:
        """Lets another process go on here."""
        self._held.close()

    def read_config(self, kind: str, version: int, form: type[Form]) -> Form:
        """What the run was asked for; raises KatachiError if there is no run, or one of another
        kind or format."""
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

    def write(self, name: str, what: msgspec.Struct) -> None:
        """Writes a record to a file of this name, whole or not at all."""
        text = msgspec.json.format(msgspec.json.encode(what), indent=1)
        write_atomically(self.path / name, text + b"\n", is_durable=True)

    def add_line(self, name: str, line: object) -> None:
        """Adds a line to a file of measurements."""
        with (self.path / name).open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def settle(self, name: str) -> None:
        """Puts lines on the disk, so that a checkpoint can count on them."""
        with (self.path / name).open("ab") as file:
            os.fsync(file.fileno())

    def keep_lines(self, name: str, count: int | None) -> list[bytes]:
        """The first `count` lines of a file, or all; later ones, which no checkpoint knows, are
        dropped."""
        path = self.path / name
        data = path.read_bytes() if path.exists() else b""
        lines = data.splitlines(keepends=True)[:count]
        if data != b"".join(lines):
            write_atomically(path, b"".join(lines), is_durable=True)
        return lines

    def write_lines(self, name: str, lines: Sequence[object]) -> None:
        """Makes these the lines of a file, unless they are already."""
        path = self.path / name
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        if data != (path.read_bytes() if path.exists() else b""):
            write_atomically(path, data, is_durable=True)

    def checkpoints(self) -> list[Path]:
        """Every checkpoint, the newest first; what a killed process left half-written is none."""
        found = (self.path / "checkpoints").glob(f"*{_ENDING}")
        return sorted((f for f in found if f.stem.isdecimal()), key=done_at, reverse=True)

    def write_checkpoint(self, done: int, state: Tensors, best: int | None) -> None:
        """Writes a state after so many units, on the disk before this returns, and drops old ones
        but for the best; raises OSError."""
        folder = self.path / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        run = np.frombuffer(self._digest.encode(), np.uint8)
        data = save(state | {_RUN: run.copy()})
        write_atomically(folder / f"{done:012}{_ENDING}", data, is_durable=True)
        found = self.checkpoints()
        self._drop_checkpoints({*found[:KEPT], *(f for f in found if done_at(f) == best)})

    def _drop_checkpoints(self, kept: set[Path]) -> None:
        folder = self.path / "checkpoints"
        for path in folder.iterdir() if folder.is_dir() else ():
            if path not in kept:
                path.unlink(missing_ok=True)

    def read_checkpoint(self, path: Path) -> Tensors:
        """The state in a checkpoint; raises KatachiError for a damaged one and for one that another
        run has left. Those of an earlier katachi do not say whose they are."""
        tensors = read_tensors(path)
        digest = tensors.pop(_RUN, np.empty(0, np.uint8)).tobytes().decode(errors="replace")
        if digest and digest != self._digest:
            raise KatachiError(f"{path} is a checkpoint of another run, or the config was changed")
        return tensors


def done_at(path: Path) -> int:
    """After how many units a checkpoint was made."""
    return int(path.stem)


def read_tensors(path: Path) -> Tensors:
    """What a file of tensors holds; raises KatachiError for a damaged one."""
    if path.stat().st_size > LARGEST_CHECKPOINT:
        raise KatachiError(f"{path} is too large for a checkpoint")
    try:
        return dict(load(path.read_bytes()))
    except (SafetensorError, ValueError, KeyError, OverflowError) as error:
        raise KatachiError(f"{path} is no whole checkpoint: {error}") from None


def digest_of_config(data: bytes) -> str:
    """Of what makes a run another one: all of its config but the command and the games, which are
    what makes a run longer, or where those lie whose digests are kept."""
    config = json.loads(data)
    config.pop("command", None)
    config.get("plan", {}).pop("games", None)
    return sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


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
