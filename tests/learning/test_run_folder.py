"""What lies in a run's folder may be damaged, hostile or somebody else's: one clear line."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun, load_agents
from katachi.learning.shape_training import SourceKind, TrainingSettings
from katachi.learning.sources import AgainstOpponent
from katachi.players.protocol import FailureKind, PlayerFailure
from tests.learning.test_sources import model
from tests.learning.test_training_run import go, kept

SETTINGS = TrainingSettings(sets="1x1-2x2:LI")
PLAN = Plan(games=30, test_every=10, test_games=2, final_games=2)
REQUEST = ShapeConfig(SETTINGS, PLAN)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped after some games, with two checkpoints."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    go(ShapeRun.begin(folder, REQUEST), until=11)
    return folder


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(stopped, tmp_path / "run"))


def complaint(path: Path) -> str:
    """Why a run cannot be resumed, in one line; the folder is as it was."""
    before = {f: f.read_bytes() for f in path.rglob("*") if f.is_file()}
    with pytest.raises(KatachiError) as caught:
        ShapeRun.resume(path)
    assert {f: f.read_bytes() for f in path.rglob("*") if f.is_file()} == before
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


CONFIGS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "cannot be read"),
    "no JSON": (lambda _: b"\x80\x04K\x01.", "cannot be read"),
    "cut": (lambda data: data[:-40], "cannot be read"),
    "deep": (lambda _: b"[" * 100_000, "cannot be read"),
    "huge": (lambda data: data + b" " * 2_000_000, "too large"),
    "another kind": (lambda data: data.replace(b"of local shape", b"of a cat"), "'training of a"),
    "another format": (lambda data: data.replace(b'"format": 1', b'"format": 7'), "format 7"),
    "an unknown field": (lambda data: data.replace(b'"sets"', b'"stes"'), "stes"),
    "sets that are none": (lambda data: data.replace(b"1x1-2x2", b"9x9-8x8"), "no shape set"),
    "a size that is none": (lambda data: data.replace(b'"size": 5', b'"size": 1'), "board size 1"),
    "other sets": (lambda data: data.replace(b"1x1-2x2:LI", b"1x1-2x2:LD"), "of another run"),
    "a plan that is none": (lambda data: data.replace(b'"games": 30', b'"games": 0'), "0 games"),
}


@pytest.mark.parametrize(("change", "words"), CONFIGS.values(), ids=CONFIGS.keys())
def test_a_config_that_makes_no_sense_is_one_clear_line(
    change: Callable[[bytes], bytes], words: str, run: Path
) -> None:
    file = run / "config.json"
    changed = change(file.read_bytes())
    assert changed != file.read_bytes()
    file.write_bytes(changed)
    assert words in complaint(run)


def edited(change: Callable[[dict[str, np.ndarray]], object]) -> Callable[[bytes], bytes]:
    """A checkpoint with changed contents."""

    def edit(data: bytes) -> bytes:
        tensors = dict(load(data))
        change(tensors)
        return save(tensors)

    return edit


def restated(**changes: object) -> Callable[[bytes], bytes]:
    """A checkpoint that says it is elsewhere."""

    def restate(tensors: dict[str, np.ndarray]) -> None:
        state = json.loads(tensors["state"].tobytes()) | changes
        text = json.dumps(state).encode()
        tensors["state"] = np.frombuffer(text, np.uint8).copy()

    return edited(restate)


STAGE = {"size": 5, "games": 11, "seconds": 0.0, "has_passed": False}
CHECKPOINTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "zeros": lambda data: b"\0" * len(data),
    "cut in the header": lambda data: data[:20],
    "cut in the weights": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "a pickle": lambda _: b"\x80\x04cos\nsystem\n(S'false'\ntR.",
    "a header that promises the world": lambda data: b"\xff" * 8 + data[8:],
    "without weights": edited(lambda tensors: tensors.pop("weights")),
    "without a state": edited(lambda tensors: tensors.pop("state")),
    "one agent only": edited(lambda t: t.update(weights=t["weights"][:1].copy())),
    "fewer weights": edited(lambda t: t.update(weights=t["weights"][:, 1:].copy())),
    "other numbers": edited(lambda t: t.update(weights=t["weights"].astype(np.float32))),
    "flat": edited(lambda t: t.update(seen=t["seen"].ravel())),
    "no state at all": edited(lambda t: t.update(state=np.zeros(3, np.uint8))),
    "no stages": restated(stages=[]),
    "a board of another size": restated(stages=[STAGE | {"size": 6}]),
    "a board that is none": restated(stages=[STAGE | {"size": 10**9}]),
    "boards in no order": restated(stages=[STAGE, STAGE]),
    "fewer games than none": restated(stages=[STAGE | {"games": -1}]),
    "another format": restated(format=4),
    "samples without sums": restated(samples=1),
    "an unknown field": restated(code="print(1)"),
}


def newest(folder: Path) -> list[Path]:
    return sorted((folder / "checkpoints").iterdir(), reverse=True)


@pytest.mark.parametrize("change", CHECKPOINTS.values(), ids=CHECKPOINTS.keys())
def test_a_damaged_checkpoint_is_passed_over_for_the_one_before(
    change: Callable[[bytes], bytes], run: Path, tmp_path: Path
) -> None:
    last, before = newest(run)
    last.write_bytes(change(last.read_bytes()))
    resumed = ShapeRun.resume(run)
    assert resumed.done == int(before.stem)
    go(resumed)
    whole = tmp_path / "whole"
    go(ShapeRun.begin(whole, REQUEST))
    assert kept(run) == kept(whole)


@pytest.mark.parametrize("change", CHECKPOINTS.values(), ids=CHECKPOINTS.keys())
def test_without_a_whole_checkpoint_there_is_one_clear_line(
    change: Callable[[bytes], bytes], run: Path
) -> None:
    for file in newest(run):
        file.write_bytes(change(file.read_bytes()))
    complaint(run)


def test_without_any_checkpoint_there_is_one_clear_line(run: Path) -> None:
    for file in newest(run):
        file.unlink()
    assert complaint(run).endswith("there is no checkpoint")


def test_what_a_killed_process_left_half_written_is_ignored_and_dropped(run: Path) -> None:
    left = run / "checkpoints" / ".000000000000012.safetensors-abc"
    left.write_bytes(b"half a check")
    go(ShapeRun.resume(run), until=12)
    assert not left.exists()


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"games": 10'])
def test_lost_metrics_are_one_clear_line(damage: bytes, run: Path) -> None:
    (run / "metrics.jsonl").write_bytes(damage)
    assert "metrics.jsonl" in complaint(run)


def test_lines_after_the_last_checkpoint_are_dropped(run: Path) -> None:
    file = run / "metrics.jsonl"
    before = file.read_bytes()
    file.write_bytes(before + before + b'{"games": 2')
    ShapeRun.resume(run).close()
    assert file.read_bytes() == before


def test_a_folder_without_a_run_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="nothing holds no training run"):
        ShapeRun.resume(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_new_run_takes_no_folder_that_is_in_use(run: Path, tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=f"holds a run: --resume {run} goes on with it"):
        ShapeRun.begin(run, REQUEST)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to grandma.txt").touch()
    with pytest.raises(KatachiError, match="holds other files, such as to grandma"):
        ShapeRun.begin(tmp_path / "letters", REQUEST)
    assert len(list((tmp_path / "letters").iterdir())) == 1


def test_two_cannot_train_in_one_folder(run: Path) -> None:
    first = ShapeRun.resume(run)
    with pytest.raises(KatachiError, match="is in use by another process"):
        ShapeRun.resume(run)
    first.close()
    ShapeRun.resume(run).close()


BAD_REQUESTS = {
    "no such set": (ShapeConfig(TrainingSettings(sets="6x6:LI"), PLAN), "no shape set '6x6:LI'"),
    "too large a set": (ShapeConfig(TrainingSettings(size=4, sets="5x5:LI"), PLAN), "does not fit"),
    "no such size": (ShapeConfig(TrainingSettings(size=26), PLAN), "board size 26"),
    "komi": (ShapeConfig(TrainingSettings(komi=float("nan")), PLAN), "komi nan"),
    "no games": (ShapeConfig(SETTINGS, Plan(games=0)), "0 games"),
    "shrinking": (ShapeConfig(SETTINGS, Plan(grow_to=4)), "5x5 board cannot grow to 4"),
    "no such opponent": (ShapeConfig(SETTINGS, PLAN, opponent="nobody"), "no player 'nobody'"),
    "no such start": (ShapeConfig(SETTINGS, PLAN, start="nowhere"), "cannot read nowhere"),
}


@pytest.mark.parametrize(("request_", "words"), BAD_REQUESTS.values(), ids=BAD_REQUESTS.keys())
def test_a_senseless_request_is_one_clear_line_and_leaves_nothing(
    request_: ShapeConfig, words: str, tmp_path: Path
) -> None:
    with pytest.raises(KatachiError, match=words):
        ShapeRun.begin(tmp_path / "run", request_)
    assert not (tmp_path / "run").exists()


def test_agents_start_from_a_model_or_from_those_of_a_finished_run(tmp_path: Path) -> None:
    model("1x1-2x2:LI").save(tmp_path / "model", "")
    bins = msgspec.structs.replace(SETTINGS, bins=100)
    first = ShapeRun.begin(tmp_path / "a", ShapeConfig(bins, PLAN, start=str(tmp_path / "model")))
    for agent in first.learner.trainer.agents:
        assert np.array_equal(agent.weights, model("1x1-2x2:LI").weights)
    go(first)
    second = ShapeRun.begin(tmp_path / "b", ShapeConfig(bins, PLAN, start=str(tmp_path / "a")))
    for number, agent in enumerate(second.learner.trainer.agents):
        expected = LocalShape.load(tmp_path / "a" / f"agent-{number + 1}")
        assert np.array_equal(agent.weights, expected.weights)
    shutil.rmtree(tmp_path / "a")  # it is needed no more
    second.close()
    go(ShapeRun.resume(tmp_path / "b"))


@pytest.mark.parametrize(("size", "sets"), [(6, "1x1-2x2:LI"), (5, "2x2:LI"), (4, "1x1:LI")])
def test_agents_start_from_a_model_of_another_board_or_of_fewer_sets(
    size: int, sets: str, tmp_path: Path
) -> None:
    model(sets, size).save(tmp_path / "model", "")
    run = ShapeRun.begin(
        tmp_path / "run", ShapeConfig(SETTINGS, PLAN, start=str(tmp_path / "model"))
    )
    expected = model(sets, size).resized(5).extended(parse_sets(SETTINGS.sets))
    for agent in run.learner.trainer.agents:
        assert np.array_equal(agent.weights, expected.weights)
        assert agent.weights.any()
    go(run)


BAD_STARTS = {
    "other sets": ("1x1-2x2:LD", SETTINGS, "the model has other shape sets: 1x1:LD"),
    "more sets": ("1x1-3x3:LI", SETTINGS, "other shape sets: 3x2:LI is not in use"),
    "bins": ("4x4:LI", TrainingSettings(sets="4x4:LI", bins=99), "has 100 bins, not 99"),
    "no bins": ("1x1:LI", TrainingSettings(sets="1x1:LI,4x4:LI", bins=-1), "-1 bins: use"),
}


@pytest.mark.parametrize(("sets", "settings", "words"), BAD_STARTS.values(), ids=BAD_STARTS.keys())
def test_a_start_that_does_not_fit_is_one_clear_line(
    sets: str, settings: TrainingSettings, words: str, tmp_path: Path
) -> None:
    model(sets).save(tmp_path / "model", "")
    with pytest.raises(KatachiError, match=words):
        ShapeRun.begin(tmp_path / "run", ShapeConfig(settings, PLAN, start=str(tmp_path / "model")))
    assert not (tmp_path / "run").exists()


def test_an_unfinished_run_is_no_start(run: Path) -> None:
    with pytest.raises(KatachiError, match="not finished: it has no models yet"):
        load_agents(run, 2)


@pytest.mark.parametrize("name", ["alp", "frozen"])
def test_a_run_against_an_opponent_goes_on_to_the_same_end(name: str, tmp_path: Path) -> None:
    frozen = tmp_path / "frozen"
    model().save(frozen, "")
    opponent = str(frozen) if name == "frozen" else name
    plan = Plan(games=6, test_every=2, test_games=2, final_games=2, grow_to=6, grow_share=0.0)
    request = ShapeConfig(SETTINGS, plan, opponent=opponent)
    go(ShapeRun.begin(tmp_path / "whole", request))
    go(ShapeRun.begin(tmp_path / "parts", request), until=1)
    shutil.rmtree(frozen)  # the run has kept what it needs
    go(ShapeRun.resume(tmp_path / "parts"), until=3)
    go(ShapeRun.resume(tmp_path / "parts"))
    assert kept(tmp_path / "parts") == kept(tmp_path / "whole")
    assert len(list(tmp_path.glob("whole/agent-*"))) == 1


def test_a_frozen_opponent_of_another_size_is_one_clear_line(tmp_path: Path) -> None:
    model(size=6).save(tmp_path / "frozen", "")
    with pytest.raises(KatachiError, match="is for 6x6 boards, not 5x5"):
        ShapeRun.begin(
            tmp_path / "run", ShapeConfig(SETTINGS, PLAN, opponent=str(tmp_path / "frozen"))
        )


def test_an_opponent_that_fails_costs_no_game_before_it(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(SETTINGS, source=SourceKind.SELF)
    run = ShapeRun.begin(tmp_path, ShapeConfig(settings, PLAN, opponent="random"))
    trainer = run.learner.trainer
    assert isinstance(trainer._source, AgainstOpponent)
    take = trainer._source.take

    def fail_at_7(number: int) -> object:
        if number == 7:
            raise PlayerFailure(FailureKind.CRASH, "random fell over")
        return take(number)

    trainer._source.take = fail_at_7  # type: ignore[method-assign, assignment]
    with pytest.raises(KatachiError, match="random fell over"):
        go(run)
    run.close()
    resumed = ShapeRun.resume(tmp_path)
    assert resumed.done == 7
    go(resumed)
