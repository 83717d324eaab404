"""Points, their names, and texts that name none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.rules.point import (
    CELLS,
    COLUMN_LETTERS,
    PASS,
    is_on_board,
    point_from_row_col,
    point_from_vertex,
    points_of,
    row_col_from_point,
    vertex_from_point,
)
from katachi.rules.size import check_size
from tests.oracle.games import sizes


@pytest.mark.parametrize("size", range(2, 26))
def test_every_point_has_a_name_of_its_own_that_leads_back(size: int) -> None:
    points = points_of(size).tolist()
    names = [vertex_from_point(point, size) for point in points]
    assert len(set(names)) == size * size
    assert [point_from_vertex(name, size) for name in names] == points


@pytest.mark.parametrize("size", range(2, 26))
def test_rows_and_columns_lead_to_points_and_back(size: int) -> None:
    spots = [(row, col) for row in range(size) for col in range(size)]
    points = [point_from_row_col(row, col) for row, col in spots]
    assert points == points_of(size).tolist()
    assert [row_col_from_point(point) for point in points] == spots


@pytest.mark.parametrize(
    ("vertex", "row", "col"), [("A1", 8, 0), ("J9", 0, 8), ("H2", 7, 7), ("d4", 5, 3)]
)
def test_names_count_rows_from_below_and_leave_out_i(vertex: str, row: int, col: int) -> None:
    assert point_from_vertex(vertex, 9) == point_from_row_col(row, col)


def test_letters_leave_out_i_only() -> None:
    assert len(COLUMN_LETTERS) == 25
    assert "I" not in COLUMN_LETTERS


@pytest.mark.parametrize("text", ["pass", "PASS", " Pass "])
def test_a_pass_has_a_name(text: str) -> None:
    assert point_from_vertex(text, 9) == PASS


def test_the_name_of_a_pass_leads_back() -> None:
    assert vertex_from_point(PASS, 9) == "pass"


@pytest.mark.parametrize(
    "text",
    ["", " ", "4", "D", "44", "D-4", "D+4", "D4.0", "D4 D5", "DD4", "D4x", "D٤", "D²", "é1", "I5"],
)
def test_what_is_no_vertex_is_one_clear_line(text: str) -> None:
    with pytest.raises(KatachiError, match=r"is not a vertex: write a letter") as caught:
        point_from_vertex(text, 9)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["A0", "A10", "K1", "Z9", "T19", "A99"])
def test_a_vertex_off_the_board_is_one_clear_line(text: str) -> None:
    with pytest.raises(KatachiError, match=rf"^'{text}' is not on a 9x9 board$"):
        point_from_vertex(text, 9)


@given(st.text(max_size=6), sizes)
def test_any_text_is_a_point_of_the_board_or_an_error(text: str, size: int) -> None:
    try:
        point = point_from_vertex(text, size)
    except KatachiError:
        return
    assert point == PASS or is_on_board(point, size)


@given(sizes)
def test_only_the_boards_points_are_on_the_board(size: int) -> None:
    found = [point for point in range(-5, CELLS + 40) if is_on_board(point, size)]
    assert found == points_of(size).tolist()


@pytest.mark.parametrize("size", [-1, 0, 1, 26, 10**9])
def test_a_size_that_cannot_be_played_is_one_clear_line(size: int) -> None:
    with pytest.raises(KatachiError, match=rf"^board size {size} is not playable: use 2 to 25$"):
        check_size(size)


def test_the_list_of_points_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        points_of(9)[0] = 1
