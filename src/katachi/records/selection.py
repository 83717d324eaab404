"""Choosing games of a set by what is known of them, and splitting them by chance."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.records.columns import UNKNOWN_RANK, Columns
from katachi.records.properties import UNKNOWN_DATE, first_date, last_date, rank_from_text
from katachi.records.result import Ending
from katachi.rules.color import EMPTY

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """What a game must be to be chosen; a field left alone asks nothing."""

    size: int | None = None
    """The board."""
    winner: int | None = None
    """BLACK or WHITE: that player won. EMPTY: nobody did."""
    decided: bool = False
    """One of the players won."""
    counted: bool = False
    """The score was counted at the end, draws included."""
    weakest_rank: str | None = None
    """Both players are at least this strong, such as `9k` or `1p`."""
    since: str | None = None
    """Played in or after this year, month or day."""
    until: str | None = None
    """Played in or before this year, month or day."""
    even: bool = False
    """Without handicap or any other setup stones."""
    handicap: int | None = None
    """With so many handicap stones."""
    min_moves: int = 0
    """At least so many moves, passes included."""
    max_moves: int | None = None
    """At most so many moves, passes included."""
    owned: bool = False
    """The owner of every point at the end is marked."""

    def mask(self, columns: Columns) -> Mask:
        """[N] whether each game is chosen; raises KatachiError for text that is no rank or date."""
        chosen = np.ones(len(columns), np.bool_)
        for condition in self._conditions(columns):
            chosen &= condition
        return chosen

    def _conditions(self, columns: Columns) -> Iterator[Mask]:
        yield from self._board_conditions(columns)
        yield from self._result_conditions(columns)
        yield from self._people_conditions(columns)

    def _board_conditions(self, columns: Columns) -> Iterator[Mask]:
        lengths = columns.moves.lengths
        yield lengths >= self.min_moves
        if self.max_moves is not None:
            yield lengths <= self.max_moves
        if self.size is not None:
            yield columns.info["size"] == self.size
        if self.even:
            yield (columns.info["handicap"] == 0) & (columns.setup.lengths == 0)
        if self.handicap is not None:
            yield columns.info["handicap"] == self.handicap
        if self.owned:
            yield columns.owners.lengths > 0

    def _result_conditions(self, columns: Columns) -> Iterator[Mask]:
        if self.winner is not None:
            yield columns.info["winner"] == self.winner
        if self.decided:
            yield columns.info["winner"] != EMPTY
        if self.counted:
            yield columns.info["ending"] == Ending.COUNT

    def _people_conditions(self, columns: Columns) -> Iterator[Mask]:
        if self.weakest_rank is not None:
            rank = rank_from_text(self.weakest_rank)
            if rank is None:
                raise KatachiError(f"{self.weakest_rank!r} is not a rank: write 12k, 3d or 1p")
            for ranks in (columns.info["black_rank"], columns.info["white_rank"]):
                yield (ranks != UNKNOWN_RANK) & (ranks >= rank)
        if self.since is not None:
            yield columns.info["date"] >= first_date(self.since)
        if self.until is not None:
            dates = columns.info["date"]
            yield (dates != UNKNOWN_DATE) & (dates <= last_date(self.until))


def sample_fractions(identities: npt.NDArray[np.uint64], seed: int) -> npt.NDArray[np.float64]:
    """[N] a number in [0, 1) for each game, sampled by `seed` from its identity alone.

    All records of one game have the same number, whatever set they are in.
    """
    with np.errstate(over="ignore"):
        mixed = identities + np.uint64(seed % (1 << 64)) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) / float(1 << 53)
