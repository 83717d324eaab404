"""S2-patterns and S2-play: richer inputs one at a time, and learning from nothing but play."""

from pathlib import Path

import numpy as np
import pytest

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory import by_play, patterns
from katachi.experiments.s2_territory.cost import untrained
from katachi.features.territory_inputs import InputSettings


def test_each_net_sees_one_thing_more() -> None:
    variants = patterns.variants_of(patterns.PatternSettings())
    plain = InputSettings().inputs
    assert variants.pop(patterns.PLAIN).inputs.inputs == plain
    assert {name: each.inputs.inputs for name, each in variants.items()} == {
        name: (*plain, name) for name in patterns.ADDED
    }


def test_less_error_is_better() -> None:
    errors = {patterns.PLAIN: [0.35, 0.351, 0.352], "propensity:large": [0.33, 0.331, 0.332]}
    rows = [
        quantity.mean({"net": net}, values)
        for quantity in (patterns.ERROR, patterns.EARLY)
        for net, values in errors.items()
    ]
    claims = patterns.judge(Table(quantities=[patterns.ERROR], rows=rows))
    assert [claim.verdict for claim in claims] == [Verdict.YES, Verdict.YES]
    assert claims[1].paper.endswith("in the first fifth of games")


def test_a_game_is_played_until_every_point_is_owned() -> None:
    record = by_play.play_out(untrained(1), 5, 1.0, 1)
    assert record.ownership is not None
    assert len(record.ownership) == 25
    assert np.count_nonzero(record.ownership) > 20
    again = by_play.play_out(untrained(1), 5, 1.0, 1)
    assert np.array_equal(again.moves, record.moves)


def test_learning_by_play_is_judged_by_the_last_generation() -> None:
    rows = [
        by_play.WON.mean({"size": 5, "generation": number}, values)
        for number, values in enumerate(([1.0, 2.0, 3.0], [70.0, 71.0, 72.0]))
    ]
    claims = by_play.judge(Table(quantities=[by_play.WON], rows=rows))
    assert [claim.verdict for claim in claims] == [Verdict.YES, Verdict.YES]
    assert not any("future work" in claim.paper for claim in claims)


@pytest.mark.slow
def test_quick_studies_tell_every_row(tmp_path: Path, data: Path) -> None:
    pytest.importorskip("torch")
    table = patterns.run(patterns.QUICK, 1, Runner(tmp_path / "patterns", data=data))
    assert {table.label(row) for row in table.rows} == {patterns.PLAIN, *patterns.QUICK.added}
    assert ">propensity:large<" in patterns.draw(table, "S2-patterns")
    table = by_play.run(by_play.QUICK, 1, Runner(tmp_path / "play"))
    assert [row.key["generation"] for row in table.rows] == [0, 1, 2]
    assert "generations" in by_play.draw(table, "S2-play")
