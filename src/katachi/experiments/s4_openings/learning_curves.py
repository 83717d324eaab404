"""S4-F2: the error as nets with four lambdas learn, and when they are stopped (Figure 2)."""

from functools import partial
from itertools import pairwise

import msgspec

from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.s4_openings.material import (
    LAMBDAS,
    REBUILT,
    Sources,
    fingerprint,
    judged_of,
    require_sources,
)
from katachi.experiments.s4_openings.paper_nets import (
    PaperSettings,
    lambda_name,
    learn_as_paper,
    paper_set,
)
from katachi.experiments.statistics import T_INTERVAL, mean_of, mean_row
from katachi.experiments.workbench import Study, Workbench
from katachi.pictures.charts import Curves, Line, Spot, draw_panels

PAPER_STOPS = {0.0: 25.0, 0.3: 25.0, 0.7: 100.0, 1.0: 100.0}
STOP = Quantity("stopped after", "epochs")
MARKS = (0, 1, 2, 5, 10, 25, 50, 75, 100)
"""Epochs whose errors the table tells."""
WAYS = {"random split": False, "split by game": True}


class CurveSettings(PaperSettings, frozen=True, kw_only=True):
    """As the paper's nets learn."""


class Course(msgspec.Struct, frozen=True):
    """How the error went, before the first epoch and after each."""

    stopped: int
    held_out: list[float]
    relearned: float
    """Of the net that learned from all openings, on all of them."""


def setting_name(way: str, lam: float) -> str:
    """What a row is called."""
    return f"{way}, {lambda_name(lam)}"


def measure(sources: Sources, settings: CurveSettings, task: Task, seed: int) -> Course:
    """One run of one lambda."""
    way, _, rest = task.setting.partition(", ")
    lam = float(rest.split()[1])
    found = paper_set(judged_of(sources, settings), seed)
    final, course = learn_as_paper(settings, found, lam, seed, is_by_game=WAYS[way])
    held_out = [round(each, 5) for each in course.held_out]
    return Course(course.epochs, held_out, round(final.rmse(found.lessons), 5))


def quantity_of(epoch: int) -> Quantity:
    """The error after an epoch."""
    return Quantity(f"after epoch {epoch}", "RMSE", 3)


RELEARNED = Quantity("learned from all", "RMSE", 3)


def run(settings: CurveSettings, seed: int, bench: Workbench) -> Table:
    """Learns what is missing."""
    sources = require_sources(bench, settings)
    names = {(way, lam): setting_name(way, lam) for way in WAYS for lam in settings.lambdas}
    tasks = [Task(name, run) for run in range(1, settings.runs + 1) for name in names.values()]
    work, behaviour = partial(measure, sources), fingerprint(sources)
    study = Study("S4-F2", settings, seed, tasks, work, Course, behaviour)
    found = bench.measure_all(study)
    marks = [mark for mark in MARKS if mark <= settings.epochs]
    rows: list[Row] = []
    last: dict[tuple[str, float], float] = {}
    for (way, lam), name in names.items():
        runs = [found[name, run] for run in range(1, settings.runs + 1)]
        stop = mean_row(name, STOP, mean_of([float(each.stopped) for each in runs], 1.0))
        rows.append(msgspec.structs.replace(stop, paper=PAPER_STOPS.get(lam)))
        for mark in marks:
            mean = mean_of([each.held_out[mark] for each in runs])
            rows.append(mean_row(name, quantity_of(mark), mean))
            last[way, lam] = mean.value
        rows.append(mean_row(name, RELEARNED, mean_of([each.relearned for each in runs])))
    notes = [
        REBUILT.format(band=settings.band),
        "RMSE is that of P against z over all 51 positions of the openings held out, a definition "
        f"of ours; first weights {'are drawn' if settings.spread else 'zero'}, the step size "
        f"{settings.alpha:g}. A net that calls everything even has the error of epoch 0.",
        "Split by game, no mirror image of a game held out is learned from.",
        T_INTERVAL,
    ]
    quantities = [STOP, *map(quantity_of, marks), RELEARNED]
    return Table(quantities=quantities, rows=rows, claims=_claims(last, settings), notes=notes)


def _claims(last: dict[tuple[str, float], float], settings: CurveSettings) -> list[Claim]:
    way = next(iter(WAYS))
    errors = [last[way, lam] for lam in settings.lambdas]
    told = ", ".join(f"{error:.3f}" for error in errors)
    is_falling = all(b <= a for a, b in pairwise(errors))
    lambdas = ", ".join(f"{lam:g}" for lam in settings.lambdas)
    return [Claim(f"a higher lambda has a lower RMSE (lambda {lambdas})", told, is_falling)]


def draw(table: Table, title: str) -> str:
    """A panel a way to split, a curve a lambda."""
    lambdas = [lam for lam in LAMBDAS if _has(table, setting_name("random split", lam))]
    marks = [q for q in table.quantities if q.name.startswith("after epoch")]
    panels = []
    for way in WAYS:
        curves = []
        for lam in lambdas:
            rows = [(q, table.row(setting_name(way, lam), q.name)) for q in marks]
            curves.append(
                [Spot(float(q.name.split()[2]), r.ours or 0.0, r.low, r.high) for q, r in rows]
            )
        even = curves[0][0].y if curves else 0.0
        line = Line(even, "a net that calls everything even")
        panels.append(
            Curves(way, "RMSE of P on openings held out", "epochs", curves, None, (line,))
        )
    words = "the paper's net and step size 0.5; means over runs"
    return draw_panels(title, words, [lambda_name(lam) for lam in lambdas], panels)


def _has(table: Table, setting: str) -> bool:
    return any(row.setting == setting for row in table.rows)


QUICK = CurveSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(CurveSettings(), QUICK, run, draw)
