"""Who can be asked: the players and evaluators that the page offers, and those it keeps.

Names come from the page. They are taken apart here and every word of them is looked up in a list
before the library sees them, so that no name can become a path or a program.
"""

import re
import secrets
import threading
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakSet

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.files.shipped_folders import model_names
from katachi.interfaces.views.player_lines import ratings_of
from katachi.interfaces.web.operations import PLAYER_PREFIXES, Context, Lane, RequestError
from katachi.players.finishing import Finisher
from katachi.players.kinds import (
    GNUGO,
    KINDS,
    LIMIT,
    RATED,
    TEMPERATURE,
    parts_of,
    split_name,
)
from katachi.players.names import check_no_plugin, check_player_name, find_program, is_program
from katachi.players.protocol import Player
from katachi.players.roster import make_evaluator, make_player

MOST_PLAYERS = 4
"""Players that one page keeps ready."""
MOST_ENGINES = 16
"""Programs that play for all pages together."""
MOST_EVALUATORS = 32
MOST_PLAYOUTS = 100
"""Random games of each move: with more a move takes too long on large boards."""
_CLOCK_KINDS = frozenset({"playouts", "search", "tree", "rated", "dyna", "phases", GNUGO})
"""Players that use their time, or wait for another program."""
_NUMBER = re.compile(r"[0-9]{1,6}")
_WORDS = re.compile(r"[:,]")


class Offer(NamedTuple):
    """A player in the list."""

    name: str
    about: str
    group: str
    seconds: float | None = None
    """What a move takes, where it uses its time."""
    sizes: tuple[int, ...] | None = None
    """None for every board."""


_OFFERS = (
    Offer("territory", KINDS["territory"].good_at, "learned"),
    Offer("selfplay", KINDS["selfplay"].good_at, "learned"),
    Offer("shape", KINDS["shape"].good_at, "learned"),
    Offer("crbm", KINDS["crbm"].good_at, "learned", sizes=(9,)),
    Offer("opening", KINDS["opening"].good_at, "learned", sizes=(19,)),
    Offer("gibbs:territory", "the same as territory, but varies its moves", "learned"),
    Offer("tree", "grows a tree of likely moves; the strongest, uses its time", "search", 1.0),
    Offer("search:shape", "looks ahead with learned shapes; uses its time", "search", 1.0),
    Offer("search:territory", "looks ahead with learned owners; uses its time", "search", 1.0),
    Offer("dyna", "learns shapes for the position before each move", "search", 1.0),
    Offer("playouts", KINDS["playouts"].good_at, "search", 1.0),
    *(Offer(f"rated:{each}", KINDS["rated"].good_at, "simple") for each in (300, 600, 1000, 1500)),
    Offer("influence", KINDS["influence"].good_at, "simple"),
    Offer("alp", "counts liberties; a beginner", "simple"),
    Offer("random", KINDS["random"].good_at, "simple"),
)
_GNUGO_OFFERS = tuple(
    Offer(f"{GNUGO}:{level}", f"GNU Go, level {level}", "engine", seconds)
    for level, seconds in ((1, 0.3), (5, 0.5), (10, 1.0))
)


class EvaluatorOffer(NamedTuple):
    """An evaluator in the list."""

    name: str
    about: str
    has_owners: bool = False
    has_moves: bool = False
    has_shapes: bool = False
    has_visits: bool = False
    """Whether it reads ahead: what it says grows while it is asked."""
    sizes: list[int] | None = None


_EVALUATORS = (
    EvaluatorOffer("territory", "who will own each point", has_owners=True, has_moves=True),
    EvaluatorOffer(
        "selfplay", "who will own each point if both play well", has_owners=True, has_moves=True
    ),
    EvaluatorOffer(
        "tree",
        "reads ahead: selfplay's opinion of 400 positions; slower and stronger",
        has_owners=True,
        has_moves=True,
        has_visits=True,
    ),
    EvaluatorOffer(
        "tree:2000",
        "reads ahead: selfplay's opinion of 2,000 positions; takes seconds",
        has_owners=True,
        has_moves=True,
        has_visits=True,
    ),
    EvaluatorOffer("shape", "learned local shape; can say why", has_shapes=True),
    EvaluatorOffer("crbm", "features that an RBM found", sizes=[9]),
    EvaluatorOffer("influence", "liberties and influence"),
    EvaluatorOffer("alp", "liberties alone"),
)


def players_offered() -> list[dict[str, Any]]:
    """The players of the list, as they are sent."""
    engines = _GNUGO_OFFERS if find_program("gnugo") else ()
    return [_player_entry(offer) for offer in (*_OFFERS, *engines)]


def _player_entry(offer: Offer) -> dict[str, Any]:
    ratings = {str(rated.size): round(rated.elo) for rated in ratings_of(offer.name)}
    kind, setting = split_name(offer.name)
    if kind == RATED:
        ratings = {"9": int(setting)}
    return {
        "name": offer.name,
        "about": offer.about,
        "sizes": None if offer.sizes is None else list(offer.sizes),
        "rating": ratings,
        "seconds": offer.seconds,
        "group": offer.group,
    }


def evaluators_offered() -> list[dict[str, Any]]:
    """The evaluators of the list, as they are sent."""
    return [offer._asdict() for offer in _EVALUATORS]


def lane_of_player(name: str) -> Lane:
    """Where a player's moves are made."""
    words = set(_WORDS.split(name))
    return Lane.CLOCK if words & _CLOCK_KINDS or GNUGO in words else Lane.WORK


def library_name(name: str, folder: Path, field: str) -> str:
    """The name by which the library knows a player that the page names; raises RequestError."""
    prefix, _, rest = name.partition(":")
    try:
        if prefix in PLAYER_PREFIXES:
            return PLAYER_PREFIXES[prefix](rest, folder)
        _check_words(name)
        check_player_name(name)
    except KatachiError as error:
        raise RequestError(field, error) from None
    return name


def _check_words(name: str) -> None:
    """Raises KatachiError unless every word is a kind of player, a shipped model or a number."""
    models = set(model_names())
    for word in filter(None, _WORDS.split(name)):
        if word not in KINDS and word not in models and not _is_number(word):
            raise KatachiError(f"no player {name[:60]!r}: {word[:40]!r} is not known here")
    check_no_plugin(name, "the page runs no code of others")
    if "rlgo" in _WORDS.split(name):
        raise KatachiError("rlgo needs a file, which the page cannot name")
    for part in parts_of(name):
        kind, setting = split_name(part)
        model = setting.partition(":")[0] if kind in KINDS and KINDS[kind].model else ""
        if model and model not in models:  # a number may be the name of a folder
            raise KatachiError(f"no player {name[:60]!r}: there is no model {model[:40]!r}")
        if kind == "playouts" and setting.isdecimal() and int(setting) > MOST_PLAYOUTS:
            raise KatachiError(f"{part[:40]} would think too long: use at most {MOST_PLAYOUTS}")


def _is_number(word: str) -> bool:
    limits = word.split("/")
    return bool(
        _NUMBER.fullmatch(word)
        or TEMPERATURE.fullmatch(word)
        or all(LIMIT.fullmatch(each) for each in limits)
    )


_loading = threading.Lock()
_evaluators: dict[str, Evaluator] = {}
"""Those that were asked for last, by the name that the library knows."""


def evaluator_named(name: str, context: Context, field: str = "evaluator") -> Evaluator:
    """What a player of that name judges positions by; all pages share it. Raises RequestError."""
    known = library_name(name, context.folder, field)
    found = _evaluators.get(known)
    if found is not None:
        return found
    try:
        with _loading:
            found = _evaluators.get(known) or make_evaluator(known)
            _evaluators[known] = found
            while len(_evaluators) > MOST_EVALUATORS:
                del _evaluators[next(iter(_evaluators))]
            return found
    except KatachiError as error:
        raise RequestError(field, error) from None


class Seat(NamedTuple):
    """A player of one page, and who passes and resigns for it."""

    player: Player
    finisher: Finisher

    def close(self) -> None:
        """Ends what the player has started."""
        self.player.close()


def seat_of(name: str, context: Context) -> Seat:
    """The page's own player of that name; raises RequestError. The one that has waited longest
    goes where there are too many."""
    known = library_name(name, context.folder, "player")
    key = f"player {known}"
    seat = context.own.pop(key, None)
    if not isinstance(seat, Seat):
        _make_room(context.own)
        seat = Seat(_new_player(known, context), Finisher())
    context.own[key] = seat
    return seat


def _new_player(known: str, context: Context) -> Player:
    """A player that plays another game each time; raises RequestError where too many programs
    run already."""
    engines: WeakSet[Player] = context.shared.setdefault("engines", WeakSet())
    is_engine = any(map(is_program, parts_of(known)))
    if is_engine and len(engines) >= MOST_ENGINES:
        raise RequestError("player", "too many programs play here already: choose another player")
    try:
        player = make_player(known, secrets.randbelow(1 << 30))
    except KatachiError as error:
        raise RequestError("player", error) from None
    if is_engine:
        engines.add(player)
    return player


def _make_room(own: dict[str, Any]) -> None:
    seats = {key: seat for key, seat in list(own.items()) if isinstance(seat, Seat)}
    for key in list(seats)[: max(0, len(seats) - MOST_PLAYERS + 1)]:
        own.pop(key, None)  # another thread may have taken it
        seats[key].close()
