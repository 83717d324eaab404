"""The best and worst shapes of a model's sets.

A bin of a hashed set does not say which shapes it holds. Games do: `Sightings` keeps the shapes of
their positions, and the most frequent one speaks for its bin.
"""

from collections import Counter
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_gains import GainReader, MoveCounts
from katachi.evaluators.shape_reading import ShapeReader
from katachi.features.shape_contents import (
    PlayedShape,
    SeenPosition,
    Shape,
    played_shapes,
    shape_of_weight,
)
from katachi.features.shape_sets import Family, ShapeSet
from katachi.features.shape_tables import layout_of
from katachi.rules.diagram import Colors
from katachi.rules.game import Game

RAREST_SHARE = 1e-5
"""By default a shape must have been this share of all that its set has learned from."""
LEAST_MOVES = 30
"""How often a shape must have been made in the games for its share of wins to be shown."""
MOST_LOOKED_AT = 500
"""Sightings of a bin that are looked at, evenly spread over the games."""


class Order(Enum):
    """What makes a shape one of the best."""

    GAIN = "gain"
    """What its last stone adds to the model's value, all sets together."""
    WEIGHT = "weight"
    """Its own weight: what the set adds to what the other sets say."""
    SUM = "sum"
    """What all its stones add to an empty board, all sets together."""
    WINS = "wins"
    """The share of games that the player who made it won."""
    IMPACT = "impact"
    """Its weight times how often it was seen."""


BY_WEIGHT = (Order.WEIGHT, Order.IMPACT)
"""Orders that ask for one weight and no more."""


class Wanted(NamedTuple):
    """Which shapes are asked for."""

    most: int = 10
    """How many of the best, and of the worst."""
    least_seen: int | None = None
    """How often a shape must have been seen; by default as `RAREST_SHARE` says, at least once."""
    order: Order = Order.WEIGHT


class RankedShape(NamedTuple):
    """A weight and the shape it stands for."""

    weight: int
    """Its place among the model's weights."""
    shape: Shape
    units: int
    seen: int
    """How often it was learned from."""
    share: float | None = None
    """Of a bin: the part of its sightings that was this shape."""
    mark: int | None = None
    """The place in the template of the stone that was played last, where that matters."""
    score: float = 0.0
    """What it is ordered by: units of gain or sum, or a share of games."""
    games: int = 0
    """Moves that made it in the games looked at, where they were counted."""


class SetRanking(NamedTuple):
    """The best and the worst shapes of a set."""

    shape_set: ShapeSet
    weights: int
    """How many the set has."""
    considered: int
    """How many of them were seen often enough (and, of bins, met in the games)."""
    least_seen: int
    games: int
    """In how many games the bins of a hashed set were looked at."""
    best: list[RankedShape]
    """The best first; by weight, only those above zero."""
    worst: list[RankedShape]
    """The worst first; by weight, only those below zero."""
    order: Order = Order.WEIGHT


class Sightings:
    """The shapes that a model's hashed sets see in the positions of games."""

    def __init__(self, reader: ShapeReader) -> None:
        self.reader = reader
        self.games = 0
        numbers = np.array([slot.number for slot in reader.slots])
        hashed = [number for number, each in enumerate(reader.model.sets) if each.is_hashed]
        self._slots = {number: np.flatnonzero(numbers == number) for number in hashed}
        self._positions: list[tuple[Colors, int]] = []
        self._index: dict[int, list[npt.NDArray[np.uint32]]] = {number: [] for number in hashed}

    def add_game(self, game: Game) -> None:
        """Reads every position of a game as the player who made it so sees it."""
        back = game.copy()
        while back.moves:
            color = back.moves[-1].color
            index = self.reader.read(back.words, color).weights
            self._positions.append((back.colors, color))
            for number, slots in self._slots.items():
                self._index[number].append(index[slots])
            back.undo()
        self.games += 1

    def weights_met(self, number: int) -> npt.NDArray[np.int64]:
        """The weights of a hashed set that were used."""
        index = self._index[number]
        return np.unique(np.concatenate(index)).astype(np.int64) if index else np.zeros(0, np.int64)

    def most_frequent(self, number: int, weight: int) -> tuple[Shape, float]:
        """(the shape that used a weight met most often, its share of the looks at that weight)."""
        where = np.argwhere(np.stack(self._index[number]) == weight)
        step = 1 + len(where) // MOST_LOOKED_AT
        shapes = Counter(self._shape(number, *spot) for spot in where[::step].tolist())
        shape, count = shapes.most_common(1)[0]
        return shape, count / shapes.total()

    def _shape(self, number: int, position: int, at: int) -> Shape:
        colors, color = self._positions[position]
        slot = self.reader.slots[self._slots[number][at]]
        return self.reader.shape_in(slot, SeenPosition(colors, self.reader.model.size, color))


def least_seen(seen: npt.NDArray[np.int64]) -> int:
    """How often a shape of a set must have been seen by default, by what the whole set has."""
    return max(1, int(RAREST_SHARE * seen.sum()))


def rank_set(
    model: LocalShape,
    number: int,
    wanted: Wanted,
    sightings: Sightings | None = None,
    counts: MoveCounts | None = None,
) -> SetRanking:
    """The best and worst shapes of a set; of a hashed one, among those that were sighted.

    `counts` are needed to order by wins, and for what liberty shapes gain.
    """
    layout = layout_of(model.sets, model.size, model.bins)[number]
    seen = model.seen[layout.first : layout.end].astype(np.int64)
    least = wanted.least_seen
    if least is None:
        least = least_seen(seen)
    considered = layout.first + np.flatnonzero(seen >= least)
    if model.sets[number].is_hashed:
        met = sightings.weights_met(number) if sightings else considered[:0]
        considered = np.intersect1d(considered, met)
    games = sightings.games if sightings and model.sets[number].is_hashed else 0
    if wanted.order in BY_WEIGHT:
        sides = _rank_weights(model, number, wanted, considered, sightings)
        size = len(considered)
    else:
        shapes = [_ranked_shape(model, number, index, sightings) for index in considered.tolist()]
        played = _scored(model, shapes, wanted.order, counts)
        size, games = len(played), counts.games if counts else games
        sides = _ends_of(played, wanted.most)
    return SetRanking(
        model.sets[number], layout.end - layout.first, size, least, games, *sides, wanted.order
    )


Sides = tuple[list[RankedShape], list[RankedShape]]


def _rank_weights(
    model: LocalShape,
    number: int,
    wanted: Wanted,
    considered: npt.NDArray[np.int64],
    sightings: Sightings | None,
) -> Sides:
    # Whole numbers would overflow: a value reaches 2^30, and so many looks are not rare.
    values = model.weights[considered].astype(np.float64)
    keys = values * model.seen[considered] if wanted.order is Order.IMPACT else values

    def ranked(sign: int) -> list[RankedShape]:
        order = np.argsort(-sign * keys, kind="stable")[: wanted.most]
        chosen = considered[order[sign * keys[order] > 0]].tolist()
        return [_ranked_shape(model, number, index, sightings) for index in chosen]

    return ranked(1), ranked(-1)


def _scored(
    model: LocalShape, shapes: list[RankedShape], order: Order, counts: MoveCounts | None
) -> list[RankedShape]:
    """Each shape with each stone that may have been played last, and its score; those that have
    none are left out."""
    reader = GainReader(model)
    scored = []
    for each in shapes:
        for played in played_shapes(each.shape, model.size):
            score = _score(reader, played, order, counts)
            if score is not None:
                seen = counts.seen[played] if counts else 0
                scored.append(each._replace(mark=played.mark, score=score, games=seen))
    return scored


def _score(
    reader: GainReader, played: PlayedShape, order: Order, counts: MoveCounts | None
) -> float | None:
    seen = counts.seen[played] if counts else 0
    if order is Order.WINS:
        return counts.won[played] / seen if counts and seen >= LEAST_MOVES else None
    value = reader.value(played)
    if value is not None:
        return float(value.gain if order is Order.GAIN else value.total)
    is_liberty = played.shape.shape_set.family is Family.LIBERTY
    if order is Order.GAIN and is_liberty and counts and seen:
        return counts.gained[played] / seen
    return None


def _ends_of(played: list[RankedShape], most: int) -> Sides:
    """The best and the worst, none of them twice."""
    ordered = sorted(played, key=lambda each: -each.score)
    best = ordered[: min(most, (len(ordered) + 1) // 2)]
    return best, ordered[: len(best) - 1 : -1][:most]


def _ranked_shape(
    model: LocalShape, number: int, index: int, sightings: Sightings | None
) -> RankedShape:
    units, seen = int(model.weights[index]), int(model.seen[index])
    if model.sets[number].is_hashed and sightings is not None:
        shape, share = sightings.most_frequent(number, index)
        return RankedShape(index, shape, units, seen, share)
    shape = shape_of_weight(model.sets, model.size, model.bins, index)
    return RankedShape(index, shape, units, seen)
