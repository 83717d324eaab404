"""Features of other people: they learn, are kept and play; and no file runs code by itself."""

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi.arena.settings import GameSettings
from katachi.arena.workers import GameTask, play_tasks
from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear, find_map
from katachi.features.plugin_features import PluginFeatures, boards_seen
from katachi.files import plugin_names, plugins
from katachi.interfaces.views.player_lines import player_name
from katachi.learning.linear_training import (
    GameSource,
    LinearConfig,
    LinearPlan,
    LinearRun,
    LinearSettings,
    allow_features,
)
from katachi.players.names import check_no_plugin
from katachi.players.roster import files_of, make_evaluator, make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex

TEXT = """
import numpy as np


def stones(boards):
    return np.stack([boards.sum(axis=(1, 2)), (boards[:, :1] > 0).sum(axis=(1, 2))], axis=1)


class Made:
    def __call__(self, boards):
        return stones(boards)


def raises(boards):
    return 1 / 0


def says(boards):
    return answer(boards)


five = 5
"""
LINES = {line: number for number, line in enumerate(TEXT.splitlines(), 1)}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "own.py"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture(autouse=True)
def _nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_allowed", set())


def config(name: str, games: int = 4) -> LinearConfig:
    settings = LinearSettings(
        features=(name, "templates:2x2"), size=4, source=GameSource.SELF, games=games, alpha=0.1
    )
    return LinearConfig(settings, LinearPlan(measure_every=2))


def learned(name: str, folder: Path) -> Linear:
    run = LinearRun.begin(folder, config(name))
    for _ in run.run():
        pass
    run.finish()
    run.close()
    return run.learner.model()


def test_boards_are_seen_by_whoever_has_just_moved() -> None:
    game = Game(3)
    game.play(BLACK, point_from_vertex("A3", 3))
    game.play(WHITE, point_from_vertex("C3", 3))
    own = boards_seen(game.states, np.array([WHITE], np.uint8))
    assert own.tolist() == [[[-1, 0, 1], [0, 0, 0], [0, 0, 0]]]
    assert (boards_seen(game.states) == -own).all()


@pytest.mark.parametrize("name", ["stones", "Made"])
def test_a_function_or_a_class_are_features(file: str, name: str) -> None:
    features = PluginFeatures("mine", f"{file}:{name}")
    game = Game(4)
    game.play(BLACK, point_from_vertex("A4", 4))
    assert features.count(4) == 2
    assert features.transform(game.states).tolist() == [[1.0, 1.0]]


def test_they_learn_are_kept_and_play_also_in_other_processes(file: str, tmp_path: Path) -> None:
    name = f"python:{file}:stones"
    model = learned(name, tmp_path / "run")
    assert model.parts[0].theta.any()
    spec = f"{tmp_path / 'run'}+{name}"
    assert player_name(tmp_path / "run") == spec
    again = make_evaluator(spec)
    states = Game(4).states
    assert again.evaluate(states).value == pytest.approx(model.evaluate(states).value)
    assert file in [str(each) for each in files_of(spec)]
    task = GameTask(0, f"linear:{spec}", "random", GameSettings(4, opening_moves=0))
    assert [each.outcome.reason for each in play_tasks([task, task], 2)] == ["", ""]


def test_a_model_runs_no_code_that_nobody_has_named(file: str, tmp_path: Path) -> None:
    name = f"python:{file}:stones"
    learned(name, tmp_path / "run")
    plugins._allowed.clear()
    for load in (make_player, lambda each: LinearRun.resume(Path(each))):
        with pytest.raises(KatachiError, match="which is code that no file may run: name it"):
            load(str(tmp_path / "run"))
    with pytest.raises(KatachiError, match="is a plug-in: no code here"):
        check_no_plugin(f"linear:{tmp_path / 'run'}+{name}", "no code here")


def test_a_run_goes_on_where_the_code_is_named_and_the_same(file: str, tmp_path: Path) -> None:
    name, path = f"python:{file}:stones", tmp_path / "run"
    run = LinearRun.begin(path, config(name))
    run.close()
    plugins._allowed.clear()
    allow_features([name])
    LinearRun.resume(path).close()
    Path(file).write_text(TEXT + "\n# other code\n")
    with pytest.raises(KatachiError, match="features 1 changed since the run was begun"):
        LinearRun.resume(path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("python:{}:raises", "failed: ZeroDivisionError: division by zero ({}, line "),
        ("python:{}:five", "this must be a function of boards, not 5"),
        ("python:{}:nobody", "there is no 'nobody' in {}"),
        ("python:os", "no features 'python:os': use python:MODULE:NAME"),
        ("other", "no features 'other': choose templates:2x2"),
    ],
)
def test_what_cannot_be_used_is_one_line(file: str, name: str, said: str) -> None:
    name = name.format(file)
    allow_features([name])
    with pytest.raises(KatachiError) as caught:
        find_map(name).count(4)
    assert said.format(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", [None, [[float("nan")]], [1.0], [[]], "much", [[1.0], [2.0]]])
def test_nonsense_names_the_place(file: str, answer: Any) -> None:
    features = PluginFeatures("mine", f"{file}:says")
    features.plugin.module.answer = lambda _: answer
    line = LINES["def says(boards):"]
    with pytest.raises(KatachiError, match=r"it must give 1 rows of .* finite numbers") as caught:
        features.count(4)
    assert f"({file}, line {line})" in str(caught.value)


def test_as_many_features_as_on_the_empty_board(file: str) -> None:
    features = PluginFeatures("mine", f"{file}:says")
    features.plugin.module.answer = lambda boards: [[1.0] * (2 + int(boards.any()))]
    assert features.count(4) == 2
    game = Game(4)
    game.play(BLACK, point_from_vertex("A4", 4))
    with pytest.raises(KatachiError, match="it must give 1 rows of 2 finite numbers"):
        features.transform(game.states)


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that names features `owncounts`."""
    (tmp_path / "installed_katachi_features.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = EntryPoint("owncounts", "installed_katachi_features:stones", "katachi.features")

    def found(**wanted: Any) -> EntryPoints:
        return EntryPoints([entry]).select(**wanted)

    monkeypatch.setattr(plugin_names, "entry_points", found)
    plugin_names.installed_plugin.cache_clear()
    yield
    plugin_names.installed_plugin.cache_clear()


@pytest.mark.usefixtures("_installed")
def test_installed_features_have_a_name_and_need_no_other(tmp_path: Path) -> None:
    learned("owncounts", tmp_path / "run")
    plugins._allowed.clear()
    saved = json.loads((tmp_path / "run" / "model" / "config.json").read_bytes())
    assert saved["features"][0] == "owncounts"
    assert make_player(str(tmp_path / "run")).choose(Game(4), BLACK).point
    assert plugin_names.installed_plugin("owncounts") is None  # it is no player
