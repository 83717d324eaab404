"""One recorded game."""

import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.files.plain_text import shown_text
from katachi.records.properties import date_from_text, rank_from_text
from katachi.records.result import Result
from katachi.rules.color import BLACK, WHITE
from katachi.rules.limits import LONGEST_GAME, MAX_SIZE, MIN_SIZE
from katachi.rules.point import PASS, STRIDE, Points

Colors = npt.NDArray[np.uint8]
Ownership = npt.NDArray[np.int8]
TOO_LONG = f"more than {LONGEST_GAME:,} moves"
"""Why a record is refused: no game can be played on from there."""


def no_points() -> Points:
    """An empty list of points."""
    return np.empty(0, np.uint16)


def no_colors() -> Colors:
    """An empty list of colours."""
    return np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a game was read: its file, and its number in that file counted from 1."""

    file: str = ""
    number: int = 1

    def __str__(self) -> str:
        """`games.sgf game 3`."""
        return f"{shown_text(self.file) or 'SGF text'} game {self.number}"


class OnError(Enum):
    """What to do with a game that cannot be read."""

    REFUSE = "refuse"
    """Raise a RecordError: all games or none."""
    SKIP = "skip"
    """Leave the game out and keep the reason."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A game that was not read, and why."""

    source: Source
    reason: str

    def __str__(self) -> str:
        """`games.sgf game 3: cut off before its end`."""
        return f"{self.source}: {shown_text(self.reason)}"


class RecordError(KatachiError):
    """A game record that cannot be read; the text is that of its `rejection`."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(str(rejection))
        self.rejection = rejection


@dataclass(frozen=True, slots=True)
class GameTexts:
    """What a record says in words, each as written; empty where it says nothing."""

    result: str = ""
    black: str = ""
    black_rank: str = ""
    white: str = ""
    white_rank: str = ""
    date: str = ""
    rules: str = ""
    event: str = ""
    style: str = ""
    """The game's name (GN); collections of openings keep the style of the opening there."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GameRecord:
    """The main line of a game and what is known about it. Arrays are not to be written to."""

    size: int
    moves: Points = field(default_factory=no_points)
    """[N] points in the order played; a pass is PASS."""
    colors: Colors = field(default_factory=no_colors)
    """[N] who played each move; colours need not alternate."""
    setup_black: Points = field(default_factory=no_points)
    setup_white: Points = field(default_factory=no_points)
    first_to_play: int = BLACK
    """Who is to move in the position before the first move."""
    komi: float | None = None
    handicap: int = 0
    result: Result = field(default_factory=Result)
    ownership: Ownership | None = None
    """[size * size] owners at the end, +1 Black, -1 White, 0 nobody; None where not marked."""
    texts: GameTexts = field(default_factory=GameTexts)
    source: Source = field(default_factory=Source)

    @property
    def black_rank(self) -> int | None:
        """Black's strength as `rank_from_text` numbers it."""
        return rank_from_text(self.texts.black_rank)

    @property
    def white_rank(self) -> int | None:
        """White's strength as `rank_from_text` numbers it."""
        return rank_from_text(self.texts.white_rank)

    @property
    def date(self) -> int:
        """The day of the game as `katachi.records.properties` numbers it."""
        return date_from_text(self.texts.date)

    def __eq__(self, other: object) -> bool:
        """Whether both tell the same game in the same words, wherever they were read."""
        if not isinstance(other, GameRecord):
            return NotImplemented
        names = [entry.name for entry in dataclasses.fields(self) if entry.name != "source"]
        return all(_is_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


def check_arrays(record: GameRecord, marks: Ownership | None = None) -> None:
    """Raises RecordError where a record is too long, or where its arrays or territory marks do not
    fit its board."""
    reason = _misfit(record)
    if not reason and marks is not None and marks.size not in (0, record.size**2):
        reason = f"{marks.size} territory marks on {record.size}x{record.size} points"
    if reason:
        raise RecordError(Rejection(record.source, reason))


def _misfit(record: GameRecord) -> str:
    """What is wrong with a record's arrays; empty where nothing is."""
    size = record.size
    if not MIN_SIZE <= size <= MAX_SIZE:
        return f"board size {size} is not playable: use {MIN_SIZE} to {MAX_SIZE}"
    if record.moves.shape != record.colors.shape:
        return f"{len(record.moves)} moves, but {len(record.colors)} colours"
    if len(record.moves) > LONGEST_GAME:
        return TOO_LONG
    strange = (record.colors != BLACK) & (record.colors != WHITE)
    if strange.any():
        return f"move {int(strange.argmax()) + 1} is neither Black's nor White's"
    off = ~_are_on_board(record.moves, size) & (record.moves != PASS)
    if off.any():
        return f"move {int(off.argmax()) + 1} is off the board"
    setup = np.concatenate([record.setup_black, record.setup_white])
    return "" if _are_on_board(setup, size).all() else "setup stones that are off the board"


def _are_on_board(points: Points, size: int) -> npt.NDArray[np.bool_]:
    rows, cols = np.divmod(points.astype(np.int64), STRIDE)
    return (rows >= 1) & (rows <= size) & (cols >= 1) & (cols <= size)


def _is_same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
        return np.array_equal(mine, theirs)
    return bool(mine is theirs or (type(mine) is type(theirs) and mine == theirs))
