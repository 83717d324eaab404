"""A net that plays itself on a cluster learns what it would learn in one process."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from katachi.learning.run import Place
from katachi.learning.selfplay_run import SelfPlayConfig, SelfPlayRun
from katachi.ray_pool import RayPool
from katachi.workers import Workers
from tests.learning.test_run_material import TINY_GAMES, TINY_TEST


def learned(path: Path, workers: Workers) -> bytes:
    run = SelfPlayRun.begin(path, SelfPlayConfig(TINY_GAMES, TINY_TEST), Place(workers=workers))
    for _ in run.run():
        pass
    run.finish()
    run.close()
    return (path / "model" / "weights.safetensors").read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_self_play_on_ray_gives_the_same_weights(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    pool = RayPool(2)
    try:
        assert learned(tmp_path / "ray", pool) == learned(tmp_path / "here", 1)
    finally:
        ray.shutdown()
