"""Shapes as columns say what the ranking of shapes says one by one."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, Wanted, rank_set
from katachi.evaluators.shape_table import (
    NO_MARK,
    ShapeTable,
    holds_pattern,
    pattern_of,
    table_of,
    tables_of,
)
from katachi.features.shape_sets import parse_sets


@pytest.fixture(scope="module")
def model() -> LocalShape:
    """A model of smaller sets than those of its kind."""
    sets = parse_sets("1x1-3x2:LI+LD")
    small = LocalShape(sets, 5)
    random = np.random.default_rng(3)
    small.weights[:] = random.integers(-(2**20), 2**20, len(small.weights))
    small.seen[:] = random.integers(0, 9, len(small.weights))
    return small


@pytest.mark.parametrize("name", ["2x1:LD", "2x2:LI", "2x2:LD", "3x2:LI"])
def test_gains_and_last_stones_are_those_of_the_ranking(model: LocalShape, name: str) -> None:
    number = [each.name for each in model.sets].index(name)
    table = table_of(model, number)
    ranking = rank_set(model, number, Wanted(100_000, None, Order.GAIN))
    expected = {(each.weight, each.mark): each.score for each in (*ranking.best, *ranking.worst)}
    known = ~np.isnan(table.gains)
    keys = zip(table.weights[known].tolist(), table.marks[known].tolist(), strict=True)
    assert dict(zip(keys, table.gains[known].tolist(), strict=True)) == expected


def test_every_shape_that_was_seen_has_one_first_row(model: LocalShape) -> None:
    for table in tables_of(model):
        first = table.weights[table.is_first]
        assert len(set(first.tolist())) == len(first)
        assert set(first.tolist()) == set(table.weights.tolist())
        assert (model.seen[first] > 0).all()
        assert np.isnan(table.gains[table.marks == NO_MARK]).all()


def _found(model: LocalShape, name: str, rows: list[list[int]]) -> tuple[ShapeTable, list[int]]:
    number = [each.name for each in model.sets].index(name)
    table = table_of(model, number)
    pattern = pattern_of(rows)
    assert pattern is not None
    chosen = holds_pattern(table, model.sets[number].template, pattern)
    return table, np.flatnonzero(chosen & table.is_first).tolist()


def test_a_pattern_is_found_turned_and_with_colours_exchanged(model: LocalShape) -> None:
    table, found = _found(model, "2x2:LI", [[1, 2], [0, 0]])
    shapes = {tuple(table.cells[row].tolist()) for row in found}
    assert all(sorted(shape) == [0, 0, 1, 2] for shape in shapes)
    assert all(shape[0] * shape[3] == 0 and shape[1] * shape[2] == 0 for shape in shapes)
    assert len(shapes) == 1  # its mirror image shares the weight


def test_a_pattern_is_found_inside_larger_shapes_and_wildcards_do_not_count(
    model: LocalShape,
) -> None:
    small, inside = _found(model, "3x2:LI", [[1, 1]])
    _, same = _found(model, "3x2:LI", [[-1, -1, -1], [-1, 1, -1], [-1, 1, -1]])
    assert inside == same
    for row in inside:
        grid = small.cells[row].reshape(2, 3)
        pairs = [*zip(grid[:, :-1].flat, grid[:, 1:].flat), *zip(grid[0], grid[1])]  # noqa: B905
        assert (1, 1) in pairs or (2, 2) in pairs


def test_patterns_that_say_nothing_or_too_much_are_told_apart() -> None:
    assert pattern_of([[-1, -1], [-1, -1]]) is None
    wrong: list[list[list[int]]] = [[], [[]], [[1], [1, 2]], [[7]], [[1] * 6]]
    for rows in wrong:
        with pytest.raises(KatachiError):
            pattern_of(rows)
