"""S2-P: how many weights the net has, by what it sees (section 3)."""

import math

import msgspec

from katachi.evaluators.territory import TerritoryConfig, array_shapes
from katachi.experiments.bounds import Count
from katachi.experiments.claims import judge_exact
from katachi.experiments.protocol import Claim, Experiment, Quantity, Settings, Table
from katachi.experiments.runner import Runner
from katachi.features.territory_inputs import InputSettings, plane_count
from katachi.pictures.charts import Bar, Line, Panel, draw_panels

INPUTS = Quantity("inputs of a point")
WEIGHTS = Quantity("weights")
FORMULA = Quantity("64 inputs + 1,385")
PAPER_WEIGHTS = 6000
"""Close to, says the paper."""
NEAR = 0.05
PLAIN = "as the paper"


class Net(msgspec.Struct, frozen=True):
    """A net to count."""

    name: str
    """What it is called in the table."""
    inputs: tuple[str, ...] = InputSettings().inputs
    """What it sees of a point."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    layers: Count = 1
    """Layers of sweeps."""


def _without(name: str) -> Net:
    return Net(f"without {name}", tuple(each for each in InputSettings().inputs if each != name))


class WeightSettings(Settings, frozen=True, kw_only=True):
    """What is counted."""

    nets: tuple[Net, ...] = (
        Net("stones only", ("stones",)),
        _without("influence"),
        _without("propensity"),
        _without("weakest"),
        Net(PLAIN),
        Net("and the last 3 moves", (*InputSettings().inputs, "recent:3")),
        Net("both influences", (*InputSettings().inputs, "influence:strict")),
        Net("24 hidden, 12 states", hidden=24, states=12),
        Net("two layers", layers=2),
    )
    """Nets, that of the paper among them."""


def count(net: Net) -> tuple[int, int]:
    """(inputs of a point, weights)."""
    inputs = InputSettings(net.inputs)
    windowed, local = plane_count(inputs)
    config = TerritoryConfig(inputs, net.hidden, net.states, net.layers)
    return 9 * windowed + local, sum(map(math.prod, array_shapes(config).values()))


def run(settings: WeightSettings, seed: int, runner: Runner) -> Table:  # noqa: ARG001
    """Counts; there is nothing random in it."""
    rows = []
    for net in settings.nets:
        inputs, weights = count(net)
        paper = PAPER_WEIGHTS if net == Net(PLAIN) else None
        key = {"net": net.name}
        rows += [INPUTS.row(key, inputs), WEIGHTS.row(key, weights, paper=paper)]
        if (net.hidden, net.states, net.layers) == (16, 8, 1):
            rows.append(FORMULA.row(key, 64 * inputs + 1385))
    notes = [
        "16 hidden units and 8 states by default. The paper does not say how many inputs a point "
        "has; 72 would give 5,993 weights."
    ]
    return Table(quantities=[INPUTS, WEIGHTS, FORMULA], rows=rows, notes=notes)


def judge(table: Table) -> list[Claim]:
    """How near the number of weights of the paper's net is."""
    key = {"net": Net(PLAIN).name}
    inputs, weights = (table.find(each, key) for each in (INPUTS, WEIGHTS))
    if inputs is None or weights is None or weights.ours is None:
        return []
    words = "the number of free parameters is close to 6,000"
    ours = f"{weights.ours:,.0f} with {inputs.ours:.0f} inputs"
    holds = abs(weights.ours / PAPER_WEIGHTS - 1) <= NEAR
    return [judge_exact((words, ours), f"within {100 * NEAR:g} % of the paper's", holds=holds)]


def draw(table: Table, title: str) -> str:
    """A bar a net."""
    rows = table.rows_of(WEIGHTS)
    bars = [[Bar(row.ours, words=f"{row.ours or 0:,.0f}")] for row in rows]
    line = Line(PAPER_WEIGHTS, "the paper: close to 6,000")
    names = [table.label(row) for row in rows]
    panel = Panel("weights by inputs", "weights", names, bars, lines=(line,))
    return draw_panels(title, "16 hidden units and 8 states by default", [], [panel])


EXPERIMENT = Experiment(WeightSettings(), WeightSettings(), run, draw, judge)
