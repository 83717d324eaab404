"""Checkpoints: where a course stands, in one file that is written whole or not at all."""

from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.files.atomic import write_atomically
from katachi.files.model_folder import narrowed, widened
from katachi.learning.course import MOST_GAMES, Course
from katachi.learning.schedules import Stage
from katachi.learning.shape_training import SourceKind, TrainingSettings

FORMAT = 2
"""Format 1, which knew no samples, is read too."""
KEPT = 2
"""The newest so many are kept."""
LARGEST = 8_000_000_000
_ENDING = ".safetensors"


class Standing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a course stands, besides the agents' weights."""

    stages: list[Stage]
    measurements: Annotated[int, msgspec.Meta(ge=0)]
    """How many tests have been made: later lines of the metrics do not count."""
    next_size: int | None = None
    samples: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 0
    """How many samples of the weights have been added up."""
    run: str = ""
    """Whose checkpoint it is: a digest of the run's config. One of an earlier katachi has none."""
    format: int = FORMAT


class Checkpoint(NamedTuple):
    """A standing with its agents."""

    standing: Standing
    agents: list[LocalShape]
    sums: npt.NDArray[np.int64] | None
    """[agents, N]: the samples added up; None without a sample."""


class Checkpoints:
    """The checkpoints of a run; each file is named after its number of games."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = ""
        """The digest of the run's config, once that is known."""

    def write(self, course: Course, measurements: int) -> None:
        """Writes where the course stands, on the disk before this returns; raises OSError."""
        trainer = course.trainer
        standing = Standing(
            course.stages, measurements, course.next_size, trainer.samples, self.run
        )
        tensors: dict[str, np.ndarray] = {
            "standing": np.frombuffer(msgspec.json.encode(standing), np.uint8).copy(),
            "weights": np.stack([agent.weights for agent in trainer.agents]),
            "seen": narrowed(np.stack([agent.seen for agent in trainer.agents])),
        }
        if trainer.samples:
            tensors["sums"] = trainer.sums
        data = save(tensors)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{course.games:015}{_ENDING}"
        write_atomically(path, data, is_durable=True)
        self._drop_all_but(set(self.files()[:KEPT]))

    def files(self) -> list[Path]:
        """Every checkpoint, the newest first; what a killed process left half-written is none."""
        found = self.folder.glob(f"*{_ENDING}")
        return sorted((f for f in found if f.stem.isdecimal()), reverse=True)

    def clear(self) -> None:
        """Drops every checkpoint."""
        if self.folder.is_dir():
            self._drop_all_but(set())

    def _drop_all_but(self, kept: set[Path]) -> None:
        for path in self.folder.iterdir():
            if path not in kept:
                path.unlink(missing_ok=True)

    def read_newest(self, settings: TrainingSettings) -> Checkpoint:
        """The newest whole checkpoint of a run with these settings; raises KatachiError, with the
        reason, if there is none."""
        reason = "there is no checkpoint"
        for path in self.files():
            try:
                found = _read(path, settings)
                check_run(path, found.standing.run, self.run)
                return found
            except KatachiError as error:
                reason = str(error)
        raise KatachiError(f"{self.folder}: {reason}")


def check_run(path: Path, kept: str, run: str) -> None:
    """Raises KatachiError for a checkpoint that another run has left; those of an earlier katachi
    do not tell."""
    if kept and kept != run:
        raise KatachiError(f"{path} is a checkpoint of another run, or the config was changed")


def count_agents(settings: TrainingSettings) -> int:
    """How many agents learn."""
    return 2 if settings.source is SourceKind.PAIR else 1


def _read(path: Path, settings: TrainingSettings) -> Checkpoint:
    if path.stat().st_size > LARGEST:
        raise KatachiError(f"{path} is too large for a checkpoint")
    try:
        tensors = load(path.read_bytes())
        standing = msgspec.json.decode(tensors["standing"].tobytes(), type=Standing)
        _check_standing(standing, settings.size)
        agents = _agents(settings, standing.stages[-1].size, tensors)
        sums = _sums(standing.samples, tensors) if standing.samples else None
    except (SafetensorError, msgspec.MsgspecError, LookupError, ValueError, OverflowError) as error:
        raise KatachiError(f"{path} is no whole checkpoint: {error}") from None
    return Checkpoint(standing, agents, sums)


def _check_standing(standing: Standing, size: int) -> None:
    """Raises ValueError where a run that began on a board of this size cannot stand so."""
    if not 1 <= standing.format <= FORMAT:
        raise ValueError(f"it has format {standing.format}; this katachi reads 1 to {FORMAT}")
    sizes = [stage.size for stage in standing.stages]
    if not sizes or sizes != list(range(size, size + len(sizes))):
        raise ValueError(f"its boards {sizes} are not those of a run that began on {size}x{size}")


def _agents(
    settings: TrainingSettings, size: int, tensors: dict[str, np.ndarray]
) -> list[LocalShape]:
    """The agents with their weights; raises ValueError where these do not fit the settings."""
    sets = parse_sets(settings.sets)
    agents = [LocalShape(sets, size, settings.bins) for _ in range(count_agents(settings))]
    for name in ("weights", "seen"):
        wanted = np.stack([getattr(agent, name) for agent in agents])
        found = widened(tensors[name], str(wanted.dtype))
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise ValueError(f"{name} {found.dtype}{found.shape} do not fit the run's settings")
        for agent, row in zip(agents, found, strict=True):
            getattr(agent, name)[:] = row
    return agents


def _sums(samples: int, tensors: dict[str, np.ndarray]) -> npt.NDArray[np.int64]:
    """So many samples added up; raises ValueError where they cannot be that."""
    found, weights = tensors["sums"], tensors["weights"]
    if (found.shape, found.dtype) != (weights.shape, np.dtype(np.int64)):
        raise ValueError(f"sums {found.dtype}{found.shape} do not fit the weights")
    bounds = np.iinfo(weights.dtype)
    if int(found.max()) > samples * bounds.max or int(found.min()) < samples * bounds.min:
        raise ValueError(f"its sums are too large for {samples} samples")
    return found
