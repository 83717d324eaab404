"""Learned evaluation of Go positions.

Public names load on first use, so that `import katachi` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from katachi.api.game import Game
    from katachi.api.judging import analyse, load_evaluator, load_player, playouts, review
    from katachi.api.playing import match, train
    from katachi.arena.settings import GameSettings
    from katachi.errors import IllegalMove, KatachiError
    from katachi.evaluators.protocol import Evaluation, Evaluator
    from katachi.features.observation import observation_planes
    from katachi.players.protocol import Choice, Player
    from katachi.players.roster import make_player
    from katachi.records.dataset import GameSet, open_games
    from katachi.records.record import GameRecord
    from katachi.records.sgf import read_games, write_game
    from katachi.rules.board import Board
    from katachi.rules.color import BLACK, EMPTY, WHITE
    from katachi.rules.game import Move
    from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
    from katachi.rules.ruleset import KoRule, Rules
    from katachi.rules.state import BoardState, colors_of

_HOMES = {
    "katachi.api.game": ("Game",),
    "katachi.api.judging": ("analyse", "load_evaluator", "load_player", "playouts", "review"),
    "katachi.api.playing": ("match", "train"),
    "katachi.arena.settings": ("GameSettings",),
    "katachi.features.observation": ("observation_planes",),
    "katachi.evaluators.protocol": ("Evaluation", "Evaluator"),
    "katachi.players.protocol": ("Choice", "Player"),
    "katachi.players.roster": ("make_player",),
    "katachi.records.dataset": ("GameSet", "open_games"),
    "katachi.records.record": ("GameRecord",),
    "katachi.records.sgf": ("read_games", "write_game"),
    "katachi.rules.board": ("Board",),
    "katachi.rules.color": ("BLACK", "EMPTY", "WHITE"),
    "katachi.errors": ("IllegalMove", "KatachiError"),
    "katachi.rules.game": ("Move",),
    "katachi.rules.point": ("PASS", "point_from_vertex", "vertex_from_point"),
    "katachi.rules.ruleset": ("KoRule", "Rules"),
    "katachi.rules.state": ("BoardState", "colors_of"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BLACK",
    "EMPTY",
    "PASS",
    "WHITE",
    "Board",
    "BoardState",
    "Choice",
    "Evaluation",
    "Evaluator",
    "Game",
    "GameRecord",
    "GameSet",
    "GameSettings",
    "IllegalMove",
    "KatachiError",
    "KoRule",
    "Move",
    "Player",
    "Rules",
    "__version__",
    "analyse",
    "colors_of",
    "load_evaluator",
    "load_player",
    "make_player",
    "match",
    "observation_planes",
    "open_games",
    "playouts",
    "point_from_vertex",
    "read_games",
    "review",
    "train",
    "vertex_from_point",
    "write_game",
]


def __getattr__(name: str) -> object:
    """A public name, loaded from its home."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'katachi' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
