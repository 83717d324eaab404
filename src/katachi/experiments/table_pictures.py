"""Rows of tables as bars."""

from katachi.experiments.protocol import Quantity, Row, Table
from katachi.pictures.charts import Bar, Panel, draw_panels


def bar_of(row: Row) -> Bar:
    """A row of a table as a bar."""
    return Bar(row.ours, row.low, row.high, row.remark)


def draw_rows(table: Table, title: str, words: str, quantities: tuple[Quantity, ...]) -> str:
    """A panel for each quantity with a bar for each setting of a table."""
    names = list(dict.fromkeys(row.setting for row in table.rows))
    panels = [
        Panel(
            quantity.name,
            quantity.unit,
            names,
            [[bar_of(table.row(name, quantity.name))] for name in names],
        )
        for quantity in quantities
    ]
    return draw_panels(title, words, [], panels, columns=1)
