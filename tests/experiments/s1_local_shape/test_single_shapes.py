"""S1-F6: every shape that the paper names has a weight, and says which way it points."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.protocol import Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.single_shapes import (
    QUICK,
    SHAPES,
    WEIGHT,
    draw,
    judge,
    run,
    weight_of,
)
from katachi.features.shape_sets import parse_sets


def test_every_named_shape_has_a_weight_of_its_own() -> None:
    model = LocalShape(parse_sets("1x1-3x2:LI+LD"), 5)
    assert len({weight_of(model, each) for each in SHAPES}) == len(SHAPES)
    with pytest.raises(KatachiError, match=r"no shape XX\.@1,1 in 2x1:LD at 5x5"):
        weight_of(model, SHAPES[3]._replace(diagram="XX.@1,1"))


def test_a_quick_study_says_what_each_shape_is_worth(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert len(table.rows_of(WEIGHT)) == len(SHAPES)
    claims = judge(table)
    assert claims[1].paper == "a stone in the corner is bad"
    assert all(isinstance(claim.verdict, Verdict) for claim in claims)
    assert "a cut: XO/OX, 2x2:LI" in draw(table, "S1-F6")
