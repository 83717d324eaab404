"""Players by name."""

from collections.abc import Callable
from pathlib import Path

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.evaluators.rlgo import RlgoEvaluator
from katachi.evaluators.shipped import (
    LARGE19,
    LINEAR,
    OPENING,
    SHAPE_BY_SIZE,
    TERRITORY,
    ShapeOfEverySize,
    TerritoryOfEverySize,
    load_linear,
    load_opening,
    load_shape,
    load_territory,
)
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.evaluators.territory import Territory
from katachi.files.model_folder import CONFIG_FILE, WEIGHTS_FILE
from katachi.files.shipped_folders import find_model
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.gibbs import GibbsPlayer
from katachi.players.gnugo import GnuGoPlayer
from katachi.players.kinds import GNUGO, parts_of
from katachi.players.names import (
    check_player_name,
    command_of,
    is_program,
    split_name,
    split_opening,
    split_phases,
    split_temperature,
    split_thinking,
)
from katachi.players.phases import Limits, Part, join_players
from katachi.players.playouts import PlayoutPlayer
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Player
from katachi.players.searching import SearchingPlayer
from katachi.search.alphabeta import AlphaBeta, Searcher
from katachi.search.shape_search import ShapeSearcher
from katachi.search.td_search import TdSearch, TdSettings


def load_shape_or_all(model: str) -> LocalShape | ShapeOfEverySize:
    """A local shape model by name, or without one the shipped ones for every board."""
    return load_shape(model) if model else ShapeOfEverySize()


def load_territory_or_all(model: str) -> Territory | TerritoryOfEverySize:
    """A territory model by name, or without one the shipped ones for every board."""
    return load_territory(model) if model else TerritoryOfEverySize()


EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "random": ConstantEvaluator,
    "alp": AverageLiberties,
    "influence": InfluenceEvaluator,
}
LOADED_EVALUATORS: dict[str, Callable[[str], Evaluator]] = {
    "shape": load_shape_or_all,
    "rlgo": RlgoEvaluator.load,
    "territory": load_territory_or_all,
    "linear": load_linear,
    "crbm": load_linear,
    "opening": lambda setting: load_opening(split_opening(setting)[0]),
}
"""Those that are made of the file or model a player's name ends with."""
SHIPPED = {"territory": (TERRITORY, LARGE19), "linear": (LINEAR,), "crbm": (LINEAR,)}
"""The models that a player has unless its name ends with another."""


def make_player(name: str, seed: int = 0) -> Player:
    """The player of that name, or the program of a command line.

    Raises KatachiError, naming the choices, when there is none, and when a player's file is not
    what it should be.
    """
    check_player_name(name)
    player, setting = split_name(name)
    if player in MAKERS:
        return MAKERS[player](name, setting, seed)
    if is_program(name):
        return ProgramPlayer(command_of(name))
    return EvaluatingPlayer(name, _make_evaluator(player, setting), seed)


def _make_playouts(name: str, setting: str, seed: int) -> Player:
    return PlayoutPlayer(name, seed, int(setting) if setting else None)


def _make_gibbs(name: str, setting: str, seed: int) -> Player:
    temperature, inner = split_temperature(setting)
    return GibbsPlayer(name, _make_evaluator(*split_name(inner)), seed, temperature)


def _make_search(name: str, setting: str, seed: int) -> Player:
    depth, inner = split_thinking(setting)
    return SearchingPlayer(name, _make_searcher(*split_name(inner)), seed, depth)


def _make_dyna(name: str, setting: str, seed: int) -> Player:
    games, inner = split_thinking(setting)
    shape = load_shape_or_all(split_name(inner)[1])
    return SearchingPlayer(name, TdSearch(shape, TdSettings(games=games)), seed)


def _make_phases(name: str, setting: str, seed: int) -> Player:
    parts = [
        Part(Limits(**limits), make_player(inner, seed)) for limits, inner in split_phases(setting)
    ]
    return join_players(name, parts)


def _make_opening(name: str, setting: str, seed: int) -> Player:
    """Opens by a net, on the board that it is for, and hands over to another player."""
    model, moves, inner = split_opening(setting)
    net = load_opening(model)
    size = net.inputs.size
    limits = Limits(move=net.moves if moves is None else moves, size=size, least=size)
    opener = Part(limits, EvaluatingPlayer(name, net, seed))
    return join_players(name, [opener, Part(Limits(), make_player(inner, seed))])


MAKERS: dict[str, Callable[[str, str, int], Player]] = {
    "playouts": _make_playouts,
    "gibbs": _make_gibbs,
    "search": _make_search,
    "dyna": _make_dyna,
    "phases": _make_phases,
    "opening": _make_opening,
    GNUGO: lambda name, _, seed: GnuGoPlayer(name, seed),
}
"""How players are made, from name, setting and seed, that do more than look one move ahead."""


def make_evaluator(name: str) -> Evaluator:
    """What the player of that name judges positions by.

    Raises KatachiError, naming the choices, for a player that looks no single move ahead, and as
    `make_player` does.
    """
    check_player_name(name)
    player, setting = split_name(name)
    if is_program(name) or player not in EVALUATORS | LOADED_EVALUATORS:
        choices = ", ".join([*EVALUATORS, *LOADED_EVALUATORS])
        raise KatachiError(f"{name!r} has no opinion of single positions: choose one of {choices}")
    return _make_evaluator(player, setting)


def _make_searcher(player: str, setting: str) -> Searcher:
    evaluator = _make_evaluator(player, setting)
    abilities = abilities_of(evaluator)
    if not abilities.values:
        raise KatachiError(f"{setting} predicts moves and judges no position: search by another")
    if abilities.shapes is not None:
        return ShapeSearcher(evaluator)
    return AlphaBeta(evaluator)


def _make_evaluator(player: str, setting: str) -> Evaluator:
    if player in LOADED_EVALUATORS:
        return LOADED_EVALUATORS[player](setting)
    return EVALUATORS[player]()


def files_of(name: str) -> list[Path]:
    """The files that decide how a player of ours plays: those of its weights."""
    return [file for part in parts_of(name) for file in _own_files(part)]


def _own_files(name: str) -> list[Path]:
    """Those of a player itself, not of players inside it."""
    player, setting = split_name(name)
    if player == "rlgo":
        return [Path(setting)]
    if player in SHIPPED:
        folders = [find_model(model) for model in ([setting] if setting else SHIPPED[player])]
        inside = sorted(file.parent for f in folders for file in f.glob(f"*/{WEIGHTS_FILE}"))
        return [each / file for each in (*folders, *inside) for file in (CONFIG_FILE, WEIGHTS_FILE)]
    if player == "opening":
        folder = find_model(split_opening(setting)[0] or OPENING)
        return [folder / file for file in (CONFIG_FILE, WEIGHTS_FILE)]
    if player == "shape":
        models = [setting] if setting else list(SHAPE_BY_SIZE.values())
        folders = [find_model(model) for model in models]
        return [folder / file for folder in folders for file in (CONFIG_FILE, WEIGHTS_FILE)]
    return []
