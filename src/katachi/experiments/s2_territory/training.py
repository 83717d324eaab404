"""How the learning experiments of S2 learn."""

import contextlib
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import numpy as np
from safetensors.numpy import save

from katachi.errors import KatachiError
from katachi.experiments.s2_territory.material import open_parts
from katachi.files.atomic import write_atomically
from katachi.learning.learner import Tensors
from katachi.learning.run_folder import read_tensors
from katachi.learning.territory_run import TerritoryGames
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer

M = TypeVar("M", bound=msgspec.Struct)

PAPER_GAMES = 3166
"""What the paper's net learned from."""
STEPS_AT_ONCE = 50
SECONDS_BETWEEN_SAVES = 10.0
_SECONDS = "experiment.seconds"
PROBE_GAMES, PROBE_STEPS, PROBE_BATCH = 40, 3, 8


def new_trainer(settings: TerritorySettings, games: TerritoryGames) -> TerritoryTrainer:
    """A trainer that computes on one thread beside the one that makes its batches: small nets are
    the slower for more, and several processes can then run at once. Raises KatachiError where
    PyTorch is missing."""
    with contextlib.suppress(ImportError):
        from katachi.nets.threads import use_one_thread

        use_one_thread()
    return TerritoryTrainer(settings, games.train, games.validation)


def count_positions(games: TerritoryGames) -> int:
    """Moves of all games to learn from: what the paper calls an epoch."""
    train = games.train
    return int(train.columns.moves.lengths[train.rows].sum())


def learning_of(path: Path, all_settings: Iterable[TerritorySettings]) -> str:
    """A fingerprint of what the code makes of these settings: the losses of a few small batches.
    It also compiles every kernel they need."""
    games = open_parts(path)
    few = TerritoryGames(games.train[:PROBE_GAMES], games.validation[:PROBE_GAMES], 0, 0)
    digest = sha256(path.read_bytes())
    for settings in all_settings:
        trainer = new_trainer(msgspec.structs.replace(settings, batch=PROBE_BATCH), few)
        trainer.learn(PROBE_STEPS)
        seen = trainer.measure(1)
        losses = (seen.train_ownership_loss, seen.train_policy_loss, seen.val_ownership_loss)
        digest.update(" ".join(f"{loss:.3f}" for loss in losses).encode())
    return digest.hexdigest()[:16]


class LongRun(Generic[M]):
    """A training that is measured on its way and goes on where it was when the process ended: runs
    of a study are begun again, and this one is longer than a process may live.

    Beside the journal it keeps two files, NAME.safetensors and NAME.json, until it is done.
    """

    def __init__(self, trainer: TerritoryTrainer, path: Path, form: type[M]) -> None:
        """A run kept under `path`, of which no two may be of other games, settings or code."""
        self.trainer = trainer
        self.seconds = 0.0
        """Spent on learning, measurements left out."""
        self.measured: list[M] = []
        self._weights = path.with_name(f"{path.name}.safetensors")
        self._notes = path.with_name(f"{path.name}.json")
        if (tensors := self._kept_state()) is not None:
            self.seconds = float(tensors.pop(_SECONDS)[0])
            trainer.load_state(tensors)
            if self._notes.exists():
                notes = msgspec.json.decode(self._notes.read_bytes(), type=list[msgspec.Raw])
                self.measured = [msgspec.json.decode(each, type=form) for each in notes]

    def _kept_state(self) -> Tensors | None:
        """What was saved; None where nothing was, or where it is damaged."""
        if not self._weights.exists():
            return None
        with contextlib.suppress(KatachiError):
            return read_tensors(self._weights)
        return None

    def measure_at(self, steps: list[int], measure: Callable[[], M]) -> list[M]:
        """What `measure` says after each of these numbers of batches, which rise."""
        for goal in steps[len(self.measured) :]:
            self._train_to(goal)
            self.measured.append(measure())
            write_atomically(self._notes, msgspec.json.encode(self.measured))
        self._weights.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)
        return self.measured

    def _train_to(self, goal: int) -> None:
        saved = time.monotonic()
        while self.trainer.done < goal:
            begin = time.perf_counter()
            self.trainer.learn(min(STEPS_AT_ONCE, goal - self.trainer.done))
            self.seconds += time.perf_counter() - begin
            if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                self._save()
                saved = time.monotonic()
        self._save()

    def _save(self) -> None:
        tensors = self.trainer.state() | {_SECONDS: np.array([self.seconds])}
        write_atomically(self._weights, save(tensors))


def name_of_run(*parts: object) -> str:
    """A name for files of a run that differs with each of its parts."""
    return sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:16]
