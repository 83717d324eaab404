"""How our server plays, rates and pairs."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.interfaces.cgos.wire import is_name
from katachi.rules.ruleset import check_komi
from katachi.rules.size import check_size


class Dialect(Enum):
    """Which server is spoken like."""

    CLASSIC = "classic"
    LITE = "lite"
    """Polls idle clients with `username`; bare names, game 0, vertices in capitals, the receiver's
    time with the opponent's move; never tells the end of a game."""


@dataclass(frozen=True)
class ServerSettings:
    """Everything that can be chosen; times are in seconds."""

    host: str = "127.0.0.1"
    port: int = 6867
    """0 takes any that is free."""
    size: int = 9
    komi: float = 7.0
    time: float = 300.0
    """Main time of each player; there is no other."""
    dialect: Dialect = Dialect.CLASSIC
    folder: Path | None = None
    """Where accounts, games and SGF files are kept; nothing is kept without one."""
    anchors: Mapping[str, float] = field(default_factory=dict)
    """Players whose rating is given and never changes."""
    gift: float = 0.25
    first_look: float = 45.0
    """From the start to the first round."""
    look_every: float = 15.0
    pause: float = 3.0
    """Between setup and the first move."""
    flag_every: float = 15.0
    """Clocks are looked at this often, and at every move."""
    info_every: float = 60.0
    poll_every: float = 0.33
    login: float = 30.0
    """A connection that has not logged in by then is closed."""
    absence: float = 60.0
    """After a restart a clock stands until its player is back, but no longer than this."""
    connections: int = 512

    def __post_init__(self) -> None:
        """Raises KatachiError for what cannot be."""
        check_size(self.size)
        check_komi(self.komi)
        if not 0 <= self.port <= 65535:
            raise KatachiError(f"{self.port} is no port: use 0 to 65535")
        if not 0 < self.time <= 1e6:
            raise KatachiError(f"{self.time:g} seconds a game: use more than 0, at most 1000000")
        self._check_intervals()
        for name, elo in self.anchors.items():
            if not is_name(name) or not abs(elo) <= 10_000:
                raise KatachiError(f"no anchor can be called {name!r} with rating {elo:g}")

    def _check_intervals(self) -> None:
        for name in ("look_every", "flag_every", "info_every", "poll_every", "login"):
            if not 0 < getattr(self, name) <= 1e6:
                raise KatachiError(f"{name} must be more than 0 seconds")
        for name in ("first_look", "pause", "gift", "absence"):
            if not 0 <= getattr(self, name) <= 1e6:
                raise KatachiError(f"{name} must be at least 0 seconds")


FEW_PLAYERS = 5
"""With fewer, everyone may meet everyone."""
WIDEST_NOISE = 3000.0
NARROWEST_NOISE = 500.0
_PLACES = 4


class Waiting(NamedTuple):
    """A player who waits for a game."""

    name: str
    elo: float
    blacks: int = 0
    """Games played with Black so far."""
    whites: int = 0


class Pairing(NamedTuple):
    """One game of a round."""

    white: str
    black: str


def noise_range(ratings: Sequence[float]) -> float:
    """How far chance may move a player among these: half as much again as the widest gap across
    four places, so that nobody is alone."""
    if len(ratings) < FEW_PLAYERS:
        return WIDEST_NOISE
    ranked = sorted(ratings)
    gaps = (high - low for low, high in zip(ranked, ranked[_PLACES:], strict=False))
    return max(NARROWEST_NOISE, 1.5 * max(gaps))


def pair_players(waiting: Sequence[Waiting], chance: random.Random) -> list[Pairing]:
    """The games of a round; of an odd number, one player sits out."""
    noise = noise_range([player.elo for player in waiting])
    ranked = sorted(waiting, key=lambda player: player.elo + chance.uniform(0, noise))
    pairs = zip(ranked[::2], ranked[1::2], strict=False)
    return [_give_colors(one, other, chance) for one, other in pairs]


def _give_colors(one: Waiting, other: Waiting, chance: random.Random) -> Pairing:
    """Black to whoever has had it less often; where that is equal, by lot."""
    surplus = (one.blacks - one.whites) - (other.blacks - other.whites)
    if surplus > 0 or (surplus == 0 and chance.random() < 0.5):
        return Pairing(white=one.name, black=other.name)
    return Pairing(white=other.name, black=one.name)


FIRST_RATING = 1500.0
"""Of a player who arrives while nobody waits."""
LARGEST_K = 200.0
SMALLEST_K = 3.0
PROVISIONAL_K = 16.0
_SLOW_K = 32.0
_SELF_RELIANCE = 0.1


@dataclass(frozen=True)
class Rating:
    """Elo, and K: how many points a surprising game against a well-known player may move it."""

    elo: float = FIRST_RATING
    k: float = LARGEST_K
    is_anchor: bool = False
    """An anchor keeps its rating whatever happens."""

    def __str__(self) -> str:
        """`1500`, or `1500?` while the rating is provisional."""
        return f"{self.elo:.0f}{'?' if self.k > PROVISIONAL_K else ''}"


def anchor(elo: float) -> Rating:
    """The rating of an anchor: as certain as can be."""
    return Rating(elo, SMALLEST_K, is_anchor=True)


def expectation(mine: float, yours: float) -> float:
    """The share of the points I should win against you."""
    # Beyond this the power overflows and the share is 0 or 1 anyway.
    difference = min(max((yours - mine) / 400, -100.0), 100.0)
    return 1 / (1 + 10**difference)


def certainty(k: float) -> float:
    """How much a player with this K can tell of others: 0 for a newcomer, 1 for a veteran."""
    return 1 - (k - SMALLEST_K) / (LARGEST_K - SMALLEST_K)


def rate_game(mine: Rating, yours: Rating, score: float, *, has_anchors: bool = True) -> Rating:
    """My rating after a game against you; score is 1, 0, or one half for a draw.

    On a server without anchors newcomers would tell nothing of each other for ever; there, a
    player's certainty counts as at least a tenth.
    """
    if mine.is_anchor:
        return mine
    trust = certainty(yours.k)
    if not has_anchors:
        trust = max(trust, _SELF_RELIANCE)
    elo = mine.elo + mine.k * trust * (score - expectation(mine.elo, yours.elo))
    shrink = 0.02 if mine.k <= _SLOW_K else 0.04
    return replace(mine, elo=elo, k=max(SMALLEST_K, mine.k * (1 - shrink * trust)))
