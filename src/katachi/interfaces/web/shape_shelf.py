"""The shapes of one model, ready to be ordered, searched and paged."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Sightings, least_seen
from katachi.evaluators.shape_reading import ShapeReader
from katachi.evaluators.shape_table import (
    NO_MARK,
    Floats,
    Ints,
    Pattern,
    ShapeTable,
    holds_pattern,
    pattern_of,
    steps_to_table,
)
from katachi.features.shape_contents import Shape, shape_of_weight
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT
from katachi.td.shape_self_play import self_play

GAMES = 40
"""Games of the model with itself in which the shapes of hashed sets are looked for."""

OFTEN = 1e-4
"""Where all sets are looked through by gain, rare shapes would fill the first pages: a shape must
be this share of all that its set has seen."""

Order = Literal["gain", "value", "count"]
Sign = Literal["both", "good", "bad"]


class Query(NamedTuple):
    """Which shapes, in which order."""

    order: Order
    sign: Sign
    numbers: tuple[int, ...]
    """Of the sets that are looked at."""
    pattern: Pattern | None
    page: slice
    """Which of them."""
    hashed: int | None = None
    """The set, if it is a hashed one: then no other is looked at."""
    least_used: float = 0.0
    """The share of all that a set has seen that a shape must be."""


class Wanted(NamedTuple):
    """What a page asks for."""

    order: Order
    sign: Sign
    name: str | None
    """Of a set; None for all that are not hashed."""
    cells: Sequence[Sequence[int]] | None
    """Of a pattern."""
    page: slice

    def query(self, model: LocalShape) -> Query:
        """The query of a model; raises KatachiError for a set that it has not, or a pattern that is
        none."""
        pattern = None if self.cells is None else pattern_of(self.cells)
        names = [each.name for each in model.sets]
        if self.name is None:
            numbers = tuple(n for n, each in enumerate(model.sets) if not each.is_hashed)
            is_browsing = self.order == "gain" and pattern is None
            least = OFTEN if is_browsing else 0.0
            return Query(self.order, self.sign, numbers, pattern, self.page, least_used=least)
        if self.name not in names:
            raise KatachiError(f"no set {self.name!r}: this model has {', '.join(names)}")
        number = names.index(self.name)
        if not model.sets[number].is_hashed:
            return Query(self.order, self.sign, (number,), pattern, self.page)
        if pattern is not None:
            raise KatachiError(f"{self.name} is hashed: its shapes cannot be found by a pattern")
        order: Order = "value" if self.order == "gain" else self.order
        return Query(order, self.sign, (), None, self.page, number)


class ShapeShelf:
    """A model's shapes. What takes long is prepared once, in steps; two threads that prepare the
    same at once make the same."""

    def __init__(self, model: LocalShape) -> None:
        self.model = model
        self._tables: dict[int, ShapeTable] = {}
        self._sightings: Sightings | None = None
        self._met: dict[int, Shape] = {}
        """The shape that was met most often in a bin, by weight."""
        layouts = layout_of(model.sets, model.size, model.bins)
        self._totals = [max(1, int(model.seen[each.first : each.end].sum())) for each in layouts]

    def prepare(self, query: Query) -> Iterator[None]:
        """Makes what a query needs, a little at each step."""
        for number in query.numbers:
            if number not in self._tables:
                self._tables[number] = yield from steps_to_table(self.model, number)
        if query.hashed is not None:
            yield from self._prepare_hashed(query, query.hashed)

    def _prepare_hashed(self, query: Query, number: int) -> Iterator[None]:
        if self._sightings is None:
            sightings = Sightings(ShapeReader(self.model))
            for game, _ in self_play(self.model, GAMES):
                sightings.add_game(game)
                yield
            self._sightings = sightings
        for weight in self._bins(query, number)[query.page].tolist():
            if weight not in self._met:
                self._met[weight] = self._sightings.most_frequent(number, weight)[0]
                yield

    def find(self, query: Query) -> tuple[int, list[dict[str, Any]]]:
        """(how many there are, a page of them) once all is prepared."""
        if (number := query.hashed) is not None:
            bins = self._bins(query, number)
            shown = bins[query.page].tolist()
            return len(bins), [self._data(self._met[each], number, each) for each in shown]
        found = [self._chosen(query, number) for number in query.numbers]
        tables = np.repeat(np.array(query.numbers), [len(rows) for rows, _ in found])
        rows, keys = (np.concatenate(column) for column in zip(*found, strict=True))
        order = _ordered(keys, query.sign)
        page = order[query.page]
        spots = zip(tables[page].tolist(), rows[page].tolist(), strict=True)
        return len(order), [self._shape_data(self._tables[table], row) for table, row in spots]

    def _chosen(self, query: Query, number: int) -> tuple[Ints, Floats]:
        """(rows, what they are ordered by) of a set."""
        table = self._tables[number]
        chosen = ~np.isnan(table.gains) if query.order == "gain" else table.is_first
        chosen = chosen & (table.seen >= query.least_used * self._totals[number])
        if query.pattern is not None:
            template = self.model.sets[number].template
            chosen = chosen & holds_pattern(table, template, query.pattern)
        rows = np.flatnonzero(chosen)
        if query.order == "count":
            return rows, table.seen[rows] * np.where(table.units[rows] < 0, -1.0, 1.0)
        return rows, (table.gains if query.order == "gain" else table.units)[rows]

    def _shape_data(self, table: ShapeTable, row: int) -> dict[str, Any]:
        model, weight = self.model, int(table.weights[row])
        shape = shape_of_weight(model.sets, model.size, model.bins, weight)
        mark, gain = int(table.marks[row]), float(table.gains[row])
        data = self._data(shape, table.number, weight)
        length = shape.shape_set.template.length
        return data | {
            "played": None if mark == NO_MARK else list(divmod(mark, length)),
            "gain": None if np.isnan(gain) else gain * UNIT,
        }

    def _data(self, shape: Shape, number: int, weight: int) -> dict[str, Any]:
        model, rows = self.model, shape.rows
        liberties = [[stone.liberties for stone in row] for row in rows]
        has_liberties = any(each is not None for row in liberties for each in row)
        place = [shape.window.row, shape.window.col] if shape.has_location else None
        return {
            "set": shape.shape_set.name,
            "cells": [[stone.owner for stone in row] for row in rows],
            "liberties": liberties if has_liberties else None,
            "place": place,
            "edges": shape.edges(model.size)._asdict(),
            "played": None,
            "gain": None,
            "value": int(model.weights[weight]) * UNIT,
            "count": int(model.seen[weight]),
            "used": int(model.seen[weight]) / self._totals[number],
        }

    def _bins(self, query: Query, number: int) -> Ints:
        """The bins of a hashed set that were met in games, in order."""
        sightings, model = self._sightings, self.model
        assert sightings is not None
        layout = layout_of(model.sets, model.size, model.bins)[number]
        least = least_seen(model.seen[layout.first : layout.end].astype(np.int64))
        met = sightings.weights_met(number)
        met = met[model.seen[met] >= least]
        keys = model.weights[met].astype(np.float64)
        if query.order == "count":
            keys = model.seen[met].astype(np.float64) * np.where(keys < 0, -1.0, 1.0)
        bins: Ints = met[_ordered(keys, query.sign)]
        return bins


def _ordered(keys: Floats, sign: Sign) -> Ints:
    """The places of keys in order: the largest first whatever their sign, or only those above
    zero, the best first, or below it, the worst first."""
    if sign == "both":
        return np.argsort(-np.abs(keys), kind="stable")
    turned = keys if sign == "good" else -keys
    order = np.argsort(-turned, kind="stable")
    return np.asarray(order[turned[order] > 0])
