"""What to type to play with a model, and the ratings of players on the house ladders."""

import json
import os
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.arena.schema import is_former
from katachi.errors import KatachiError
from katachi.files.plugin_names import PLUGIN
from katachi.files.shipped_folders import CONFIG, LADDER_REPORTS, read_model
from katachi.players import kinds
from katachi.players.names import command_of, is_program, split_command


def play_lines(folder: Path) -> list[str]:
    """The lines to paste that play with the model of a folder, or of the training run there; none
    where nobody plays by it."""
    name = player_name(folder)
    if name is None:
        return []
    word = shlex.quote(name)
    return [f"play it:   katachi gtp --player {word}", f"match it:  katachi match {word} alp"]


def player_name(folder: Path) -> str | None:
    """How the player is named that plays by the model of a folder; None where there is none."""
    name = str(folder)
    if kinds.player_of_model(name) is None:
        return None
    code = "".join(f"+{each}" for each in _code_of(name))
    return f".{os.sep}{name}{code}" if name.partition(":")[0] in kinds.KINDS else name + code


def _code_of(name: str) -> list[str]:
    """The features of a model that are code, which its player's name must have."""
    config = json.loads((read_model(name).folder / CONFIG).read_bytes())
    features = config.get("features")
    known = features if isinstance(features, list) else []
    return [each for each in map(str, known) if each.startswith(f"{PLUGIN}:")]


def chosen_models(*names: str) -> list[str]:
    """A line for each training run that players are named by: which of its models it is."""
    models = dict.fromkeys(kinds.model_of(part) for name in names for part in kinds.parts_of(name))
    lines = []
    for model in filter(None, models):
        found = read_model(model).folder
        if os.path.isdir(model) and found != Path(model):
            lines.append(f"{model} is a training run: its best model, {found.name}, plays")
    return lines


class Rated(NamedTuple):
    """What a ladder says of a player."""

    spec: str
    size: int
    elo: float


class _Entry(msgspec.Struct):
    spec: str
    elo: float
    name: str = ""


class _Settings(msgspec.Struct):
    size: int


class _Ladder(msgspec.Struct):
    """What is read of a ladder's report."""

    settings: _Settings
    ranking: list[_Entry]


@cache
def read_ratings(folder: Path = LADDER_REPORTS) -> tuple[Rated, ...]:
    """All ratings of the ladders in a folder, the smallest board first; files that hold no ladder
    are passed over."""
    found = []
    for path in sorted(folder.glob("ladder*.json")):
        try:
            ladder = msgspec.json.decode(path.read_bytes(), type=_Ladder)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            continue
        size = ladder.settings.size
        found += [
            Rated(plain_name(each.spec, size), size, each.elo)
            for each in ladder.ranking
            if not is_former(each.name)
        ]
    return tuple(sorted(found, key=lambda rated: rated.size))


def ratings_of(name: str, folder: Path = LADDER_REPORTS) -> list[Rated]:
    """The ratings of a player by name, one a ladder that it plays on."""
    ratings = read_ratings(folder)
    sizes = {rated.size for rated in ratings}
    wanted = {size: {name, plain_name(name, size)} for size in sizes}
    return [rated for rated in ratings if rated.spec in wanted[rated.size]]


def rating_text(name: str, folder: Path = LADDER_REPORTS) -> str:
    """A player's ratings in words; empty where it has none."""
    rated = ratings_of(name, folder)
    return ", ".join(f"{each.elo:.0f} Elo at {each.size}x{each.size}" for each in rated)


def plain_name(spec: str, size: int) -> str:
    """The shortest name of the same player on boards of a size: one without the model that it has
    by default, or GNU Go's, where a command line is that."""
    if is_program(spec):
        return _gnugo_name(spec)
    player, setting = kinds.split_name(spec)
    if setting and setting == _default_model(player, size):
        return player
    if player == "territory" and setting == _default_model(kinds.STRONGEST, size):
        return kinds.STRONGEST
    return spec if setting != spec else f"{player}:{spec}"


def _gnugo_name(spec: str) -> str:
    """`gnugo:LEVEL` for a command line of the same words in any order, else the spec itself."""
    try:
        words = sorted(split_command(command_of(spec)))
    except KatachiError:
        return spec
    names = (f"{kinds.GNUGO}:{level}" for level in kinds.GNUGO_LEVELS)
    return next((name for name in names if sorted(split_command(command_of(name))) == words), spec)


def _default_model(player: str, size: int) -> str:
    """The shipped model that a player has on boards of a size."""
    if player not in ("shape", "territory", "selfplay", "crbm"):
        return ""
    from katachi.evaluators.shipped import LINEAR, SELFPLAY, SHAPE_BY_SIZE, TERRITORY

    known = {"territory": TERRITORY, "selfplay": SELFPLAY, "crbm": LINEAR}
    return known.get(player) or SHAPE_BY_SIZE.get(size, "")
