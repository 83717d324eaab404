"""What the warm-up compiles is what is used afterwards."""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from katachi import _jit
from katachi.evaluators import dag_rnn_kernel
from katachi.features import opening_rows, propensity_fit, territory_planes
from katachi.features.opening_inputs import RICH, OpeningInputs
from katachi.features.territory_inputs import InputSettings
from katachi.interfaces import warm_steps
from katachi.interfaces.cli import demo, warmup
from katachi.interfaces.cli.warmup import Forecast, Pace, do_steps, time_left_text
from katachi.interfaces.console import Console
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.records import opening_tree, sampling
from katachi.records.opening_book import Book, open_book
from katachi.records.opening_tree import OpeningTree
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.td import opening_learning as opening_kernels
from tests.evaluators.territory_models import random_territory
from tests.learning.territory_games import gnugo_games

KERNELS = [
    territory_planes.fill_planes,
    dag_rnn_kernel._run_net,
    dag_rnn_kernel._apply_logistic,
]


def compiled_forms(kernels: Sequence[object]) -> list[int]:
    return [len(getattr(kernel, "signatures", ())) for kernel in kernels]


def do_step(step: Callable[[], None]) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.skip("nothing is compiled without JIT")
    step()


def test_learning_territory_has_nothing_left_to_compile_after_its_step() -> None:
    pytest.importorskip("torch")
    from katachi.nets import cell_inputs, lanes, packing, sweeps

    kernels = [
        *(cell_inputs.fill_inputs, cell_inputs.fill_rims, packing._sum_mirrored),
        *(lanes.give_logits, lanes.give_back_logits, lanes.sum_boards),
        *(sweeps.sweep_forward, sweeps.sweep_backward),
        *(sampling.fill_boards, propensity_fit.count_games, territory_planes.fill_planes),
    ]
    do_step(warm_steps.use_fitting)
    before = compiled_forms(kernels)
    assert all(before)
    games = gnugo_games()[:4]
    trainer = TerritoryTrainer(TerritorySettings(hidden=4, states=3, batch=4), games, games)
    trainer.learn(1)
    trainer.measure(1)
    assert compiled_forms(kernels) == before


def test_territory_has_nothing_left_to_compile_after_its_step(tmp_path: Path) -> None:
    do_step(warm_steps.use_territory)
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
    do_step(warm_steps.use_openings)
    kernels = [
        *(opening_rows.encode_boards, opening_rows.encode_lines, opening_rows.take_differences),
        *(opening_kernels.learn_openings, opening_kernels.fill_chances, opening_tree.hash_lines),
    ]
    before = compiled_forms(kernels)
    assert min(before) == 1
    openings = open_book((), Book(length=10))[:8]
    OpeningTree(openings)
    trainer = OpeningTrainer(OpeningTraining(), prepare(openings, OpeningInputs(RICH), 5))
    trainer.learn_epoch(trainer.material.games)
    trainer.rmse(trainer.material.games)
    make_player("opening").choose(Game(19), BLACK)
    assert compiled_forms(kernels) == before


@pytest.mark.parametrize("force", [False, True])
def test_warmup_compiles_again_only_when_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, force: bool
) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    done: list[str] = []
    steps = [partial(done.append, title) for title in ("one", "two")]
    monkeypatch.setattr(warm_steps, "EVERY_STEP", steps)
    monkeypatch.setattr(warmup, "count_cores", lambda: 1)
    monkeypatch.setattr(_jit, "mark_warm", done.append)
    monkeypatch.setattr(_jit, "forget_kernels", (tmp_path / "kept").unlink)
    monkeypatch.setattr(_jit, "is_warm", lambda *_: (tmp_path / "kept").exists())
    (tmp_path / "kept").touch()
    warmup.warmup(force=force)
    assert done == (["one", "two", "complete"] if force else [])


def test_forgotten_kernels_are_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(_jit, "module_folder", lambda file: tmp_path / file.stem)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.kernel").touch()
    (tmp_path / "foreign").mkdir()
    for part in ("complete", "demo"):
        _jit._marker(part).write_text("{}")
    assert _jit.is_warm("demo")
    assert _jit.is_warm()
    _jit.forget_kernels()
    assert not _jit.is_warm("demo")
    assert not _jit.is_warm()
    assert [each.name for each in tmp_path.iterdir()] == ["foreign"]


@pytest.mark.parametrize("slowness", [0.5, 1.0, 4.0])
def test_the_time_left_is_estimated_honestly_on_slow_and_fast_machines(slowness: float) -> None:
    """Kernels come one a second for 80 s, then a large one takes 20 s: times the slowness."""
    pace, shares = Pace(Forecast(87, 100, tail=0.2), there=7, cores=1), []
    for second in range(100):
        pace.look(7 + min(second, 80), second * slowness)
        shares.append(pace.share)
        if second >= 20:
            error = pace.seconds_left() - (100 - second) * slowness
            assert abs(error) <= 10 * slowness
    assert shares == sorted(shares)
    assert shares[-1] < 1


def test_an_estimate_is_made_before_anything_is_known() -> None:
    pace = Pace(Forecast(80, 100), there=0, cores=2)
    pace.look(0, 0.5)
    assert time_left_text(pace.seconds_left()) == "about 50 s left"


def test_steps_run_side_by_side_under_a_line_that_says_how_far_they_are() -> None:
    screen = io.StringIO()
    steps = [partial(time.sleep, 0.01)] * 2
    do_steps(Console(file=screen, width=80), steps, Forecast(80, 90), 2)
    assert re.match(r"compiling, this once: \d%, about 4\d s left\n", screen.getvalue())


@pytest.mark.slow
def test_what_is_predicted_of_the_first_demo_is_so(tmp_path: Path) -> None:
    variables = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    code = "from katachi import _jit; print(_jit.count_kept(), _jit.is_warm('demo'))"
    play = [sys.executable, "-m", "katachi", "demo", "--games", "100"]
    done = subprocess.run(play, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.count("compiling, this once") > 2
    count = [sys.executable, "-c", code]
    found = subprocess.run(count, env=variables, capture_output=True, text=True, check=True)
    files, is_warm = found.stdout.split()
    assert is_warm == "True"
    assert int(files) == pytest.approx(demo.FORECAST.files, rel=0.1)
