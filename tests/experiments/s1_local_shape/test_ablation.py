"""S1-ablation: one thing is changed at a time, with either loss."""

from pathlib import Path

from katachi.experiments.protocol import label_of
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.ablation import (
    LABELS,
    QUICK,
    AblationSettings,
    draw,
    run,
    variants_of,
)
from katachi.learning.shape_training import Loss, TrainingSettings


def test_each_setting_changes_one_thing() -> None:
    variants = {label_of(LABELS, key): each for key, each in variants_of(AblationSettings())}
    assert len(variants) == 2 * (4 + 3 + 4 + 4 + 4)
    plain = TrainingSettings(size=5, sets="1x1-3x3:LI")
    assert variants["alpha 0.1, squared"] == plain
    assert variants["alpha 3, cross-entropy"].alpha == 3.0
    assert variants["alpha 3, cross-entropy"].loss is Loss.CROSS_ENTROPY
    assert variants["location LI+LD, squared"].sets == "1x1-3x3:LI+LD"
    averaged = variants["LI+LD averaged, alpha 0.5, squared"]
    assert (averaged.alpha, averaged.final_alpha, averaged.horizon) == (0.5, 0.5, 100_000)
    assert variants["lambda 0.8, squared"].lam == 0.8
    assert variants["2x2:LI, komi 0.5, squared"] == TrainingSettings(sets="2x2:LI", komi=0.5)


def test_a_quick_study_tells_and_shows_every_setting(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert {table.label(row) for row in table.rows} == {
        label_of(LABELS, key) for key, _ in variants_of(QUICK)
    }
    picture = draw(table, "S1-ablation")
    for factor in ("alpha", "location", "lambda", "2x2:LI, komi"):
        assert f">{factor}: final wins v ALP<" in picture
    assert ">LI+LD<" in picture
