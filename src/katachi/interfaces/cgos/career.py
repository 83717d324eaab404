"""What a client remembers from one connection to the next."""

from dataclasses import dataclass, field

from katachi.interfaces.cgos.outcome import Outcome
from katachi.interfaces.cgos.wire import Setup, bare_name
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point

UNKNOWN = "unknown"
"""The result of a game whose end we did not hear of."""


@dataclass
class Career:
    """What a client remembers from one connection to the next."""

    wanted: int | None = None
    """Games to play; None for any number."""
    played: int = 0
    game: Game | None = None
    """The game under way, or the last one."""
    setup: Setup | None = None
    is_playing: bool = False
    is_ending: bool = False
    """Someone asked for an end: no game after this one."""
    is_helpless: bool = False
    """We cannot play on: no game after this one either."""
    results: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    """What each result was to us."""
    is_known: bool = False
    """Whether a server has let us play: then the password is right."""
    closes: int = 0
    """Connections in a row that were closed right after the password."""

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to do."""
        if self.is_playing:
            return False
        return self.is_closing or (self.wanted is not None and self.played >= self.wanted)

    @property
    def is_closing(self) -> bool:
        """Whether the game under way is the last, for whatever reason."""
        return self.is_ending or self.is_helpless

    def begin(self, setup: Setup, game: Game) -> None:
        """A game begins or goes on; one that was not finished before counts as played."""
        if self.is_playing and not self._is_same(setup):
            self.finish(UNKNOWN)
        elif setup.moves and self._is_same(setup):
            self.revive()
        self.setup, self.game, self.is_playing = setup, game, True

    def _is_same(self, setup: Setup) -> bool:
        """Whether this is the game under way: some servers call every game 0."""
        if self.setup is None or self.game is None or setup.game_id != self.setup.game_id:
            return False
        if _pairing(setup) != _pairing(self.setup):
            return False
        size = self.game.size
        mine = [vertex_from_point(move.point, size).upper() for move in self.game.moves]
        theirs = [move.vertex.upper() for move in setup.moves]
        # The server may not have got our last move.
        shared = min(len(mine), len(theirs))
        return mine[:shared] == theirs[:shared] and len(theirs) >= len(mine) - 1

    def revive(self) -> None:
        """Takes back the guess that the game was over: it goes on."""
        if not self.is_playing and self.results and self.results[-1] == UNKNOWN:
            self.is_playing = True
            self.played -= 1
            self.results.pop()
            self.outcomes.pop()

    def finish(self, result: str, outcome: Outcome = Outcome.OPEN) -> None:
        """The game under way is over."""
        if self.is_playing:
            self.is_playing = False
            self.played += 1
            self.results.append(result)
            self.outcomes.append(outcome)

    def summary(self, most: int = 20) -> str:
        """One line: how many games were played, the last results, who won how many."""
        pairs = zip(self.results[-most:], self.outcomes[-most:], strict=True)
        results = [f"{text} ({how.value})" if how != Outcome.OPEN else text for text, how in pairs]
        counts = {how: self.outcomes.count(how) for how in Outcome if how != Outcome.OPEN}
        totals = ", ".join(f"{how.value} {count}" for how, count in counts.items() if count)
        played = f"played {self.played} games: {', '.join(results) or 'no result'}"
        return f"{played}; {totals}" if totals else played


def _pairing(setup: Setup) -> tuple[int, str, str]:
    """What tells one game from another where they share a number."""
    return setup.size, bare_name(setup.white), bare_name(setup.black)
