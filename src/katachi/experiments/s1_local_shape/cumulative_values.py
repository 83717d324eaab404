"""What the shape sets up to each say together (equation 4 of the paper), of agents that learned all
sets by cascade or plainly, beside agents that learned these sets only; a part of S1-cascade."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import chances_of
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.claims import gap, judge_above, judge_below
from katachi.experiments.protocol import Bounds, Claim, Quantity, Row, Table
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.shape_sets import ShapeSet, is_as_general
from katachi.features.units import UNIT
from katachi.learning.sources import GameTerms, play_each_other
from katachi.pictures.charts import Panel
from katachi.rules.state import BoardState

Values = npt.NDArray[np.float64]

RULES = {"plain": False, "cascade": True}
"""The ways to learn, and whether each is by cascade."""
CORRELATION: Bounds = (-1.0, 1.0)
MEAN = "mean of these"
TOGETHER = {
    rule: Quantity(f"values like those of these sets alone, {rule}", "correlation", 3)
    for rule in RULES
}
OFF = {rule: Quantity(f"off from them, {rule}", "% of win chance", 2) for rule in RULES}
POSITION_NUMBERS = 1 << 30
"""From here on games are numbered that nobody learns from."""


class Likeness(msgspec.Struct, frozen=True):
    """How alike two agents' values of the same positions are."""

    alike: float | None
    """Correlation; None where all values are equal."""
    off: float
    """Root mean square of their differences, in percent of the chance to win."""


def general_sets(sets: Sequence[ShapeSet], each: ShapeSet) -> str:
    """Those of the sets that are as general as this one or more so, as they are written."""
    return ",".join(other.name for other in sets if is_as_general(other, each))


def steps_of(sets: Sequence[ShapeSet]) -> list[ShapeSet]:
    """The sets up to which values are added. One is left out up to which are all sets: a plain
    agent learns their value by itself."""
    return [each for each in sets if not all(is_as_general(other, each) for other in sets)]


def positions_between(
    one: LocalShape, other: LocalShape, terms: GameTerms, games: int
) -> BoardState:
    """The positions after each move of games between two agents, who explore as these terms say."""
    source = play_each_other((one, other), terms)
    lived = [each for game in range(games) for each in source.take(POSITION_NUMBERS + game)]
    words = np.concatenate([each.states.words for each in lived])
    hashes = np.concatenate([each.states.hashes for each in lived])
    return BoardState(words, hashes, lived[0].states.keys)


def values_of(agent: LocalShape, states: BoardState, up_to: ShapeSet | None = None) -> Values:
    """[B]: the chance to win of who moved last, by the agent's sets that are as general as this one
    or more so (equation 4), or by all."""
    used = [up_to is None or is_as_general(each, up_to) for each in agent.sets]
    return chances_of(agent.predict(states)[:, used].sum(axis=1) * UNIT)


def compare_values(one: Values, other: Values) -> Likeness:
    """Values [B] of one agent beside those of another."""
    is_known = one.std() > 0 and other.std() > 0
    alike = float(np.corrcoef(one, other)[0, 1]) if is_known else None
    return Likeness(alike, 100 * float(np.sqrt(np.mean((one - other) ** 2))))


Found = dict[str, dict[str, list[Likeness]]]
"""Of one run, by rule and set: of each agent."""


def rows_together(names: Sequence[str], runs: Sequence[Found]) -> list[Row]:
    """By the set up to which values are added, then the mean over all of these sets of each run."""
    return [
        row
        for rule in RULES
        for row in (
            *_rows(TOGETHER[rule], names, [_alike(run[rule]) for run in runs], CORRELATION),
            *_rows(OFF[rule], names, [_off(run[rule]) for run in runs], (0, None)),
        )
    ]


def _alike(by_set: dict[str, list[Likeness]]) -> dict[str, float | None]:
    """The mean correlation of the agents of a run, by set."""
    return {name: mean_known([each.alike for each in found]) for name, found in by_set.items()}


def _off(by_set: dict[str, list[Likeness]]) -> dict[str, float | None]:
    return {name: mean_known([each.off for each in found]) for name, found in by_set.items()}


def mean_known(values: Sequence[float | None]) -> float | None:
    """The mean of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _rows(
    quantity: Quantity, names: Sequence[str], runs: list[dict[str, float | None]], bounds: Bounds
) -> list[Row]:
    rows = []
    for name in names:
        known = [value for run in runs if (value := run[name]) is not None]
        if known:
            rows.append(quantity.mean({"up_to": name}, known, bounds))
    means = [mean for run in runs if (mean := mean_known(list(run.values()))) is not None]
    return [*rows, quantity.mean({"part": MEAN}, means, bounds)] if means else rows


def claims_together(table: Table) -> list[Claim]:
    """With cascade the value of the sets up to each is nearer to what these sets learn alone than
    with plain learning: by correlation, then by how far values are apart."""
    text = "with cascade, general sets together approximate the best value possible from just them"
    claims = []
    for kind, how, digits, judge in (
        (TOGETHER, "correlation", 3, judge_above),
        (OFF, "root mean square difference", 2, judge_below),
    ):
        cascade, plain = (table.find(kind[rule], {"part": MEAN}) for rule in ("cascade", "plain"))
        if cascade is None or plain is None:
            continue
        unit = " %" if kind is OFF else ""
        ours = (
            f"mean over {len(table.values('up_to'))} sets up to which values are added: "
            f"{cascade.ours:.{digits}f}{unit} with cascade, {plain.ours:.{digits}f}{unit} plain"
        )
        words = f"{text}, nearer than plain learning does ({how})", ours
        claims.append(judge(words, gap(cascade, plain, digits, unit)))
    return claims


def panels_together(table: Table) -> list[Panel]:
    """Correlations and differences by the set up to which values are added."""
    axes = Axes("up_to", name=lambda value: f"up to {value}")
    headings = (
        ("values of the sets up to each beside what they learn alone", TOGETHER, 1.0),
        ("how far these values are apart", OFF, None),
    )
    return [
        panel_of(table, list(kind.values()), axes, heading, top) for heading, kind, top in headings
    ]
