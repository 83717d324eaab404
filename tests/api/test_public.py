"""What is public stays as it is: names, signatures, and the examples of the docstrings."""

import doctest
import inspect
from pathlib import Path

import numpy as np
import pytest

import katachi
import katachi.envs
from katachi import GameSettings, KatachiError
from katachi.envs.one_agent import GoEnv
from katachi.evaluators.chances import judged
from katachi.evaluators.protocol import Evaluation
from katachi.rules.state import BoardState, colors_of

CLASSES = {
    *("Board", "BoardState", "Choice", "Evaluation", "Evaluator", "Game", "GameRecord", "GameSet"),
    *("GameSettings", "IllegalMove", "KatachiError", "KoRule", "Move", "Player", "Rules"),
}
CONSTANTS = {"BLACK", "EMPTY", "PASS", "WHITE", "__version__"}
FUNCTIONS = {
    "analyse": "evaluator, game, color, points",
    "colors_of": "words",
    "load_evaluator": "name",
    "load_player": "player, seed, device",
    "make_player": "name, seed, limits",
    "match": "first, second, games, settings, seed, workers",
    "observation_planes": "game, color",
    "open_games": "places, on_error, cache_folder, use_cache",
    "playouts": "game, count, seed, device",
    "point_from_vertex": "vertex, size",
    "read_games": "source, on_error",
    "review": "evaluator, game",
    "train": "folder, size, games, sets, seed, preset",
    "vertex_from_point": "point, size",
    "write_game": "record, win_rates",
}
METHODS = {
    "__init__": "size, komi, rules",
    "area_score": "",
    "clear": "",
    "copy": "",
    "from_record": "record, moves, rules",
    "from_sgf": "source, moves, rules",
    "is_legal": "color, point",
    "judge": "color, point",
    "legal_moves": "color",
    "place_setup": "black, white",
    "play": "color, point",
    "to_sgf": "",
    "undo": "",
}
ENVIRONMENTS = {
    "aec": "size, komi, render_mode, rules, limit",
    "vector": "size, count, komi, rules, limit",
}


class Stones:
    """Likes stones of the own colour."""

    name = "stones"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words)
        return judged(((colors == 1).sum(axis=1) - (colors == 2).sum(axis=1)) / 10.0)


def arguments(function: object) -> str:
    """The names of a function's arguments."""
    assert callable(function)
    return ", ".join(name for name in inspect.signature(function).parameters if name != "self")


def test_public_names_stay() -> None:
    assert set(katachi.__all__) == CLASSES | CONSTANTS | set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_keep_their_arguments_and_are_typed(name: str) -> None:
    function = getattr(katachi, name)
    assert arguments(function) == FUNCTIONS[name]
    annotated = inspect.get_annotations(function)
    assert set(annotated) == {*inspect.signature(function).parameters, "return"}


def test_games_keep_their_methods() -> None:
    found = {name: arguments(getattr(katachi.Game, name)) for name in METHODS}
    assert found == METHODS


def test_environments_keep_their_arguments() -> None:
    found = {name: arguments(getattr(katachi.envs, name)) for name in ENVIRONMENTS}
    assert found == ENVIRONMENTS
    assert arguments(GoEnv) == "size, opponent, color, komi, limit, render_mode"


EXAMPLES = (
    *("Game", "analyse", "load_evaluator", "load_player", "match", "observation_planes"),
    *("playouts", "review", "train"),
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_docstrings_are_true(name: str, tmp_path: Path) -> None:
    thing = getattr(katachi, name)
    known = {"katachi": katachi, "folder": tmp_path}
    tests = doctest.DocTestFinder(exclude_empty=True).find(thing, name, globs=known)
    assert sum(len(test.examples) for test in tests) > 0
    runner = doctest.DocTestRunner(verbose=False)
    assert all(runner.run(test).failed == 0 for test in tests)


@pytest.mark.parametrize("thing", [katachi.envs.vector, katachi.envs.aec, GoEnv])
def test_examples_of_environments_are_true(thing: object) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(thing, "envs", globs={"katachi": katachi}):
        assert runner.run(test).failed == 0


def test_own_evaluators_play_analyse_and_review() -> None:
    settings = GameSettings(5, opening_moves=2)
    result = katachi.match(katachi.load_player(Stones()), "random", 4, settings)
    assert len(result.games) == 4
    assert result.tally.games + result.tally.stopped == 4
    game = katachi.Game.from_sgf("(;SZ[5];B[cc];W[])")
    assert len(katachi.review(Stones(), game).moves) == 2
    assert katachi.analyse(Stones(), game).candidates


@pytest.mark.slow
def test_a_match_of_names_is_the_same_on_two_processes() -> None:
    settings = GameSettings(5)
    alone = katachi.match("alp", "random", 4, settings, seed=3)
    both = katachi.match("alp", "random", 4, settings, seed=3, workers=2)
    assert [g.record.moves.tolist() for g in alone.games] == [
        g.record.moves.tolist() for g in both.games
    ]


def test_playouts_leave_the_game_alone_and_follow_the_seed() -> None:
    game = katachi.Game(5, komi=0.5)
    game.play("C3")
    before = game.words.copy()
    first, second = katachi.playouts(game, 300, seed=4), katachi.playouts(game, 300, seed=4)
    assert first == second
    assert first.win_rate > 0.6
    assert np.array_equal(before, game.words)


def test_wrong_calls_are_one_line(tmp_path: Path) -> None:
    game = katachi.Game(5)
    with pytest.raises(KatachiError, match="0 playouts"):
        katachi.playouts(game, 0)
    with pytest.raises(KatachiError, match="no player"):
        katachi.load_player("nobody")
    with pytest.raises(KatachiError, match="no opinion"):
        katachi.load_evaluator("playouts")
    with pytest.raises(KatachiError, match="does not say"):
        katachi.analyse("playouts:5", game)
    with pytest.raises(KatachiError, match="1 process"):
        katachi.match(katachi.load_player(Stones()), "alp", 2, workers=2)
    with pytest.raises(KatachiError, match="0 games"):
        katachi.match("alp", "alp", 0)
    with pytest.raises(KatachiError, match="no preset"):
        katachi.train(tmp_path / "run", preset="none")
