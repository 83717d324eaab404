"""X-selfplay5 in small: every generation has its rows."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from katachi.experiments.runner import Runner
from katachi.experiments.search_strength import selfplay5
from katachi.experiments.search_strength.selfplay5 import ELO, GAMES, NET, QUICK, SECONDS, TREE


def test_every_generation_has_its_rows(tmp_path: Path) -> None:
    table = selfplay5.run(QUICK, 1, Runner(tmp_path))
    generations = [row.key["generation"] for row in table.rows_of(GAMES)]
    assert generations == [1, 2]
    assert [row.ours for row in table.rows_of(GAMES)] == [4, 8]
    assert all(row.ours is not None for row in table.rows_of(SECONDS))
    ratings = [table.row(ELO, generation=each) for each in generations]
    assert all((row.low or 0.0) < (row.ours or 0.0) < (row.high or 0.0) for row in ratings)
    last = table.row(TREE, games=QUICK.last_games)
    assert (last.n, last.low is None) == (2, False)
    assert table.row(NET, generation=2).n == QUICK.test.match_games
    assert selfplay5.judge(table)[0].paper == "from nothing past GNU Go's lowest level"
    assert "generations" in selfplay5.draw(table, "X-selfplay5")
