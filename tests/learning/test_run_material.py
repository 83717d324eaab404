"""Two processes never share a run's folder, and a run goes on with what it was begun with only."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.files.provenance import versions
from katachi.learning import crbm_run, crbm_training, linear_run, territory_run, training_run
from katachi.learning.course import Plan
from katachi.learning.crbm_run import CrbmPlan
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_run import LinearPlan
from katachi.learning.linear_training import LinearSettings
from katachi.learning.material import digest_of_games
from katachi.learning.shape_training import TrainingSettings
from katachi.learning.territory_run import Place, TerritoryPlan
from katachi.learning.territory_training import TerritoryTrainer
from katachi.learning.training_run import RunRequest
from katachi.records.dataset import open_games
from tests.learning.territory_games import GAMES, SMALL

Begin = Callable[[Path, Path, int], Any]
Resume = Callable[[Path], Any]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures on few positions."""
    measure = TerritoryTrainer.measure
    monkeypatch.setattr(TerritoryTrainer, "measure", lambda self: measure(self, 1))
    monkeypatch.setattr(crbm_training, "MEASURED_BOARDS", 8)


def begin_shape(path: Path, games: Path, seed: int) -> Any:
    settings = TrainingSettings(sets="1x1:LI", seed=seed)
    return training_run.begin_run(path, RunRequest(settings, Plan(games=10)))


def begin_territory(path: Path, games: Path, seed: int) -> Any:
    pytest.importorskip("torch")
    settings = msgspec.structs.replace(SMALL, seed=seed)
    plan = TerritoryPlan((str(games),), measure_every=2, limit=20)
    return territory_run.begin_run(path, settings, plan, "", Place())


def begin_linear(path: Path, games: Path, seed: int) -> Any:
    settings = LinearSettings(lessons=4, alpha=0.1, seed=seed)
    return linear_run.begin_run(path, settings, LinearPlan((str(games),), measure_every=2), "")


def begin_crbm(path: Path, games: Path, seed: int) -> Any:
    pytest.importorskip("torch")
    settings = CrbmSettings(kernels=2, side=3, batch=4, steps=4, seed=seed)
    return crbm_run.begin_run(path, settings, CrbmPlan((str(games),), measure_every=2), "")


def resume_territory(path: Path) -> Any:
    return territory_run.resume_run(path, Place())


LEARNERS: dict[str, tuple[ModuleType, Begin, Resume]] = {
    "shape": (training_run, begin_shape, training_run.resume_run),
    "territory": (territory_run, begin_territory, resume_territory),
    "linear": (linear_run, begin_linear, linear_run.resume_run),
    "crbm": (crbm_run, begin_crbm, crbm_run.resume_run),
}
FROM_RECORDS = [name for name in LEARNERS if name != "shape"]


def begun(name: str, path: Path, games: Path = GAMES, seed: int = 1) -> None:
    """A run that was stopped at its first checkpoint."""
    run = LEARNERS[name][1](path, games, seed)
    next(iter(run.run(lambda: False)))
    if name == "shape":
        run.save()
    run.close()


@pytest.mark.parametrize("name", LEARNERS)
def test_where_another_process_began_meanwhile_no_run_begins(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The versions are asked for between the first look at the folder and the lock."""
    module, begin, _ = LEARNERS[name]
    other: list[dict[Path, bytes]] = []

    def begin_other() -> dict[str, str]:
        monkeypatch.setattr(module, "versions", versions)
        begun(name, tmp_path / "run", seed=2)
        other.append({file: file.read_bytes() for file in (tmp_path / "run").rglob("*.*")})
        return versions()

    monkeypatch.setattr(module, "versions", begin_other)
    with pytest.raises(KatachiError, match=r"holds a run: --resume .* goes on with it"):
        begin(tmp_path / "run", GAMES, 1)
    assert {file: file.read_bytes() for file in (tmp_path / "run").rglob("*.*")} == other[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_new_run_drops_what_one_left_that_never_began(name: str, tmp_path: Path) -> None:
    begun(name, tmp_path / "other", seed=2)
    left = tmp_path / "run"
    shutil.copytree(tmp_path / "other" / "checkpoints", left / "checkpoints")
    (left / "metrics.jsonl").write_text("{}\n")
    _, begin, resume = LEARNERS[name]
    begin(left, GAMES, 1).close()
    assert not (left / "metrics.jsonl").read_bytes()
    run = resume(left)
    assert (run.course.games if name == "shape" else run.steps) == 0
    run.close()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_checkpoint_of_another_run_is_refused(name: str, tmp_path: Path) -> None:
    begun(name, tmp_path / "run")
    begun(name, tmp_path / "other", seed=2)
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    shutil.copytree(tmp_path / "other" / "checkpoints", tmp_path / "run" / "checkpoints")
    with pytest.raises(KatachiError, match="is a checkpoint of another run"):
        LEARNERS[name][2](tmp_path / "run")


@pytest.mark.parametrize("name", FROM_RECORDS)
def test_a_run_whose_games_changed_does_not_go_on(name: str, tmp_path: Path) -> None:
    games, text = tmp_path / "games.sgf", GAMES.read_text()
    games.write_text(text)
    begun(name, tmp_path / "run", games)
    LEARNERS[name][2](tmp_path / "run").close()
    games.write_text(text.replace("(;", "(;C[the same game]"))
    LEARNERS[name][2](tmp_path / "run").close()
    games.write_text(text[: text.index("(;", len(text) // 2)])
    words = r"run cannot go on: the games to learn from.* changed since the run was begun; bring"
    with pytest.raises(KatachiError, match=words):
        LEARNERS[name][2](tmp_path / "run")


def test_a_run_whose_features_changed_does_not_go_on(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for seed in (1, 2):
        run = begin_crbm(tmp_path / f"crbm{seed}", GAMES, seed)
        run.finish()
        run.close()
    model = tmp_path / "features"
    shutil.copytree(tmp_path / "crbm1" / "model", model)
    plan = LinearPlan((str(GAMES),))
    settings = LinearSettings(features=(f"crbm:{model}",), lessons=4)
    linear_run.begin_run(tmp_path / "linear", settings, plan, "").close()
    further = CrbmPlan((str(GAMES),), below=str(model))
    layer = CrbmSettings(kernels=2, side=3, batch=4, steps=4)
    crbm_run.begin_run(tmp_path / "layer", layer, further, "").close()
    shutil.rmtree(model)
    CrbmFeatures.load(tmp_path / "crbm2" / "model").save(model, "other features")
    with pytest.raises(KatachiError, match="linear cannot go on: features 1 changed since"):
        linear_run.resume_run(tmp_path / "linear")
    with pytest.raises(KatachiError, match="layer cannot go on: the features below changed since"):
        crbm_run.resume_run(tmp_path / "layer")


def test_a_run_whose_opponent_changed_does_not_go_on(tmp_path: Path) -> None:
    for seed in (1, 2):
        run = begin_shape(tmp_path / f"run{seed}", GAMES, seed)
        agent = run.course.trainer.agents[0]
        agent.weights[:] = seed
        agent.save(tmp_path / f"model{seed}", "")
        run.close()
    shutil.copytree(tmp_path / "model1", tmp_path / "model")
    opponent = f"shape:{tmp_path / 'model'}"
    settings = TrainingSettings(sets="1x1:LI")
    training_run.begin_run(tmp_path / "run", RunRequest(settings, Plan(games=4), opponent)).close()
    training_run.resume_run(tmp_path / "run").close()
    shutil.copytree(tmp_path / "model2", tmp_path / "model", dirs_exist_ok=True)
    with pytest.raises(KatachiError, match="cannot go on: the model behind shape:"):
        training_run.resume_run(tmp_path / "run")


def test_games_that_differ_only_in_their_last_moves_have_another_digest() -> None:
    games = open_games(GAMES, use_cache=False)
    before = digest_of_games(games)
    assert digest_of_games(games) == before
    assert digest_of_games(games[::-1]) != before
    last = games.columns.moves.values
    last[-1], last[-2] = last[-2], last[-1]
    assert not np.array_equal(last[-1:], last[-2:-1])
    assert digest_of_games(games) != before
