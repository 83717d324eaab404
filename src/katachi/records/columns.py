"""Many games as a few long arrays.

A game is a row of `info` and one list in each ragged array; this is what the cache stores and what
the replay kernels read. `GameRecord`s are made from it one at a time.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.records import stones
from katachi.records.encoding import utf8_from_text
from katachi.records.record import GameRecord, GameTexts, Source
from katachi.records.result import Ending, Result
from katachi.rules.color import BLACK, WHITE
from katachi.rules.limits import LONGEST_GAME, MAX_SIZE, MIN_SIZE

UNKNOWN_RANK = -128
PART_GAMES = 1 << 15

INFO = np.dtype(
    [
        ("size", np.uint8),
        ("handicap", np.uint8),
        ("first_to_play", np.uint8),
        ("winner", np.uint8),
        ("ending", np.uint8),
        ("suicide", np.uint8),
        ("black_rank", np.int8),
        ("white_rank", np.int8),
        ("komi", np.float64),
        ("margin", np.float64),
        ("date", np.int32),
        ("file", np.int32),
        ("number", np.int32),
        ("identity", np.uint64),
    ]
)
"""What is known of a game in numbers; NaN, UNKNOWN_RANK and date 0 stand for what is not known."""

Info = npt.NDArray[Any]

RAGGED = {"moves": np.uint16, "setup": np.uint16, "owners": np.int8, "texts": np.uint8}
"""The lists that columns have of each game, and what is in them."""
TEXT_NAMES = tuple(entry.name for entry in dataclasses.fields(GameTexts))
# Texts of records are kept as single lines, so a line end can part them.
_TEXT_END = "\n"


@dataclass(frozen=True, slots=True)
class Columns:
    """N games; arrays are shared between copies and not to be written to."""

    info: Info
    """[N] of INFO."""
    moves: stones.Ragged
    """N lists of codes."""
    setup: stones.Ragged
    """N lists of codes."""
    owners: stones.Ragged
    """N lists of size * size owners, +1 Black, -1 White, 0 nobody; empty where not marked."""
    texts: stones.Ragged
    """N lists of UTF-8 bytes: the fields of GameTexts in order, parted by line ends."""
    files: tuple[str, ...]
    """The files `info["file"]` counts."""

    def __len__(self) -> int:
        """The number of games."""
        return len(self.info)

    def record(self, row: int) -> GameRecord:
        """Game `row` as a record."""
        info = self.info[row]
        moves, setup, owners = self.moves.row(row), self.setup.row(row), self.owners.row(row)
        points, colors = stones.points_from_codes(setup), stones.colors_from_codes(setup)
        return GameRecord(
            size=int(info["size"]),
            moves=stones.points_from_codes(moves),
            colors=stones.colors_from_codes(moves),
            setup_black=points[colors == BLACK],
            setup_white=points[colors == WHITE],
            first_to_play=int(info["first_to_play"]),
            komi=_known(info["komi"]),
            handicap=int(info["handicap"]),
            result=Result(int(info["winner"]), Ending(int(info["ending"])), _known(info["margin"])),
            ownership=owners if len(owners) else None,
            texts=GameTexts(*self.text(row)),
            source=Source(self.files[info["file"]], int(info["number"])),
        )

    def text(self, row: int) -> list[str]:
        """The texts of game `row`, in the order of TEXT_NAMES."""
        return self.texts.row(row).tobytes().decode("utf-8").split(_TEXT_END)

    def take(self, rows: stones.Rows) -> "Columns":
        """The games at `rows`, in that order."""
        return Columns(
            info=self.info[rows],
            files=self.files,
            **{name: getattr(self, name).take(rows) for name in RAGGED},
        )


def is_sound(columns: Columns) -> bool:
    """Whether the lists fit together and hold nothing that kernels have no room for."""
    sizes = columns.info["size"].astype(np.int64)
    owned = columns.owners.lengths
    return (
        all(_is_ragged(getattr(columns, name), len(columns)) for name in RAGGED)
        and bool((columns.info["file"] < len(columns.files)).all())
        and bool(np.isin(sizes, range(MIN_SIZE, MAX_SIZE + 1)).all())
        and bool((columns.moves.lengths <= LONGEST_GAME).all())
        and bool(((owned == 0) | (owned == sizes * sizes)).all())
        and all(stones.are_codes(ragged.values) for ragged in (columns.moves, columns.setup))
    )


def _is_ragged(ragged: stones.Ragged, count: int) -> bool:
    starts = ragged.starts
    is_list = starts.dtype == np.int64 and starts.shape == (count + 1,) and starts[0] == 0
    return bool(is_list and starts[-1] == len(ragged.values) and (np.diff(starts) >= 0).all())


def _known(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def join_columns(parts: list[Columns]) -> Columns:
    """The games of all parts in order."""
    if len(parts) == 1:
        return parts[0]
    infos: list[Info] = []
    files: list[str] = []
    for part in parts:
        info = part.info.copy()
        info["file"] += len(files)
        infos.append(info)
        files.extend(part.files)
    return Columns(
        info=np.concatenate(infos),
        files=tuple(files),
        **{name: stones.join_ragged([getattr(part, name) for part in parts]) for name in RAGGED},
    )


class ColumnsBuilder:
    """Collects games; `columns` makes the arrays. Games in lists take ten times the memory, so they
    are put into arrays every so often."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._parts: list[Columns] = []
        self._clear()

    def _clear(self) -> None:
        self._infos: list[tuple[Any, ...]] = []
        self._lists: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in RAGGED}

    def __len__(self) -> int:
        """The number of games so far."""
        return sum(map(len, self._parts)) + len(self._infos)

    def add(
        self,
        info: tuple[Any, ...],
        moves: npt.NDArray[np.uint16],
        setup: npt.NDArray[np.uint16],
        owners: npt.NDArray[np.int8],
        texts: list[str],
    ) -> None:
        """Adds a game: values of INFO in order, codes, marks or owners, and texts."""
        self._infos.append(info)
        lines = _TEXT_END.join(text.replace(_TEXT_END, " ") for text in texts)
        said = np.frombuffer(utf8_from_text(lines), np.uint8)
        lists: tuple[npt.NDArray[Any], ...] = (moves, setup, owners, said)
        for parts, part in zip(self._lists.values(), lists, strict=True):
            parts.append(part)
        if len(self._infos) >= PART_GAMES:
            self._put_by()

    def _put_by(self) -> None:
        lists = {
            name: stones.ragged_from_parts(self._lists[name], kind) for name, kind in RAGGED.items()
        }
        self._parts.append(Columns(info=np.array(self._infos, INFO), files=(), **lists))
        self._clear()

    def columns(self) -> Columns:
        """All games added so far."""
        if self._infos or not self._parts:
            self._put_by()
        return dataclasses.replace(join_columns(self._parts), files=tuple(self.files))


def setup_codes(record: GameRecord) -> npt.NDArray[np.uint16]:
    """The setup stones of a record as codes, Black's first."""
    black, white = record.setup_black, record.setup_white
    points = np.concatenate([black, white])
    colors = np.repeat(np.array([BLACK, WHITE], np.uint8), [len(black), len(white)])
    return stones.codes_from_moves(points, colors)
