"""Ratings from results: the Bradley-Terry model in Elo, with anchors and intervals.

Black's chance against White is the logistic function of their difference in Elo (plus an advantage
of moving first, where that is asked for); a draw counts as half a win and half a loss. A weak prior
keeps players finite who won or lost every game: each player drew one more game (`FitSettings`),
shared among its opponents as its real games are, half of it with either colour.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.statistics import NORMAL_95

ELO_SCALE = 400 / math.log(10)
"""Points of Elo in one unit of log odds."""
LARGEST_ELO = 10_000.0
"""No anchor is further from 0: beyond it a result says nothing."""
_STEPS = 200
_TOLERANCE = 1e-9

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


class PairScore(NamedTuple):
    """The results of `black` with Black against `white`."""

    black: str
    white: str
    wins: float
    draws: float
    losses: float

    @property
    def games(self) -> float:
        """How many games were counted."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class FitSettings:
    """What the fit assumes."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """Players whose Elo is given, not fitted."""
    prior_draws: float = 1.0
    """Virtual draws of each player; 0 is the plain maximum of the likelihood."""
    with_black_advantage: bool = False
    """Whether the advantage of moving first is fitted; else it is 0."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's strength."""

    name: str
    elo: float
    error: float
    """Half the 95 % interval, given the anchors; 0 for an anchor."""
    games: int
    score: float
    """Points won: 1 a win, one half a draw."""
    is_anchor: bool = False

    @property
    def interval(self) -> tuple[float, float]:
        """Where the Elo lies with 95 % probability."""
        return self.elo - self.error, self.elo + self.error


@dataclass(frozen=True)
class Fit:
    """The ratings of all players who can be compared, best first."""

    ratings: tuple[Rating, ...]
    unrated: tuple[tuple[str, ...], ...]
    """Groups whose games lead to no anchor: nothing can be said about their place."""
    black_advantage: float | None = None
    black_advantage_error: float | None = None

    def elo(self) -> dict[str, float]:
        """The Elo of each rated player."""
        return {rating.name: rating.elo for rating in self.ratings}


def fit_ratings(
    scores: Iterable[PairScore], settings: FitSettings | None = None, players: Iterable[str] = ()
) -> Fit:
    """The most probable ratings of everyone in `scores` and `players`.

    Without anchors the mean rating is 0, provided that all players are connected by games. Raises
    KatachiError when a count or an anchor is not a finite number, or a player met itself.
    """
    settings = settings or FitSettings()
    counted = [score for score in scores if score.games]
    _check(counted, settings)
    names = sorted({*players, *settings.anchors, *(n for s in counted for n in (s.black, s.white))})
    groups = connected_groups(names, counted)
    rated = _comparable(groups, settings.anchors)
    unrated = tuple(group for group in groups if not set(group) <= rated)
    if not rated:
        return Fit((), unrated)
    model = _Model([name for name in names if name in rated], counted, settings)
    return model.fit(model.maximise(), unrated)


def _check(scores: list[PairScore], settings: FitSettings) -> None:
    for score in scores:
        if score.black == score.white:
            raise KatachiError(f"{score.black} cannot be rated by games with itself")
        if not all(math.isfinite(count) and count >= 0 for count in score[2:]):
            raise KatachiError(f"{score.black} against {score.white}: {score[2:]} are no counts")
    for name, elo in settings.anchors.items():
        check_anchor(name, elo)
    if not (math.isfinite(settings.prior_draws) and settings.prior_draws >= 0):
        raise KatachiError(f"a prior of {settings.prior_draws} draws: use 0 or more")


def check_anchor(name: str, elo: float) -> None:
    """Raises KatachiError unless a player can be anchored there."""
    if not -LARGEST_ELO <= elo <= LARGEST_ELO:
        limits = f"{-LARGEST_ELO:.0f} to {LARGEST_ELO:.0f}"
        raise KatachiError(f"the anchor of {name} is {elo:g}: use {limits}")


def connected_groups(
    names: Iterable[str], scores: Iterable[PairScore]
) -> tuple[tuple[str, ...], ...]:
    """The players parted into groups that games connect, the largest first."""
    group_of = {name: {name} for name in names}
    for score in scores:
        mine, theirs = group_of[score.black], group_of[score.white]
        if mine is not theirs:
            mine |= theirs
            for name in theirs:
                group_of[name] = mine
    groups = {tuple(sorted(group)) for group in group_of.values()}
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def _comparable(groups: tuple[tuple[str, ...], ...], anchors: Mapping[str, float]) -> set[str]:
    """Who stands on one scale: every group with an anchor, or the only group there is."""
    if not anchors:
        return set(groups[0]) if len(groups) == 1 and len(groups[0]) > 1 else set()
    return {name for group in groups if set(group) & set(anchors) for name in group}


class _Model:
    """The posterior of the ratings, as log odds, and of the advantage of Black, the last entry.

    Anchors and an advantage that is not asked for are entries that do not move.
    """

    def __init__(self, names: list[str], scores: list[PairScore], settings: FitSettings) -> None:
        self.names = names
        self.settings = settings
        self.scores = [score for score in scores if score.black in set(names)]
        index = {name: i for i, name in enumerate(names)}
        self.pairs = np.array(
            [(index[s.black], index[s.white]) for s in self.scores], np.int64
        ).reshape(-1, 2)
        self.counts = np.array([s[2:] for s in self.scores], np.float64).reshape(-1, 3)
        self.start = np.zeros(len(names) + 1)
        self.is_free = np.ones(len(names) + 1, np.bool_)
        self.is_free[-1] = settings.with_black_advantage and bool(self.scores)
        for name, elo in settings.anchors.items():
            self.start[index[name]] = elo / ELO_SCALE
            self.is_free[index[name]] = False
        if settings.anchors:
            middle = np.mean(list(settings.anchors.values())) / ELO_SCALE
            self.start[:-1][self.is_free[:-1]] = middle
        self.design, self.games, self.points = self._observations()

    def _observations(self) -> tuple[Matrix, Vector, Vector]:
        """A row for each pair and colour: who plays, how many games, how many points for Black.

        The virtual draws are rows of their own.
        """
        games = self.counts.sum(axis=1)
        points = self.counts[:, 0] + self.counts[:, 1] / 2
        played = np.zeros(len(self.names))
        np.add.at(played, self.pairs.ravel(), np.repeat(games, 2))
        virtual = self.settings.prior_draws * games * (1 / played[self.pairs]).sum(axis=1)
        pairs = np.concatenate([self.pairs, self.pairs, self.pairs[:, ::-1]])
        design = np.zeros((len(pairs), len(self.start)))
        rows = np.arange(len(pairs))
        design[rows, pairs[:, 0]] = 1
        design[rows, pairs[:, 1]] = -1
        design[:, -1] = 1
        counted = np.concatenate([games, virtual / 2, virtual / 2])
        return design, counted, np.concatenate([points, virtual / 4, virtual / 4])

    def log_posterior(self, place: Vector) -> float:
        """The logarithm of the posterior, up to a constant."""
        odds = self.design @ place
        return float(self.points @ odds - self.games @ np.logaddexp(0, odds))

    def slope(self, place: Vector) -> Vector:
        """The gradient of the log posterior."""
        win, loss = self._chances(place)
        slope: Vector = self.design.T @ (self.points * loss - (self.games - self.points) * win)
        return slope

    def information(self, place: Vector) -> Matrix:
        """The observed information: the negative second derivative."""
        win, loss = self._chances(place)
        weight = self.games * win * loss
        information: Matrix = self.design.T @ (self.design * weight[:, None])
        return information

    def _chances(self, place: Vector) -> tuple[Vector, Vector]:
        """Black's chances to win and to lose, both to full precision however small."""
        odds = self.design @ place
        return np.exp(-np.logaddexp(0, -odds)), np.exp(-np.logaddexp(0, odds))

    def covariance(self, place: Vector) -> Matrix:
        """The inverse of the information over what is free; 0 elsewhere.

        Without anchors only differences are known: the generalised inverse holds the mean at 0.
        """
        free = np.flatnonzero(self.is_free)
        part = self.information(place)[np.ix_(free, free)]
        shift = np.zeros_like(part)
        if not self.settings.anchors:
            count = len(self.names)
            shift[:count, :count] = max(1.0, np.trace(part)) / count
        inverse = np.linalg.inv(part + shift)
        covariance = np.zeros((len(place), len(place)))
        covariance[np.ix_(free, free)] = inverse @ part @ inverse
        return covariance

    def maximise(self) -> Vector:
        """The place of the maximum, by Newton's method with halved steps; the posterior is concave.

        Raises KatachiError when it has none: a perfect score without prior.
        """
        place = self.start.copy()
        for _ in range(_STEPS):
            try:
                step = self.covariance(place) @ (self.slope(place) * self.is_free)
            except np.linalg.LinAlgError:
                break
            if np.abs(step).max(initial=0) < _TOLERANCE:
                return place
            place = self._climb(place, step)
            if np.abs(place).max() > 2 * LARGEST_ELO / ELO_SCALE:
                break
        raise KatachiError("no finite ratings: someone won or lost every game; use a prior")

    def _climb(self, place: Vector, step: Vector) -> Vector:
        """The end of the step, halved until it does not lead down."""
        value = self.log_posterior(place)
        while self.log_posterior(place + step) < value - 1e-12 * abs(value):
            step = step / 2
        return place + step

    def fit(self, place: Vector, unrated: tuple[tuple[str, ...], ...]) -> Fit:
        """The ratings at a place, in Elo."""
        errors = NORMAL_95 * ELO_SCALE * np.sqrt(np.maximum(0, np.diag(self.covariance(place))))
        ratings = [
            self._rating(name, float(elo), float(error))
            for name, elo, error in zip(
                self.names, place[:-1] * ELO_SCALE, errors[:-1], strict=True
            )
        ]
        ratings.sort(key=lambda rating: (-rating.elo, rating.name))
        if not self.is_free[-1]:
            return Fit(tuple(ratings), unrated)
        return Fit(tuple(ratings), unrated, float(place[-1]) * ELO_SCALE, float(errors[-1]))

    def _rating(self, name: str, elo: float, error: float) -> Rating:
        with_black = [score for score in self.scores if score.black == name]
        with_white = [score for score in self.scores if score.white == name]
        points = sum(s.wins + s.draws / 2 for s in with_black)
        points += sum(s.losses + s.draws / 2 for s in with_white)
        games = round(sum(score.games for score in (*with_black, *with_white)))
        return Rating(name, elo, error, games, points, name in self.settings.anchors)
