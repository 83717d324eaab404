"""S1-ablation: one thing is changed at a time, with either loss."""

from pathlib import Path

from katachi.experiments.s1_local_shape.ablation import (
    QUICK,
    AblationSettings,
    draw,
    run,
    variants_of,
)
from katachi.experiments.workbench import Workbench
from katachi.learning.shape_training import Loss, TrainingSettings


def test_each_setting_changes_one_thing() -> None:
    variants = variants_of(AblationSettings())
    assert len(variants) == 2 * (4 + 3 + 4 + 4 + 4)
    plain = TrainingSettings(size=5, sets="1x1-3x3:LI")
    assert variants["alpha 0.1, squared"][2] == plain
    assert variants["alpha 3, cross-entropy"][2].alpha == 3.0
    assert variants["alpha 3, cross-entropy"][2].loss is Loss.CROSS_ENTROPY
    assert variants["location LI+LD, squared"][2].sets == "1x1-3x3:LI+LD"
    averaged = variants["LI+LD averaged, alpha 0.5, squared"][2]
    assert (averaged.alpha, averaged.final_alpha, averaged.horizon) == (0.5, 0.5, 100_000)
    assert variants["lambda 0.8, squared"][2].lam == 0.8
    assert variants["2x2:LI, komi 0.5, squared"][2] == TrainingSettings(sets="2x2:LI", komi=0.5)


def test_a_quick_study_tells_and_shows_every_setting(tmp_path: Path) -> None:
    table = run(QUICK, 1, Workbench(tmp_path))
    assert {row.setting for row in table.rows} == set(variants_of(QUICK))
    picture = draw(table, "S1-ablation")
    for factor in ("alpha", "location", "lambda", "2x2:LI, komi"):
        assert f">{factor}: final wins v ALP<" in picture
    assert ">LI+LD<" in picture
