"""One small use of every kernel, which compiles it: what `katachi warmup` does."""

from importlib.util import find_spec

import numpy as np

from katachi.batch import cpu, playouts
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_table import values_of_boards
from katachi.evaluators.simple import AverageLiberties
from katachi.evaluators.territory import (
    NetKind,
    Tables,
    Territory,
    TerritoryConfig,
    array_shapes,
)
from katachi.features.board_channels import GROUPS, channels_of
from katachi.features.observation import observation_planes
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.features.propensity import blank_table
from katachi.features.shape_sets import parse_sets
from katachi.features.templates import template_map
from katachi.features.territory_inputs import InputSettings
from katachi.features.window_map import add_to_codes, codes_of
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.learning.opening_training import OpeningTrainer, OpeningTraining, prepare
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from katachi.nets.unit_sampling import fill_sampled_units
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.playouts import PlayoutPlayer
from katachi.players.roster import make_player
from katachi.players.tree import TreePlayer
from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import GameSet
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Opening, Style
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings
from katachi.rules.board import Board
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_row_col, points_of
from katachi.rules.scoring import final_status
from katachi.search.alphabeta import AlphaBeta
from katachi.search.shape_search import ShapeSearcher
from katachi.search.tree_limits import Goal
from katachi.search.tree_search import TreeSearch


def use_rules() -> None:
    """Plays, takes back, counts."""
    game = Game(5)
    game.place_setup([point_from_row_col(0, 0)], [])
    for color in (1, 2):
        game.play(color, int(game.legal_moves(color)[0]))
    game.judge(1, int(game.legal_moves(1)[0]))
    game.undo()
    game.area_score()


def use_random_games() -> None:
    """Plays at random."""
    cpu.play_games(5, 2, seed=1)
    cpu.play_unrecorded(5, 2, seed=1)
    cpu.play_exactly(5, 2, seed=1)
    playouts.play_out(Game(5).words[None], np.ones(1, np.uint8), 2, 0.5, seed=1)


def use_scoring() -> None:
    """Counts a finished game."""
    board = Board.from_diagram(".X.O.\n.XXO.\n.X.O.\n.X.OO\n.X.O.")
    board.is_eye(board.points_of_color(0)[0], 1)
    board.liberties_at(board.points_of_color(1)[0])
    final_status(board.words, playouts=2)


def use_players() -> None:
    """Asks the simple players."""
    PlayoutPlayer("playouts", playouts=1).choose(Game(5), 1)
    for name in ("random", "alp", "influence"):
        player = make_player(name)
        assert isinstance(player, EvaluatingPlayer)
        player.choose(Game(5), 1)
        player.analyse(Game(5), 1)


def use_linear() -> None:
    """Learns and plays by a linear model."""
    game = Game(5)
    model = Linear([template_map(2)], 5)
    model.nudge(game.states, np.ones((1, 1), np.int64))
    EvaluatingPlayer("linear", model).analyse(game, 1)
    LinearTrainer(LinearSettings(size=5, source=GameSource.SELF), model).learn(1)


def use_shape() -> None:
    """Plays by local shape."""
    for sets in ("1x1-2x2:LI+LD", "1x1:LI:liberty"):
        model = LocalShape(parse_sets(sets), 5)
        EvaluatingPlayer("shape", model).choose(Game(5), 1)
        values_of_boards(model, Game(5).colors[None])


def use_territory() -> None:
    """Evaluates by a territory net."""
    inputs = InputSettings()
    for net in NetKind:
        shapes = array_shapes(TerritoryConfig(inputs, hidden=2, states=2, layers=2, net=net))
        arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        Territory(inputs, arrays, Tables(blank_table())).evaluate(Game(5).states)


def use_learned_features() -> None:
    """Makes the maps of an RBM."""
    channels_of(Game(5).states, tuple(GROUPS))
    add_to_codes(codes_of(Game(5).states, 3)[0], 5, 3, 12, 1)
    chances = np.zeros((1, 1), np.float32)
    fill_sampled_units(chances, np.ones(1, np.uint32), chances)


def use_search() -> None:
    """Searches."""
    AlphaBeta(AverageLiberties())
    ShapeSearcher(LocalShape(parse_sets("1x1:LI"), 5)).search(Game(5), 1, depth=2)


def use_tree() -> None:
    """Grows a tree, keeps a part of it and reads it."""
    player, game = make_player("tree:8:alp"), Game(5)
    assert isinstance(player, TreePlayer)
    game.play(1, player.choose(game, 1).point or PASS)
    player.analyse(game, 2)
    TreeSearch(LocalShape(parse_sets("1x1:LI"), 5)).search(Game(5), 1, Goal(visits=2))


def use_learning() -> None:
    """Learns local shape."""
    trainer = ShapeTrainer(TrainingSettings(size=5, sets="1x1:LI,1x1:LI:liberty"))
    trainer.learn(1)
    trainer.test(1)


def use_fitting() -> None:
    """Nothing where PyTorch is missing: no net can learn there."""
    if find_spec("torch") is not None:
        from katachi.learning.territory_run import warm_kernels

        warm_kernels()


def use_openings() -> None:
    """Learns from an opening."""
    moves = np.array(points_of(5)[[6, 18, 8]], np.uint16)
    opening = Opening(size=5, moves=moves, style=Style.MISC, judgement=1.0)
    OpeningTree([opening])
    for kinds in (RAW, RICH):
        trainer = OpeningTrainer(OpeningTraining(), prepare([opening], OpeningInputs(kinds, 5)))
        trainer.learn_epoch(trainer.material.games)
        trainer.rmse(trainer.material.games)
        trainer.net.nudge(opening.states(), trainer.net.predict(opening.states()))


_GAME = b"(;GM[1]SZ[5]AB[aa];B[cc];W[dd];TB[bb]TW[ee])"


def use_records() -> None:
    """Reads, replays and samples one small game."""
    reader = BulkReader()
    reader.read_file(_GAME, "")
    games = GameSet(settle_games(reader.columns())[0])
    games.replay()
    BoardSampler(games, SampleSettings(), 1).sample(0, 1)
    MoveSampler(games, SampleSettings(), 1).sample(0, 1)


def use_environments() -> None:
    """Steps games of learning agents."""
    from katachi import envs  # which may load other packages

    games = envs.vector(5, 2)
    games.reset()
    games.step(games.sample_actions())
    observation_planes(Game(5))


PLAYING_STEPS = (use_rules, use_random_games, use_scoring, use_players)
"""What games of the simple players need."""
EVERY_STEP = (
    *(use_learning, use_fitting, use_openings, use_linear, use_territory, use_tree, use_search),
    *(use_shape, use_records, use_learned_features, use_environments, *PLAYING_STEPS),
)
"""What compiles every kernel, the longest ones first."""
