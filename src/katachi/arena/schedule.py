"""Which two players meet next."""

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.arena.rating import ELO_SCALE
from katachi.statistics import expected_score

Pair = tuple[str, str]
"""Two players, as `pair_of` orders them."""
Taken = Mapping[Pair, set[int]]
"""The numbers of the games that each pair has finished or is playing."""

FIRST_GUESS = 800.0
"""How uncertain, in Elo, a player's strength is held to be before its first game."""


class ScheduleKind(Enum):
    """Who plays whom, and how often."""

    NEIGHBOURS = "neighbours"
    """Those who stand next to each other in the ranking, so many games each pair."""
    ALL = "all"
    """Everyone with everyone, so many games each pair."""
    CLOSENESS = "closeness"
    """Whichever game tells most about the ratings, until everyone has had so many games."""


class Pairing(NamedTuple):
    """A game to be played."""

    black: str
    white: str
    number: int
    """Which game of this pair, counted from 0."""

    @property
    def opening(self) -> int:
        """Which opening: a pair plays each twice, with colours exchanged."""
        return self.number // 2


def pair_of(name: str, other: str) -> Pair:
    """Two players in the one order that names their pair."""
    return (name, other) if name < other else (other, name)


def next_game(pair: Pair, taken: Taken) -> Pairing:
    """The pair's first game that is not taken; its first player has Black in the even games."""
    done = taken.get(pair, set())
    number = next(n for n in itertools.count() if n not in done)
    black, white = pair if number % 2 == 0 else pair[::-1]
    return Pairing(black, white, number)


def rank_players(names: Iterable[str], elo: Mapping[str, float]) -> list[str]:
    """The players, weakest first; one without rating stands above the player named before it."""
    names = list(names)
    order = sorted((name for name in names if name in elo), key=lambda name: elo[name])
    for previous, name in zip([None, *names], names, strict=False):
        if name not in elo:
            order.insert(0 if previous is None else order.index(previous) + 1, name)
    return order


@dataclass(frozen=True)
class Schedule:
    """The pairings of a ladder. Equal results and an equal seed give an equal schedule."""

    names: tuple[str, ...]
    kind: ScheduleKind
    games: int
    """For a pair; in a schedule by closeness, for a player."""
    extra: Mapping[Pair, int] = field(default_factory=dict)
    """Games of single pairs, where they are to play more, or though they are no neighbours."""
    anchors: frozenset[str] = frozenset()
    """Players whose rating is given: no game is needed to learn it."""
    seed: int = 1

    def next_pairing(self, elo: Mapping[str, float], taken: Taken) -> Pairing | None:
        """The game to play next, given the ratings so far; None when all have had their games."""
        wanted = self.wanted(elo)
        short = [pair for pair, games in wanted.items() if len(taken.get(pair, ())) < games]
        if short:
            share = {pair: len(taken.get(pair, ())) / wanted[pair] for pair in short}
            pair = min(short, key=lambda pair: (share[pair], self._lot(pair)))
            return next_game(pair, taken)
        if self.kind is ScheduleKind.CLOSENESS:
            return self._closest(elo, taken)
        return None

    def wanted(self, elo: Mapping[str, float]) -> dict[Pair, int]:
        """How many games each pair is to play; of a schedule by closeness, the extra ones only."""
        pairs: Iterable[tuple[str, str]] = ()
        if self.kind is ScheduleKind.ALL:
            pairs = itertools.combinations(self.names, 2)
        elif self.kind is ScheduleKind.NEIGHBOURS:
            pairs = itertools.pairwise(rank_players(self.names, elo))
        wanted = {pair_of(*pair): self.games for pair in pairs}
        for pair, games in self.extra.items():
            wanted[pair] = max(games, wanted.get(pair, 0))
        return wanted

    def count_missing(self, elo: Mapping[str, float], taken: Taken) -> int:
        """How many games are still to be played, as far as the ratings so far tell."""
        wanted = self.wanted(elo)
        missing = sum(max(0, games - len(taken.get(p, ()))) for p, games in wanted.items())
        if self.kind is not ScheduleKind.CLOSENESS:
            return missing
        return missing + math.ceil(sum(self._lacking(taken).values()) / 2)

    def _lacking(self, taken: Taken) -> dict[str, int]:
        """How many games each player lacks who lacks any; anchors need none of their own."""
        played = dict.fromkeys(self.names, 0)
        for pair, numbers in taken.items():
            for name in pair:
                played[name] = played.get(name, 0) + len(numbers)
        learnt = [name for name in self.names if name not in self.anchors] or self.names
        return {name: self.games - played[name] for name in learnt if played[name] < self.games}

    def _closest(self, elo: Mapping[str, float], taken: Taken) -> Pairing | None:
        """The game of most information among those of the players who lack games."""
        lacking = self._lacking(taken)
        pairs = [
            pair_of(*pair)
            for pair in itertools.combinations(self.names, 2)
            if set(pair) & set(lacking)
        ]
        if not pairs:
            return None
        gain = information_gain(self.names, elo, taken, self.anchors)
        pair = min(pairs, key=lambda pair: (-round(gain[pair], 9), self._lot(pair)))
        return next_game(pair, taken)

    def _lot(self, pair: Pair) -> bytes:
        """What decides between equals, by the seed."""
        return sha256(f"{self.seed}\n{pair[0]}\n{pair[1]}".encode()).digest()


def information_gain(
    names: Iterable[str], elo: Mapping[str, float], taken: Taken, anchors: frozenset[str]
) -> dict[Pair, float]:
    """What one more game of each pair would tell about all the ratings together.

    It is the chance of a win times that of a loss, which is greatest between equals, times the
    present variance of the difference, which falls with every game: the gain in the logarithm of
    the determinant of the information, to first order. A player without rating is guessed to be
    average.
    """
    names = list(names)
    index = {name: i for i, name in enumerate(names)}
    known = [elo[name] for name in names if name in elo]
    guess = sum(known) / len(known) if known else 0.0
    strength = np.array([elo.get(name, guess) for name in names])
    variance = _variances(index, strength, taken, anchors)
    gain = {}
    for name, other in itertools.combinations(names, 2):
        i, j = index[name], index[other]
        chance = expected_score(strength[i] - strength[j])
        gain[pair_of(name, other)] = chance * (1 - chance) * float(variance[i, j])
    return gain


def _variances(
    index: Mapping[str, int],
    strength: npt.NDArray[np.float64],
    taken: Taken,
    anchors: frozenset[str],
) -> npt.NDArray[np.float64]:
    """[N, N] the variance of each difference of log odds, after the games taken."""
    information = np.eye(len(index)) * (ELO_SCALE / FIRST_GUESS) ** 2
    for pair, numbers in taken.items():
        if not set(pair) <= set(index):
            continue
        i, j = (index[name] for name in pair)
        chance = expected_score(strength[i] - strength[j])
        information[[i, j], [i, j]] += len(numbers) * chance * (1 - chance)
        information[[i, j], [j, i]] -= len(numbers) * chance * (1 - chance)
    free = [i for name, i in index.items() if name not in anchors]
    covariance = np.zeros_like(information)
    if free:
        covariance[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])
    single = np.diag(covariance)
    variances: npt.NDArray[np.float64] = single[:, None] + single[None, :] - 2 * covariance
    return variances
