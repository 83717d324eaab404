"""S4-a: what the nets think of the empty board and of the first move (section 4.2)."""

from functools import partial

import msgspec

from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.s4_openings.material import (
    REBUILT,
    Sources,
    fingerprint,
    judged_of,
    require_sources,
)
from katachi.experiments.s4_openings.paper_nets import (
    SPREAD,
    PaperSettings,
    lambda_name,
    learn_as_paper,
    paper_set,
)
from katachi.experiments.statistics import T_INTERVAL, mean_of, mean_row
from katachi.experiments.table_pictures import bar_of
from katachi.experiments.workbench import Study, Workbench
from katachi.pictures.charts import Line, Panel, draw_panels

PAPER_FIRST = {1.0: 0.98, 0.7: -0.06, 0.3: 0.49, 0.0: -0.01}
EMPTY, FIRST = Quantity("P0", "", 2), Quantity("mean P1", "", 2)
WEIGHTS = {"zero": 0.0, "random": SPREAD}
"""How the first weights are: the paper does not tell."""


class FirstSettings(PaperSettings, frozen=True, kw_only=True):
    """As the paper's nets learn."""


class FirstValues(msgspec.Struct, frozen=True):
    """What a net thinks at the beginning."""

    empty: float
    """P of the empty board."""
    first: float
    """P after the first move, the mean over all openings."""


def setting_name(lam: float, weights: str) -> str:
    """What a row is called."""
    return f"{lambda_name(lam)}, first weights {weights}"


def measure(sources: Sources, settings: FirstSettings, task: Task, seed: int) -> FirstValues:
    """One net."""
    words = task.setting.replace(",", "").split()
    chosen = msgspec.structs.replace(settings, spread=WEIGHTS[words[-1]])
    found = paper_set(judged_of(sources, settings), seed)
    net, _ = learn_as_paper(chosen, found, float(words[1]), seed)
    values = 2.0 * net.chances(found.lessons) - 1.0
    return FirstValues(round(float(values[0, 0]), 6), round(float(values[:, 1].mean()), 6))


def run(settings: FirstSettings, seed: int, bench: Workbench) -> Table:
    """Learns what is missing."""
    sources = require_sources(bench, settings)
    names = {(lam, each): setting_name(lam, each) for each in WEIGHTS for lam in settings.lambdas}
    tasks = [Task(name, run) for run in range(1, settings.runs + 1) for name in names.values()]
    work, behaviour = partial(measure, sources), fingerprint(sources)
    found = bench.measure_all(Study("S4-a", settings, seed, tasks, work, FirstValues, behaviour))
    rows: list[Row] = []
    widest = 0.0
    for (lam, _), name in names.items():
        runs = [found[name, run] for run in range(1, settings.runs + 1)]
        rows.append(mean_row(name, EMPTY, mean_of([each.empty for each in runs], -1.0, 1.0)))
        first = mean_row(name, FIRST, mean_of([each.first for each in runs], -1.0, 1.0))
        rows.append(msgspec.structs.replace(first, paper=PAPER_FIRST.get(lam)))
        values = [each.first for each in runs]
        widest = max(widest, max(values) - min(values))
    means = [row.ours or 0.0 for row in rows if row.quantity == FIRST.name]
    between = max(means) - min(means)
    told = (
        f"mean P1 varies by {between:.2f} between settings, and by up to {widest:.2f} between "
        "draws of the openings with one setting"
    )
    claim = Claim("the first prediction differs with lambda", told, between > widest)
    notes = [
        REBUILT.format(band=settings.band),
        "Nets that learned from all openings for as many epochs as early stopping chose. P0 is the "
        "hyperbolic tangent of the constant's weight alone, P1 adds one point's.",
        T_INTERVAL,
    ]
    return Table(quantities=[EMPTY, FIRST], rows=rows, claims=[claim], notes=notes)


def draw(table: Table, title: str) -> str:
    """A bar a lambda, for both kinds of first weights."""
    settings = list(dict.fromkeys(row.setting for row in table.rows))
    panels = []
    for weights in WEIGHTS:
        names = [name for name in settings if name.endswith(f" {weights}")]
        bars = [[bar_of(table.row(name, q.name)) for q in (EMPTY, FIRST)] for name in names]
        lines = (Line(0.0, ""),)
        short = [name.partition(",")[0] for name in names]
        panels.append(Panel(f"first weights {weights}", "P", short, bars, lines=lines))
    series = [f"{EMPTY.name}: of the empty board", f"{FIRST.name}: after the first move"]
    words = "P is what the net thinks: +1 is good for Black, -1 for White; means over runs"
    return draw_panels(title, words, series, panels)


QUICK = FirstSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(FirstSettings(), QUICK, run, draw)
