"""Learning features: what is learned, kept, drawn, resumed and refused."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch")

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.learning.crbm_run import (
    PLATES_FILE,
    CrbmConfig,
    CrbmPlan,
    CrbmRun,
    load_below,
    open_plan,
)
from katachi.learning.crbm_training import CrbmSettings, CrbmTrainer
from katachi.learning.run import Place
from katachi.nets.crbm_form import VisibleKind
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.record import GameRecord
from tests.learning.territory_games import GAMES, drawn_games, gnugo_games

SMALL = CrbmSettings(kernels=6, batch=8, steps=6)
PLAN = CrbmPlan((str(GAMES),), limit=20, measure_every=2)


def go(run: CrbmRun, until: int | None = None) -> None:
    for progress in run.run():
        if progress.done == until:
            break
    else:
        run.finish()
    run.close()


def kept(folder: Path) -> dict[str, bytes]:
    files = ("metrics.jsonl", PLATES_FILE, "model/weights.safetensors", "model/config.json")
    return {name: (folder / name).read_bytes() for name in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("crbm") / "run"
    go(CrbmRun.begin(folder, CrbmConfig(SMALL, PLAN, "a test")))
    return folder


def test_a_finished_run_leaves_a_model_and_plates(whole: Path) -> None:
    model = CrbmFeatures.load(whole / "model")
    assert model.layers[0].form.kernels == 6
    assert model.training["plan"]["games"] == [GAMES.name]
    assert model.training["last"]["steps"] == 6
    assert "6 kernels of 3x3" in (whole / "model" / "README.md").read_text()
    assert "6 kernels after 6 batches" in (whole / PLATES_FILE).read_text()
    lines = (whole / "metrics.jsonl").read_bytes().splitlines()
    metrics = [msgspec.json.decode(line) for line in lines]
    assert [each["steps"] for each in metrics] == [2, 4, 6]
    assert all(
        each["free_energy_gap"] is not None and each["masked_log_likelihood"] < 0
        for each in metrics
    )


def test_a_resumed_run_ends_with_the_same_weights(whole: Path, tmp_path: Path) -> None:
    go(CrbmRun.begin(tmp_path / "run", CrbmConfig(SMALL, PLAN, "a test")), until=2)
    go(CrbmRun.resume(tmp_path / "run"))
    assert kept(tmp_path / "run") == kept(whole)


def test_a_second_layer_learns_from_the_hidden_maps_of_the_first(
    whole: Path, tmp_path: Path
) -> None:
    settings = msgspec.structs.replace(SMALL, kernels=4, side=2, steps=2)
    plan = msgspec.structs.replace(PLAN, below=str(whole / "model"))
    run = CrbmRun.begin(tmp_path / "run", CrbmConfig(settings, plan))
    go(run)
    assert run.metrics[-1].val_reconstruction_error is not None
    assert run.metrics[-1].val_error_rate is run.metrics[-1].masked_log_likelihood is None
    model = CrbmFeatures.load(tmp_path / "run" / "model")
    assert [layer.form.kernels for layer in model.layers] == [6, 4]
    assert model.layers[1].form.visible is VisibleKind.BINARY
    assert model.count(9) == 36 * 4


def test_learning_makes_boards_likelier(tmp_path: Path) -> None:
    games = gnugo_games()
    settings = msgspec.structs.replace(SMALL, kernels=20, batch=50, rate=0.3)
    trainer = CrbmTrainer(settings, games[:50], games[50:])
    before = trainer.measure()
    trainer.learn(100)
    after = trainer.measure()
    assert before.masked_log_likelihood is not None
    assert after.masked_log_likelihood is not None
    assert after.masked_log_likelihood > before.masked_log_likelihood + 0.02


def test_a_weight_that_is_no_number_stops_at_the_last_good_checkpoint(tmp_path: Path) -> None:
    wild = msgspec.structs.replace(SMALL, visible=VisibleKind.REAL, steps=100)
    run = CrbmRun.begin(tmp_path / "run", CrbmConfig(wild, PLAN))
    measured = run.run()
    next(each for each in measured if each.metrics is not None)
    run.learner._fitter.settings = run.learner._fitter.settings._replace(rate=1000.0)
    with pytest.raises(KatachiError, match=r"no numbers after batch \d+: use a smaller step size"):
        list(measured)
    run.close()
    resumed = CrbmRun.resume(tmp_path / "run")
    assert resumed.done >= 2
    assert all(np.isfinite(array).all() for array in resumed.learner.state().values())
    resumed.close()


def test_games_of_several_sizes_need_a_choice(tmp_path: Path) -> None:
    games = drawn_games(5, 7)
    with pytest.raises(KatachiError, match="one board size are needed; the sizes here: 5, 7"):
        CrbmTrainer(SMALL, games, games)
    with pytest.raises(KatachiError, match="none of the games is of size 13; the sizes are: 9"):
        open_plan(msgspec.structs.replace(PLAN, size=13))


def test_what_cannot_be_learned_is_told(tmp_path: Path, whole: Path) -> None:
    games = gnugo_games()
    large = msgspec.structs.replace(SMALL, side=10)
    with pytest.raises(KatachiError, match="10x10 do not fit on a 9x9 board"):
        CrbmTrainer(large, games, games)
    below = CrbmFeatures.load(whole / "model")
    above = msgspec.structs.replace(SMALL, side=8)
    with pytest.raises(KatachiError, match="10x10 do not fit on a 9x9 board"):
        CrbmTrainer(above, games, games, below)
    with pytest.raises(KatachiError, match="no device 'moon'"):
        CrbmRun.begin(tmp_path / "run", CrbmConfig(SMALL, PLAN), Place("moon"))
    with pytest.raises(KatachiError, match="no game has a move"):
        CrbmTrainer(SMALL, _without_moves(), games)
    plan = msgspec.structs.replace(PLAN, below="nowhere")
    with pytest.raises(KatachiError, match="no model 'nowhere': `katachi models` lists all"):
        CrbmRun.begin(tmp_path / "run", CrbmConfig(SMALL, plan))
    assert load_below(msgspec.structs.replace(PLAN, below="crbm9")) is not None
    assert not (tmp_path / "run").exists()


def _without_moves() -> GameSet:
    nothing = GameRecord(size=9, moves=np.zeros(0, np.uint16), colors=np.zeros(0, np.uint8))
    return set_of_records([nothing])


def test_batches_are_boards_with_one_channel_on(whole: Path) -> None:
    trainer = CrbmTrainer(SMALL, gnugo_games(), gnugo_games())
    boards = trainer.batch(3)
    assert boards.shape == (8, 3, 9, 9)
    np.testing.assert_array_equal(boards.sum(1), 1)
    np.testing.assert_array_equal(boards, trainer.batch(3))
