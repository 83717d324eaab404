"""How a player does: what it is blamed for, and when it is no longer asked."""

ENOUGH = 3
"""Moves in a row without a usable answer."""


class Form:
    """How a player has been doing, in the game under way and before.

    A player that is late is not asked again in the same game, for every wait costs the clock; if it
    gave moves in that game it is not to blame, and plays the next one. A player that fails in other
    ways, or that gives no move at all with time on the clock, is unfit to play on.
    """

    def __init__(self) -> None:
        self.complaint = ""
        """What it did wrong last."""
        self.is_unfit = False
        """Whether another game with it makes no sense."""
        self._game: int | None = None
        self._answers = 0
        self._lates = 0
        self._blamed = 0
        self._failures = 0

    def enter(self, game: int) -> None:
        """Notes which game is under way; a new one is a new chance for the late."""
        if game != self._game:
            self._game = game
            self._answers = self._lates = self._blamed = 0

    @property
    def is_benched(self) -> bool:
        """Whether the player is not to be asked in this game any more."""
        return self.is_unfit or max(self._lates, self._failures) >= ENOUGH

    def note_answer(self) -> None:
        """A move that can be played came in time."""
        self._answers += 1
        self._lates = self._blamed = self._failures = 0

    def note_failure(self, complaint: str) -> None:
        """An answer came that nobody can use."""
        self.complaint = complaint
        self._failures += 1
        self.is_unfit |= self._failures >= ENOUGH

    def note_lateness(self, complaint: str, *, is_fair: bool) -> None:
        """No answer came in time; `is_fair` if there was enough of it."""
        self.complaint = complaint
        self._lates += 1
        self._blamed += is_fair
        self.is_unfit |= self._blamed >= ENOUGH and not self._answers
