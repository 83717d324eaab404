"""Boards as text, both ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import colors_from_diagram, diagram_from_colors, star_points
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.size import MAX_SIZE, MIN_SIZE
from tests.oracle.games import sizes


def strip_coordinates(text: str) -> str:
    """The middle of a diagram: no letters above and below, no numbers at the sides."""
    rows = [line.replace("(", " ").replace(")", " ").split() for line in text.splitlines()[1:-1]]
    return "\n".join(" ".join(row[1:-1]) for row in rows)


@st.composite
def colors_and_size(draw: st.DrawFn) -> tuple[list[int], int]:
    size = draw(st.integers(MIN_SIZE, MAX_SIZE))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).integers(0, 3, size * size).tolist(), size


@given(colors_and_size())
def test_a_diagram_reads_back(drawn: tuple[list[int], int]) -> None:
    colors, size = np.array(drawn[0], np.uint8), drawn[1]
    again, rows = colors_from_diagram(strip_coordinates(diagram_from_colors(colors, size)))
    assert rows == size
    assert again.tolist() == colors.tolist()


def test_the_first_row_is_the_top_row() -> None:
    colors, size = colors_from_diagram("X . .\n. . O\n. . .")
    assert (colors.tolist(), size) == ([BLACK, 0, 0, 0, 0, WHITE, 0, 0, 0], 3)


def test_blanks_and_star_points_are_read_over() -> None:
    assert colors_from_diagram("\n  .+ \n\t X O\n")[0].tolist() == [0, 0, BLACK, WHITE]


def test_the_last_stone_stands_in_brackets() -> None:
    colors, size = colors_from_diagram(". . .\n. X .\n. . O")
    text = diagram_from_colors(colors, size, point_from_vertex("C1", 3))
    assert text.splitlines() == [
        "   A B C",
        " 3 . . . 3",
        " 2 . X . 2",
        " 1 . .(O)1",
        "   A B C",
    ]


@pytest.mark.parametrize(
    ("size", "names"),
    [
        (5, ""),
        (7, "C5 E5 D4 C3 E3"),
        (9, "C7 G7 E5 C3 G3"),
        (13, "D10 G10 K10 D7 G7 K7 D4 G4 K4"),
        (19, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
    ],
)
def test_star_points_are_where_boards_have_them(size: int, names: str) -> None:
    found = [vertex_from_point(point, size) for point in sorted(star_points(size))]
    assert found == names.split()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "board size 0 is not playable"),
        ("X", "board size 1 is not playable"),
        (". .\n. . .", "a diagram of 2 rows needs 2 points in each row"),
        (". #\n. .", "'#' in a diagram: use '.', 'X' and 'O'"),
        ("x .\n. .", "'x' in a diagram"),
        ("\n".join(["." * 26] * 26), "board size 26 is not playable"),
    ],
)
def test_what_is_no_diagram_is_one_clear_line(text: str, complaint: str) -> None:
    with pytest.raises(KatachiError) as caught:
        colors_from_diagram(text)
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


@given(sizes)
def test_all_lines_of_a_diagram_fit_the_board(size: int) -> None:
    lines = diagram_from_colors(np.zeros(size * size, np.uint8), size).splitlines()
    assert len(lines) == size + 2
    assert {len(line) for line in lines[1:-1]} <= {2 * size + 4, 2 * size + 5}
