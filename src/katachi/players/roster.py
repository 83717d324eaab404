"""Players by name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.evaluators import shipped
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.evaluators.rlgo import RlgoEvaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.evaluators.territory import Territory
from katachi.files.model_folder import CONFIG_FILE, WEIGHTS_FILE
from katachi.files.plugin_names import PLUGIN
from katachi.files.plugins import allow, plugin_file
from katachi.files.shipped_folders import find_model
from katachi.players import kinds, names
from katachi.players.evaluating import EvaluatingPlayer, GibbsPlayer
from katachi.players.phases import Limits, Part, join_players
from katachi.players.playouts import PlayoutPlayer
from katachi.players.plugins import make_plugin_evaluator, make_plugin_player
from katachi.players.program import GnuGoPlayer, ProgramPlayer
from katachi.players.protocol import Player
from katachi.players.rated import RatedPlayer
from katachi.players.rated_auto import AutoRatedPlayer
from katachi.players.rating_table import TABLE_FILE, strength_of
from katachi.players.searching import SearchingPlayer
from katachi.players.tree import TreePlayer
from katachi.search.alphabeta import AlphaBeta, Searcher
from katachi.search.shape_guide import GUIDING
from katachi.search.shape_search import ShapeSearcher
from katachi.search.td_search import TdSearch, TdSettings
from katachi.search.tree_leaves import judge_for_play
from katachi.search.tree_limits import CPU, TreeLimits
from katachi.search.tree_search import TreeSearch


def load_shape_or_all(model: str) -> LocalShape | shipped.ShapeOfEverySize:
    """A local shape model by name, or without one the shipped ones for every board."""
    return shipped.load_shape(model) if model else shipped.ShapeOfEverySize()


def load_territory_or_all(model: str) -> Territory | shipped.TerritoryOfEverySize:
    """A territory model by name, or without one the shipped ones for every board."""
    return shipped.load_territory(model) if model else shipped.TerritoryOfEverySize()


class Terms(NamedTuple):
    """What a player is made with beside its name."""

    seed: int
    limits: TreeLimits
    """Of the trees that it grows, if any."""


def make_player(name: str, seed: int = 0, limits: TreeLimits | None = None) -> Player:
    """The player of that name, or the program of a command line; `limits` are those of the trees
    that it grows.

    Raises KatachiError, naming the choices, when there is none, and when a player's file is not
    what it should be.
    """
    names.check_player_name(name)
    player, setting = kinds.split_name(name)
    if player not in MAKING:
        return ProgramPlayer(names.command_of(name))
    make = MAKING[player].player
    if make is not None:
        return make(name, setting, Terms(seed, limits or TreeLimits()))
    return EvaluatingPlayer(name, _make_evaluator(player, setting), seed)


def _make_playouts(name: str, setting: str, terms: Terms) -> Player:
    return PlayoutPlayer(name, terms.seed, int(setting) if setting else None)


def _make_gibbs(name: str, setting: str, terms: Terms) -> Player:
    temperature, inner = kinds.split_temperature(setting)
    return GibbsPlayer(name, _make_evaluator(*kinds.split_name(inner)), terms.seed, temperature)


def _make_search(name: str, setting: str, terms: Terms) -> Player:
    depth, inner = kinds.split_thinking(setting)
    return SearchingPlayer(name, _make_searcher(inner), terms.seed, depth)


def _make_tree(name: str, setting: str, terms: Terms) -> Player:
    visits, inner = kinds.split_tree(setting)
    search = _tree_search(make_judging(inner), terms.limits)
    return TreePlayer(name, search, terms.seed, visits)


def _tree_search(evaluator: Evaluator, limits: TreeLimits) -> TreeSearch:
    """A search with its net, or else its random games, on the device that the limits name."""
    if limits.device == CPU:
        return TreeSearch(evaluator, limits, judge_for_play)
    if isinstance(evaluator, Territory | shipped.TerritoryOfEverySize):
        return TreeSearch(evaluator.on(limits.device), limits, judge_for_play)
    from katachi.batch.card_leaves import judge_on_card
    from katachi.batch.cuda_playouts import check_card

    check_card(limits.device)
    return TreeSearch(evaluator, limits, judge_on_card)


def _make_rated(name: str, setting: str, terms: Terms) -> Player:
    evaluator = _make_evaluator(kinds.STRONGEST, "")
    if setting == kinds.AUTO:
        return AutoRatedPlayer(name, evaluator, *terms)
    return RatedPlayer(name, evaluator, strength_of(int(setting)), *terms)


def _make_dyna(name: str, setting: str, terms: Terms) -> Player:
    games, inner = kinds.split_thinking(setting)
    shape = load_shape_or_all(kinds.split_name(inner)[1])
    return SearchingPlayer(name, TdSearch(shape, TdSettings(games=games)), terms.seed)


def _make_phases(name: str, setting: str, terms: Terms) -> Player:
    parts = [
        Part(Limits(**limits), make_player(inner, *terms))
        for limits, inner in kinds.split_phases(setting)
    ]
    return join_players(name, parts)


def _make_opening(name: str, setting: str, terms: Terms) -> Player:
    """Opens by a net, on the board that it is for, and hands over to another player."""
    model, moves, inner = kinds.split_opening(setting)
    net = shipped.load_opening(model)
    size = net.inputs.size
    limits = Limits(move=net.moves if moves is None else moves, size=size, least=size)
    opener = Part(limits, EvaluatingPlayer(name, net, terms.seed))
    return join_players(name, [opener, Part(Limits(), make_player(inner, *terms))])


def _load_linear(setting: str) -> Evaluator:
    """A linear model; code that its features are is run if the player's name has it."""
    model, plugins = kinds.split_linear(setting)
    for name in plugins:
        allow(kinds.split_name(name)[1])
    return shipped.load_linear(model)


class Making(NamedTuple):
    """How the players of a kind are made."""

    evaluator: Callable[[str], Evaluator] | None = None
    """What it judges positions by, from its setting; None where it has no opinion of them."""
    player: Callable[[str, str, Terms], Player] | None = None
    """From name, setting and terms; None for one that looks one move ahead with its evaluator."""
    shipped: tuple[str, ...] = ()
    """The models that it plays by unless its name ends with another."""


_SELFPLAY_MODELS = (shipped.SELFPLAY, shipped.OWNERS19)
MAKING = {
    "random": Making(lambda _: ConstantEvaluator()),
    "alp": Making(lambda _: AverageLiberties()),
    "influence": Making(lambda _: InfluenceEvaluator()),
    "shape": Making(load_shape_or_all, shipped=tuple(shipped.SHAPE_BY_SIZE.values())),
    "rlgo": Making(RlgoEvaluator.load),
    "territory": Making(load_territory_or_all, shipped=(shipped.TERRITORY, shipped.LARGE19)),
    "selfplay": Making(
        lambda _: shipped.TerritoryOfEverySize("selfplay", *_SELFPLAY_MODELS),
        shipped=_SELFPLAY_MODELS,
    ),
    "linear": Making(_load_linear, shipped=(shipped.LINEAR,)),
    "crbm": Making(shipped.load_linear, shipped=(shipped.LINEAR,)),
    PLUGIN: Making(
        make_plugin_evaluator,
        lambda name, setting, terms: make_plugin_player(name, setting, terms.seed),
    ),
    "opening": Making(
        lambda setting: shipped.load_opening(kinds.split_opening(setting)[0]),
        _make_opening,
        (shipped.OPENING,),
    ),
    "playouts": Making(player=_make_playouts),
    "gibbs": Making(player=_make_gibbs),
    "search": Making(player=_make_search),
    "tree": Making(player=_make_tree),
    kinds.RATED: Making(player=_make_rated, shipped=_SELFPLAY_MODELS),
    "dyna": Making(player=_make_dyna),
    "phases": Making(player=_make_phases),
    kinds.GNUGO: Making(player=lambda name, _, terms: GnuGoPlayer(name, terms.seed)),
}
"""One row for each of `KINDS`, which say how players are named."""
JUDGING = tuple(kind for kind, making in MAKING.items() if making.evaluator is not None)
"""Those that have an opinion of single positions."""


def make_evaluator(name: str) -> Evaluator:
    """What the player of that name judges positions by.

    Raises KatachiError, naming the choices, for a player that looks no single move ahead, and as
    `make_player` does.
    """
    names.check_player_name(name)
    player, setting = kinds.split_name(name)
    if player not in JUDGING:
        choices = ", ".join(JUDGING)
        raise KatachiError(f"{name!r} has no opinion of single positions: choose one of {choices}")
    return _make_evaluator(player, setting)


def _make_searcher(name: str) -> Searcher:
    evaluator = make_judging(name)
    if abilities_of(evaluator).shapes is not None:
        return ShapeSearcher(evaluator)
    return AlphaBeta(evaluator)


def make_judging(name: str) -> Evaluator:
    """The evaluator of that name for the leaves of a search; raises KatachiError for one that knows
    no values, and as `make_evaluator`."""
    evaluator = make_evaluator(name)
    if not abilities_of(evaluator).values:
        raise names.judges_no_position(kinds.split_name(name)[1])
    return evaluator


def _make_evaluator(player: str, setting: str) -> Evaluator:
    make = MAKING[player].evaluator
    assert make is not None, "names are checked before players are made"
    return make(setting)


def files_of(name: str) -> list[Path]:
    """The files that decide how a player of ours plays: those of its weights, of a table, or of a
    plug-in's code; last those of the shapes that random games of trees are guided by."""
    parts = list(kinds.parts_of(name))
    files = [file for part in parts for file in _own_files(part)]
    has_tree = any(kinds.split_name(part)[0] == kinds.TREE for part in parts)
    guide = _own_files(f"shape:{GUIDING}") if has_tree else []
    return files + [file for file in guide if file not in files]


def _own_files(name: str) -> list[Path]:
    """Those of a player itself, not of players inside it."""
    player, setting = kinds.split_name(name)
    if player == "rlgo":
        return [Path(setting)]
    if player == PLUGIN:
        file = plugin_file(setting)
        return [] if file is None else [file]
    if player not in MAKING or not MAKING[player].shipped:
        return []
    model = kinds.model_of(name)
    folders = [find_model(each) for each in ([model] if model else MAKING[player].shipped)]
    table = [TABLE_FILE] if player == kinds.RATED else []
    inside = sorted(file.parent for f in folders for file in f.glob(f"*/{WEIGHTS_FILE}"))
    weights = [each / file for each in (*folders, *inside) for file in (CONFIG_FILE, WEIGHTS_FILE)]
    return table + weights
