"""S1-cascade: what is compared, and how readability is measured."""

from pathlib import Path

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.cascade import (
    QUICK,
    SCORE,
    VERSUS,
    draw,
    extreme_shapes,
    judge,
    likeness,
    mean_weight,
    play_pairing,
    run,
)
from katachi.experiments.s1_local_shape.cumulative_values import MEAN, TOGETHER
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.learning.shape_training import ShapeTrainer
from tests.experiments.studies import row_named

SETS = parse_sets("1x1:LI,2x1:LI")
STONES, PAIRS = SETS
LOGIT = round(1 / UNIT)


def model(stones: tuple[float, ...], seen: tuple[int, ...] = (9, 9, 9)) -> LocalShape:
    """Weights of 1x1 (empty, own, enemy) in logits; those of 2x1 are zero."""
    made = LocalShape(SETS, 5)
    made.weights[:3] = np.array(stones) * LOGIT
    made.seen[:3] = seen
    return made


def test_likeness_is_the_correlation_of_well_known_shapes() -> None:
    one, other = model((0.0, 1.0, -1.0)), model((0.5, 2.0, -1.0))
    expected = np.corrcoef([0.0, 1.0, -1.0], [0.5, 2.0, -1.0])[0, 1]
    assert likeness(one, other, STONES, 9) == pytest.approx(expected)
    assert likeness(one, one, STONES, 9) == pytest.approx(1.0)


def test_there_is_no_likeness_of_rare_or_equal_weights() -> None:
    one = model((0.0, 1.0, -1.0))
    assert likeness(one, model((0.0, 1.0, -1.0), seen=(9, 9, 8)), STONES, 9) is None
    assert likeness(one, model((0.3, 0.3, 0.3)), STONES, 9) is None
    assert likeness(one, one, PAIRS, 0) is None


def test_likeness_finds_a_set_wherever_it_lies() -> None:
    alone = LocalShape((PAIRS,), 5)
    both = LocalShape(SETS, 5)
    values = np.arange(6) * LOGIT // 8
    alone.weights[:] = values
    both.weights[3:] = -values
    assert likeness(alone, both, PAIRS, 0) == pytest.approx(-1.0)


def test_mean_weight_counts_frequent_shapes_more() -> None:
    assert mean_weight(model((0.0, 1.0, -2.0), seen=(5, 3, 2)), STONES) == pytest.approx(0.7)
    assert mean_weight(model((1.0, 1.0, 1.0), seen=(0, 0, 0)), STONES) == 0.0


def test_extreme_shapes_are_drawn_with_their_value() -> None:
    made = model((0.25, 1.0, -1.5))
    assert extreme_shapes(made, STONES, 2, 9) == "best X +1.000, . +0.250; worst O -1.500"
    assert extreme_shapes(made, STONES, 2, 10) == "best -; worst -"


def test_a_located_shape_says_where_it_stands() -> None:
    (places,) = parse_sets("1x1:LD")
    made = LocalShape((places,), 5)
    made.weights[1] = LOGIT
    made.seen[:] = 1
    assert extreme_shapes(made, places, 1, 1) == "best X@1,1 +1.000; worst -"


def test_better_weights_win_the_pairing_from_either_seat() -> None:
    trainer = ShapeTrainer(QUICK.training("2x2:LI", 3))
    trainer.learn(3000)
    untrained = LocalShape(parse_sets("2x2:LI"), 5)
    points = play_pairing(QUICK, trainer.agents[0], untrained, 1)
    back = play_pairing(QUICK, untrained, trainer.agents[0], 1)
    assert (points, back) == (QUICK.head_games, 0.0)


def test_a_quick_study_tells_strength_and_readability(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert row_named(table, VERSUS, SCORE.name).n == 2 * 4 * QUICK.head_games
    assert {table.label(row) for row in table.rows} >= {"plain", "cascade", "1x1:LI", "2x2:LI"}
    assert len(judge(table)) == 5
    assert [row.key for row in table.rows_of(TOGETHER["plain"])] == [
        {"up_to": "1x1:LI"},
        {"up_to": "2x1:LI"},
        {"part": MEAN},
    ]
    assert "values of the sets up to each" in draw(table, "S1-cascade")
    names = ("1x1:LI", "2x1:LI", "2x2:LI")
    assert set(table.shapes) == {f"{name}, first agent of run 1" for name in names}
