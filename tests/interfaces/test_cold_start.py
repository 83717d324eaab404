"""What the warm-up compiles is what is used afterwards."""

import os
from pathlib import Path

import pytest

from katachi.evaluators import dag_rnn_kernel
from katachi.features import territory_planes
from katachi.features.territory_inputs import InputSettings
from katachi.interfaces.cold_start import every_step
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from tests.evaluators.territory_models import random_territory

KERNELS = [
    territory_planes.fill_planes,
    dag_rnn_kernel._run_net,
    dag_rnn_kernel._apply_logistic,
]


def compiled_forms() -> list[int]:
    return [len(getattr(kernel, "signatures", ())) for kernel in KERNELS]


def test_territory_has_nothing_left_to_compile_after_its_step(tmp_path: Path) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.skip("nothing is compiled without JIT")
    [step] = [each for each in every_step() if each.title == "territory"]
    step.work()
    before = compiled_forms()
    assert all(before)
    random_territory(InputSettings(), 16, 8).save(tmp_path / "model", "")
    for name in ("territory", "gibbs:territory"):
        player = make_player(f"{name}:{tmp_path / 'model'}")
        assert isinstance(player, Analyst)
        player.choose(Game(9), BLACK)
        player.analyse(Game(7), BLACK)
    assert compiled_forms() == before
