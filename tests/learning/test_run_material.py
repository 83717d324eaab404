"""Two processes never share a run's folder, and a run goes on with what it was begun with only."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.files.provenance import versions
from katachi.learning import crbm_training
from katachi.learning import run as run_module
from katachi.learning.crbm_run import CrbmConfig, CrbmPlan, CrbmRun
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.curriculum import Plan
from katachi.learning.linear_training import LinearConfig, LinearPlan, LinearRun, LinearSettings
from katachi.learning.material import digest_of_games
from katachi.learning.opening_run import (
    OpeningPlan,
    OpeningRun,
    OpeningRunConfig,
    OpeningSettings,
)
from katachi.learning.run import Run
from katachi.learning.selfplay_run import SelfPlayConfig, SelfPlayRun
from katachi.learning.selfplay_settings import SelfPlayPlan, SelfPlaySettings
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun
from katachi.learning.shape_training import TrainingSettings
from katachi.learning.territory_run import TerritoryConfig, TerritoryPlan, TerritoryRun
from katachi.learning.territory_training import TerritoryTrainer
from katachi.records.dataset import open_games
from katachi.records.opening_book import Book
from tests.learning.territory_games import GAMES, SMALL

Begin = Callable[[Path, Path, int], Any]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures on few positions."""
    measure = TerritoryTrainer.measure
    monkeypatch.setattr(TerritoryTrainer, "measure", lambda self: measure(self, 1))
    monkeypatch.setattr(crbm_training, "MEASURED_BOARDS", 8)


def begin_shape(path: Path, games: Path, seed: int) -> Any:
    settings = TrainingSettings(sets="1x1:LI", seed=seed)
    return ShapeRun.begin(path, ShapeConfig(settings, Plan(games=10)))


def begin_territory(path: Path, games: Path, seed: int) -> Any:
    pytest.importorskip("torch")
    settings = msgspec.structs.replace(SMALL, seed=seed)
    plan = TerritoryPlan((str(games),), measure_every=2, limit=20)
    return TerritoryRun.begin(path, TerritoryConfig(settings, plan))


def begin_linear(path: Path, games: Path, seed: int) -> Any:
    settings = LinearSettings(games=4, alpha=0.1, seed=seed)
    plan = LinearPlan((str(games),), measure_every=2)
    return LinearRun.begin(path, LinearConfig(settings, plan))


def begin_crbm(path: Path, games: Path, seed: int) -> Any:
    pytest.importorskip("torch")
    settings = CrbmSettings(kernels=2, side=3, batch=4, steps=4, seed=seed)
    return CrbmRun.begin(path, CrbmConfig(settings, CrbmPlan((str(games),), measure_every=2)))


def begin_openings(path: Path, games: Path, seed: int) -> Any:
    settings = OpeningSettings(epochs=4, inputs="raw", seed=seed)
    plan = OpeningPlan((str(games),), book=Book(length=6, by_result=True), measure_every=2)
    return OpeningRun.begin(path, OpeningRunConfig(settings, plan))


TINY_GAMES = SelfPlaySettings(
    size=3,
    komi=0.5,
    width=4,
    depth=2,
    generations=2,
    new_games=3,
    parts=2,
    at_once=2,
    visits=6,
    quick_visits=2,
    steps=2,
    batch=8,
    positions=30,
)
TINY_TEST = SelfPlayPlan(opponent="alp", match_games=2, match_visits=2, opening_moves=2)


def begin_selfplay(path: Path, games: Path, seed: int) -> Any:
    pytest.importorskip("torch")
    settings = msgspec.structs.replace(TINY_GAMES, seed=seed)
    return SelfPlayRun.begin(path, SelfPlayConfig(settings, TINY_TEST))


LEARNERS: dict[str, tuple[Begin, type[Run[Any, Any, Any]]]] = {
    "shape": (begin_shape, ShapeRun),
    "territory": (begin_territory, TerritoryRun),
    "linear": (begin_linear, LinearRun),
    "crbm": (begin_crbm, CrbmRun),
    "openings": (begin_openings, OpeningRun),
    "selfplay": (begin_selfplay, SelfPlayRun),
}
FROM_RECORDS = [name for name in LEARNERS if name not in ("shape", "selfplay")]


def begun(name: str, path: Path, games: Path = GAMES, seed: int = 1) -> None:
    """A run that was stopped at its first checkpoint."""
    run = LEARNERS[name][0](path, games, seed)
    run.learner.learn(2)
    run.save()
    run.close()


@pytest.mark.parametrize("name", LEARNERS)
def test_where_another_process_began_meanwhile_no_run_begins(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The versions are asked for between the first look at the folder and the lock."""
    begin = LEARNERS[name][0]
    other: list[dict[Path, bytes]] = []

    def begin_other() -> dict[str, str]:
        monkeypatch.setattr(run_module, "versions", versions)
        begun(name, tmp_path / "run", seed=2)
        other.append({file: file.read_bytes() for file in (tmp_path / "run").rglob("*.*")})
        return versions()

    monkeypatch.setattr(run_module, "versions", begin_other)
    with pytest.raises(KatachiError, match=r"holds a run: --resume .* goes on with it"):
        begin(tmp_path / "run", GAMES, 1)
    assert {file: file.read_bytes() for file in (tmp_path / "run").rglob("*.*")} == other[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_new_run_drops_what_one_left_that_never_began(name: str, tmp_path: Path) -> None:
    begun(name, tmp_path / "other", seed=2)
    left = tmp_path / "run"
    shutil.copytree(tmp_path / "other" / "checkpoints", left / "checkpoints")
    (left / "metrics.jsonl").write_text("{}\n")
    begin, kind = LEARNERS[name]
    begin(left, GAMES, 1).close()
    assert not (left / "metrics.jsonl").read_bytes()
    run = kind.resume(left)
    assert run.done == 0
    run.close()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_checkpoint_of_another_run_is_refused(name: str, tmp_path: Path) -> None:
    begun(name, tmp_path / "run")
    begun(name, tmp_path / "other", seed=2)
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    shutil.copytree(tmp_path / "other" / "checkpoints", tmp_path / "run" / "checkpoints")
    with pytest.raises(KatachiError, match="is a checkpoint of another run"):
        LEARNERS[name][1].resume(tmp_path / "run")


@pytest.mark.parametrize("name", FROM_RECORDS)
def test_a_run_whose_games_changed_does_not_go_on(name: str, tmp_path: Path) -> None:
    games, text = tmp_path / "games.sgf", GAMES.read_text()
    games.write_text(text)
    begun(name, tmp_path / "run", games)
    LEARNERS[name][1].resume(tmp_path / "run").close()
    games.write_text(text.replace("(;", "(;C[the same game]"))
    LEARNERS[name][1].resume(tmp_path / "run").close()
    games.write_text(text[: text.index("(;", len(text) // 2)])
    words = r"run cannot go on: the games to learn from.* changed since the run was begun; bring"
    with pytest.raises(KatachiError, match=words):
        LEARNERS[name][1].resume(tmp_path / "run")


def test_a_run_whose_features_changed_does_not_go_on(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for seed in (1, 2):
        run = begin_crbm(tmp_path / f"crbm{seed}", GAMES, seed)
        run.finish()
        run.close()
    model = tmp_path / "features"
    shutil.copytree(tmp_path / "crbm1" / "model", model)
    plan = LinearPlan((str(GAMES),))
    settings = LinearSettings(features=(f"crbm:{model}",), games=4)
    LinearRun.begin(tmp_path / "linear", LinearConfig(settings, plan)).close()
    further = CrbmPlan((str(GAMES),), below=str(model))
    layer = CrbmSettings(kernels=2, side=3, batch=4, steps=4)
    CrbmRun.begin(tmp_path / "layer", CrbmConfig(layer, further)).close()
    shutil.rmtree(model)
    CrbmFeatures.load(tmp_path / "crbm2" / "model").save(model, "other features")
    with pytest.raises(KatachiError, match="linear cannot go on: features 1 changed since"):
        LinearRun.resume(tmp_path / "linear")
    with pytest.raises(KatachiError, match="layer cannot go on: the features below changed since"):
        CrbmRun.resume(tmp_path / "layer")


def test_a_run_whose_opponent_changed_does_not_go_on(tmp_path: Path) -> None:
    for seed in (1, 2):
        run = begin_shape(tmp_path / f"run{seed}", GAMES, seed)
        agent = run.learner.trainer.agents[0]
        agent.weights[:] = seed
        agent.save(tmp_path / f"model{seed}", "")
        run.close()
    shutil.copytree(tmp_path / "model1", tmp_path / "model")
    opponent = f"shape:{tmp_path / 'model'}"
    settings = TrainingSettings(sets="1x1:LI")
    config = ShapeConfig(settings, Plan(games=4), opponent=opponent)
    ShapeRun.begin(tmp_path / "run", config).close()
    ShapeRun.resume(tmp_path / "run").close()
    shutil.copytree(tmp_path / "model2", tmp_path / "model", dirs_exist_ok=True)
    with pytest.raises(KatachiError, match="cannot go on: the model behind shape:"):
        ShapeRun.resume(tmp_path / "run")


def test_games_that_differ_only_in_their_last_moves_have_another_digest() -> None:
    games = open_games(GAMES, use_cache=False)
    before = digest_of_games(games)
    assert digest_of_games(games) == before
    assert digest_of_games(games[::-1]) != before
    last = games.columns.moves.values
    last[-1], last[-2] = last[-2], last[-1]
    assert not np.array_equal(last[-1:], last[-2:-1])
    assert digest_of_games(games) != before
