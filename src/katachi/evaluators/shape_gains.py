"""What a shape is good for: how much a model's value grows when its last stone is played.

A weight alone does not say it: the value of a shape is spread over all sets, and a large set
holds only what the smaller ones leave over. So a shape is laid on a board that is empty but for
it, in the middle or where it stands, and the model is asked with and without the stone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_reading import ShapeReader
from katachi.features.shape_contents import PlayedShape, SeenPosition, Shape, middle_of
from katachi.features.shape_sets import Family
from katachi.features.windows import Place, places_of
from katachi.rules.board import Board
from katachi.rules.color import BLACK
from katachi.rules.diagram import Colors
from katachi.rules.game import Game
from katachi.rules.point import points_of


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
