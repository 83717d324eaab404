"""The kinds of players, and what can stand behind the colon of their names."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.files.plugin_names import PLUGIN, installed_plugin, is_plugin_setting
from katachi.files.shipped_folders import has_model, read_model
from katachi.rules.limits import LONGEST_GAME, MAX_SIZE
from katachi.search.tree_limits import MOST_VISITS

PROGRAM_PREFIX = "gtp:"
LEARNING_NAME = "shape"
"""The player whose opinion can be learned again before each move."""
DEFAULT_PLAYER = "territory"
"""Who plays unless another is named: one that answers within a second and knows people's moves."""
STRONGEST = "selfplay"
"""Whose opinion a tree search has unless another is named."""
TREE = "tree"
RATED = "rated"
GNUGO = "gnugo"
GNUGO_LEVELS = range(11)
GNUGO_COMMAND = "gnugo --mode gtp --chinese-rules --capture-all-dead --positional-superko --level"
"""Games count all stones on the board as alive, so GNU Go must capture what is dead before it
passes; and it may not repeat a position."""
LOWEST_RATING, HIGHEST_RATING = 0, 2250
"""Ratings on the house ladder that can be asked for; `rated9.json` reaches further."""
AUTO = "auto"
"""The rating that follows a person's results."""
MOST_PLAYOUTS = 1_000_000
MOST_GAMES = 1_000_000
DEEPEST_SEARCH = 40
MOST_OPENING_MOVES = 200
COLDEST, HOTTEST = 1e-6, 1e6
"""Temperatures that a player may be asked to play at."""
TEMPERATURE = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?")
"""How a temperature is written."""
LIMIT = re.compile(r"(?P<move>[0-9]{1,5})|(?P<percent>[0-9]{1,3})%|(?P<size>[0-9]{1,2})x(?P=size)")
"""How an end of a part of a game is written."""


class Setting(NamedTuple):
    """What stands behind the colon of a player's name."""

    word: str
    """As it is written in messages: `playouts:N`."""
    meaning: str
    is_right: Callable[[str], bool]
    is_optional: bool = False


@dataclass(frozen=True)
class Kind:
    """One kind of player: how it is named and what it is for. `katachi.players.roster` makes it."""

    name: str
    good_at: str
    """In a few words, for lists."""
    setting: Setting | None = None
    model: str = ""
    """The kind of model that it plays by, as models call themselves."""
    inner: Callable[[str], list[str]] = lambda _: []
    """The players that its setting names."""
    is_search: bool = False
    """Whether it judges positions by the player inside it, which therefore has to know values."""
    version: int = 1
    """Counted up when it comes to play otherwise by the same model: games of before and after are
    not those of one player."""

    @property
    def form(self) -> str:
        """How its name is written, with the setting it takes."""
        if self.setting is None:
            return self.name
        word = self.setting.word
        return f"{self.name}[:{word}]" if self.setting.is_optional else f"{self.name}:{word}"


def _is_count(setting: str) -> bool:
    is_number = setting.isdecimal() and len(setting) <= len(str(MOST_PLAYOUTS))
    return is_number and 0 < int(setting) <= MOST_PLAYOUTS


def _is_rating(setting: str) -> bool:
    is_number = setting.isdecimal() and setting.isascii() and len(setting) <= 5
    return setting == AUTO or (is_number and LOWEST_RATING <= int(setting) <= HIGHEST_RATING)


def split_thinking(setting: str) -> tuple[int | None, str]:
    """(number or None, evaluating player) of what follows `search:` or `dyna:`, such as `3:shape`:
    plies or games; by default as much as the time allows, by shape."""
    first, _, rest = setting.partition(":")
    if first.isdecimal() and len(first) <= len(str(MOST_GAMES)):
        return int(first), rest or "shape"
    return None, setting or "shape"


def split_tree(setting: str) -> tuple[int | None, str]:
    """(visits or None, evaluating player) of what follows `tree:`, such as `400:territory`; by
    default as many as the time allows, by the strongest."""
    first, colon, rest = setting.partition(":")
    if first.isdecimal() and len(first) <= len(str(MOST_VISITS)):
        return int(first), rest if colon else STRONGEST
    return None, setting or STRONGEST


def _is_tree(setting: str) -> bool:
    visits, player = split_tree(setting)
    if visits is not None and not 1 <= visits <= MOST_VISITS:
        return False
    return split_name(player)[0] in EVALUATING_NAMES and is_own_player(player)


def split_linear(setting: str) -> tuple[str, list[str]]:
    """(model, features that are code) of what follows `linear:`, such as
    `MODEL+python:MODULE:NAME`."""
    model, *plugins = setting.split(f"+{PLUGIN}:")
    return model, [f"{PLUGIN}:{each}" for each in plugins]


def _is_linear(setting: str) -> bool:
    model, plugins = split_linear(setting)
    return bool(model) and all(map(is_own_player, plugins))


def split_temperature(setting: str) -> tuple[float | None, str]:
    """(temperature or None, evaluating player) of what follows `gibbs:`, such as `0.5:shape`."""
    first, _, rest = setting.partition(":")
    if TEMPERATURE.fullmatch(first):
        return float(first), rest
    return None, setting


def split_phases(setting: str) -> list[tuple[dict[str, int], str]]:
    """([limits by name, player], ...) of what follows `phases:`, such as `20:territory,shape`; no
    limits where none can be read."""
    parts = []
    for part in setting.split(","):
        first, _, rest = part.partition(":")
        found = [LIMIT.fullmatch(word) for word in first.split("/")]
        limits = [match.groupdict() for match in found if match is not None]
        kinds = [(kind, int(text)) for each in limits for kind, text in each.items() if text]
        is_read = len(limits) == len(found) == len(dict(kinds))
        parts.append((dict(kinds), rest) if is_read else ({}, part))
    return parts


def _is_phases(setting: str) -> bool:
    *parts, (last, closing) = split_phases(setting)
    names = [name for _, name in parts] + [closing]
    return (
        not last
        and len(parts) > 0
        and all(limits and _are_limits(limits) for limits, _ in parts)
        and all(split_name(name)[0] != "phases" and is_own_player(name) for name in names)
    )


def _are_limits(limits: dict[str, int]) -> bool:
    most = {"move": LONGEST_GAME, "percent": 100, "size": MAX_SIZE}
    return all(1 <= value <= most[kind] for kind, value in limits.items())


def split_opening(setting: str) -> tuple[str, int | None, str]:
    """(model, moves or None, player that goes on) of what follows `opening:`, such as
    `MODEL:30:alp`; by default the shipped model, as many moves as it knows, and shape."""
    model, _, rest = setting.partition(":")
    first, _, player = rest.partition(":")
    if first.isdecimal() and len(first) <= len(str(MOST_OPENING_MOVES)):
        return model, int(first), player or "shape"
    return model, None, rest or "shape"


def _is_opening(setting: str) -> bool:
    _, moves, player = split_opening(setting)
    if moves is not None and not 1 <= moves <= MOST_OPENING_MOVES:
        return False
    if player.startswith(PROGRAM_PREFIX):
        return True
    return split_name(player)[0] != "opening" and is_own_player(player)


def parts_of(name: str) -> Iterator[str]:
    """A player's name and those of the players inside it, however deep."""
    yield name
    kind = KINDS.get(split_name(name)[0])
    for inner in kind.inner(split_name(name)[1]) if kind else ():
        yield from parts_of(inner)


def versions_of(name: str) -> list[str]:
    """What neither a player's name nor its files say of how it plays: which kinds inside it have
    come to play otherwise, and how often, such as `tree 3`."""
    found = [KINDS.get(split_name(part)[0]) for part in parts_of(name)]
    return [f"{kind.name} {kind.version}" for kind in found if kind and kind.version > 1]


def _is_level(setting: str) -> bool:
    return setting.isdecimal() and setting in map(str, GNUGO_LEVELS)


def _is_gibbs(setting: str) -> bool:
    temperature, name = split_temperature(setting)
    return _is_evaluating(name, EVALUATING_NAMES) and (
        temperature is None or COLDEST <= temperature <= HOTTEST
    )


def _is_search(setting: str) -> bool:
    return _is_thinking(setting, EVALUATING_NAMES, DEEPEST_SEARCH)


def _is_dyna(setting: str) -> bool:
    return _is_thinking(setting, (LEARNING_NAME,), MOST_GAMES)


def _is_thinking(setting: str, names: tuple[str, ...], most: int) -> bool:
    number, name = split_thinking(setting)
    return _is_evaluating(name, names) and (number is None or 1 <= number <= most)


def _is_evaluating(name: str, names: tuple[str, ...]) -> bool:
    return split_name(name)[0] in names and is_own_player(name)


def is_own_player(name: str) -> bool:
    """Whether a name is that of a player of ours, with a setting that it takes."""
    player, setting = split_name(name)
    if player not in KINDS:
        return False
    known = KINDS[player].setting
    if known is None:
        return name == player
    return known.is_right(setting) or (known.is_optional and not setting)


_MODEL = Setting("MODEL", "a model's folder or name", bool, is_optional=True)
_EVALUATING = (
    Kind("alp", "counts liberties; what learners are tested against"),
    Kind("influence", "liberties and influence; quick"),
    Kind("shape", "learned local shape, one move ahead; can explain moves", _MODEL, "local shape"),
    Kind(
        "rlgo",
        "weights of the program RLGO 2.5, one move ahead",
        Setting("FILE", "an existing file of RLGO's weights", os.path.isfile),
    ),
    Kind("territory", "knows who will own each point; strong at once", _MODEL, "territory"),
    Kind(STRONGEST, "a net that learned from its own games; the strongest at once"),
    Kind(
        "linear",
        "weights of any features, one move ahead",
        Setting(
            "MODEL",
            "a linear model's folder or name, and +python:MODULE:NAME where it learned over "
            "features that are code",
            _is_linear,
        ),
        "linear",
        inner=lambda setting: split_linear(setting)[1],
    ),
    Kind("crbm", "the same over features that an RBM found", _MODEL, "linear"),
    Kind(
        PLUGIN,
        "a player or evaluator of your own",
        Setting(
            "MODULE:NAME",
            "a module, or a file that ends in .py, and a player or an evaluator in it",
            is_plugin_setting,
        ),
    ),
)
EVALUATING_NAMES = tuple(kind.name for kind in _EVALUATING)
"""Players whose opinion of a position can stand at the leaves of a search."""
_OTHERS = (
    Kind(
        "playouts",
        "the move that wins most random games",
        Setting("N", f"a number from 1 to {MOST_PLAYOUTS}", _is_count, is_optional=True),
    ),
    Kind(
        "gibbs",
        "a player that varies its moves by chance",
        Setting(
            "[T:]PLAYER",
            f"one of {', '.join(EVALUATING_NAMES)}, T a temperature from {COLDEST:g} to "
            f"{HOTTEST:g}",
            _is_gibbs,
        ),
        inner=lambda setting: [split_temperature(setting)[1]],
    ),
    Kind(
        RATED,
        "as strong as you wish, and errs as people do",
        Setting(
            "R",
            f"a whole number from {LOWEST_RATING} to {HIGHEST_RATING}, a rating on the house "
            f"ladder, or {AUTO}, which follows your results",
            _is_rating,
        ),
    ),
    Kind(
        "search",
        "looks several moves ahead with a player's opinion",
        Setting(
            "[DEPTH:]PLAYER", f"one of {', '.join(EVALUATING_NAMES)}", _is_search, is_optional=True
        ),
        inner=lambda setting: [split_thinking(setting)[1]],
        is_search=True,
    ),
    Kind(
        TREE,
        "grows a tree of likely moves with a player's opinion; strong",
        Setting(
            "[VISITS:]PLAYER",
            f"one of {', '.join(EVALUATING_NAMES)}, VISITS 1 to {MOST_VISITS}",
            _is_tree,
            is_optional=True,
        ),
        inner=lambda setting: [split_tree(setting)[1]],
        is_search=True,
        version=3,
    ),
    Kind(
        "dyna",
        "learns shapes for the position before each move; needs time",
        Setting(
            "[GAMES:]PLAYER",
            f"{LEARNING_NAME} or {LEARNING_NAME}:MODEL",
            _is_dyna,
            is_optional=True,
        ),
        inner=lambda setting: [split_thinking(setting)[1]],
    ),
    Kind(
        "phases",
        "one player early in the game, another one later",
        Setting(
            "LIMIT:PLAYER,PLAYER",
            "players of ours with commas between, each but the last after where it ends: 20 for "
            "moves to the 20th, 30% for boards less filled, 9x9 for boards no larger, or several "
            "with / between",
            _is_phases,
        ),
        inner=lambda setting: [name for _, name in split_phases(setting)],
    ),
    Kind(
        "opening",
        "learned openings on 19x19, then another player",
        Setting(
            "MODEL[:N]:PLAYER",
            f"a model's folder or name or nothing, N 1 to {MOST_OPENING_MOVES}, and a player of "
            f"ours or {PROGRAM_PREFIX}COMMAND",
            _is_opening,
            is_optional=True,
        ),
        "opening",
        inner=lambda setting: [split_opening(setting)[2]],
    ),
    Kind(
        GNUGO,
        "GNU Go, set up for area counting; level 10 by default",
        Setting("LEVEL", "a number from 0 to 10", _is_level, is_optional=True),
    ),
)
KINDS = {
    kind.name: kind
    for kind in (Kind("random", "any legal move but into its own eyes"), *_EVALUATING, *_OTHERS)
}
"""Every kind of player, by name; beside them programs are players, as `gtp:COMMAND`."""
PLAYER_NAMES = tuple(KINDS)


def split_name(name: str) -> tuple[str, str]:
    """(player, setting) of a name such as `playouts:64`; the setting may be empty. A model or a
    training run, by its folder or name alone, is the setting of the player that plays by it; a
    name that an installed package gives its player is that of a plug-in."""
    player, _, setting = name.partition(":")
    if player not in KINDS and not name.startswith(PROGRAM_PREFIX):
        kind = player_of_model(name.partition(f"+{PLUGIN}:")[0])
        if kind is not None:
            return kind, name
        plugin = installed_plugin(name)
        if plugin is not None:
            return PLUGIN, plugin
    return player, setting


def player_of_model(name: str) -> str | None:
    """Which player plays by the model of a folder or name; None where there is no such model, or
    nobody plays by it."""
    if not has_model(name):
        return None
    try:
        found = read_model(name).heading.kind
    except KatachiError:
        return None
    return next((kind.name for kind in KINDS.values() if kind.model == found), None)


def model_of(name: str) -> str:
    """The model that a player's name asks for, by folder or name; empty for none, or the shipped
    one."""
    player, setting = split_name(name)
    if player not in KINDS or not KINDS[player].model:
        return ""
    if player == "opening":
        return split_opening(setting)[0]
    return split_linear(setting)[0] if player == "linear" else setting
