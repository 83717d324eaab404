"""S4-a: what the nets think of the empty board and of the first move (section 4.2)."""

import math

import msgspec

from katachi.experiments.claims import judge_apart, slope
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import Line, draw_panels
from katachi.statistics import T_INTERVAL, t_quantile

PAPER_FIRST = {1.0: 0.98, 0.7: -0.06, 0.3: 0.49, 0.0: -0.01}
EMPTY, FIRST = Quantity("P0", "", 2), Quantity("mean P1", "", 2)
P_ENDS = (-1.0, 1.0)
LABELS = ("lambda {lam:g}, first weights {weights}",)
NEVER_NO = "it can never say no, for no finite sample shows that there is no difference"
WEIGHTS = {"zero": 0.0, "random": material.SPREAD}
"""How the first weights are: the paper does not tell."""


class FirstValues(msgspec.Struct, frozen=True):
    """What a net thinks at the beginning."""

    empty: float
    """P of the empty board."""
    first: float
    """P after the first move, the mean over all openings."""


def measure(settings: material.PaperSettings, task: Task) -> FirstValues:
    """One net."""
    chosen = msgspec.structs.replace(settings, spread=WEIGHTS[task.key["weights"]])
    found = material.paper_set(task, settings, task.seed)
    net, _ = material.learn_as_paper(chosen, found, task.key["lam"], task.seed)
    values = 2.0 * net.chances(found.games) - 1.0
    return FirstValues(round(float(values[0, 0]), 6), round(float(values[:, 1].mean()), 6))


def run(settings: material.PaperSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing."""
    tasks = tasks_of(cross(weights=WEIGHTS, lam=settings.lambdas), settings.runs, labels=LABELS)
    behaviour = material.fingerprint(runner, settings)
    found = runner.measure_all(Study("S4-a", settings, seed, tasks, measure, behaviour))
    rows: list[Row] = []
    for key, runs in found:
        values = [each.first for each in runs]
        rows.append(EMPTY.mean(key, [each.empty for each in runs], P_ENDS))
        rows.append(FIRST.mean(key, values, P_ENDS, PAPER_FIRST.get(key["lam"])))
    notes = [
        material.REBUILT.format(band=settings.band),
        "Nets that learned from all openings for as many epochs as early stopping chose. P0 is the "
        "hyperbolic tangent of the constant's weight alone, P1 adds one point's.",
        T_INTERVAL,
    ]
    return Table(quantities=[EMPTY, FIRST], rows=rows, labels=LABELS, notes=notes)


def judge(table: Table) -> list[Claim]:
    """Whether lambda, not the draw of the openings, makes the first prediction: by the slope of
    its mean over lambda, for either kind of first weights."""
    claims = []
    for weights in table.values("weights"):
        rows = table.rows_of(FIRST, weights=weights)
        means = [row.ours or 0.0 for row in rows]
        spread = max(_spread(row) for row in rows)
        ours = (
            f"{', '.join(f'{mean:+.2f}' for mean in means)}; single nets of one lambda lie "
            f"{spread:.2f} around their mean (standard deviation)"
        )
        words = f"the first prediction differs with lambda (first weights {weights})", ours
        claim = judge_apart(words, slope([float(row.key["lam"]) for row in rows], rows, 2))
        claims.append(msgspec.structs.replace(claim, rule=f"{claim.rule}; {NEVER_NO}"))
    return claims


def _spread(row: Row) -> float:
    """The standard deviation of single runs, from the wider side of the mean's interval."""
    if row.low is None or row.high is None or row.ours is None:
        return 0.0
    half = max(row.ours - row.low, row.high - row.ours)
    return half * math.sqrt(row.n) / t_quantile(row.n - 1)


def draw(table: Table, title: str) -> str:
    """A bar a lambda, for both kinds of first weights."""
    panels = []
    for weights in WEIGHTS:
        axes = Axes("lam", part={"weights": weights}, name=material.lambda_name)
        heading, lines = f"first weights {weights}", (Line(0.0, ""),)
        panel = panel_of(table, (EMPTY, FIRST), axes, heading, lines=lines)
        panels.append(panel._replace(unit="P"))
    series = [f"{EMPTY.name}: of the empty board", f"{FIRST.name}: after the first move"]
    text = "P is what the net thinks: +1 is good for Black, -1 for White; means over runs"
    return draw_panels(title, text, series, panels)


QUICK = material.PaperSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(material.PaperSettings(), QUICK, run, draw, judge)
