"""The best and worst shapes of a model's sets, and what a shape is good for.

A weight alone does not say it: the value of a shape is spread over all sets, and a large set
holds only what the smaller ones leave over. So a shape is laid on a board that is empty but for
it, in the middle or where it stands, and the model is asked with and without the stone.

A bin of a hashed set does not say which shapes it holds. Games do: `Sightings` keeps the shapes of
their positions, and the most frequent one speaks for its bin.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_reading import ShapeReader
from katachi.features.shape_contents import (
    PlayedShape,
    SeenPosition,
    Shape,
    middle_of,
    played_shapes,
    shape_of_weight,
)
from katachi.features.shape_sets import Family, ShapeSet
from katachi.features.shape_tables import layout_of
from katachi.features.windows import Place, places_of
from katachi.rules.board import Board
from katachi.rules.color import BLACK
from katachi.rules.diagram import Colors
from katachi.rules.game import Game
from katachi.rules.point import points_of

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


class ShapeValue(NamedTuple):
    """What a shape does for the player whose stone was played last, in units."""

    gain: int
    """The model's value with the stone less its value without: all sets together."""
    total: int
    """What all stones of the shape together add to an empty board."""


def lay_out(shape: Shape, size: int, without: int | None = None) -> Colors:
    """A shape on an otherwise empty board, own stones black: where it stands, or in the middle if
    it may stand anywhere; without the stone at one place of its template where asked."""
    rows = shape.rows
    height, breadth = len(rows), len(rows[0])
    row, col = (size - height) // 2, (size - breadth) // 2
    if shape.has_location:
        row, col = shape.window.row, shape.window.col
    owners = np.array([[stone.owner for stone in stones] for stones in rows], np.uint8)
    if without is not None:
        owners.flat[without] = 0
    colors = np.zeros((size, size), np.uint8)
    colors[row : row + height, col : col + breadth] = owners
    return colors.reshape(-1)


class GainReader:
    """Asks a model what shapes gain."""

    def __init__(self, model: LocalShape) -> None:
        self.model = model
        self._reader = ShapeReader(model)
        self._empty = self._value(np.zeros(model.size**2, np.uint8))

    def value(self, played: PlayedShape) -> ShapeValue | None:
        """The value of a shape; None where no game leads to it on a board that is otherwise
        empty, and for liberty shapes, which say nothing of where their liberties are."""
        shape = played.shape
        if shape.shape_set.family is Family.LIBERTY:
            return None
        try:
            after = self._value(lay_out(shape, self.model.size))
            before = self._value(lay_out(shape, self.model.size, played.mark))
        except KatachiError:
            return None
        return ShapeValue(after - before, after - self._empty)

    def move_gain(self, game: Game) -> int:
        """What the last move of a game has added to its player's value, in units."""
        color = game.moves[-1].color
        before = game.copy()
        before.undo()
        values = [self._reader.read(each.words, color).sums.sum() for each in (game, before)]
        return int(values[0] - values[1])

    def _value(self, colors: Colors) -> int:
        words = Board.from_colors(colors, self.model.size).words
        return int(self._reader.read(words, BLACK).sums.sum())


class MoveCounts:
    """How the games went on in which moves made the shapes of one set."""

    def __init__(self, model: LocalShape, number: int) -> None:
        self.model = model
        self.shape_set = model.sets[number]
        self.seen: Counter[PlayedShape] = Counter()
        self.won: Counter[PlayedShape] = Counter()
        self.gained: Counter[PlayedShape] = Counter()
        """What the moves that made it have gained together, in units."""
        self.games = 0
        self._gains = GainReader(model)
        self._places = _places_by_point(model, number)

    def add_game(self, game: Game, winner: int) -> None:
        """Counts every shape that a move of the game has made."""
        back = game.copy()
        while back.moves:
            color, point = back.moves[-1]
            for played in self._shapes_of(back, color, point):
                self.seen[played] += 1
                self.won[played] += color == winner
                if self.shape_set.family is Family.LIBERTY:
                    self.gained[played] += self._gains.move_gain(back)
            back.undo()
        self.games += 1

    def _shapes_of(self, game: Game, color: int, point: int) -> Iterable[PlayedShape]:
        places = self._places.get(point, ())
        seen = SeenPosition(game.colors, game.size, color)
        return {seen.played_at(self.shape_set, place, index) for place, index in places}


def _places_by_point(model: LocalShape, number: int) -> dict[int, list[tuple[Place, int]]]:
    """By point: the windows in which a stone there can be the one played, and its place in them."""
    template = model.sets[number].template
    middle = middle_of(template)
    points = points_of(model.size).tolist()
    found: dict[int, list[tuple[Place, int]]] = defaultdict(list)
    for place in places_of(template, model.size):
        for index, cell in enumerate(place.window.cells):
            if middle is None or index == middle:
                found[points[cell]].append((place, index))
    return found


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
