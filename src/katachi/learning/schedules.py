"""Schedules: on which board agents learn, and when they move to a larger one."""

from typing import Annotated, Protocol

import msgspec

from katachi.errors import KatachiError
from katachi.learning.progress import Measurement
from katachi.rules.size import check_size


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time spent on one board size."""

    size: int
    games: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Games learned from."""
    seconds: float = 0.0
    """Spent on learning, tests left out."""
    has_passed: bool = False
    """Whether a test on this board was good enough to go on; also told of the last board."""


class Schedule(Protocol):
    """Decides after each test whether the board changes."""

    def has_passed(self, test: Measurement) -> bool:
        """Whether the agents are good enough for a larger board."""
        ...

    def next_size(self, test: Measurement) -> int | None:
        """The size to go on with; None for the present one. It depends on the test alone, so that
        a run that was interrupted takes the same decisions."""
        ...


class OneSize:
    """The board stays as it is."""

    def has_passed(self, test: Measurement) -> bool:  # noqa: ARG002 (the protocol's)
        """There is nothing to pass."""
        return False

    def next_size(self, test: Measurement) -> int | None:  # noqa: ARG002 (the protocol's)
        """None."""
        return None


class Growing(msgspec.Struct, frozen=True):
    """From one size to the next, up to the last, as soon as every agent wins often enough.

    Silver, Sutton and Müller (2007), section 7: from 5x5 on, at 90 % of a test of 100 games.
    """

    last: int
    """The largest board."""
    share: float = 0.9
    """Every agent must win at least this share of a test's games."""
    most_games: int | None = None
    """After so many games on one board the next follows, whatever the test says."""

    def __post_init__(self) -> None:
        """Raises KatachiError for what cannot be grown by."""
        check_size(self.last)
        if not 0 <= self.share <= 1:
            raise KatachiError(f"growing at {self.share:g} of the games: use a share from 0 to 1")
        if self.most_games is not None and self.most_games < 1:
            raise KatachiError(f"{self.most_games} games on a board: use 1 or more")

    def has_passed(self, test: Measurement) -> bool:
        """Whether every agent has won its share."""
        return all(wins >= self.share * test.played for wins in test.wins)

    def next_size(self, test: Measurement) -> int | None:
        """One more line, unless the board is the largest or not yet mastered."""
        if test.size >= self.last:
            return None
        is_late = self.most_games is not None and test.size_games >= self.most_games
        return test.size + 1 if is_late or self.has_passed(test) else None
