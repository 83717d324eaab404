"""A run of any kind as others see it: how far it is, its curves and its games.

Only files are read, and nothing is locked or changed, so that a run can be looked at while it goes
on. What is damaged or half written is left out.
"""

import os
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.files.locking import is_held
from katachi.files.shipped_folders import CONFIG, MODELS_OF_A_RUN, RUN, WEIGHTS
from katachi.learning.run_folder import LARGEST_CONFIG, METRICS, TIMING, RunFolder, done_at
from katachi.learning.shape_metrics import Elo, Measurement, estimate_elo
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games

UNITS = ("generations", "games", "steps", "epochs", "lessons")
"""What the kinds of runs count; the last was the word of an earlier version."""
MOST_METRICS = 16 << 20
"""Bytes of measurements that are read."""
MOST_SAMPLES = 200
LARGEST_SAMPLE = 200_000
SHAPE = "local shape"


class Column(NamedTuple):
    """One of the numbers that a run measures."""

    name: str
    title: str
    unit: str
    """share, games/s, nats, or nothing."""
    low: str | None = None
    """The number that is the lower end of its 95 % interval, by name."""
    high: str | None = None


class SampleGame(NamedTuple):
    """A game that the agents of a run have played."""

    done: int
    """Units learned from before."""
    name: str
    record: GameRecord


Row = dict[str, float | int | None]


class RunView:
    """A run that is looked at, with what it had measured when that was first asked for. It may go
    on meanwhile: look again."""

    def __init__(self, path: Path) -> None:
        """Raises KatachiError where the folder holds no run."""
        self.path = path
        self._config = _read_config(path)
        self.learner = str(self._config.get("kind", "")).removeprefix(RUN)
        """local shape, territory, linear, openings, self-play, or a convolutional RBM."""

    @property
    def size(self) -> int | None:
        """The board that it learns on; None where it does not say."""
        size = _settings(self._config, "settings").get("size")
        return size if isinstance(size, int) else None

    @property
    def seed(self) -> int | None:
        """The seed that it was begun with."""
        seed = _settings(self._config, "settings").get("seed")
        return seed if isinstance(seed, int) else None

    @property
    def goal(self) -> int | None:
        """Units in all; None where it does not say."""
        named = [_settings(self._config, part) for part in ("plan", "settings")]
        found = [part.get(unit) for unit in UNITS for part in named]
        return next((each for each in found if isinstance(each, int)), None)

    @property
    def done(self) -> int:
        """Units learned from, as far as it was kept."""
        rows = self.rows
        measured = int(rows[-1]["done"] or 0) if rows else 0
        kept = RunFolder(self.path).checkpoints()
        return max(measured, done_at(kept[0]) if kept else 0)

    @property
    def is_finished(self) -> bool:
        """Whether its models are written."""
        if self.learner == SHAPE:
            return (self.path / "result.json").exists()
        return any((self.path / each / WEIGHTS).exists() for each in MODELS_OF_A_RUN)

    @property
    def is_running(self) -> bool:
        """Whether a process learns in it now, as far as the system says."""
        return is_held(self.path / "lock") is True

    @property
    def seconds(self) -> float | None:
        """Spent on learning, where it is kept."""
        timing = _lines(self.path / TIMING)
        return float(timing[-1].get("seconds", 0.0)) if timing else None

    @cached_property
    def rows(self) -> list[Row]:
        """What was measured: `done`, `seconds` where they are kept, and every number by name."""
        timing = {_units(line): line for line in _lines(self.path / TIMING)}
        rows = []
        for line in _lines(self.path / METRICS):
            done = _units(line)
            if isinstance(done, int):
                time = timing.get(done, {})
                row: Row = {"done": done, "seconds": time.get("seconds")}
                rows.append(row | _numbers(line) | _speed(time))
        return rows

    def columns(self) -> list[Column]:
        """The numbers of the rows that are shown as curves."""
        rows = self.rows
        names = dict.fromkeys(name for row in rows for name in row)
        return [column for name in names if (column := _column(name)) is not None]

    def rating(self) -> Elo | None:
        """The strength of its best agent by the last test against ALP; None where the test does
        not say, or there is none."""
        rows = self.rows
        if not rows:
            return None
        last = rows[-1]
        agents = [name.removeprefix(RATE) for name in last if name.startswith(RATE)]
        # Others are rates against somebody else.
        found = [_elo(last, agent) for agent in agents if agent.isdecimal()]
        known = [elo for elo in found if elo is not None]
        return max(known, key=lambda elo: elo.value, default=None)

    def samples(self, after: frozenset[str] = frozenset()) -> Iterator[SampleGame]:
        """Games that were kept, the oldest first, without those of the names in `after`."""
        files = sorted((self.path / "samples").glob("*.sgf"))[:MOST_SAMPLES]
        for file in files:
            done = file.stem.partition("-")[0]
            if file.name not in after and done.isdecimal():
                record = _read_sample(file)
                if record is not None:
                    yield SampleGame(int(done), file.name, record)


RATE, LOW, HIGH = "win_rate_", "win_rate_low_", "win_rate_high_"
_TITLES = {
    "tree": "small tree search: games won against the opponent",
    "net": "the net alone: games won against the opponent",
    "previous": "small tree search: games won against the generation before",
}
"""Of the rates of a run that learns from search."""


def _units(line: dict[str, Any]) -> Any:
    """How many units a line is about; None where it does not say."""
    return next((line[unit] for unit in UNITS if unit in line), None)


def _numbers(line: dict[str, Any]) -> Row:
    """The numbers of a measurement; wins against ALP as rates with their intervals."""
    if "intervals" in line:
        return _rates(line)
    skipped = (*UNITS, "val_positions", "match_games")
    known = {name: each for name, each in line.items() if name not in skipped}
    return {name: each for name, each in known.items() if isinstance(each, int | float)}


def _rates(line: dict[str, Any]) -> Row:
    """The rates of a test and their intervals; nothing of one that cannot be read."""
    try:
        test = msgspec.convert(line, Measurement)
    except msgspec.ValidationError:
        return {}
    row: Row = {"size": test.size}
    for agent, (rate, (low, high)) in enumerate(zip(test.rates, test.intervals, strict=False), 1):
        row |= {f"{RATE}{agent}": rate, f"{LOW}{agent}": low, f"{HIGH}{agent}": high}
    return row


def _speed(time: dict[str, Any]) -> Row:
    return {"speed": time["games_per_second"]} if "games_per_second" in time else {}


def _elo(row: Row, agent: str) -> Elo | None:
    rate, low, high = (row.get(f"{part}{agent}") for part in (RATE, LOW, HIGH))
    if rate is None or low is None or high is None:
        return None
    return estimate_elo(rate, (low, high))


def _column(name: str) -> Column | None:
    """How a number is shown; None for one that is no curve of its own."""
    if name in ("done", "seconds", "size", "games_played") or name.startswith((LOW, HIGH)):
        return None
    if name.startswith(RATE):
        agent = name.removeprefix(RATE)
        title = _TITLES.get(agent, f"agent {agent}: games won against ALP")
        return Column(name, title, "share", f"{LOW}{agent}", f"{HIGH}{agent}")
    if name == "speed":
        return Column(name, "games learned from a second", "games/s")
    words = name.replace("val_", "validation ").replace("train_", "training ").replace("_", " ")
    is_share = name.endswith(("accuracy", "top1", "rate", "activation", "wins"))
    is_nats = name.endswith(("_loss", "energy", "likelihood", "gap"))
    return Column(name, words, "share" if is_share else "nats" if is_nats else "")


def is_run(path: Path) -> bool:
    """Whether a folder is that of a run."""
    try:
        return RunFolder(path).is_run and bool(_read_config(path))
    except (KatachiError, OSError):
        return False


class _Heading(msgspec.Struct):
    kind: str


def _read_config(path: Path) -> dict[str, Any]:
    """The config of a run as plain data; raises KatachiError where there is none."""
    file = path / CONFIG
    try:
        if os.path.getsize(file) > LARGEST_CONFIG:
            raise KatachiError(f"{file} is too large to be a run's")
        data = file.read_bytes()
        kind = msgspec.json.decode(data, type=_Heading).kind
        config: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise KatachiError(f"{path} holds no training run") from None
    if not kind.startswith(RUN):
        raise KatachiError(f"{path} holds no training run")
    return config


def _settings(config: dict[str, Any], part: str) -> dict[str, Any]:
    found = config.get(part)
    return found if isinstance(found, dict) else {}


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file that are whole."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_METRICS)
    except OSError:
        return []
    whole = data[: data.rfind(b"\n") + 1]
    return [line for each in whole.splitlines() if (line := _line(each)) is not None]


def _line(data: bytes) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


@lru_cache(maxsize=1024)
def _read_sample(file: Path) -> GameRecord | None:
    """The game of a file, which never changes once it is there; None where there is none."""
    try:
        if file.stat().st_size > LARGEST_SAMPLE:
            return None
        return next(iter(read_games(file)), None)
    except (OSError, KatachiError):
        return None
