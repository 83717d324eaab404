"""A run that learns territory: whatever stops it, it goes on to the same end."""

import json
import re
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load, save

pytest.importorskip("torch")

from katachi.errors import KatachiError
from katachi.evaluators.territory import NetKind, Territory
from katachi.learning import run as run_module
from katachi.learning import territory_run
from katachi.learning.curriculum import Plan
from katachi.learning.run import Place
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun, read_config
from katachi.learning.shape_training import TrainingSettings
from katachi.learning.territory_run import (
    TerritoryConfig,
    TerritoryPlan,
    TerritoryRun,
    open_games_of,
    open_plan,
    territory_card,
)
from katachi.learning.territory_training import (
    TerritoryMeasurement,
    TerritorySettings,
    TerritoryTrainer,
)
from tests.learning.territory_games import GAMES, SMALL

PLAN = TerritoryPlan(games=(str(GAMES),), measure_every=2, limit=20)
MOVES_ALONE = {"predicts_moves": True, "others": 0, "cell_weight": 0.0}
ALL = msgspec.structs.replace(
    SMALL, predicts_moves=True, others=0, owner_share=0.5, result_weight=0.5
)
"""Moves of all games, owners where they are known, and results."""


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Measures on few positions; games are kept in a cache of the tests' own."""
    measure = TerritoryTrainer.measure
    monkeypatch.setattr(TerritoryTrainer, "measure", lambda self: measure(self, 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "games"))


def begin(
    path: Path, plan: TerritoryPlan = PLAN, settings: TerritorySettings = SMALL
) -> TerritoryRun:
    return TerritoryRun.begin(path, TerritoryConfig(settings, plan, "katachi train territory"))


def go(run: TerritoryRun, *, until: int | None = None) -> TerritoryRun:
    """Lets a run go on, to its end or until it has so many steps."""
    try:
        for _ in run.run(lambda: until is not None and run.learner.done >= until):
            pass
        if run.is_finished:
            run.finish()
    finally:
        run.close()
    return run


def kept(folder: Path) -> dict[str, bytes]:
    """What two runs of equal settings have in common, byte for byte, when they are finished."""
    names = ("metrics.jsonl", "model/weights.safetensors", "model/config.json", "model/README.md")
    return {name: (folder / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        measure = TerritoryTrainer.measure
        patch.setattr(TerritoryTrainer, "measure", lambda self: measure(self, 1))
        go(begin(folder))
    return folder


def test_a_run_leaves_all_that_it_should(whole: Path) -> None:
    lines = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in lines] == [2, 4, 6]
    names = {"steps", "val_value_loss", "val_value_accuracy", *TerritoryRun.old_metrics.values()}
    assert set(lines[0]) == names
    config = json.loads((whole / "config.json").read_text())
    assert config["kind"] == "training of territory"
    assert config["settings"]["hidden"] == 4
    assert config["plan"]["games"] == [str(GAMES)]
    model = Territory.load(whole / "model")
    assert model.training["plan"]["games"] == ["gnugo9.sgf"]
    assert model.training["games"] == {
        "train": 20,
        "validation": model.training["games"]["validation"],
    }
    assert model.training["last"] == lines[-1]
    card = (whole / "model" / "README.md").read_text()
    assert "- inputs: stones, liberties\n" in card
    assert "20 recorded games, 6 batches of 8 moves" in card
    assert f"{lines[-1]['val_ownership_loss']:.3f} nats a point" in card


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_a_stopped_run_goes_on_to_the_same_end(
    steps: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "LONGEST_PIECE", 1)
    go(begin(tmp_path / "run"), until=steps)
    assert not (tmp_path / "run" / "model").exists()
    go(TerritoryRun.resume(tmp_path / "run"))
    assert kept(tmp_path / "run") == kept(whole)


@pytest.fixture(scope="module")
def mixed_plan(tmp_path_factory: pytest.TempPathFactory) -> TerritoryPlan:
    """Games of which every other one has its owners marked."""
    games = GAMES.read_text().strip().split("\n(")
    bare = [re.sub(r"T[BW](\[..\])+", "", game) for game in games[::2]]
    file = tmp_path_factory.mktemp("mixed") / "games.sgf"
    file.write_text("\n(".join([*bare, *games[1::2]]))
    return msgspec.structs.replace(PLAN, games=(str(file),))


@pytest.fixture(scope="module")
def whole_of_all(tmp_path_factory: pytest.TempPathFactory, mixed_plan: TerritoryPlan) -> Path:
    """A run with all that can be learned, never stopped."""
    folder = tmp_path_factory.mktemp("all") / "run"
    with pytest.MonkeyPatch.context() as patch:
        measure = TerritoryTrainer.measure
        patch.setattr(TerritoryTrainer, "measure", lambda self: measure(self, 1))
        go(begin(folder, mixed_plan, ALL))
    return folder


@pytest.mark.parametrize(("steps", "makers"), [(1, 1), (3, 2)])
def test_a_stopped_run_of_moves_owners_and_results_goes_on_to_the_same_end(
    steps: int,
    makers: int,
    whole_of_all: Path,
    mixed_plan: TerritoryPlan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_module, "LONGEST_PIECE", 1)
    go(begin(tmp_path / "run", mixed_plan, ALL), until=steps)
    go(TerritoryRun.resume(tmp_path / "run", Place(makers=makers)))
    assert kept(tmp_path / "run") == kept(whole_of_all)


def test_a_run_that_learns_results_says_how_well(whole_of_all: Path) -> None:
    last = json.loads((whole_of_all / "metrics.jsonl").read_text().splitlines()[-1])
    card = (whole_of_all / "model" / "README.md").read_text()
    loss, accuracy = last["val_value_loss"], last["val_value_accuracy"]
    assert f"; {loss:.3f} nats a result; {accuracy:.1%} of winners told\n" in card


def test_metrics_from_before_results_were_learned_are_read(whole: Path, tmp_path: Path) -> None:
    go(begin(tmp_path / "run"), until=4)
    file = tmp_path / "run" / "metrics.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for name in ("val_value_loss", "val_value_accuracy"):
        assert [line.pop(name) for line in lines] == [None, None]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    go(TerritoryRun.resume(tmp_path / "run"))
    assert kept(tmp_path / "run") == kept(whole)


def checkpoints(folder: Path) -> list[int]:
    return sorted(int(file.stem) for file in (folder / "checkpoints").iterdir())


def test_a_damaged_checkpoint_is_passed_over(whole: Path, tmp_path: Path) -> None:
    go(begin(tmp_path / "run"), until=4)
    assert checkpoints(tmp_path / "run") == [2, 4]
    newest = tmp_path / "run" / "checkpoints" / "000000000004.safetensors"
    newest.write_bytes(newest.read_bytes()[:-5])
    run = TerritoryRun.resume(tmp_path / "run")
    assert run.learner.done == 2
    go(run)
    assert kept(tmp_path / "run") == kept(whole)


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(whole: Path) -> None:
    before = kept(whole)
    run = TerritoryRun.resume(whole)
    assert run.is_finished
    go(run)
    assert kept(whole) == before


def measurement(steps: int, cells: float | None) -> TerritoryMeasurement:
    return TerritoryMeasurement(steps, 0.5, 0.0, cells, cells)


def run_measured(
    path: Path, cells: list[float | None], monkeypatch: pytest.MonkeyPatch, patience: int
) -> TerritoryRun:
    """A run whose measurements are given."""
    plan = msgspec.structs.replace(PLAN, patience=patience, measure_every=1)
    run = begin(path, plan, msgspec.structs.replace(SMALL, steps=len(cells)))
    given = iter(cells)
    monkeypatch.setattr(run.learner, "measure", lambda: measurement(run.learner.done, next(given)))
    return run


def test_patience_ends_a_run_that_gets_no_better_and_keeps_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: list[float | None] = [0.7, 0.5, 0.6, 0.55, 0.5, 0.4, 0.3]
    run = run_measured(tmp_path / "run", cells, monkeypatch, patience=3)
    weights = {}
    for progress in run.run():
        weights[progress.done] = run.learner.model().arrays
    assert list(weights) == [1, 2, 3, 4, 5]
    assert checkpoints(tmp_path / "run") == [2, 4, 5]
    run.finish()
    run.close()
    model = Territory.load(tmp_path / "run" / "model")
    assert model.training["last"]["steps"] == 2
    assert all(np.array_equal(model.arrays[name], weights[2][name]) for name in model.arrays)
    again = TerritoryRun.resume(tmp_path / "run")
    assert again.is_finished
    again.finish()
    again.close()
    assert Territory.load(tmp_path / "run" / "model").training["last"]["steps"] == 2


@pytest.mark.parametrize(
    ("cells", "patience"),
    [
        ([0.7, 0.8, 0.6, 0.7], 2),
        ([0.7, 0.8, 0.8, 0.8], 0),
        ([None, None, None, None], 1),
    ],
)
def test_other_runs_go_on_to_the_end(
    cells: list[float | None], patience: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_measured(tmp_path / "run", cells, monkeypatch, patience)
    assert len(list(run.run(lambda: False))) == 4
    run.finish()
    run.close()
    last = Territory.load(tmp_path / "run" / "model").training["last"]
    assert last["steps"] == (3 if patience == 2 else 4)
    TerritoryRun.resume(tmp_path / "run").close()


def test_a_lost_best_checkpoint_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_measured(tmp_path / "run", [0.5, 0.6, 0.6, 0.6], monkeypatch, patience=3)
    list(run.run(lambda: False))
    (tmp_path / "run" / "checkpoints" / "000000000001.safetensors").unlink()
    with pytest.raises(KatachiError, match="has lost the best checkpoint, the one of 1"):
        run.finish()
    run.close()


def test_the_best_measurement_counts_each_loss_by_its_weight(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(ALL, cell_weight=2.0, choice_weight=0.5)
    run = begin(tmp_path / "run", settings=settings)
    seen = TerritoryMeasurement(6, 0.7, 1.9, 0.5, 0.9, 1.8, 0.4, 0.6)
    assert run.loss(seen) == pytest.approx(2.0 * 0.5 + 0.5 * 1.8 + 0.5 * 0.6)
    bare = msgspec.structs.replace(seen, val_ownership_loss=None, val_value_loss=None)
    assert run.loss(bare) == pytest.approx(0.5 * 1.8)
    assert run.loss(msgspec.structs.replace(bare, val_policy_loss=None)) is None
    run.close()


def write_games(folder: Path, text: str) -> TerritoryPlan:
    file = folder / "games.sgf"
    file.write_text(text)
    return TerritoryPlan(games=(str(file),), validation=0.001)


MARKED = "(;SZ[5]KM[0.5]RE[B+24.5];B[cc];W[];B[];TB[aa][bb])"
UNSETTLED = "(;SZ[5]KM[0.5]RE[B+R];B[cc];W[dd])"
EMPTY = "(;SZ[5];TB[aa])"


def test_games_without_owners_are_left_out_and_counted(tmp_path: Path) -> None:
    games = open_plan(write_games(tmp_path, MARKED + UNSETTLED + EMPTY + "(;SZ[5];B[zz])"))
    assert (len(games.train), games.dropped, games.rejected) == (1, 1, 1)


def test_only_the_sizes_asked_for_are_learned_from(tmp_path: Path) -> None:
    plan = write_games(tmp_path, MARKED + MARKED.replace("SZ[5]", "SZ[7]"))
    assert len(open_plan(plan).train) == 2
    of_size = msgspec.structs.replace(plan, sizes=(7,))
    assert open_plan(of_size).train.info["size"].tolist() == [7]
    with pytest.raises(KatachiError, match="none of the games is of size 9, 13"):
        open_plan(msgspec.structs.replace(plan, sizes=(9, 13)))


@pytest.mark.parametrize(
    ("text", "words"),
    [(UNSETTLED, "ownership is left to learn from: 1 have none"), (EMPTY, "left to learn from")],
)
def test_without_a_game_to_learn_from_there_is_one_clear_line(
    text: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(KatachiError, match=words):
        open_plan(write_games(tmp_path, text))


def test_the_same_games_are_measured_on_whatever_the_limit() -> None:
    few, all_games = open_plan(PLAN), open_plan(TerritoryPlan(games=PLAN.games))
    assert len(few.train) == 20
    assert np.array_equal(few.validation.rows, all_games.validation.rows)
    assert set(few.train.rows) <= set(all_games.train.rows)
    assert not set(all_games.train.rows) & set(few.validation.rows)


def test_a_folder_in_use_is_one_clear_line(tmp_path: Path, whole: Path) -> None:
    with pytest.raises(KatachiError, match="holds a run: --resume"):
        begin(whole)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(KatachiError, match=r"holds other files, such as notes\.txt"):
        begin(tmp_path)
    run = begin(tmp_path / "run")
    with pytest.raises(KatachiError, match="is in use by another process"):
        TerritoryRun.resume(tmp_path / "run")
    run.close()
    TerritoryRun.resume(tmp_path / "run").close()


def test_runs_of_another_kind_are_one_clear_line(tmp_path: Path, whole: Path) -> None:
    config = ShapeConfig(TrainingSettings(sets="1x1:LI"), Plan(games=1))
    ShapeRun.begin(tmp_path / "shape", config).close()
    with pytest.raises(KatachiError, match="kind 'training of local shape' format"):
        TerritoryRun.resume(tmp_path / "shape")
    with pytest.raises(KatachiError, match="is of kind 'training of territory' format 1; here"):
        read_config(whole)
    with pytest.raises(KatachiError, match="holds no training run"):
        TerritoryRun.resume(tmp_path / "nothing")


def test_a_checkpoint_of_other_settings_is_one_clear_line(tmp_path: Path) -> None:
    go(begin(tmp_path / "run"), until=2)
    file = tmp_path / "run" / "config.json"
    config = json.loads(file.read_text())
    config["settings"]["inputs"]["inputs"] = ["stones"]
    file.write_text(json.dumps(config))
    with pytest.raises(KatachiError, match=r"is a checkpoint of another run, or the config was"):
        TerritoryRun.resume(tmp_path / "run")
    newest = tmp_path / "run" / "checkpoints" / "000000000002.safetensors"
    tensors = load(newest.read_bytes())
    tensors.pop("run")  # as an earlier katachi wrote it
    newest.write_bytes(save(tensors))
    with pytest.raises(KatachiError, match=r"run: the checkpoint is of another net: "):
        TerritoryRun.resume(tmp_path / "run")
    config["settings"]["hidden"] = 0
    file.write_text(json.dumps(config))
    with pytest.raises(KatachiError, match=r"config\.json cannot be read"):
        TerritoryRun.resume(tmp_path / "run")


def test_damaged_metrics_are_one_clear_line(tmp_path: Path) -> None:
    go(begin(tmp_path / "run"), until=2)
    (tmp_path / "run" / "metrics.jsonl").write_text("{\n")
    with pytest.raises(KatachiError, match=r"metrics\.jsonl is damaged"):
        TerritoryRun.resume(tmp_path / "run")


def test_what_cannot_be_learned_is_refused_before_games_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(territory_run, "open_plan", lambda _: pytest.fail("games were read"))
    with pytest.raises(KatachiError, match="no device 'tpu'"):
        TerritoryRun.begin(tmp_path / "run", TerritoryConfig(SMALL, PLAN), Place("tpu"))
    assert not (tmp_path / "run").exists()


def card_of(**changes: object) -> str:
    settings = msgspec.structs.replace(SMALL, **changes)
    config = TerritoryConfig(settings, PLAN, "katachi train territory --out run")
    last = TerritoryMeasurement(6, 0.7, 1.9, 0.71, 0.5, 1.8, 0.4)
    return territory_card(config, 1234, {"train": 20, "validation": 5}, last)


def test_the_card_of_a_net_of_moves_alone_claims_no_owners() -> None:
    card = card_of(predicts_moves=True, others=0, cell_weight=0.0)
    assert card.startswith("# Moves\n\nWhere each side moves next, and nothing of who will own")
    assert "a point" not in card
    assert (
        "- on positions drawn from 5 other games: 1.800 nats a move, 40.0% of moves predicted\n"
        in card
    )
    assert "- made by: `katachi train territory --out run`\n" in card


def test_the_card_of_a_convolution_tells_what_it_is() -> None:
    card = card_of(predicts_moves=True, others=0, net=NetKind.CONVOLUTION, layers=2)
    assert card.startswith("# Territory\n\nWho will own each point, and where each side moves next")
    assert "a plain convolutional net" in card
    assert "- weights: 1,234 (4 planes, layers: 2)\n" in card
    assert "0.710 nats a point, 50.0% of points given to the right owner; 1.800" in card


def test_the_card_of_sweeps_tells_of_choices_where_they_were_learned_from() -> None:
    assert "learned from owners and from the choice of moves, by a recursive net" in card_of()
    assert "Who will own each point, by a recursive net" in card_of(others=0)
    assert "(4 hidden units, 3 states, layers: 1)" in card_of()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"predicts_moves": True, "others": 0, "choice_weight": 0.0}, "choice weight above 0"),
        ({"predicts_moves": True}, "give it no others"),
        ({"cell_weight": 0.0}, "cell weight above 0"),
        (
            {"owner_share": 0.5},
            "^a share of games with known owners is for a net that learns moves",
        ),
        ({**MOVES_ALONE, "owner_share": 0.5}, "^a share of games with known owners is for"),
        ({"result_weight": 1.0}, "^results are learned by a net that learns moves and owners: "),
        ({**MOVES_ALONE, "result_weight": 1.0}, "^results are learned by a net that learns moves"),
        ({"net": NetKind.CONVOLUTION}, "a convolution has no states"),
        ({"net": NetKind.CONVOLUTION, "states": 8, "is_tied": True}, "cannot be tied"),
    ],
)
def test_settings_that_do_not_go_together_are_one_clear_line(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(KatachiError, match=words):
        begin(tmp_path / "run", settings=msgspec.structs.replace(SMALL, **changes))
    assert not (tmp_path / "run").exists()


def test_moves_alone_are_learned_from_games_without_owners(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(SMALL, predicts_moves=True, others=0, cell_weight=0.0)
    plan = write_games(tmp_path, UNSETTLED)
    assert len(open_games_of(TerritoryConfig(settings, plan)).train) == 1
    with pytest.raises(KatachiError, match="no game with a move is left to learn from"):
        open_games_of(TerritoryConfig(settings, write_games(tmp_path, EMPTY)))


def test_with_an_owner_share_games_without_owners_are_learned_from_too(tmp_path: Path) -> None:
    games = open_games_of(TerritoryConfig(ALL, write_games(tmp_path, MARKED + UNSETTLED)))
    has_owners = games.train.columns.owners.lengths[games.train.rows] > 0
    assert sorted(has_owners.tolist()) == [False, True]


def test_results_of_games_none_of_which_says_its_result_are_one_clear_line(tmp_path: Path) -> None:
    unknown = MARKED.replace("RE[", "XX[")
    with pytest.raises(KatachiError, match=r"^no game that play decided, with a komi, is left to"):
        open_games_of(TerritoryConfig(ALL, write_games(tmp_path, unknown)))


def test_a_run_that_is_closed_early_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    run = begin(tmp_path / "run")
    run.learner.learn(1)
    assert set(threading.enumerate()) - before
    run.close()
    assert not set(threading.enumerate()) - before


def test_a_run_whose_threads_do_not_end_lets_another_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    run = begin(tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(run.learner, "close", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run.close()
    TerritoryRun.resume(tmp_path / "run").close()


def test_an_owner_share_of_games_none_of_which_has_owners_is_one_clear_line(
    tmp_path: Path,
) -> None:
    with pytest.raises(KatachiError, match=r"^no game with a marked final ownership is left"):
        open_games_of(TerritoryConfig(ALL, write_games(tmp_path, UNSETTLED)))
