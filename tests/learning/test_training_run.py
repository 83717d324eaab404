"""A run in its folder: whatever stops it, it goes on as if nothing had happened."""

import json
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.learning import run as run_module
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun, extend_run, read_config, read_result
from katachi.learning.shape_training import TrainingSettings
from katachi.records.sgf import read_games

SETTINGS = TrainingSettings(sets="1x1-2x2:LI+LD", alpha=0.5)
PLAN = Plan(
    games=110, test_every=20, test_games=4, final_games=10, grow_to=6, grow_games=60, grow_share=1.0
)
REQUEST = ShapeConfig(SETTINGS, PLAN)


def go(run: ShapeRun, *, until: int | None = None, checkpoint_seconds: float = 0.0) -> None:
    """Lets a run go on, to its end or until it has so many games."""

    def should_stop() -> bool:
        return until is not None and run.done >= until

    for _ in run.run(should_stop, checkpoint_seconds):
        pass
    if run.is_finished:
        run.finish()
    run.close()


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run can be stopped after each game."""
    monkeypatch.setattr(run_module, "LONGEST_PIECE", 1)


def kept(folder: Path) -> dict[str, bytes]:
    """What two runs of equal settings have in common, byte for byte, when they are finished."""
    files = [folder / "metrics.jsonl", *folder.glob("agent-*/weights.safetensors")]
    files += [*folder.glob("samples/*.sgf"), *folder.glob("agent-*/README.md")]
    files += [folder / "curve.svg"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    go(ShapeRun.begin(folder, REQUEST))
    return folder


def test_a_run_leaves_all_that_it_should(whole: Path) -> None:
    names = {str(f.relative_to(whole)) for f in whole.rglob("*") if f.is_file()}
    models = {f"agent-{n}/{name}" for n in (1, 2) for name in ("README.md", "config.json")}
    assert names >= models | {"config.json", "metrics.jsonl", "timing.jsonl", "result.json"}
    assert names >= {"curve.svg", "samples/000000020-agents.sgf", "samples/000000110-alp.sgf"}
    lines = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
    assert [(line["games"], line["size"]) for line in lines] == [
        (20, 5),
        (40, 5),
        (60, 5),
        (80, 6),
        (100, 6),
    ]
    assert {"played", "wins", "intervals"} <= set(lines[0])
    times = [json.loads(line) for line in (whole / "timing.jsonl").read_text().splitlines()]
    assert [line["games"] for line in times] == [20, 40, 60, 80, 100]
    assert all(line["games_per_second"] > 0 for line in times)
    config = read_config(whole)
    assert config.settings == SETTINGS
    assert set(config.versions) >= {"katachi", "python", "numpy", "numba"}
    assert config.commit


def test_the_result_tells_what_each_board_took(whole: Path) -> None:
    result = read_result(whole)
    assert result is not None
    assert [(stage.size, stage.games) for stage in result.stages] == [(5, 60), (6, 50)]
    assert all(stage.seconds > 0 for stage in result.stages)
    assert (result.final.games, result.final.size, result.final.played) == (110, 6, 10)


def test_models_can_be_loaded_and_say_how_they_were_made(whole: Path) -> None:
    for number in (1, 2):
        loaded = LocalShape.load(whole / f"agent-{number}")
        assert loaded.size == 6
        assert loaded.weights.any()
        assert loaded.training["settings"]["seed"] == 1
        assert loaded.training["games"] == 110
        assert "110 games" in (whole / f"agent-{number}" / "README.md").read_text()


def test_sample_games_can_be_replayed(whole: Path) -> None:
    files = sorted((whole / "samples").glob("*.sgf"))
    assert len(files) == 8  # at tests 1, 2 and 4, and at the end
    for file in files:
        (record,) = read_games(file)
        assert record.texts.black == "agent 1"
        assert len(record.moves) > 5


def test_only_the_newest_two_checkpoints_are_kept(whole: Path) -> None:
    files = sorted((whole / "checkpoints").iterdir())
    assert len(files) == 2
    assert files[-1].name == "000000000110.safetensors"


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("games", [1, 19, 20, 21, 59, 60, 61, 99, 109])
def test_a_stopped_run_goes_on_to_the_same_end(games: int, whole: Path, tmp_path: Path) -> None:
    go(ShapeRun.begin(tmp_path, REQUEST), until=games, checkpoint_seconds=99.0)
    assert int(max((tmp_path / "checkpoints").iterdir()).stem) == games
    assert not (tmp_path / "result.json").exists()
    go(ShapeRun.resume(tmp_path))
    assert kept(tmp_path) == kept(whole)


@pytest.mark.usefixtures("one_by_one")
def test_a_run_may_be_stopped_again_and_again(whole: Path, tmp_path: Path) -> None:
    go(ShapeRun.begin(tmp_path, REQUEST), until=3)
    for games in (17, 20, 20, 47, 60, 88, 110):
        go(ShapeRun.resume(tmp_path), until=games)
    assert kept(tmp_path) == kept(whole)


def test_more_games_make_a_finished_run_the_longer_one(whole: Path, tmp_path: Path) -> None:
    short = msgspec.structs.replace(PLAN, games=60)
    go(ShapeRun.begin(tmp_path, ShapeConfig(SETTINGS, short, command="first")))
    assert LocalShape.load(tmp_path / "agent-1").size == 5
    go(extend_run(tmp_path, 110, "then"))
    assert LocalShape.load(tmp_path / "agent-1").training["command"] == "first && then"
    for name in ("metrics.jsonl", "agent-1/weights.safetensors", "agent-2/weights.safetensors"):
        assert (tmp_path / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.usefixtures("one_by_one")
def test_a_run_is_not_made_shorter(tmp_path: Path) -> None:
    go(ShapeRun.begin(tmp_path, REQUEST), until=10)
    with pytest.raises(KatachiError, match="a run of 110 games: not fewer"):
        extend_run(tmp_path, 109, "")
    go(ShapeRun.resume(tmp_path), until=11)  # the folder is free again
