"""Learning curves in a result: how what was learned fared on its way, under `curves` of its
report."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import msgspec

from katachi.experiments.protocol import Key, Quantity, Table

CURVES = "curves"
DIGITS = 4


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of the runs of one setting."""

    key: Key
    """The setting, as in rows."""
    quantity: str
    unit: str
    by: str
    """What `at` counts: games, batches."""
    at: list[float]
    ours: list[float]
    """After so many of these, the mean of the runs that have got there."""
    n: int
    """How many runs there are."""


def curve_of(
    key: Key, quantity: Quantity, by: str, at: Iterable[float], runs: Sequence[Sequence[float]]
) -> Curve:
    """The curve of runs that were looked at after so many games or batches each; a run may end
    early."""
    looks = [[each for each in look if each is not None] for look in zip_longest(*runs)]
    return Curve(
        key=key,
        quantity=quantity.name,
        unit=quantity.unit,
        by=by,
        at=[place for place, _ in zip(at, looks, strict=False)],
        ours=[round(sum(look) / len(look), DIGITS) for look in looks],
        n=len(runs),
    )


def with_curves(table: Table, curves: Iterable[Curve]) -> Table:
    """The table with its learning curves."""
    report = table.report | {CURVES: msgspec.to_builtins(list(curves))}
    return msgspec.structs.replace(table, report=report)


def curves_of(table: Table) -> list[Curve]:
    """The learning curves of a table; none where it was made without."""
    return msgspec.convert(table.report.get(CURVES, []), list[Curve])
