"""Games and models that the experiments of S2 are done with, and how nets learn there."""

import contextlib
import re
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from katachi.errors import KatachiError
from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import Territory
from katachi.experiments.curves import curve_of, with_curves
from katachi.experiments.protocol import Key, Quantity, Settings, Table
from katachi.experiments.runner import Runner, Task
from katachi.files.atomic import write_atomically
from katachi.files.model_folder import CONFIG_FILE, WEIGHTS_FILE
from katachi.files.shipped_folders import find_model
from katachi.learning.learner import Tensors
from katachi.learning.material import SPLIT_SEED
from katachi.learning.run_folder import read_tensors
from katachi.learning.territory_run import TerritoryGames, TerritoryPlan, open_plan
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.records.dataset import GameSet, open_games
from katachi.records.selection import GameFilter
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.workers import call_in_copy

M = TypeVar("M", bound=msgspec.Struct)

SCORED9 = "ogs9_scored.sgf.gz"
"""Amateur 9x9 games with marked owners."""
HELD_OUT = (
    "Held-out games are those that training sets aside for validation, whatever model is trained. "
    "Of games that are in a file that a measured model learned from, only these are measured."
)
SHARE = TerritoryPlan(games=()).validation
"""Of a file's games that training holds out."""
PROBE_MOVES = 20


@cache
def open_parts(path: Path, limit: int = 0) -> TerritoryGames:
    """The games of a file as training parts them: to learn from, `limit` of them at most, and held
    out; all with known owners."""
    return open_plan(TerritoryPlan(games=(str(path),), limit=limit))


class UnseenGames(NamedTuple):
    """Games that no model has seen, and others of the same file."""

    measured: GameSet
    learned: GameSet | None
    """What models may have learned from; None where they learned from no game of the file."""


def open_unseen(path: Path, size: int, learned: frozenset[str]) -> UnseenGames:
    """The games of a file on boards of one size; of those that are also in one of the files
    `learned`, as far as these lie in the same folder, the held-out ones only.

    A game is known by its identity, for one file may be inside another; whether it is held out
    depends on that alone, too.
    """
    games = _open_size(path, size)
    known = _are_learned(games, path, size, learned)
    if not known.any():
        return UnseenGames(games, None)
    parts = games.split(SPLIT_SEED, validation=SHARE, test=0.0)
    is_seen = known & np.isin(games.rows, parts.train.rows)
    measured, seen = (GameSet(games.columns, games.rows[each]) for each in (~is_seen, is_seen))
    return UnseenGames(measured, seen)


def _are_learned(
    games: GameSet, path: Path, size: int, learned: frozenset[str]
) -> npt.NDArray[np.bool_]:
    """[N] whether each game of a file is in one of those that were learned from."""
    if path.name in learned:
        return np.ones(len(games), np.bool_)
    files = [path.with_name(name) for name in sorted(learned)]
    found = [_open_size(file, size).info["identity"] for file in files if file.exists()]
    return np.isin(games.info["identity"], np.concatenate([np.empty(0, np.uint64), *found]))


@cache
def _open_size(path: Path, size: int) -> GameSet:
    return open_games(path).filter(GameFilter(size=size))


def sample_games(games: GameSet, count: int, seed: int) -> GameSet:
    """So many games sampled by a seed; all of them for 0."""
    return games.shuffle(seed)[:count] if count else games


def find_models(names: Iterable[str], runner: Runner) -> tuple[list[str], list[str]]:
    """(models that are there, a note about each that is not); raises KatachiError for one that held
    out too few games."""
    found, notes = [], []
    for name in names:
        try:
            find_model(name)
        except KatachiError:
            notes.append(f"The model {name} is not here, and not measured.")
            runner.tell(notes[-1])
        else:
            check_share(name)
            found.append(name)
    return found, notes


def check_share(name: str) -> None:
    """Raises KatachiError if a model learned from games that are measured, or is not there."""
    plan = load_territory(name).training.get("plan", {})
    if plan.get("validation", SHARE) < SHARE:
        raise KatachiError(f"{name} held out too few of its games to be measured on: use another")


def files_learned(models: Iterable[str]) -> frozenset[str]:
    """Names of the files that models learned from."""
    plans = [load_territory(name).training.get("plan", {}) for name in models]
    return frozenset(Path(place).name for plan in plans for place in plan.get("games", []))


def describe_model(name: str) -> str:
    """What a reader must know of a model."""
    model = load_territory(name)
    text = f"{name_of_model(name)}: {model.weight_count:,} weights"
    files = model.training.get("plan", {}).get("games", [])
    games = model.training.get("games", {}).get("train")
    if files and games:
        text += f", learned from {games:,} games of {', '.join(files)}"
    return f"{text}; inputs {', '.join(model.inputs.inputs)}."


def described_model(notes: Iterable[str]) -> str | None:
    """The name of the first model that notes describe, as `describe_model` does."""
    found = (re.match(r"(\S+): [\d,]+ weights", note) for note in notes)
    return next((each[1] for each in found if each), None)


def name_of_model(name: str) -> str:
    """What a model is called in tables: a folder by its last part."""
    return Path(name).name


def fingerprint(files: Iterable[Path], models: Iterable[str] = ()) -> str:
    """Of what games say and models judge by, and how this code judges by them."""
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    for name in models:
        folder = find_model(name)
        for file in (CONFIG_FILE, WEIGHTS_FILE):
            digest.update((folder / file).read_bytes())
        digest.update(f"{_probe(load_territory(name)):.4f}".encode())
    return digest.hexdigest()[:16]


def _probe(model: Territory) -> float:
    """A number that tells how a model judges."""
    states = random_game(9, PROBE_MOVES, 1).states
    if model.predicts_moves:
        return float(model.move_scores(states, np.array([BLACK])).mean())
    owned = model.evaluate(states).ownership
    assert owned is not None
    return float(owned.mean())


def random_game(size: int, moves: int, seed: int) -> Game:
    """A game of so many random moves."""
    source = np.random.default_rng(seed)
    game = Game(size)
    for _ in range(moves):
        color = game.to_play
        game.play(color, int(source.choice(game.legal_moves(color))))
    return game


PAPER_GAMES = 3166
"""What the paper's net learned from."""
STEPS_AT_ONCE = 50
SECONDS_BETWEEN_SAVES = 10.0
_SECONDS = "experiment.seconds"
PROBE_GAMES, PROBE_STEPS, PROBE_BATCH = 40, 3, 8
PARTS, PART_BATCHES = 10, 4
"""How often a net is looked at while it learns, and on how many batches."""


def new_trainer(settings: TerritorySettings, games: TerritoryGames) -> TerritoryTrainer:
    """A trainer that computes on one thread beside the one that makes its batches: small nets are
    the slower for more, and several processes can then run at once. Raises KatachiError where
    PyTorch is missing."""
    with contextlib.suppress(ImportError):
        from katachi.nets.threads import use_one_thread

        use_one_thread()
    return TerritoryTrainer(settings, games.train, games.validation)


def learn_by_parts(trainer: TerritoryTrainer, steps: int) -> list[float]:
    """Learns so many batches; returns the error in owners after each part of them, on positions
    that are the same each time."""
    curve, done = [], 0
    for end in ends_of_parts(steps):
        trainer.learn(end - done)
        done = end
        curve.append(trainer.measure(PART_BATCHES).val_ownership_loss or 0.0)
    return curve


def ends_of_parts(steps: int) -> list[int]:
    """After how many batches a net is looked at while it learns."""
    return sorted({max(1, steps * part // PARTS) for part in range(1, PARTS + 1)})


def with_parts(
    table: Table, error: Quantity, steps: int, runs: Iterable[tuple[Key, list[list[float]]]]
) -> Table:
    """The table with the curves of `learn_by_parts`, those of the runs of each key."""
    ends = ends_of_parts(steps)
    return with_curves(table, [curve_of(key, error, "batches", ends, each) for key, each in runs])


def count_positions(games: TerritoryGames) -> int:
    """Moves of all games to learn from: what the paper calls an epoch."""
    train = games.train
    return int(train.columns.moves.lengths[train.rows].sum())


def learning_of(path: Path, all_settings: Iterable[TerritorySettings]) -> str:
    """A fingerprint of what the code makes of these settings: the losses of a few small batches.
    It also compiles every kernel they need."""
    from katachi.nets.fitting import has_card

    settings = list(all_settings)
    if has_card():  # then PyTorch learns in no copy of a process that has learned
        return call_in_copy(lambda: _probe_learning(path, settings))
    return _probe_learning(path, settings)


def _probe_learning(path: Path, all_settings: list[TerritorySettings]) -> str:
    games = open_parts(path)
    few = TerritoryGames(games.train[:PROBE_GAMES], games.validation[:PROBE_GAMES], 0, 0)
    digest = sha256(path.read_bytes())
    for settings in all_settings:
        trainer = new_trainer(msgspec.structs.replace(settings, batch=PROBE_BATCH), few)
        with closing(trainer):
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


def path_of_run(study: str, settings: Settings, task: Task) -> Path:
    """Where a long run is kept: a name that differs with all that decides what comes of it."""
    parts = (settings, task.name, task.seed, task.behaviour)
    digest = sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:16]
    return task.folder / f"{study}.{digest}"
