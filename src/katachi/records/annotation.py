"""Games with remarks: comments, win rates, marks for bad moves, and what was better instead."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sgfmill import sgf

from katachi.records.record import GameRecord
from katachi.records.sgf import write_game, write_move


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
            write_move(other, better.point, color, record.size)
            _write_remark(other, better.comment, better.win_rate, Verdict.GOOD)
    return bytes(game.serialise())


def _write_remark(node: Any, comment: str, win_rate: float, verdict: Verdict | None) -> None:
    node.set("C", comment)
    node.set_raw("SBKV", f"{100 * win_rate:.2f}".encode())
    if verdict is not None:
        name, value = verdict.value
        node.set_raw(name, value)
