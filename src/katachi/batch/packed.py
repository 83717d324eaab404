"""Positions of one board size in as little memory as random games need, and kernels that read them.

The words of `rules.state` have room for 19x19, for the history of a game and for taking moves back.
A GPU plays fastest when the games of a processor fit into its own memory, so here a position is
packed: rows as short as the board, no fields but those of a random game under simple ko, and
numbers of one byte where that is enough. The kernels are those of `rules`, read with other values
of the constants that say where things lie.
"""

import builtins
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules import color, state
from katachi.rules.point import STRIDE, points_of
from katachi.rules.state import (
    BLOCK,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    INDEX,
    KO,
    LIBERTIES,
    NEXT,
    SIZE,
    STONES,
    Words,
)

MAX_BYTE_SIZE = 13
"""Largest board whose points and liberties fit into bytes: a block of s stones has at most 2 s + 2
liberties, an empty point counted once for each stone, and e empty points give at most 4 e."""
_LAYOUT = {n for n, value in vars(state).items() if isinstance(value, int)} - set(vars(color))
"""Names of constants that say where a word lies."""
_READ = ("EMPTY_COUNT", "KO", "SIZE", "TRACE_JOINS", "TRACE_CAPTURES")
_UNREAD = (
    *("CAPTURED", "TRACE_POINT", "TRACE_COLOR", "TRACE_KO", "TRACE_INDEX"),
    *("TRACE_LENGTHS", "TRACE_JOINED"),
)
"""Kept by every move for those who take it back: here all of it is written to the same words."""
_UNREAD_WORDS = 12

Packed = npt.NDArray[np.unsignedinteger[Any]]
"""[B, words] positions, or the memory of one game [words]."""


class Packing(NamedTuple):
    """How positions of a board size are packed."""

    size: int
    number: type[np.unsignedinteger[Any]]
    """Of one word."""
    words: int
    """Of one position, a multiple of four bytes but not of eight: so the games of neighbouring
    lanes begin in different banks of a GPU's memory."""
    constants: dict[str, int]
    """What the kernels read in place of the constants of `rules` with these names."""

    @property
    def bytes_a_game(self) -> int:
        """Of memory."""
        return self.words * np.dtype(self.number).itemsize


@cache
def packing_of(size: int, number: type[np.unsignedinteger[Any]] | None = None) -> Packing:
    """The packing of a board size, in bytes where they are enough and no other number is asked for.

    The edge at the right of a row is that at the left of the next. Liberties of the edge mean
    nothing, so what nobody reads shares their words; fields without an edge overlap there. A row
    above any field is a place as well, so that no kernel's index could be negative.
    """
    stride = size + 1
    cells = (size + 2) * stride + 1
    places = {name: place for place, name in enumerate(_READ)}
    places |= dict.fromkeys(_UNREAD, len(_READ))
    places["LIBERTIES"] = len(_READ) + max(0, _UNREAD_WORDS - (stride + 1))
    places["COLOR"] = places["LIBERTIES"] + cells
    places["BLOCK"] = places["COLOR"] + cells
    free = places["BLOCK"] + cells
    for name in ("NEXT", "STONES", "INDEX"):
        places[name] = free - (stride + 1)
        free += size * stride - 1
    places["EMPTIES"] = free
    free += size * size
    steps = {"STRIDE": stride, "UP": -stride, "DOWN": stride, "CELLS": cells}
    number = number or (np.uint8 if size <= MAX_BYTE_SIZE else np.uint16)
    return Packing(size, number, _odd_words(free, np.dtype(number).itemsize), places | steps)


def _odd_words(count: int, itemsize: int) -> int:
    """The next number of words that is an odd number of four bytes."""
    return (-(-count * itemsize // 4) | 1) * 4 // itemsize


def pack(words: Words, packing: Packing) -> Packed:
    """[B, packing.words]: positions [B, WORDS] of the packing's size."""
    place = packing.constants
    packed = np.zeros((len(words), packing.words), packing.number)
    for name, offset in (("EMPTY_COUNT", EMPTY_COUNT), ("SIZE", SIZE)):
        packed[:, place[name]] = words[:, offset]
    packed[:, place["KO"]] = _packed_points(words[:, KO], packing)
    inside = points_of(packing.size).astype(np.int64)
    rows = np.arange(packing.size + 2)[:, None] * STRIDE
    everywhere = (rows + np.arange(packing.size + 2)).ravel()
    for name, offset, cells in (
        ("COLOR", COLOR, everywhere),
        ("LIBERTIES", LIBERTIES, everywhere),
        ("STONES", STONES, inside),
        ("INDEX", INDEX, inside),
    ):
        packed[:, place[name] + _packed_points(cells, packing)] = words[:, offset + cells]
    for name, offset, cells in (("BLOCK", BLOCK, everywhere), ("NEXT", NEXT, inside)):
        values = _packed_points(words[:, offset + cells], packing)
        packed[:, place[name] + _packed_points(cells, packing)] = values
    listed = words[:, EMPTIES : EMPTIES + len(inside)]
    packed[:, place["EMPTIES"] : place["EMPTIES"] + len(inside)] = _packed_points(listed, packing)
    return packed


def _packed_points(points: npt.NDArray[Any], packing: Packing) -> npt.NDArray[np.int64]:
    """What cells of the padded board are called here."""
    wide = points.astype(np.int64)
    return np.asarray(wide // STRIDE * packing.constants["STRIDE"] + wide % STRIDE)


def read_packed(
    function: Callable[..., Any],
    packing: Packing,
    build: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Callable[..., Any]:
    """A kernel of `rules`, and all kernels that it calls, for packed positions: the same code with
    the packing's constants, each made by `build`.

    Raises KeyError for a kernel that reads something that is not packed.
    """
    made: dict[str, Callable[..., Any]] = {}

    def value_of(name: str, value: Any) -> Any:
        if name in packing.constants or (name in _LAYOUT and isinstance(value, int)):
            return packing.constants[name]
        plain = getattr(value, "py_func", value)
        is_ours = isinstance(plain, FunctionType) and plain.__module__.startswith("katachi.")
        return remade(plain) if is_ours else value

    def remade(plain: FunctionType) -> Callable[..., Any]:
        whole = f"{plain.__module__}.{plain.__qualname__}"
        if whole not in made:
            known = plain.__globals__
            names = {name: value_of(name, known[name]) for name in _names_of(plain)}
            names |= {"__builtins__": builtins, "__name__": plain.__module__}
            made[whole] = build(FunctionType(plain.__code__, names, plain.__name__))
        return made[whole]

    plain: Any = function
    return remade(getattr(plain, "py_func", plain))


def _names_of(plain: FunctionType) -> list[str]:
    """The names of its module that a function reads."""
    return [name for name in plain.__code__.co_names if name in plain.__globals__]
