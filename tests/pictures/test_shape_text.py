"""Shapes as text, side by side and in one line."""

import pytest

from katachi.features.shape_contents import Shape
from katachi.features.shape_sets import parse_sets
from katachi.features.windows import Window, windows_of
from katachi.pictures.shape_text import (
    ASCII,
    UNICODE,
    Symbols,
    choose_symbols,
    place_text,
    shape_code,
    shape_lines,
    side_by_side,
    window_text,
)


def shape(name: str, cells: tuple[int, ...], corner: tuple[int, int] = (0, 0)) -> Shape:
    """A shape on a 5x5 board; its window lies along a row."""
    shape_set = parse_sets(name)[0]
    return Shape(shape_set, window_at(name, (*corner, False)), cells)


def window_at(name: str, place: tuple[int, int, bool]) -> Window:
    windows = windows_of(parse_sets(name)[0].template, 5)
    return next(window for window in windows if window[:3] == place)


@pytest.mark.parametrize(
    ("drawn", "symbols", "lines"),
    [
        (shape("2x2:LI", (1, 2, 0, 1)), UNICODE, [" ● ○ ", " · ● "]),
        (shape("3x2:LI", (1, 2, 0, 0, 0, 1)), ASCII, [" # o . ", " . . # "]),
        (shape("2x2:LD", (1, 2, 0, 1)), UNICODE, ["┏━━━━", "┃● ○ ", "┃· ● "]),
        (shape("2x2:LD", (1, 2, 0, 1), (0, 1)), ASCII, ["-----", " # o ", " . # "]),
        (shape("2x2:LD", (1, 2, 0, 1), (1, 1)), UNICODE, [" ● ○ ", " · ● "]),
        (shape("2x1:LD", (0, 1), (4, 3)), UNICODE, [" · ●┃", "━━━━┛"]),
        (shape("2x1:LI:liberty", (1, 6)), UNICODE, [" ⓿ ② "]),
        (shape("2x1:LI:liberty", (2, 4)), ASCII, [" 1 a "]),
    ],
)
def test_a_shape_is_a_small_board(drawn: Shape, symbols: Symbols, lines: list[str]) -> None:
    assert shape_lines(drawn, 5, symbols) == lines


def test_a_shape_fits_in_a_line() -> None:
    assert shape_code(shape("3x2:LI", (1, 2, 0, 0, 0, 1))) == "#o./..#"


def test_a_place_is_named_by_its_lines_from_the_corner() -> None:
    assert place_text(shape("2x2:LD", (0, 0, 0, 0), (1, 2))) == "at 2-3"
    assert place_text(shape("2x2:LI", (0, 0, 0, 0))) == ""


@pytest.mark.parametrize(
    ("name", "place", "text"),
    [
        ("1x1:LI", (0, 0, False), "A5"),
        ("2x2:LI", (3, 3, False), "D2-E1"),
        ("3x2:LI", (0, 0, False), "A5-C4"),
        ("3x2:LI", (0, 0, True), "A5-B3"),
    ],
)
def test_a_window_is_named_by_its_corners(
    name: str, place: tuple[int, int, bool], text: str
) -> None:
    assert window_text(window_at(name, place), 5) == text


def test_blocks_stand_side_by_side_until_the_line_is_full() -> None:
    blocks = [["abc", "d"], ["e"], ["fg"]]
    assert side_by_side(blocks, 80) == ["abc   e   fg", "d"]
    assert side_by_side(blocks, 10) == ["abc   e", "d", "", "fg"]
    assert side_by_side([], 10) == []


def test_a_terminal_without_unicode_gets_plain_letters() -> None:
    assert choose_symbols(is_ascii=True).legend.isascii()
    assert choose_symbols(is_ascii=True).liberty_legend.isascii()
