"""Sets of games from files and folders."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np

from katachi.errors import KatachiError
from katachi.records.bulk import BulkReader, settle_games, settled_columns
from katachi.records.cache import default_cache_folder, load_columns, look_at, store_columns
from katachi.records.columns import Columns, Info, join_columns
from katachi.records.files import (
    DAMAGE,
    CannotOpen,
    RawFile,
    explain_damage,
    find_game_files,
    open_raw,
)
from katachi.records.record import GameRecord, OnError, RecordError, Rejection
from katachi.records.replay import Replay, replay_columns
from katachi.records.selection import GameFilter, sample_fractions
from katachi.records.shipped_games import place_of_games
from katachi.records.stones import Rows
from katachi.rules.ruleset import Rules


class Split(NamedTuple):
    """Three sets without a game in common."""

    train: "GameSet"
    validation: "GameSet"
    test: "GameSet"


class GameSet:
    """Games in a fixed order; filters and splits are views that share the arrays.

    Every game has been replayed: its moves are legal under simple ko.
    """

    def __init__(
        self, columns: Columns, rows: Rows | None = None, rejections: Iterable[Rejection] = ()
    ) -> None:
        self.columns = columns
        self.rows: Rows = np.arange(len(columns)) if rows is None else np.ascontiguousarray(rows)
        """The set's games as rows of `columns`."""
        if len(self.rows) and not 0 <= self.rows.min() <= self.rows.max() < len(columns):
            raise KatachiError(f"a row that is not among {len(columns)} games")
        self.rejections = tuple(rejections)
        """Games of the files that could not be read."""

    def __len__(self) -> int:
        """The number of games."""
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> GameRecord: ...
    @overload
    def __getitem__(self, index: slice) -> "GameSet": ...
    def __getitem__(self, index: int | slice) -> "GameRecord | GameSet":
        """One game, or the set of some."""
        if isinstance(index, slice):
            return self._view(self.rows[index])
        return self.columns.record(int(self.rows[index]))

    def __iter__(self) -> Iterator[GameRecord]:
        """The games in order."""
        return (self.columns.record(row) for row in self.rows.tolist())

    @property
    def info(self) -> Info:
        """[len] what is known of the games in numbers (`katachi.records.columns.INFO`)."""
        return self.columns.info[self.rows]

    def _view(self, rows: Rows) -> "GameSet":
        return GameSet(self.columns, rows, self.rejections)

    def filter(self, condition: GameFilter) -> "GameSet":
        """The games that `condition` chooses; raises KatachiError when it makes no sense."""
        return self._view(self.rows[condition.mask(self.columns)[self.rows]])

    def shuffle(self, seed: int) -> "GameSet":
        """The same games in an order sampled by `seed`."""
        return self._view(np.random.default_rng(seed).permutation(self.rows))

    def split(self, seed: int, validation: float = 0.1, test: float = 0.1) -> Split:
        """Parts the games by chance; the rest is for training.

        A game's part depends on `seed` and its first moves alone, not on the set around it:
        records of one game, turned, mirrored or cut short, never fall into different parts.
        """
        if validation < 0 or test < 0 or validation + test > 1:
            raise KatachiError(f"no fractions of a whole: validation {validation}, test {test}")
        fractions = sample_fractions(self.info["identity"], seed)
        edges = (0.0, test, test + validation, 1.0)
        parts = [
            self._view(self.rows[(a <= fractions) & (fractions < b)]) for a, b in pairwise(edges)
        ]
        return Split(*reversed(parts))

    def replay(self, rules: Rules | None = None) -> Replay:
        """Plays all games again; see `replay_columns`."""
        return replay_columns(self.columns, self.rows, rules)


def common_size(games: GameSet) -> int:
    """The board size of all games; raises KatachiError where there are several, or no games."""
    sizes = np.unique(games.info["size"]).tolist()
    if len(sizes) != 1:
        found = ", ".join(map(str, sizes)) or "none"
        raise KatachiError(f"games of one board size are needed; the sizes here: {found}")
    return int(sizes[0])


def set_of_records(records: Iterable[GameRecord]) -> GameSet:
    """A set of records made in memory; raises RecordError for an illegal move."""
    return GameSet(settled_columns((record, record.ownership) for record in records))


def open_games(
    *places: str | Path,
    on_error: OnError = OnError.SKIP,
    cache_folder: Path | None = None,
    use_cache: bool = True,
) -> GameSet:
    """The games of files (`.sgf`, `.sgf.gz`, one game or many) and of folders of them, in order; a
    file that comes with the package goes by its name alone.

    Games that cannot be read are left out and listed in `rejections`, or raise a RecordError, as
    `on_error` says. A binary copy is kept in `cache_folder` and read instead the next time. Raises
    KatachiError for a place that does not exist or holds no files of games.
    """
    if not places:
        raise KatachiError("no file or folder of games was named")
    folder = (cache_folder or default_cache_folder()) if use_cache else None
    parts = [_open_place(place_of_games(Path(place)), folder) for place in places]
    rejections = [rejection for _, found in parts for rejection in found]
    if rejections and on_error == OnError.REFUSE:
        raise RecordError(rejections[0])
    return GameSet(join_columns([columns for columns, _ in parts]), None, rejections)


class _Reading(NamedTuple):
    """The games of a place, files named relative to it, so that a copy serves it anywhere."""

    columns: Columns
    rejections: list[Rejection]
    is_sound: bool = True
    """Whether the system gave all that was asked of it: another reading would find the same."""


def _open_place(place: Path, cache_folder: Path | None) -> tuple[Columns, list[Rejection]]:
    files = find_game_files(place)
    if files == [place]:
        reading = _open_file(place, None if place.is_fifo() else cache_folder)
    else:
        reading = _open_folder(place, files, cache_folder)
    return _name_files(place, reading.columns, reading.rejections)


def _open_file(file: Path, cache_folder: Path | None) -> _Reading:
    """A copy is stored by the bytes it was made from, not by those the file had before."""
    found = None if cache_folder is None else load_columns(cache_folder, _content_key(file))
    if found is not None:
        return _Reading(*found)
    with open_raw(file) as raw:
        reading = _read_raw(raw)
        if cache_folder is not None and reading.is_sound:
            with suppress(*DAMAGE):
                store_columns(cache_folder, raw.key(), reading.columns, reading.rejections)
    return reading


def _content_key(file: Path) -> str:
    try:
        with open_raw(file) as raw:
            return raw.key()
    except DAMAGE as error:
        raise CannotOpen(file, explain_damage(error)) from None


def _open_folder(folder: Path, files: list[Path], cache_folder: Path | None) -> _Reading:
    """A copy is stored if the files look the same behind the reading as before, and are too old
    for a change that shows in no time of change."""
    if cache_folder is None:
        return _read_files(folder, files)
    before = look_at(folder, files)
    found = load_columns(cache_folder, before.key)
    if found is not None:
        return _Reading(*found)
    reading = _read_files(folder, files)
    if reading.is_sound and before.is_settled:
        after = look_at(folder, find_game_files(folder))
        if after.key == before.key:
            store_columns(cache_folder, after.key, reading.columns, reading.rejections)
    return reading


def _read_raw(raw: RawFile) -> _Reading:
    reader = BulkReader()
    reader.read_file(raw, ".")
    return _settle(reader, is_sound=raw.is_sound)


def _read_files(folder: Path, files: list[Path]) -> _Reading:
    reader = BulkReader()
    are_sound = [_read_listed(reader, folder, file) for file in files]
    return _settle(reader, is_sound=all(are_sound))


def _settle(reader: BulkReader, *, is_sound: bool) -> _Reading:
    columns, illegal = settle_games(reader.columns())
    order = {name: index for index, name in enumerate(columns.files)}
    rejections = sorted(
        reader.rejections + illegal,
        key=lambda entry: (order[entry.source.file], entry.source.number),
    )
    return _Reading(columns, rejections, is_sound)


def _read_listed(reader: BulkReader, folder: Path, file: Path) -> bool:
    """Reads a file found in a folder; one that cannot be opened spoils no other. Returns whether
    the system gave all of it."""
    name = file.relative_to(folder).as_posix()
    try:
        with open_raw(file, may_be_pipe=False) as raw:
            reader.read_file(raw, name)
            return raw.is_sound
    except CannotOpen as error:
        reader.refuse_file(name, f"cannot be read: {error.reason}")
        return False


def _name_files(
    place: Path, columns: Columns, rejections: list[Rejection]
) -> tuple[Columns, list[Rejection]]:
    named = {name: str(place / name) for name in columns.files}
    moved = [
        replace(entry, source=replace(entry.source, file=named[entry.source.file]))
        for entry in rejections
    ]
    return replace(columns, files=tuple(named[name] for name in columns.files)), moved
