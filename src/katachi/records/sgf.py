"""SGF in and out, also with remarks: comments, win rates, marks for bad moves and better ones.

A record is the main line of a tree: setup stones before the first move, then the moves. What is not
a game that can be replayed is refused with the reason: setup stones after a move, two moves in a
node, a point set up in two ways, a move off the board or against the rules. Moves are judged under
simple ko, because that much all rules share. Suicide passes where RU names rules that allow it, but
not that of a single stone, which leaves the board as it was (`katachi.rules.ruleset.Rules`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import cycle, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from sgfmill import sgf

from katachi import __version__
from katachi.records.bulk import settled_columns
from katachi.records.encoding import utf8_from_text
from katachi.records.files import read_chunks
from katachi.records.parse import NO_GAME, TEXT_PROPERTIES, first_player, record_from_tree
from katachi.records.record import (
    GameRecord,
    OnError,
    Ownership,
    RecordError,
    Rejection,
    Source,
    check_arrays,
)
from katachi.records.replay import final_colors
from katachi.records.tree import BrokenTree, MainLine, TreeBuffer
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.point import PASS, Points, row_col_from_point


class GameReader:
    """The games of one SGF file, or of SGF bytes, one after another; it can be walked once.

    With OnError.REFUSE the first game that cannot be read raises a RecordError; with OnError.SKIP
    such games are left out and listed in `rejections`. A file that cannot be opened raises
    KatachiError.
    """

    def __init__(self, source: str | Path | bytes, on_error: OnError) -> None:
        self.rejections: list[Rejection] = []
        self._name = "" if isinstance(source, bytes) else str(source)
        self._on_error = on_error
        self._trees = TreeBuffer(read_chunks(source))
        self._count = 0

    def __iter__(self) -> Iterator[GameRecord]:
        """Reads on from the present place."""
        while (tree := self._next_tree()) is not None:
            record = self._read(tree)
            if record is not None:
                yield record

    def _next_tree(self) -> MainLine | BrokenTree | None:
        tree = self._trees.next_tree()
        if tree is None and self._count == 0:
            tree = BrokenTree(NO_GAME)
        self._count += tree is not None
        return tree

    def _read(self, tree: MainLine | BrokenTree) -> GameRecord | None:
        try:
            record, marks = record_from_tree(tree, Source(self._name, self._count))
            return check_record(record, marks)
        except RecordError as error:
            if self._on_error == OnError.REFUSE:
                raise
            self.rejections.append(error.rejection)
            return None


def read_games(source: str | Path | bytes, on_error: OnError = OnError.REFUSE) -> GameReader:
    """The games of a file (plain or gzip) or of bytes, lazily; see GameReader."""
    return GameReader(source, on_error)


def check_record(record: GameRecord, marks: Ownership | None = None) -> GameRecord:
    """The record, its ownership completed from `marks`; raises RecordError for an illegal move."""
    return settled_columns([(record, marks)]).record(0)


def write_game(record: GameRecord, win_rates: Sequence[float | None] = ()) -> bytes:
    """The record as an SGF file in UTF-8, with final ownership as TB and TW in a last node.

    `win_rates` holds Black's chance of winning after each move, where known: it is written as
    SBKV, which Sabaki draws as a graph, and as a comment.

    Raises RecordError for a record that could not be read again, and when ownership is to be
    written and a move is illegal.
    """
    check_arrays(record, record.ownership)
    game = sgf.Sgf_game(record.size, "UTF-8")
    _write_root(game.get_root(), record)
    node = game.get_root()
    moves = zip(record.moves.tolist(), record.colors.tolist(), strict=True)
    for (point, color), rate in zip_longest(moves, win_rates[: len(record.moves)]):
        node = node.new_child()
        _write_move(node, point, color, record.size)
        if rate is not None:
            node.set_raw("SBKV", f"{100 * rate:.2f}".encode())
            node.set("C", f"Black wins with {rate:.1%}")
    if record.ownership is not None:
        _write_ownership(node.new_child(), record, record.ownership)
    return bytes(game.serialise())


def _write_root(root: Any, record: GameRecord) -> None:
    root.set("AP", ("katachi", __version__))
    if record.komi is not None:
        root.set("KM", record.komi)
    if record.handicap:
        root.set("HA", record.handicap)
    for name, field in TEXT_PROPERTIES.items():
        text = getattr(record.texts, field)
        if text:
            root.set(name, utf8_from_text(text).decode("utf-8"))
    for name, points in (("AB", record.setup_black), ("AW", record.setup_white)):
        if len(points):
            root.set(name, _places(points, record.size))
    if not len(record.moves) and record.first_to_play != first_player(record.handicap):
        root.set("PL", "b" if record.first_to_play == BLACK else "w")


def _write_move(node: Any, point: int, color: int, size: int) -> None:
    name = "B" if color == BLACK else "W"
    if point == PASS:
        # sgfmill would write the old `tt`.
        node.set_raw(name, b"")
    else:
        node.set(name, _place(point, size))


def _write_ownership(node: Any, record: GameRecord, ownership: Ownership) -> None:
    """Marks what a player owns without an own living stone on it."""
    colors = final_colors(settled_columns([(record, None)]), 0)
    for name, owner, stone in (("TB", 1, BLACK), ("TW", -1, WHITE)):
        marked = np.flatnonzero((ownership == owner) & (colors != stone))
        node.set(name, [(record.size - 1 - i // record.size, i % record.size) for i in marked])


def _places(points: Points, size: int) -> list[tuple[int, int]]:
    return [_place(point, size) for point in points.tolist()]


def _place(point: int, size: int) -> tuple[int, int]:
    """sgfmill's (row, column), which counts rows from the bottom."""
    row, col = row_col_from_point(point)
    return size - 1 - row, col


class Verdict(Enum):
    """What a move is called, as SGF says it: (property, value)."""

    GOOD = ("TE", b"1")
    DOUBTFUL = ("DO", b"")
    BAD = ("BM", b"1")
    VERY_BAD = ("BM", b"2")


@dataclass(frozen=True, slots=True)
class Variation:
    """A move that could have been played instead."""

    point: int
    comment: str
    win_rate: float
    """Black's after it."""
    line: tuple[int, ...] = ()
    """Moves that would have followed, the sides in turn."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said of a move."""

    comment: str
    win_rate: float
    """Black's after the move."""
    verdict: Verdict | None = None
    better: Variation | None = None


def write_annotated(record: GameRecord, preface: str, remarks: Sequence[Remark]) -> bytes:
    """The record as an SGF file with a remark on each move, and `preface` before the first.

    Win rates are written as SBKV, which Sabaki draws as a graph. Raises RecordError as `write_game`
    does.
    """
    game = sgf.Sgf_game.from_bytes(write_game(record))
    root = game.get_root()
    root.set("C", preface)
    nodes = game.get_main_sequence()[1 : 1 + len(record.moves)]
    for node, color, remark in zip(nodes, record.colors.tolist(), remarks, strict=True):
        _write_remark(node, remark.comment, remark.win_rate, remark.verdict)
        if (better := remark.better) is not None:
            other = node.parent.new_child()  # pyright: ignore[reportAttributeAccessIssue]
            _write_move(other, better.point, color, record.size)
            _write_remark(other, better.comment, better.win_rate, Verdict.GOOD)
            sides = cycle((opponent(color), color))
            for point, side in zip(better.line, sides, strict=False):
                other = other.new_child()
                _write_move(other, point, side, record.size)
    return bytes(game.serialise())


def _write_remark(node: Any, comment: str, win_rate: float, verdict: Verdict | None) -> None:
    node.set("C", comment)
    node.set_raw("SBKV", f"{100 * win_rate:.2f}".encode())
    if verdict is not None:
        name, value = verdict.value
        node.set_raw(name, value)
