"""Scores of predicted moves and territory, from arrays to what a report says."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.records.record import Ownership
from katachi.search.policy import Choices, log_chances
from katachi.statistics import Estimate, mean_by_cluster, share_by_cluster

Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

FIFTHS = 5
TOP = 50
"""The longest of the lists of best moves that are asked whether they hold the played one."""
BINS = 20
SUREST = 1e-6
"""Chances of owning a point are taken to be at least this far from 0 and 1."""


class Place(NamedTuple):
    """Where N positions are from."""

    games: Counts
    """[N] numbers of their games."""
    fifths: Counts
    """[N] 0 to 4: the fifth of the game's moves that their move is in."""

    def take(self, chosen: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "Place":
        """The games and fifths of the chosen positions, by index or mask."""
        return Place(self.games[chosen], self.fifths[chosen])


class MoveOutcomes(NamedTuple):
    """How K played moves were predicted."""

    place: Place
    log_chances: Numbers
    """[K] of the played moves."""
    legal: Counts
    """[K] legal moves."""
    better: Counts
    """[K] moves that scored higher than the played one."""
    equal: Counts
    """[K] moves that scored as high, itself included."""


class OwnershipOutcomes(NamedTuple):
    """How the owners of the points of P positions were predicted; neutral points left out."""

    place: Place
    loss: Numbers
    """[P] cross-entropy, summed over the points."""
    right: Numbers
    """[P] points whose owner was called likelier; half of those called even."""
    points: Numbers
    """[P] points that have an owner in the end."""
    calibration: Numbers
    """[BINS, 3] by the chance given to Black: points, their chances summed, Black's points."""


class MoveScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well some moves were predicted."""

    games: int
    moves: int
    log_probability: Estimate
    """Mean natural logarithm of the played move's chance."""
    uniform: float
    """The same if all legal moves were equally likely."""
    top1: Estimate
    """Share of moves that were the best, ties broken at random."""


class MoveReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well moves were predicted."""

    all: MoveScores
    top: list[float]
    """Share of moves among the best 1, 2, ... 50."""
    fifths: list[MoveScores | None]
    """By fifths of the game; None for one without moves."""


class OwnershipScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well the owners of points were predicted."""

    games: int
    positions: int
    points: int
    cross_entropy: Estimate
    """Nats a point."""
    right: Estimate
    """Share of points whose owner was called likelier."""


class CalibrationBin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The points of which Black was given about the same chance."""

    points: int
    chance: float
    """Mean chance given."""
    black: float
    """Share that Black owned."""


class OwnershipReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How well territory was predicted."""

    source: str
    """`evaluator`, or `playouts` where that knows none: the mean over random continuations."""
    all: OwnershipScores
    calibration_error: float
    """Mean distance of the chance given from the share that Black owned, over bins of chance."""
    fifths: list[OwnershipScores | None]
    """By fifths of the game; None for one without positions."""
    calibration: list[CalibrationBin]
    """Bins with points, by rising chance."""


def judge_moves(place: Place, choices: Choices, temperature: float) -> MoveOutcomes:
    """How the played moves of K positions, at `place`, were predicted."""
    starts = choices.starts
    played = np.repeat(choices.scores[choices.played], np.diff(starts))
    better = np.add.reduceat((choices.scores > played).astype(np.int64), starts[:-1])
    equal = np.add.reduceat((choices.scores == played).astype(np.int64), starts[:-1])
    chances = log_chances(choices.scores, starts, temperature)[choices.played]
    return MoveOutcomes(place, chances, np.diff(starts), better, equal)


def judge_ownership(place: Place, chances: Numbers, owners: Ownership) -> OwnershipOutcomes:
    """How well chances [P, points] of Black's owning predicted owners [P, points]."""
    is_owned, is_black = owners != 0, owners > 0
    chances = np.clip(chances, SUREST, 1.0 - SUREST)
    given = np.where(is_black, chances, 1.0 - chances)
    right = np.where(given == 0.5, 0.5, given > 0.5)
    bins = np.minimum((chances * BINS).astype(np.int64), BINS - 1)[is_owned]
    black = is_black[is_owned].astype(np.float64)
    parts = [np.ones(len(black)), chances[is_owned], black]
    return OwnershipOutcomes(
        place,
        (-np.log(given) * is_owned).sum(axis=1),
        (right * is_owned).sum(axis=1),
        is_owned.sum(axis=1).astype(np.float64),
        np.stack([np.bincount(bins, part, BINS) for part in parts], axis=1).astype(np.float64),
    )


def top_shares(outcomes: MoveOutcomes, most: int = TOP) -> Numbers:
    """[most] the share of moves among the best 1, 2, ...; ties broken at random."""
    return np.array([within(outcomes, length).mean() for length in range(1, most + 1)])


def within(outcomes: MoveOutcomes, length: int) -> Numbers:
    """[K] the chance that the played move is among the `length` best, ties broken at random."""
    return np.clip((length - outcomes.better) / outcomes.equal, 0.0, 1.0)


def join_moves(parts: list[MoveOutcomes]) -> MoveOutcomes:
    """All of at least one part."""
    places, *columns = zip(*parts, strict=True)
    return MoveOutcomes(_join(places), *map(np.concatenate, columns))


def join_owners(parts: list[OwnershipOutcomes]) -> OwnershipOutcomes:
    """All of at least one part."""
    places, *columns, bins = zip(*parts, strict=True)
    loss, right, points = map(np.concatenate, columns)
    return OwnershipOutcomes(_join(places), loss, right, points, np.sum(bins, axis=0))


def report_moves(parts: list[MoveOutcomes]) -> MoveReport | None:
    """What to tell of all moves; None where there are none."""
    if not parts:
        return None
    outcomes = join_moves(parts)
    fifths = [_score_moves(outcomes, outcomes.place.fifths == fifth) for fifth in range(FIFTHS)]
    everything = _score_moves(outcomes, np.ones(len(outcomes.legal), np.bool_))
    if everything is None:
        return None
    return MoveReport(everything, top_shares(outcomes).tolist(), fifths)


def _join(places: Iterable[Place]) -> Place:
    return Place(*map(np.concatenate, zip(*places, strict=True)))


def _score_moves(outcomes: MoveOutcomes, chosen: npt.NDArray[np.bool_]) -> MoveScores | None:
    if not chosen.any():
        return None
    games = outcomes.place.games[chosen]
    return MoveScores(
        len(np.unique(games)),
        int(chosen.sum()),
        mean_by_cluster(outcomes.log_chances[chosen], games),
        float(-np.log(outcomes.legal[chosen]).mean()),
        share_by_cluster(within(outcomes, 1)[chosen], games),
    )


def report_ownership(parts: list[OwnershipOutcomes], source: str) -> OwnershipReport | None:
    """What to tell of the territory; None where no position has a known end."""
    if not parts:
        return None
    outcomes = join_owners(parts)
    calibration = outcomes.calibration
    everything = _score_ownership(outcomes, np.ones(len(outcomes.loss), np.bool_))
    if everything is None:
        return None
    fifths = [_score_ownership(outcomes, outcomes.place.fifths == at) for at in range(FIFTHS)]
    bins = calibration[calibration[:, 0] > 0]
    error = float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())
    listed = [CalibrationBin(int(n), chance / n, black / n) for n, chance, black in bins.tolist()]
    return OwnershipReport(source, everything, error, fifths, listed)


def _score_ownership(
    outcomes: OwnershipOutcomes, chosen: npt.NDArray[np.bool_]
) -> OwnershipScores | None:
    points = outcomes.points[chosen]
    if not points.any():
        return None
    games = outcomes.place.games[chosen]
    return OwnershipScores(
        len(np.unique(games)),
        int(chosen.sum()),
        int(points.sum()),
        mean_by_cluster(outcomes.loss[chosen], games, points),
        share_by_cluster(outcomes.right[chosen], games, points),
    )
