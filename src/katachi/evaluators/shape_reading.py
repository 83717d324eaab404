"""Which shapes a model sees in a position, and which of them a move changes.

Weights are integers, so the changes of a move add up exactly to the difference it makes.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_contents import SeenPosition, Shape, Slot, shape_of_weight, slots_of
from katachi.features.windows import Window
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.positions import positions_of
from katachi.rules.state import PLY, BoardState, Words, colors_of

Indices = npt.NDArray[np.uint32]


class Reading(NamedTuple):
    """A position as one colour sees it."""

    weights: Indices
    """[slots]: the weight that each slot uses."""
    sums: npt.NDArray[np.int64]
    """[sets]: what the shapes of each set are worth together, in units."""


class ShapeReader:
    """Reads positions with the weights of a model, which may go on learning in between."""

    def __init__(self, model: LocalShape) -> None:
        self.model = model

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What the entries of `Reading.weights` stand for."""
        return slots_of(self.model.sets, self.model.size, self.model.bins)

    def read(self, words: Words, color: int) -> Reading:
        """The shapes of a position [WORDS] as `color` sees them, whoever moved last.

        Raises KatachiError for a board of another size than the model's.
        """
        sums = self.model.predict(_state_judged_by(words, color))[0]
        return Reading(self.model.shapes.last_used()[color - BLACK].copy(), sums)

    def shape_in(self, slot: Slot, seen: SeenPosition) -> Shape:
        """The shape that a slot holds in a position."""
        return seen.shape_at(self.model.sets[slot.number], slot.place)


def _state_judged_by(words: Words, color: int) -> BoardState:
    """A position without history, made so that `color` seems to have moved last."""
    alone = words[None].copy()
    alone[0, PLY] = 0
    return positions_of(alone, color)


class ShapeChange(NamedTuple):
    """A shape of which a move leaves more or fewer than there were."""

    weight: int
    """Its place among the model's weights."""
    shape: Shape
    units: int
    """What each is worth."""
    come: tuple[Window, ...]
    """Where it has come."""
    gone: tuple[Window, ...]
    """Where it has gone."""

    @property
    def more(self) -> int:
        """How many there are more than before."""
        return len(self.come) - len(self.gone)

    @property
    def windows(self) -> tuple[Window, ...]:
        """Where it has come, if there are more than before; else where it has gone."""
        return self.come if self.more > 0 else self.gone

    @property
    def change(self) -> int:
        """What it adds to the mover's logit, in units."""
        return self.more * self.units


class MoveReading(NamedTuple):
    """What a move changes, as the player who makes it sees the position before and after it."""

    color: int
    point: int
    before: int
    """The logit of the position before the move, in units."""
    after: int
    by_set: tuple[int, ...]
    """The change of each set's sum, in units; together they are `after - before`."""
    changes: list[ShapeChange]
    """The largest first; together they are `after - before`."""
    heat: npt.NDArray[np.float64]
    """[size * size]: the change of each window, in units, shared out equally to its points."""

    @property
    def difference(self) -> int:
        """What the move adds to its player's logit, in units."""
        return self.after - self.before


def read_move(reader: ShapeReader, game: Game, color: int, point: int) -> MoveReading:
    """What a move of `color`, a pass included, changes; the game stays as it is.

    Raises IllegalMove where the game's rules forbid it, and KatachiError for a board of another
    size than the model's.
    """
    before = reader.read(game.words, color)
    following = game.copy()
    following.play(color, point)
    after = reader.read(following.words, color)
    by_set = after.sums - before.sums
    return MoveReading(
        color,
        point,
        int(before.sums.sum()),
        int(after.sums.sum()),
        tuple(int(each) for each in by_set),
        _changes(reader, (game, following), (before.weights, after.weights), color),
        _heat(reader, before.weights, after.weights),
    )


def _changes(
    reader: ShapeReader, games: tuple[Game, Game], indices: tuple[Indices, Indices], color: int
) -> list[ShapeChange]:
    """The shapes whose number is not the same in both positions; those that only moved are not."""
    gone, come = (_slots_by_weight(index, indices[0] != indices[1]) for index in indices)
    seen = [SeenPosition(colors_of(game.words), game.size, color) for game in games]
    changes = []
    for index in sorted(gone.keys() | come.keys()):
        if len(come[index]) != len(gone[index]):
            slot = reader.slots[(come[index] or gone[index])[0]]
            shape = _shape(reader, index, slot, seen[1 if come[index] else 0])
            windows = [
                tuple(reader.slots[each].place.window for each in side[index])
                for side in (come, gone)
            ]
            changes.append(ShapeChange(index, shape, int(reader.model.weights[index]), *windows))
    return sorted(changes, key=lambda each: -abs(each.change))


def _slots_by_weight(index: Indices, chosen: npt.NDArray[np.bool_]) -> dict[int, list[int]]:
    slots: dict[int, list[int]] = defaultdict(list)
    for slot in np.flatnonzero(chosen).tolist():
        slots[int(index[slot])].append(slot)
    return slots


def _shape(reader: ShapeReader, index: int, slot: Slot, seen: SeenPosition) -> Shape:
    model = reader.model
    if model.sets[slot.number].is_hashed:
        return reader.shape_in(slot, seen)
    return shape_of_weight(model.sets, model.size, model.bins, index)


def _heat(reader: ShapeReader, before: Indices, after: Indices) -> npt.NDArray[np.float64]:
    weights = reader.model.weights.astype(np.int64)
    heat = np.zeros(reader.model.size**2)
    for slot in np.flatnonzero(before != after).tolist():
        cells = list(reader.slots[slot].place.window.cells)
        heat[cells] += (weights[after[slot]] - weights[before[slot]]) / len(cells)
    return heat
