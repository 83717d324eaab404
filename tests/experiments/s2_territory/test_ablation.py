"""S2-ablation: one input is left out at a time."""

from pathlib import Path

import msgspec
import pytest

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.ablation import (
    ERROR,
    LOG,
    PLAIN,
    QUICK,
    AblationSettings,
    draw,
    judge,
    run,
    variants_of,
)
from katachi.features.influence import InfluenceKernel
from katachi.features.territory_inputs import InputSettings
from tests.experiments.studies import row_named


def test_claims_say_what_each_input_is_good_for() -> None:
    errors = {PLAIN: 0.420, "without eyes": 0.450, "influence kernel eight": 0.421}
    rows = [
        ERROR.mean({"net": net}, [error - 0.001, error, error + 0.001])
        for net, error in errors.items()
    ]
    needed, other = judge(Table(quantities=[ERROR], rows=rows))
    assert (needed.verdict, other.verdict) == (Verdict.YES, Verdict.YES)
    assert needed.paper == "implied: the net needs its inputs (without eyes)"
    assert other.rule.startswith("yes if the whole 95 % interval of the difference lies within")


def test_each_setting_changes_one_thing() -> None:
    variants = variants_of(AblationSettings())
    assert len(variants) == 1 + 5 + 1 + 2
    everything = set(InputSettings().inputs)
    assert variants[PLAIN].inputs == InputSettings()
    for name in ("influence", "propensity", "eyes", "liberties", "weakest"):
        assert set(variants[f"without {name}"].inputs.inputs) == everything - {name}
    assert variants["without all of these"].inputs.inputs == ("stones",)
    kernel = variants["influence kernel eight"].inputs
    assert kernel.influence_kernel is InfluenceKernel.EIGHT
    assert set(kernel.inputs) == everything
    assert all(each.predicts_moves for each in variants.values())


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_net(tmp_path: Path, data: Path) -> None:
    pytest.importorskip("torch")
    one = run(QUICK, 1, Runner(tmp_path / "one", data=data))
    assert {one.label(row) for row in one.rows} == set(variants_of(QUICK))
    assert row_named(one, "without propensity", ERROR.name).n == 2
    assert (row_named(one, PLAIN, LOG.name).ours or 0.0) < 0
    assert ">influence kernel eight<" in draw(one, "S2-ablation")
    fewer = msgspec.structs.replace(QUICK, left_out=(), kernels=())
    two = run(fewer, 1, Runner(tmp_path / "two", workers=2, data=data))
    assert two.rows == [row for row in one.rows if one.label(row) == PLAIN]
