"""Rows of tables as bars and curves."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from katachi.experiments.protocol import Key, Quantity, Row, Table, Value
from katachi.pictures.charts import Bar, Line, Panel, Spot, draw_panels


def bar_of(row: Row | None, *, has_words: bool = True) -> Bar:
    """A row of a table as a bar, with its remark unless that is not wanted."""
    if row is None:
        return Bar(None)
    return Bar(row.ours, row.low, row.high, row.remark if has_words else "")


def spot_of(row: Row, x: Value) -> Spot:
    """A row of a table as a number of a curve."""
    return Spot(float(x), row.ours or 0.0, row.low, row.high)


class Axes(NamedTuple):
    """How a panel of bars is made of a grid: a group for each value of one factor, in it a bar for
    each value of another."""

    groups: str
    bars: str = ""
    """A single bar where it is not given."""
    part: Mapping[str, Value] = MappingProxyType({})
    """Values of the other factors."""
    name: Callable[[Value], str] = str
    """What a group is called."""
    has_words: bool = True
    """Whether remarks are written over bars."""


def panel_of(
    table: Table,
    quantities: Quantity | Sequence[Quantity],
    axes: Axes,
    title: str = "",
    top: float | None = None,
    lines: tuple[Line, ...] = (),
) -> Panel:
    """A quantity of a grid of settings as bars, or several side by side; settings that the table
    has not are left out."""
    columns = [quantities] if isinstance(quantities, Quantity) else list(quantities)
    factors = {*axes.part, axes.groups, *([axes.bars] if axes.bars else [])}
    names_of_columns = {column.name for column in columns}
    rows = [
        row
        for row in table.rows
        if row.quantity in names_of_columns
        and row.key.keys() == factors
        and row.is_about({**axes.part})
    ]
    groups = list(dict.fromkeys(row.key[axes.groups] for row in rows))
    series = dict.fromkeys(row.key[axes.bars] for row in rows) if axes.bars else {}
    inner: Sequence[Key] = [{axes.bars: value} for value in series] or [{}]

    def bar(column: Quantity, key: Key) -> Bar:
        return bar_of(table.find(column, {**axes.part} | key), has_words=axes.has_words)

    bars = [
        [bar(column, {axes.groups: g} | each) for column in columns for each in inner]
        for g in groups
    ]
    names = [axes.name(g) for g in groups]
    first = columns[0]
    return Panel(title or first.name, first.unit, names, bars, top, lines)


def bars_of_rows(table: Table, quantity: Quantity, top: float | None = None) -> Panel:
    """A panel with a bar for each row of a quantity."""
    rows = table.rows_of(quantity)
    names, bars = [table.label(row) for row in rows], [[bar_of(row)] for row in rows]
    return Panel(quantity.name, quantity.unit, names, bars, top)


def draw_rows(table: Table, title: str, text: str, quantities: tuple[Quantity, ...]) -> str:
    """A panel for each quantity with a bar for each of its rows."""
    panels = [bars_of_rows(table, quantity) for quantity in quantities]
    return draw_panels(title, text, [], panels, columns=1)
