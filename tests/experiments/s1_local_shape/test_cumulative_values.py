"""What the sets up to each say together, and when cascade is nearer to the best than plain."""

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.s1_local_shape.cascade import LABELS, QUICK
from katachi.experiments.s1_local_shape.cumulative_values import (
    MEAN,
    OFF,
    TOGETHER,
    Likeness,
    claims_together,
    compare_values,
    general_sets,
    panels_together,
    positions_between,
    rows_together,
    steps_of,
    values_of,
)
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.learning.shape_training import ShapeTrainer, terms_of
from katachi.statistics import Estimate

SETS = parse_sets("1x1-2x1:LI+LD")
STONE, STONE_THERE, PAIR, PAIR_THERE = SETS


def test_the_sets_up_to_one_are_those_of_the_papers_partial_order() -> None:
    assert general_sets(SETS, STONE) == "1x1:LI"
    assert general_sets(SETS, PAIR) == "1x1:LI,2x1:LI"
    assert general_sets(SETS, PAIR_THERE) == "1x1:LI,1x1:LD,2x1:LI,2x1:LD"


def test_the_set_up_to_which_are_all_is_left_out() -> None:
    assert steps_of(SETS) == [STONE, STONE_THERE, PAIR]
    assert steps_of(parse_sets("1x1:LD,2x1:LI")) == list(parse_sets("1x1:LD,2x1:LI"))


def test_values_add_up_what_the_sets_say() -> None:
    trainer = ShapeTrainer(QUICK.training("1x1-2x1:LI+LD", 1))
    trainer.learn(200)
    one, other = trainer.agents
    states = positions_between(one, other, terms_of(trainer.settings), 3)
    parts = one.predict(states) * UNIT
    assert len(states.words) > 30
    assert values_of(one, states, STONE) == pytest.approx(1 / (1 + np.exp(-parts[:, 0])))
    logits = parts[:, 0] + parts[:, 2]
    assert values_of(one, states, PAIR) == pytest.approx(1 / (1 + np.exp(-logits)))
    assert values_of(one, states) == pytest.approx(values_of(one, states, PAIR_THERE))


def test_the_same_games_give_the_same_positions() -> None:
    agent = LocalShape(SETS, 5)
    terms = terms_of(QUICK.training("1x1-2x1:LI+LD", 1))
    first, again = (positions_between(agent, agent, terms, 2) for _ in range(2))
    assert np.array_equal(first.words, again.words)


def test_values_are_compared_by_correlation_and_by_distance() -> None:
    one = np.array([0.2, 0.4, 0.6])
    found = compare_values(one, one + 0.1)
    assert found.alike == pytest.approx(1.0)
    assert found.off == pytest.approx(10.0)
    assert compare_values(one, np.full(3, 0.5)).alike is None


def table_of(cascade: tuple[float, float], plain: tuple[float, float], half: float) -> Table:
    """(correlation, difference) of each rule, each so sure."""
    rows = []
    for rule, numbers in (("cascade", cascade), ("plain", plain)):
        for kind, ours in zip((TOGETHER, OFF), numbers, strict=True):
            number = Estimate(ours, ours - half, ours + half)
            rows += [
                kind[rule].estimate(key, number, 9) for key in ({"up_to": "1x1:LI"}, {"part": MEAN})
            ]
    return Table(quantities=[*TOGETHER.values(), *OFF.values()], rows=rows, labels=LABELS)


@pytest.mark.parametrize(
    ("cascade", "plain", "half", "verdict"),
    [
        ((0.9, 2.0), (0.5, 8.0), 0.1, Verdict.YES),
        ((0.5, 8.0), (0.9, 2.0), 0.1, Verdict.NO),
        ((0.9, 2.0), (0.5, 8.0), 9.0, Verdict.UNDECIDED),
    ],
)
def test_cascade_is_judged_beside_plain_learning(
    cascade: tuple[float, float], plain: tuple[float, float], half: float, verdict: Verdict
) -> None:
    claims = claims_together(table_of(cascade, plain, half))
    assert [claim.verdict for claim in claims] == [verdict, verdict]
    assert "interval of the difference lies above 0" in claims[0].rule
    assert "interval of the difference lies below 0 %" in claims[1].rule


def test_what_was_not_measured_is_not_judged() -> None:
    empty = Table(quantities=[], rows=[])
    assert claims_together(empty) == []
    assert [panel.groups for panel in panels_together(empty)] == [[], []]


def test_the_mean_of_a_run_is_over_its_sets() -> None:
    run = {
        rule: {"1x1:LI": [Likeness(1.0, 2.0)], "2x1:LI": [Likeness(0.5, 4.0), Likeness(None, 6.0)]}
        for rule in ("plain", "cascade")
    }
    table = Table(quantities=[], rows=rows_together(["1x1:LI", "2x1:LI"], [run, run]))
    assert table.row(TOGETHER["plain"], part=MEAN).ours == 0.75
    assert table.row(OFF["cascade"], up_to="2x1:LI").ours == 5.0
    assert table.row(OFF["cascade"], part=MEAN).ours == 3.5
