"""Time control: what is left on both clocks, and how much of it a move may take."""

import math
from dataclasses import dataclass, replace
from enum import Enum

from katachi.rules.color import BLACK, WHITE

SHORTEST_THOUGHT = 0.01
"""A budget never falls below this: some move must be made."""
LAG = 0.15
"""Seconds that a move may lose on its way to whoever keeps the time."""
LONGEST_HOLD_UP = 1.0
"""Seconds for which other work may keep a player from its move."""
_RESERVED_SHARE = 0.5
_SAFE_SHARE = 0.9
_EXPECTED_SHARE = 0.35
"""Moves each player makes in a game, as a share of the board's points."""
_FEWEST_MOVES_LEFT = 12


def expected_moves_left(size: int, moves: int) -> int:
    """How many moves a player should save time for after `moves` moves of both."""
    return max(_FEWEST_MOVES_LEFT, round(_EXPECTED_SHARE * size * size) - moves // 2)


class TimeSystem(Enum):
    """How time is allotted."""

    NONE = "none"
    ABSOLUTE = "absolute"
    BYOYOMI = "byoyomi"
    """After main time, periods; one is lost whenever a move takes longer than it."""
    CANADIAN = "canadian"
    """After main time, so many moves must be made in each period."""
    FISCHER = "fischer"
    """Every move adds an increment to the main time."""


@dataclass(frozen=True)
class TimeSettings:
    """A time system with its numbers, in seconds."""

    system: TimeSystem = TimeSystem.NONE
    main: float = 0.0
    period: float = 0.0
    """Length of a byo-yomi or Canadian period."""
    count: int = 0
    """Number of byo-yomi periods, or of moves in a Canadian period."""
    increment: float = 0.0
    cap: float = math.inf
    """Fischer increments lift the main time no higher than this."""
    longest_move: float = math.inf


@dataclass(frozen=True)
class TimeLeft:
    """One player's clock. In overtime `main` is 0 and `period` runs."""

    main: float
    period: float
    count: int
    """Byo-yomi periods left, or moves still to make in the Canadian period."""
    is_expired: bool = False


class Clock:
    """Both players' clocks under one time system; it measures nothing itself."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.configure(settings or TimeSettings())

    def configure(self, settings: TimeSettings) -> None:
        """Both clocks full, under these settings."""
        self.settings = settings
        full = TimeLeft(settings.main, settings.period, settings.count)
        self._left = {BLACK: full, WHITE: full}

    def restart(self) -> None:
        """Both clocks full again, for a new game."""
        self.configure(self.settings)

    def left(self, color: int) -> TimeLeft:
        """What the clock of `color` shows."""
        return self._left[color]

    def report(self, color: int, seconds: float, count: int) -> None:
        """Sets a clock to what the keeper of the time says.

        With `count` 0 the seconds are main time; else they are what is left of the period in which
        `count` moves (Canadian) must be made or of which `count` (byo-yomi) are left.
        """
        settings = self.settings
        if count > 0:
            self._left[color] = TimeLeft(0.0, max(0.0, seconds), count)
        else:
            self._left[color] = TimeLeft(max(0.0, seconds), settings.period, settings.count)

    def spend(self, color: int, seconds: float) -> None:
        """Takes the time of one move from a clock."""
        system = self.settings.system
        if system == TimeSystem.NONE:
            return
        if system == TimeSystem.FISCHER:
            self._left[color] = self._spend_fischer(self._left[color], seconds)
            return
        left = self._left[color]
        over = seconds - left.main
        if over <= 0:
            self._left[color] = replace(left, main=-over)
        else:
            self._left[color] = self._spend_overtime(replace(left, main=0.0), over)

    def _spend_fischer(self, left: TimeLeft, seconds: float) -> TimeLeft:
        if seconds > left.main:
            return replace(left, main=0.0, is_expired=True)
        main = min(left.main - seconds + self.settings.increment, self.settings.cap)
        return replace(left, main=main)

    def _spend_overtime(self, left: TimeLeft, seconds: float) -> TimeLeft:
        settings = self.settings
        if settings.system == TimeSystem.BYOYOMI and settings.period > 0:
            used = min(seconds / settings.period, left.count + 1.0)  # of tiny periods: all
            count = max(0, left.count - max(0, math.ceil(used) - 1))
            return TimeLeft(0.0, settings.period, count, left.is_expired or count == 0)
        if settings.system != TimeSystem.CANADIAN or seconds > left.period:
            return TimeLeft(0.0, 0.0, 0, is_expired=True)
        if left.count <= 1:
            return TimeLeft(0.0, settings.period, settings.count, left.is_expired)
        return TimeLeft(0.0, left.period - seconds, left.count - 1, left.is_expired)

    def budget(self, color: int, moves_left: int) -> float | None:
        """Seconds the next move of `color` may take; None without a clock.

        `moves_left` is how many moves that player expects still to make. Main time is shared out
        evenly among them; overtime and increments are used as they come.
        """
        settings, left = self.settings, self._left[color]
        if settings.system == TimeSystem.NONE:
            return None
        main = _safe(left.main, self._reserve())
        share = left.main / max(1, moves_left)
        if settings.system == TimeSystem.FISCHER:
            budget = min(main, share + _SAFE_SHARE * settings.increment)
        else:
            budget = max(min(main, share), _safe(self._overtime(left)))
        return max(SHORTEST_THOUGHT, min(budget, _safe(settings.longest_move)))

    def seconds_until_flag(self, color: int) -> float:
        """Seconds of thought after which `color` has lost on time; infinite without a clock."""
        settings, left = self.settings, self._left[color]
        if settings.system == TimeSystem.NONE:
            return math.inf
        if settings.system == TimeSystem.BYOYOMI:
            return left.main + left.period + settings.period * max(0, left.count - 1)
        return left.main + (left.period if settings.system == TimeSystem.CANADIAN else 0.0)

    def _reserve(self) -> float:
        """Main time that is never planned away: a busy machine may hold a move up for so long."""
        return max(LAG, min(LONGEST_HOLD_UP, _RESERVED_SHARE * self.settings.main))

    def _overtime(self, left: TimeLeft) -> float:
        """What the overtime gives to one move."""
        if self.settings.system == TimeSystem.BYOYOMI:
            return left.period
        if self.settings.system == TimeSystem.CANADIAN:
            return left.period / max(1, left.count)
        return 0.0


def _safe(seconds: float, reserve: float = LAG) -> float:
    """The part of a limit that can be used without fear of overstepping it."""
    return max(0.0, min(_SAFE_SHARE * seconds, seconds - reserve))
