"""What a set of games is made of, in counts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.records.columns import UNKNOWN_RANK
from katachi.records.dataset import GameSet
from katachi.records.properties import UNKNOWN_DATE, text_from_rank
from katachi.records.result import Ending
from katachi.rules.color import BLACK, EMPTY, WHITE

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
UNKNOWN = "unknown"

_ENDING_NAMES = {
    Ending.UNKNOWN: UNKNOWN,
    Ending.COUNT: "count",
    Ending.RESIGN: "resignation",
    Ending.TIME: "time",
    Ending.FORFEIT: "forfeit",
    Ending.WON: "won, not known how",
    Ending.VOID: "void",
}


@dataclass(frozen=True, slots=True)
class Count:
    """How many games have something in common, and how many of them each player won."""

    name: str
    games: int
    black_wins: int
    white_wins: int


@dataclass(frozen=True, slots=True)
class Table:
    """Counts of all games by one property, each game once."""

    title: str
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of a set of games."""

    games: int
    moves: int
    marked: int
    """Games whose final ownership is marked."""
    rejected: int
    """Games that could not be read."""
    total: Count
    draws: int
    length_quantiles: tuple[tuple[float, int], ...]
    """(share of games, moves): that share of the games has at most so many moves."""
    tables: tuple[Table, ...]
    """By size, ending, weaker player's rank, decade, handicap and komi."""


def collect_statistics(games: GameSet) -> Statistics:
    """Counts a set; takes no time worth mentioning."""
    info, columns = games.info, games.columns
    lengths = columns.moves.lengths[games.rows]
    draws = (info["ending"] == Ending.COUNT) & (info["winner"] == EMPTY)
    return Statistics(
        games=len(games),
        moves=int(lengths.sum()),
        marked=int(np.count_nonzero(columns.owners.lengths[games.rows])),
        rejected=len(games.rejections),
        total=_count("all", info["winner"]),
        draws=int(draws.sum()),
        length_quantiles=_length_quantiles(lengths),
        tables=_tables(info),
    )


def _length_quantiles(lengths: npt.NDArray[np.int64]) -> tuple[tuple[float, int], ...]:
    if len(lengths) == 0:
        return ()
    found = np.quantile(lengths, QUANTILES, method="inverted_cdf")
    return tuple(zip(QUANTILES, map(int, found), strict=True))


def _tables(info: npt.NDArray[Any]) -> tuple[Table, ...]:
    winners = info["winner"]
    ranks = np.minimum(info["black_rank"], info["white_rank"]).astype(np.int64)
    decades = info["date"] // 100_000 * 10
    return (
        _table("board", info["size"], winners, lambda size: f"{size}x{size}"),
        _table("ending", info["ending"], winners, lambda ending: _ENDING_NAMES[Ending(ending)]),
        _table("weaker rank", -ranks, winners, lambda rank: _rank_name(-rank)),
        _table("decade", decades, winners, _decade_name),
        _table("handicap", info["handicap"], winners, lambda stones: str(stones or "none")),
        _table("komi", np.nan_to_num(info["komi"], nan=np.inf), winners, _komi_name),
    )


def _table(
    title: str, keys: npt.NDArray[Any], winners: npt.NDArray[Any], name: Callable[[Any], str]
) -> Table:
    """Counts by key, in the order of the keys."""
    found = np.unique(keys).tolist()
    return Table(title, tuple(_count(name(key), winners[keys == key]) for key in found))


def _count(name: str, winners: npt.NDArray[Any]) -> Count:
    black, white = int(np.sum(winners == BLACK)), int(np.sum(winners == WHITE))
    return Count(name, len(winners), black, white)


def _rank_name(rank: int) -> str:
    return UNKNOWN if rank == UNKNOWN_RANK else text_from_rank(rank)


def _decade_name(decade: int) -> str:
    return UNKNOWN if decade == UNKNOWN_DATE else f"{decade}s"


def _komi_name(komi: float) -> str:
    return UNKNOWN if komi == np.inf else f"{komi:g}"
