"""What the warm-up compiles is what is used afterwards."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from katachi import _jit
from katachi.evaluators import dag_rnn_kernel
from katachi.features import opening_rows, propensity_fit, territory_planes
from katachi.features.opening_inputs import RICH, OpeningInputs
from katachi.features.territory_inputs import InputSettings
from katachi.interfaces.cli import kernels
from katachi.interfaces.cli.openings import Book, open_book
from katachi.interfaces.cold_start import Step, every_step
from katachi.learning import opening_lessons
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.records import drawn_boards, opening_tree
from katachi.records.opening_tree import OpeningTree
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from tests.evaluators.territory_models import random_territory
from tests.learning.territory_games import gnugo_games

KERNELS = [
    territory_planes.fill_planes,
    dag_rnn_kernel._run_net,
    dag_rnn_kernel._apply_logistic,
]


def compiled_forms(kernels: Sequence[object]) -> list[int]:
    return [len(getattr(kernel, "signatures", ())) for kernel in kernels]


def do_step(title: str) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.skip("nothing is compiled without JIT")
    [step] = [each for each in every_step() if each.title == title]
    step.work()


def test_learning_territory_has_nothing_left_to_compile_after_its_step() -> None:
    pytest.importorskip("torch")
    from katachi.nets import outputs, sweeps

    kernels = [
        *(outputs.fill_inputs, outputs.give_logits, outputs.give_back_logits),
        *(sweeps.sweep_forward, sweeps.sweep_backward),
        *(drawn_boards.fill_drawn, propensity_fit.count_games, territory_planes.fill_planes),
    ]
    do_step("learning territory")
    before = compiled_forms(kernels)
    assert all(before)
    games = gnugo_games()[:4]
    trainer = TerritoryTrainer(TerritorySettings(hidden=4, states=3, batch=4), games, games)
    trainer.train(1)
    trainer.measure(1)
    assert compiled_forms(kernels) == before


def test_territory_has_nothing_left_to_compile_after_its_step(tmp_path: Path) -> None:
    do_step("territory")
    before = compiled_forms(KERNELS)
    assert all(before)
    random_territory(InputSettings(), 16, 8).save(tmp_path / "model", "")
    for name in ("territory", "gibbs:territory"):
        player = make_player(f"{name}:{tmp_path / 'model'}")
        assert isinstance(player, Analyst)
        player.choose(Game(9), BLACK)
        player.analyse(Game(7), BLACK)
    assert compiled_forms(KERNELS) == before


def test_openings_have_nothing_left_to_compile_after_their_step() -> None:
    do_step("openings")
    kernels = [
        *(opening_rows.encode_boards, opening_rows.encode_lines, opening_rows.take_differences),
        *(opening_lessons.learn_lessons, opening_lessons.fill_chances, opening_tree.hash_lines),
    ]
    before = compiled_forms(kernels)
    assert min(before) == 1
    openings = open_book((), Book(length=10))[:8]
    OpeningTree(openings)
    trainer = OpeningTrainer(OpeningTraining(), prepare(openings, OpeningInputs(RICH), 5))
    trainer.learn_epoch(trainer.material.lessons)
    trainer.rmse(trainer.material.lessons)
    make_player("opening").choose(Game(19), BLACK)
    assert compiled_forms(kernels) == before


@pytest.mark.parametrize("anew", [False, True])
def test_warmup_compiles_anew_only_when_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, anew: bool
) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    done: list[str] = []
    steps = [Step("one", lambda: done.append("one")), Step("done", lambda: done.append("done"))]
    monkeypatch.setattr(kernels, "every_step", lambda: steps)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(_jit, "forget_kernels", (tmp_path / "kept").unlink)
    monkeypatch.setattr(_jit, "is_warm", (tmp_path / "kept").exists)
    (tmp_path / "kept").touch()
    kernels.warmup(anew=anew)
    assert done == (["one", "done"] if anew else [])


def test_forgotten_kernels_are_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(_jit, "module_folder", lambda file: tmp_path / file.stem)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.kernel").touch()
    (tmp_path / "foreign").mkdir()
    _jit._marker().write_text("{}")
    assert _jit.is_warm()
    _jit.forget_kernels()
    assert not _jit.is_warm()
    assert [each.name for each in tmp_path.iterdir()] == ["foreign"]
