"""Compiling kernels before they are needed, and saying so."""

import sys
from collections.abc import Callable
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line


class Step(NamedTuple):
    """One part of the warm-up."""

    title: str
    work: Callable[[], object]


EVERYTHING = "complete"
"""The part of the kernels that is all of them."""


def check_cache(part: str = EVERYTHING) -> bool:
    """Whether every kernel, or all of a part, is compiled already; raises KatachiError if the cache
    is neither complete nor writable, before anything is compiled in vain."""
    from katachi import _jit

    if _jit.is_warm() or _jit.is_warm(part):
        return True
    try:
        _jit.prepare_cache()
    except OSError as error:
        raise KatachiError(
            f"cannot keep compiled kernels in {_jit.cache_folder()}: {error.strerror}; free some "
            "space there or set XDG_CACHE_HOME to another folder"
        ) from None
    return False


def announce_cold_start(log: Callable[[str], None] | None = None) -> None:
    """One line, by default on standard error, when kernels are about to be compiled for the first
    time; raises KatachiError as `check_cache` does."""
    if not check_cache():
        (log or _tell)(
            "first start, compiling kernels as they are needed "
            "(`katachi warmup` does it all at once)"
        )


def _tell(text: str) -> None:
    sys.stderr.write(f"katachi: {one_line(text)}\n")
    sys.stderr.flush()


def playing_steps() -> list[Step]:
    """The steps that compile what games of the simple players need."""
    return [
        Step("rules: play, undo, legality", _use_rules),
        Step("random games", _use_random_games),
        Step("scoring finished games", _use_scoring),
        Step("players", _use_players),
    ]


def every_step() -> list[Step]:
    """The steps that compile every kernel, the longest ones first."""
    return [
        Step("learning", _use_learning),
        Step("learning territory", _use_fitting),
        Step("openings", _use_openings),
        Step("linear values", _use_linear),
        Step("territory", _use_territory),
        Step("alpha-beta", _use_search),
        Step("local shape", _use_shape),
        Step("game records", _use_records),
        Step("learned features", _use_learned_features),
        *playing_steps(),
    ]


def _use_rules() -> None:
    from katachi.rules.game import Game
    from katachi.rules.point import point_from_row_col

    game = Game(5)
    game.place_setup([point_from_row_col(0, 0)], [])
    for color in (1, 2):
        game.play(color, int(game.legal_moves(color)[0]))
    game.judge(1, int(game.legal_moves(1)[0]))
    game.undo()
    game.area_score()


def _use_random_games() -> None:
    from katachi.batch import cpu

    cpu.play_games(5, 2, seed=1)
    cpu.play_unrecorded(5, 2, seed=1)
    cpu.play_exactly(5, 2, seed=1)


def _use_scoring() -> None:
    from katachi.rules.board import Board
    from katachi.rules.scoring import final_status

    board = Board.from_diagram(".X.O.\n.XXO.\n.X.O.\n.X.OO\n.X.O.")
    board.is_eye(board.points_of_color(0)[0], 1)
    board.liberties_at(board.points_of_color(1)[0])
    final_status(board.words, playouts=2)


def _use_players() -> None:
    from katachi.players.evaluating import EvaluatingPlayer
    from katachi.players.playouts import PlayoutPlayer
    from katachi.players.roster import make_player
    from katachi.rules.game import Game

    PlayoutPlayer("playouts", playouts=1).choose(Game(5), 1)
    for name in ("random", "alp", "influence"):
        player = make_player(name)
        assert isinstance(player, EvaluatingPlayer)
        player.choose(Game(5), 1)
        player.analyse(Game(5), 1)


def _use_linear() -> None:
    import numpy as np

    from katachi.evaluators.linear import Linear
    from katachi.features.templates import template_map
    from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
    from katachi.players.evaluating import EvaluatingPlayer
    from katachi.rules.game import Game

    game = Game(5)
    model = Linear([template_map(2)], 5)
    model.nudge(game.states, np.ones((1, 1), np.int64))
    EvaluatingPlayer("linear", model).analyse(game, 1)
    LinearTrainer(LinearSettings(size=5, source=GameSource.SELF), model).learn(1)


def _use_rlgo() -> None:
    import numpy as np

    from katachi.evaluators.rlgo import RlgoEvaluator, count_weights
    from katachi.rules.game import Game

    weights = np.zeros(count_weights(5), np.float32)
    RlgoEvaluator(weights, 5).evaluate(Game(5).states)


def _use_shape() -> None:
    from katachi.evaluators.local_shape import LocalShape
    from katachi.evaluators.shape_table import values_of_boards
    from katachi.features.shape_sets import parse_sets
    from katachi.players.evaluating import EvaluatingPlayer
    from katachi.rules.game import Game

    for sets in ("1x1-2x2:LI+LD", "1x1:LI:liberty"):
        model = LocalShape(parse_sets(sets), 5)
        EvaluatingPlayer("shape", model).choose(Game(5), 1)
        values_of_boards(model, Game(5).colors[None])


def _use_territory() -> None:
    import numpy as np

    from katachi.evaluators.territory import Tables, Territory, TerritoryConfig, array_shapes
    from katachi.features.propensity import blank_table
    from katachi.features.territory_inputs import InputSettings
    from katachi.rules.game import Game

    inputs = InputSettings()
    shapes = array_shapes(TerritoryConfig(inputs, hidden=2, states=2, layers=1))
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    Territory(inputs, arrays, Tables(blank_table())).evaluate(Game(5).states)


def _use_learned_features() -> None:
    import numpy as np

    from katachi.features.board_channels import GROUPS, channels_of
    from katachi.features.window_map import add_to_codes, codes_of
    from katachi.nets.unit_sampling import fill_sampled_units
    from katachi.rules.game import Game

    channels_of(Game(5).states, tuple(GROUPS))
    add_to_codes(codes_of(Game(5).states, 3)[0], 5, 3, 12, 1)
    chances = np.zeros((1, 1), np.float32)
    fill_sampled_units(chances, np.ones(1, np.uint32), chances)


def _use_search() -> None:
    from katachi.evaluators.local_shape import LocalShape
    from katachi.evaluators.simple import AverageLiberties
    from katachi.features.shape_sets import parse_sets
    from katachi.rules.game import Game
    from katachi.search.alphabeta import AlphaBeta
    from katachi.search.shape_search import ShapeSearcher

    AlphaBeta(AverageLiberties())
    ShapeSearcher(LocalShape(parse_sets("1x1:LI"), 5)).search(Game(5), 1, depth=2)


def _use_learning() -> None:
    from katachi.learning.shape_training import ShapeTrainer, TrainingSettings

    trainer = ShapeTrainer(TrainingSettings(size=5, sets="1x1:LI,1x1:LI:liberty"))
    trainer.learn(1)
    trainer.test(1)


def _use_fitting() -> None:
    """Nothing where PyTorch is missing: no net can learn there."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        return
    from katachi.learning.warmup import warm_kernels

    warm_kernels()


def _use_openings() -> None:
    import numpy as np

    from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
    from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
    from katachi.records.opening_tree import OpeningTree
    from katachi.records.openings import Opening, Style
    from katachi.rules.point import points_of

    moves = np.array(points_of(5)[[6, 18, 8]], np.uint16)
    opening = Opening(size=5, moves=moves, style=Style.MISC, judgement=1.0)
    OpeningTree([opening])
    for kinds in (RAW, RICH):
        trainer = OpeningTrainer(OpeningTraining(), prepare([opening], OpeningInputs(kinds, 5)))
        trainer.learn_epoch(trainer.material.games)
        trainer.rmse(trainer.material.games)
        trainer.net.nudge(opening.states(), trainer.net.predict(opening.states()))


def _use_records() -> None:
    from katachi.records.warmup import warm_kernels

    warm_kernels()
