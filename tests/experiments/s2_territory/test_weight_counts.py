"""S2-P: the numbers of weights are counted right."""

from pathlib import Path

import pytest

from katachi.experiments.protocol import Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.weight_counts import (
    FORMULA,
    INPUTS,
    PLAIN,
    WEIGHTS,
    Net,
    WeightSettings,
    count,
    draw,
    judge,
    run,
)
from tests.experiments.studies import row_named


def test_the_papers_net_has_nearly_6000_weights(tmp_path: Path) -> None:
    table = run(WeightSettings(), 1, Runner(tmp_path))
    row = row_named(table, PLAIN, WEIGHTS.name)
    assert (row.ours, row.paper) == (5801, 6000)
    assert row_named(table, PLAIN, INPUTS.name).ours == 69
    assert judge(table)[0].verdict is Verdict.YES
    for each in table.rows:
        if each.quantity == FORMULA.name:
            assert each.ours == row_named(table, table.label(each), WEIGHTS.name).ours
    assert ">5,801<" in draw(table, "S2-P")


def test_the_count_is_that_of_the_net_itself() -> None:
    pytest.importorskip("torch")
    from katachi.nets.dag_rnn import DagRnn

    for net in (Net(PLAIN), Net("small", ("stones", "eyes"), 4, 3, 2)):
        windowed = 6 if net.name == PLAIN else 3
        local = count(net)[0] - 9 * windowed
        made = DagRnn(windowed, local, net.hidden, net.states, net.layers)
        assert count(net)[1] == sum(each.numel() for each in made.parameters())
