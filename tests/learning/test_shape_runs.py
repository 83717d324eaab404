"""Many runs of local shape are those that would be done one by one."""

from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun
from katachi.learning.shape_runs import ShapeRuns
from katachi.learning.shape_training import TrainingSettings
from katachi.workers import CardPool, Pool, ProcessPool
from tests.cards import needs_card, quick_switches

CONFIG = ShapeConfig(
    TrainingSettings(size=3, sets="1x1:LI", seed=4),
    Plan(games=20, test_every=10, test_games=2, final_games=4),
)


HERE = ProcessPool()
KEPT = ("metrics.jsonl", "agent-1/weights.safetensors", "agent-2/weights.safetensors")


def learn(out: Path, count: int, config: ShapeConfig = CONFIG, pool: Pool = HERE) -> list[str]:
    return [path.name for path in ShapeRuns(out, config, count).learn(pool)]


def test_a_run_of_many_is_the_same_as_alone(tmp_path: Path) -> None:
    assert learn(tmp_path / "many", 2) == ["seed-4", "seed-5"]
    settings = msgspec.structs.replace(CONFIG.settings, seed=5)
    alone = ShapeRun.begin(tmp_path / "alone", msgspec.structs.replace(CONFIG, settings=settings))
    for _ in alone.run():
        pass
    alone.finish()
    alone.close()
    for name in KEPT:
        one, other = (tmp_path / each / name for each in ("alone", "many/seed-5"))
        assert one.read_bytes() == other.read_bytes()


def test_finished_runs_are_not_done_again(tmp_path: Path) -> None:
    learn(tmp_path, 1)
    (tmp_path / ".seed-5.part").mkdir()  # as a process leaves it that was killed
    assert learn(tmp_path, 2) == ["seed-5"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "seed-4", "seed-5"]


def test_a_folder_of_other_runs_is_refused(tmp_path: Path) -> None:
    learn(tmp_path, 1)
    settings = msgspec.structs.replace(CONFIG.settings, alpha=0.01)
    with pytest.raises(KatachiError, match="seed-4 is a run of other settings"):
        learn(tmp_path, 2, msgspec.structs.replace(CONFIG, settings=settings))
    with pytest.raises(KatachiError, match="0 runs: use 1 to 100,000"):
        learn(tmp_path, 0)


@pytest.mark.gpu
def test_runs_on_a_card_are_the_same_as_on_the_cpu(tmp_path: Path) -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`)."""
    needs_card()
    plan = Plan(games=3, test_every=2, test_games=2, final_games=2)
    settings = msgspec.structs.replace(CONFIG.settings, horizon=3, final_alpha=0.05)
    config = msgspec.structs.replace(CONFIG, plan=plan, settings=settings)
    with quick_switches():
        learn(tmp_path / "GPU", 2, config, CardPool())
    learn(tmp_path / "here", 2, config)
    for name in (*KEPT, "mean/weights.safetensors"):
        for run in ("seed-4", "seed-5"):
            one, other = (tmp_path / each / run / name for each in ("GPU", "here"))
            assert one.read_bytes() == other.read_bytes()


@pytest.mark.gpu
def test_boards_do_not_grow_on_a_card(tmp_path: Path) -> None:
    needs_card()
    plan = msgspec.structs.replace(CONFIG.plan, grow_to=4)
    with pytest.raises(KatachiError, match="use --device cpu"):
        learn(tmp_path, 1, msgspec.structs.replace(CONFIG, plan=plan), CardPool())
