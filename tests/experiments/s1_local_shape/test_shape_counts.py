"""S1-F3: our counts are the paper's."""

from pathlib import Path

import pytest

from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.shape_counts import (
    DISTINCT,
    EXPERIMENT,
    NOMINAL,
    WINDOWS,
    CountSettings,
    run,
)
from tests.experiments.studies import row_named


def test_every_number_that_figure_3_states_is_ours(tmp_path: Path) -> None:
    table = run(CountSettings(), 1, Runner(tmp_path))
    stated = [row for row in table.rows if row.paper is not None and "size" not in row.key]
    assert len(stated) == 36
    assert [row.ours for row in stated] == [row.paper for row in stated]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "quantity", "expected"),
    [
        ("3x2:LI", WINDOWS.name, 24),
        ("3x3:LD", NOMINAL.name, 78732),
        ("3x3:LD", DISTINCT.name, 23274),
        ("final agents, 9x9", NOMINAL.name, 20_505 + 328_143 + 1_000_000),
    ],
)
def test_counts(tmp_path: Path, setting: str, quantity: str, expected: int) -> None:
    table = run(CountSettings(), 1, Runner(tmp_path))
    assert row_named(table, setting, quantity).ours == expected


def test_other_sizes_have_no_number_of_the_papers(tmp_path: Path) -> None:
    table = run(CountSettings(size=3), 1, Runner(tmp_path))
    assert row_named(table, "3x3:LI", WINDOWS.name).ours == 1
    assert all(row.paper is None for row in table.rows if "size" not in row.key)
    with pytest.raises(KeyError):
        row_named(table, "4x3:LI", WINDOWS.name)
    assert "4x3" not in EXPERIMENT.draw(table, "counts")
