"""Every player, search and learner on positions that stretch their memory.

`make test-bounds-long` runs these with bounds checks compiled in: an index outside an array is an
IndexError there, and nothing else in this file need be looked at.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.simple import AverageLiberties
from katachi.features.board_channels import GROUPS, channels_of
from katachi.features.large_propensity import empty_table
from katachi.features.opening_inputs import RICH, OpeningInputs
from katachi.features.propensity import blank_table
from katachi.features.shape_sets import parse_sets
from katachi.features.templates import template_map
from katachi.features.territory_inputs import INPUTS, InputSettings, plan_inputs, planes_of
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.learning.shape_training import Loss, ShapeTrainer, SourceKind, TrainingSettings
from katachi.players.kinds import PLAYER_NAMES, split_name
from katachi.players.protocol import Choice
from katachi.players.roster import make_player
from katachi.records.conversion import record_from_game
from katachi.records.dataset import set_of_records
from katachi.records.record import GameTexts
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.limits import LONGEST_GAME, MAX_SIZE, MIN_SIZE
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.scoring import final_status
from katachi.rules.state import recent_moves
from katachi.search.alphabeta import AlphaBeta, SearchSettings
from katachi.search.analysis import analyse
from katachi.search.shape_search import ShapeSearcher
from katachi.search.td_search import TdSearch, TdSettings
from tests.attack.positions import EVERY_POSITION, endless
from tests.evaluators.rlgo_files import write_file
from tests.opening_games import random_openings

pytestmark = pytest.mark.slow

EVERY_SIZE = range(MIN_SIZE, MAX_SIZE + 1)
SOME_SIZES = (2, 3, 5, 9, 13, 19, 25)
MANY_SETS = "1x1-3x3:LI+LD,4x4:LI,1x1-2x2:LI+LD:liberty"
RLGO_SIZE = 9
PLAYERS = {
    "random": EVERY_SIZE,
    "alp": EVERY_SIZE,
    "influence": EVERY_SIZE,
    "playouts:1": EVERY_SIZE,
    "shape": EVERY_SIZE,
    "rlgo:FILE": (RLGO_SIZE,),
    "territory": SOME_SIZES,
    "selfplay": SOME_SIZES,
    "territory:moves9": SOME_SIZES,
    "linear:linear9": SOME_SIZES,
    "crbm": SOME_SIZES,
    "python:katachi.evaluators.simple:InfluenceEvaluator": SOME_SIZES,
    "gibbs:0.5:alp": EVERY_SIZE,
    "gibbs:shape": EVERY_SIZE,
    "search:2:alp": SOME_SIZES,
    "search:2:shape": SOME_SIZES,
    "search:1:shape:liberty9": (9,),
    "tree:20": SOME_SIZES,
    "tree:6:shape": SOME_SIZES,
    "tree:6:alp": SOME_SIZES,
    "rated:700": SOME_SIZES,
    "dyna:3:shape": SOME_SIZES,
    "dyna:3:shape:liberty9": (9,),
    "phases:3:alp,50%:shape,9x9:influence,random": EVERY_SIZE,
    "opening": SOME_SIZES,
}
"""A name for every kind of player, and the boards it is tried on."""


def every_game(size: int) -> Iterator[Game]:
    for position in EVERY_POSITION:
        yield position(size)


def test_every_kind_of_player_is_here() -> None:
    assert {split_name(name)[0] for name in PLAYERS} | {"gnugo"} == set(PLAYER_NAMES)


def answer(choose: Callable[[Game, int], Choice], game: Game, color: int) -> None:
    """Asks for a move; a board that a model is not for may be refused in words."""
    try:
        choice = choose(game, color)
    except KatachiError:
        return
    if choice.point is not None:
        assert game.is_legal(color, choice.point)


@pytest.mark.parametrize("name", PLAYERS)
def test_players_answer_in_any_position(name: str, tmp_path: Path) -> None:
    file = write_file(tmp_path / "weights", RLGO_SIZE)
    player = make_player(name.replace("FILE", str(file)), 1)
    for size in PLAYERS[name]:
        for game in every_game(size):
            for color in (BLACK, WHITE):
                answer(player.choose, game, color)
    player.close()


@pytest.mark.parametrize("name", PLAYERS)
def test_players_answer_after_the_longest_game(name: str, tmp_path: Path) -> None:
    file = write_file(tmp_path / "weights", RLGO_SIZE)
    player = make_player(name.replace("FILE", str(file)), 1)
    for size in {5, *PLAYERS[name]} & {5, 9}:
        game = endless(size)
        for color in (BLACK, WHITE):
            answer(player.choose, game, color)
        with pytest.raises(KatachiError, match="already has 20,000 moves"):
            game.play(game.to_play, PASS)
    player.close()


@pytest.mark.parametrize("reductions", [0, 3])
@pytest.mark.parametrize("size", [2, 3, 4, 9, 25])
def test_searches_look_ahead_from_any_position(size: int, reductions: int) -> None:
    settings = SearchSettings(reductions=reductions)
    model = LocalShape(parse_sets("1x1-2x2:LI+LD"), size)
    model.weights[:] = np.random.default_rng(1).integers(-(2**28), 2**28, len(model.weights))
    depth = {2: 8, 3: 6, 4: 4, 9: 2}.get(size, 1)
    learned = LocalShape(parse_sets(MANY_SETS), size, 1000) if size > 3 else model
    searchers = (
        AlphaBeta(AverageLiberties(), settings),
        ShapeSearcher(model, settings),
        TdSearch(learned, TdSettings(games=5)),
    )
    games = [*every_game(size), *([endless(size)] if size == 9 else [])]
    for searcher in searchers:
        for game in games:
            for color in (BLACK, WHITE):
                assert game.is_legal(color, searcher.search(game, color, depth=depth).move)


@pytest.mark.parametrize("sets", ["1x1-2x2:LI+LD", MANY_SETS])
@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_local_shape_learns_on_small_and_large_boards(size: int, sets: str) -> None:
    for source in SourceKind:
        settings = TrainingSettings(
            size=size,
            sets=sets if size > 3 else "1x1-2x2:LI+LD",
            bins=1000,
            alpha=1000.0,
            epsilon=0.5,
            lam=0.5,
            loss=Loss.CROSS_ENTROPY,
            cascade=source is SourceKind.SELF,
            source=source,
        )
        trainer = ShapeTrainer(settings)
        trainer.learn(30)
        trainer.test(2)
        if size == 5:
            trainer.grown(6).learn(5)


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_evaluators_learn_from_any_position(size: int) -> None:
    shape = LocalShape(parse_sets(MANY_SETS if size > 3 else "1x1-2x2:LI+LD"), size, 1000)
    linear = Linear([template_map(2)], size)
    for game in [*every_game(size), *([endless(size)] if size < 10 else [])]:
        shape.predict(game.states)
        shape.nudge(game.states, np.ones((1, len(shape.sets)), np.int64))
        linear.nudge(game.states, np.ones((1, 1), np.int64))


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_linear_models_learn(size: int) -> None:
    settings = LinearSettings(size=size, source=GameSource.SELF, games=5, seed=1)
    LinearTrainer(settings, Linear([template_map(2)], size)).learn(5)


def test_openings_learn() -> None:
    material = prepare(random_openings(6, 9), OpeningInputs(RICH, 5))
    trainer = OpeningTrainer(OpeningTraining(alpha=0.5), material)
    trainer.learn_in_order(trainer.material.games, np.arange(trainer.material.games.size))


@pytest.mark.parametrize("size", EVERY_SIZE)
def test_inputs_are_made_of_any_position(size: int) -> None:
    every = tuple("recent:8" if name == "recent" else name for name in INPUTS)
    names = every if size > 2 else ("stones", "eyes", "liberties", "influence")
    plan = plan_inputs(InputSettings(names), size, blank_table(), empty_table())
    for game in every_game(size):
        assert np.isfinite(planes_of(game.states, plan, recent_moves(game.states.words))).all()
        channels_of(game.states, tuple(GROUPS))
        analyse(AverageLiberties(), game, BLACK)
        final_status(game.words, 4)


def test_the_longest_game_goes_through_every_reader() -> None:
    for size in (5, 9):
        game = endless(size)
        record = record_from_game(game, GameTexts(rules="NZ"))
        games = set_of_records([record, record])
        (again,) = read_games(write_game(games[0]))
        assert len(again.moves) == LONGEST_GAME
        BoardSampler(games, SampleSettings(has_targets=False), 1).sample(0, 50)
        MoveSampler(games, SampleSettings(has_targets=False), 1).sample(0, 50)


class Endless:
    """Plays any legal move, and so for ever."""

    name = "endless"

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """A stone wherever the rules allow one."""
        moves = game.legal_moves(color)
        return Choice(int(self._random.choice(moves)) if len(moves) else PASS)

    def close(self) -> None:
        """Nothing to end."""


def test_a_game_without_end_is_stopped_without_a_winner() -> None:
    rules = Rules(KoRule.SIMPLE, suicide=True)
    settings = GameSettings(9, rules=rules, opening_moves=0, move_limit=LONGEST_GAME)
    outcome = play_game(Endless(1), Endless(2), settings)
    assert (outcome.ending, len(outcome.record.moves)) == (Ending.LIMIT, LONGEST_GAME)
