"""How our server plays and pairs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

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
