"""S1-goals: who has reached a goal is told, and agents are matched by it."""

from pathlib import Path

import pytest

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.other_goals import (
    CAPTURE,
    CONNECT,
    GOALS,
    QUICK,
    REACHED,
    TERRITORY,
    WIN,
    draw,
    judge,
    run,
)
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import colors_from_diagram
from katachi.rules.game import Game
from katachi.rules.point import points_of

FILLED = """
X X X O O
X . X O O
X X X O .
X X O O O
X . X O O
"""


@pytest.mark.parametrize(
    ("goal", "margin"), [(WIN, 14 - 11 - 7.5), (CAPTURE, 0.0), (CONNECT, 11 - 10), (TERRITORY, 1.0)]
)
def test_who_has_reached_a_goal(goal: str, margin: float) -> None:
    colors, size = colors_from_diagram(FILLED)
    game, points = Game(size), points_of(size)
    game.place_setup(*(points[colors == color].tolist() for color in (BLACK, WHITE)))
    assert GOALS[goal](game, 7.5) == margin


def test_a_quick_study_tells_every_goal(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert [row.key["goal"] for row in table.rows_of(REACHED)] == [CAPTURE, CONNECT]
    assert len(judge(table)) == 2
    assert "goal reached" in draw(table, "S1-goals")


def test_a_goal_is_judged_by_how_often_it_is_reached() -> None:
    rows = [REACHED.mean({"goal": CAPTURE}, [70.0, 71.0, 72.0])]
    (claim,) = judge(Table(quantities=[REACHED], rows=rows))
    assert claim.verdict is Verdict.YES
    assert "learned to capture captures more" in claim.paper
