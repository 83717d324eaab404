"""What two players agree on before a game."""

from dataclasses import dataclass, field

from katachi.errors import KatachiError
from katachi.players.clock import TimeSettings, TimeSystem
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.ruleset import RULESETS, Rules, check_komi
from katachi.rules.size import check_size

LONGEST_SECONDS = 1e8
"""No clock shows more, as programs that are given it count in integers."""


@dataclass(frozen=True)
class GameSettings:
    """Board, rules, time and openings; raises KatachiError for what cannot be played."""

    size: int = 9
    komi: float = 7.5
    rules: Rules = field(default_factory=Rules)
    time: TimeSettings = field(default_factory=TimeSettings)
    opening_moves: int = 4
    """Random moves before the players begin; two games with colours exchanged share them."""
    move_limit: int | None = None
    """Moves after which a game is stopped without a result; by default four times the points."""
    referee: str | None = None
    """A GTP command that counts finished games; without one, area with all stones alive."""

    def __post_init__(self) -> None:
        """Checks every number once."""
        check_size(self.size)
        check_komi(self.komi)
        if not 0 <= self.opening_moves <= self.size * self.size // 2:
            most = self.size * self.size // 2
            raise KatachiError(f"{self.opening_moves} opening moves: use 0 to {most}")
        if self.move_limit is not None and not 1 <= self.move_limit <= LONGEST_GAME:
            raise KatachiError(f"a limit of {self.move_limit} moves: use 1 to {LONGEST_GAME}")

    @property
    def longest(self) -> int:
        """Moves after which a game is stopped."""
        return self.move_limit or 4 * self.size * self.size

    def describe(self) -> dict[str, object]:
        """The settings as plain data, for files that must be compared later."""
        names = [name for name, rules in RULESETS.items() if rules == self.rules]
        time = self.time
        return {
            "size": self.size,
            "komi": self.komi,
            "rules": names[0] if names else str(self.rules),
            "time": None if time.system is TimeSystem.NONE else _time_data(time),
            "opening_moves": self.opening_moves,
            "move_limit": self.longest,
            "referee": self.referee,
        }


def _time_data(time: TimeSettings) -> dict[str, object]:
    return {
        "system": time.system.value,
        "main": time.main,
        "period": time.period,
        "count": time.count,
        "increment": time.increment,
    }


def fischer_time(main: float | None, increment: float) -> TimeSettings:
    """Main time with an increment a move; no clock at all without main time."""
    seconds = 1.0 if main is None else main
    if not 0 < seconds <= LONGEST_SECONDS or not 0 <= increment <= LONGEST_SECONDS:
        text = "no main time" if main is None else f"{main:g}"
        raise KatachiError(
            f"a clock of {text} + {increment:g} seconds: use positive numbers up to "
            f"{LONGEST_SECONDS:g}"
        )
    if main is None:
        return TimeSettings()
    return TimeSettings(TimeSystem.FISCHER, main=main, increment=increment)
