"""Players and evaluators of other people: they play everywhere, and their failures name them."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.match import MatchSettings, describe_playing
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings
from katachi.arena.workers import GameTask, play_tasks
from katachi.errors import KatachiError
from katachi.files import plugin_names, plugin_waiting
from katachi.files.plugins import Plugin
from katachi.interfaces.gtp import EngineOptions
from katachi.interfaces.web.offers import library_name
from katachi.interfaces.web.operations import RequestError
from katachi.learning.opponents import Opponent
from katachi.players.names import check_player_name
from katachi.players.plugins import PluginEvaluator
from katachi.players.protocol import FailureKind
from katachi.players.roster import files_of, make_evaluator, make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from tests.interfaces.gtp.conversation import talk

TEXT = '''
import time
import numpy as np
import katachi
from katachi.evaluators.protocol import Abilities


class Stones:
    """An evaluator: the share of stones that are Black's."""

    def evaluate(self, states):
        colors = np.array([katachi.Board(words).colors for words in states.words])
        black, white = (colors == 1).sum(axis=1), (colors == 2).sum(axis=1)
        return (1 + black) / (2 + black + white)


class First:
    """A player: the first legal point."""

    def __init__(self, seed):
        self.seed = seed

    def choose(self, game, color, seconds=None):
        point = [*game.legal_moves(color).tolist(), katachi.PASS][0]
        game.play(color, point)
        return point


class Says:
    answer = None

    def choose(self, game, color, seconds=None):
        return self.answer


class Raises:
    def choose(self, game, color, seconds=None):
        raise ValueError("no idea,\\nreally")

    def evaluate(self, states):
        return {}["key"]


class Judges:
    answer = None

    def evaluate(self, states):
        return self.answer


class Likes:
    """An evaluator that says where the next move will be."""

    width = 25

    @property
    def abilities(self):
        return Abilities(True, self.moves)

    def moves(self, states, colors):
        scores = np.zeros((len(states.words), self.width))
        scores[:, 12] = 5.0
        return scores

    def evaluate(self, states):
        return np.full(len(states.words), 0.5)


class Fails:
    def evaluate(self, states):
        return {}["key"]


class Sleeps:
    def choose(self, game, color, seconds=None):
        while True:
            time.sleep(0.01)

    def evaluate(self, states):
        time.sleep(3600)


def broken():
    return 1 / 0


def leaves():
    raise SystemExit(3)


def number():
    return 5


five = 5
judge = Stones()
'''
LINES = {line: number for number, line in enumerate(TEXT.splitlines(), 1)}
RAISING = LINES['        raise ValueError("no idea,\\nreally")']


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "bot.py"
    path.write_text(TEXT)
    return str(path)


def complaint(name: str) -> str:
    """The one line of a player that cannot be made."""
    with pytest.raises(KatachiError) as caught:
        make_player(name)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", ["{}:Stones", "{}:judge", "{}:First"])
def test_they_play_games_also_in_other_processes(file: str, name: str) -> None:
    spec = f"python:{name.format(file)}"
    tasks = [GameTask(n, spec, "random", GameSettings(5, opening_moves=0)) for n in range(2)]
    alone = [each.outcome for each in play_tasks(tasks, 1)]
    assert all(outcome.ending is Ending.SCORE for outcome in alone), [o.reason for o in alone]
    if name == "{}:First":
        found = sorted(play_tasks(tasks, 2), key=lambda finished: finished.task.number)
        both = [each.outcome.record.moves.tolist() for each in found]
        assert both == [outcome.record.moves.tolist() for outcome in alone]


def test_a_module_of_the_present_folder_is_found(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(file).parent / "my_katachi_bot.py").write_text(TEXT)
    monkeypatch.chdir(Path(file).parent)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    assert make_player("python:my_katachi_bot:First", 3).choose(Game(5), BLACK).point


@pytest.mark.parametrize("form", ["gibbs:0.5:", "search:1:", "tree:5:", "phases:3:random,"])
def test_their_opinion_stands_inside_other_players(file: str, form: str) -> None:
    player = make_player(f"{form}python:{file}:Stones", 1)
    assert player.choose(Game(4), BLACK).point
    player.close()


def test_their_evaluators_judge_and_are_shared(file: str) -> None:
    evaluator = make_evaluator(f"python:{file}:Stones")
    assert evaluator.evaluate(Game(5).states).value.tolist() == [0.5]
    assert make_evaluator(f"python:{file}:Stones") is evaluator
    with pytest.raises(KatachiError, match="is a player, and judges no positions"):
        make_evaluator(f"python:{file}:First")


def test_other_code_is_another_player(file: str) -> None:
    assert [str(path) for path in files_of(f"python:{file}:First")] == [file]
    playing = describe_playing(MatchSettings(f"python:{file}:First", "alp", 2, GameSettings(5)))
    assert "weights" in playing["first"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module_here:Bot", "there is no module 'no_such_module_here': install it, or"),
        ("no/such/bot.py:Bot", "there is no file "),
        ("{}:Nobody", "there is no 'Nobody' in {}"),
        ("{}:broken", "failed: ZeroDivisionError: division by zero ({}, line "),
        ("{}:leaves", "failed: SystemExit: 3 ({}, line "),
        ("{}:number", "it must make a player (with choose) or an evaluator (with evaluate), not 5"),
        ("{}:five", "this must be a player or an evaluator, not 5"),
    ],
)
def test_what_cannot_be_made_is_one_line(file: str, name: str, said: str) -> None:
    assert said.format(file) in complaint(f"python:{name.format(file)}")


@pytest.mark.parametrize("text", ["import nothing_like_this", "x = = 1", "1 / 0"])
def test_what_cannot_be_loaded_names_its_file_and_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(f"'''A text.'''\n\n{text}\n")
    assert f"({path}, line 3)" in complaint(f"python:{path}:Bot")


@pytest.mark.parametrize("name", ["python", "python:", "python:os", "python:a b:C", "python:os:"])
def test_other_forms_say_what_would_be_right(name: str) -> None:
    with pytest.raises(KatachiError, match="MODULE:NAME must be a module, or a file"):
        check_player_name(name)


def test_a_player_that_raises_has_failed(file: str) -> None:
    choice = make_player(f"python:{file}:Raises").choose(Game(5), BLACK)
    assert choice.failure is not None
    assert choice.failure.kind is FailureKind.CRASH
    place = f"({file}, line {RAISING})"
    expected = f"python:{file}:Raises failed: ValueError: no idea, really {place}"
    assert str(choice.failure) == expected
    task = GameTask(0, f"python:{file}:Raises", "random", GameSettings(5, opening_moves=0))
    outcome = next(play_tasks([task], 1)).outcome
    assert outcome.ending is Ending.CRASH


@pytest.mark.parametrize(
    ("answer", "point"),
    [("D4", "D4"), ("pass", "pass"), (0, "pass"), ("resign", None), (None, None)],
)
def test_answers_may_be_texts_or_points(file: str, answer: Any, point: str | None) -> None:
    player = make_player(f"python:{file}:Says")
    player._inner.answer = answer  # type: ignore[attr-defined]
    choice = player.choose(Game(5), BLACK)
    assert choice.failure is None
    assert choice.point == (None if point is None else point_from_vertex(point, 5))


@pytest.mark.parametrize("answer", ["Z99", 1.5, True, -4, {}, [1], b"D4"])
def test_nonsense_has_failed_and_names_the_place(file: str, answer: Any) -> None:
    player = make_player(f"python:{file}:Says")
    player._inner.answer = answer  # type: ignore[attr-defined]
    failure = player.choose(Game(5), BLACK).failure
    assert failure is not None
    assert failure.kind is FailureKind.GARBAGE
    assert f"not {answer!r} ({file}, line " in str(failure)


@pytest.mark.parametrize("answer", ["A1", 1, 5000])
def test_an_illegal_move_has_failed_and_names_the_place(file: str, answer: Any) -> None:
    player = make_player(f"python:{file}:Says")
    player._inner.answer = answer  # type: ignore[attr-defined]
    game = Game(5)
    game.play(BLACK, point_from_vertex("A1", 5))
    failure = player.choose(game, BLACK).failure
    assert failure is not None
    assert failure.kind is FailureKind.ILLEGAL
    assert f"must give a legal move, not {answer!r} ({file}, line " in str(failure)


SLEEPING = LINES["            time.sleep(0.01)"]


def test_a_player_that_hangs_is_left_behind(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_waiting.PatientCalls.__init__, "__defaults__", (1.0,))
    name = f"python:{file}:Sleeps"
    player = make_player(name)
    failure = player.choose(Game(5), BLACK, 0.1).failure
    assert failure is not None
    assert failure.kind is FailureKind.HANG
    lines = (SLEEPING - 1, SLEEPING)  # of the loop, wherever it is
    texts = [f"{name} gave no answer in 1.1 s ({file}, line {line})" for line in lines]
    assert any(text in str(failure) for text in texts)
    player.calls.patience = 3600.0  # type: ignore[attr-defined]
    assert str(player.choose(Game(5), BLACK).failure) == str(failure)  # it is not asked again
    task = GameTask(0, name, "random", GameSettings(5, opening_moves=0))
    assert next(play_tasks([task], 1)).outcome.ending is Ending.HANG
    said = talk("genmove b\nquit\n", EngineOptions(player=name, size=5, seconds=0.1))
    assert f"gave no answer in 1.1 s ({file}, line " in said.replies[0].text


def test_an_evaluator_that_hangs_is_left_behind(file: str) -> None:
    evaluator = PluginEvaluator(Plugin(f"{file}:Sleeps"), Plugin(f"{file}:Sleeps").thing())
    evaluator.calls.patience = 1.0
    line = LINES["        time.sleep(3600)"]
    with pytest.raises(KatachiError, match="gave no answer in") as caught:
        evaluator.evaluate(Game(5).states)
    assert f"({file}, line {line})" in str(caught.value)


@pytest.mark.parametrize("form", ["gibbs:0.5:", "search:1:", "tree:5:"])
def test_what_raises_inside_another_player_loses_its_game(file: str, form: str) -> None:
    task = GameTask(0, f"{form}python:{file}:Fails", "random", GameSettings(5, opening_moves=0))
    outcome = next(play_tasks([task], 1)).outcome
    assert outcome.ending is Ending.CRASH
    assert f"KeyError: 'key' ({file}, line " in outcome.reason


@pytest.mark.parametrize("answer", [None, "much", [0.5, 0.5], [2.0], [float("nan")], 0.5])
def test_nonsense_of_an_evaluator_is_one_line(file: str, answer: Any) -> None:
    evaluator = make_evaluator(f"python:{file}:Judges")
    evaluator._inner.answer = answer  # type: ignore[attr-defined]
    with pytest.raises(
        KatachiError, match=r"evaluate must give 1 chances from 0 to 1, not .* \(.*, line "
    ):
        evaluator.evaluate(Game(5).states)
    evaluator._inner.answer = [0.25]  # type: ignore[attr-defined]
    assert evaluator.evaluate(Game(5).states).value.tolist() == [0.25]


def test_an_evaluator_may_say_where_the_next_move_will_be(file: str) -> None:
    for form in ("", "gibbs:0.1:", "tree:100:"):
        player = make_player(f"{form}python:{file}:Likes")
        assert player.choose(Game(5), BLACK).point == point_from_vertex("C3", 5)
    evaluator = make_evaluator(f"python:{file}:Likes")
    evaluator._inner.width = 24  # type: ignore[attr-defined]
    choice = make_player(f"python:{file}:Likes").choose(Game(5), BLACK)
    assert "moves must give 1 x 25 logits, not array" in str(choice.failure)


@pytest.fixture
def installed(file: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that names a player `firstbot`."""
    module = Path(file).with_name("installed_katachi_bot.py")
    module.write_text(TEXT)
    monkeypatch.syspath_prepend(str(module.parent))
    entry = EntryPoint("firstbot", "installed_katachi_bot:First", "katachi.players")

    def found(**wanted: Any) -> EntryPoints:
        return EntryPoints([entry]).select(**wanted)

    monkeypatch.setattr(plugin_names, "entry_points", found)
    plugin_names.installed_plugin.cache_clear()
    plugin_names.installed_names.cache_clear()
    yield
    plugin_names.installed_plugin.cache_clear()
    plugin_names.installed_names.cache_clear()


@pytest.mark.usefixtures("installed")
def test_installed_packages_name_their_players() -> None:
    player = make_player("firstbot", 1)
    assert player.name == "firstbot"
    assert player.choose(Game(5), BLACK).point not in (None, PASS)
    with pytest.raises(KatachiError, match="did you mean firstbot"):
        check_player_name("firstbott")


def test_neither_files_nor_the_page_run_code(file: str, tmp_path: Path) -> None:
    for name in (f"python:{file}:First", f"search:1:python:{file}:Stones"):
        with pytest.raises(KatachiError, match="learn against a model or a program"):
            Opponent.find(name)
    for name in ("python:alp:shape", "search:1:python:alp:shape"):
        with pytest.raises(RequestError, match="the page runs no code of others"):
            library_name(name, tmp_path, "player")
