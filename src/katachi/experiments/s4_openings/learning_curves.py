"""S4-F2: the error as nets with four lambdas learn, and when they are stopped (Figure 2)."""

import math
from functools import partial

import msgspec

from katachi.experiments.claims import gap, judge_below
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material
from katachi.experiments.table_pictures import bar_of, spot_of
from katachi.pictures.charts import Curves, Panel, draw_panels
from katachi.statistics import T_INTERVAL

PAPER_STOPS = {0.0: 25.0, 0.3: 25.0, 0.7: 100.0, 1.0: 100.0}
LABELS = ("{way}, lambda {lam:g}",)
STOP = Quantity("stopped after", "epochs")
MARKS = (0, 1, 2, 5, 10, 25, 50, 75, 100)
"""Epochs whose errors the table tells."""
WAYS = {"random split": False, "split by game": True}


class Course(msgspec.Struct, frozen=True):
    """How the error went, before the first epoch and after each."""

    stopped: int
    held_out: list[float]
    relearned: float
    """Of the net that learned from all openings, on all of them."""


def measure(settings: material.PaperSettings, task: Task) -> Course:
    """One run of one lambda."""
    found = material.paper_set(task, settings, task.seed)
    is_by_game = WAYS[task.key["way"]]
    final, course = material.learn_as_paper(
        settings, found, task.key["lam"], task.seed, is_by_game=is_by_game
    )
    held_out = [round(each, 5) for each in course.held_out]
    return Course(course.epochs, held_out, round(final.rmse(found.games), 5))


def quantity_of(epoch: int) -> Quantity:
    """The error after an epoch."""
    return Quantity(f"after epoch {epoch}", "RMSE", 3)


RELEARNED = Quantity("learned from all", "RMSE", 3)


def run(settings: material.PaperSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing."""
    tasks = tasks_of(cross(way=WAYS, lam=settings.lambdas), settings.runs, labels=LABELS)
    behaviour = material.fingerprint(runner, settings)
    study = Study("S4-F2", settings, seed, tasks, measure, behaviour)
    marks = [mark for mark in MARKS if mark <= settings.epochs]
    rows = runner.measure_all(study).rows(partial(_rows, marks))
    notes = [
        material.REBUILT.format(band=settings.band),
        "RMSE is that of P against z over all 51 positions of the openings held out, a definition "
        f"of ours; first weights {'are drawn' if settings.spread else 'zero'}, the step size "
        f"{settings.alpha:g}. A net that calls everything even has the error of epoch 0.",
        "Split by game, no mirror image of a game held out is learned from.",
        T_INTERVAL,
    ]
    quantities = [STOP, *map(quantity_of, marks), RELEARNED]
    return Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)


def _rows(marks: list[int], key: Key, runs: list[Course]) -> list[Row]:
    stops = [float(each.stopped) for each in runs]
    errors = [quantity_of(mark).mean(key, [each.held_out[mark] for each in runs]) for mark in marks]
    return [
        STOP.mean(key, stops, (1.0, None), PAPER_STOPS.get(key["lam"])),
        *errors,
        RELEARNED.mean(key, [each.relearned for each in runs]),
    ]


def judge(table: Table) -> list[Claim]:
    """What Figure 2 shows, by the nets that learned from all openings, as the paper's did; among
    the smaller lambdas too; and whether these nets know more than one that knows nothing."""
    claims = []
    for way in table.values("way"):
        rows = table.rows_of(RELEARNED, way=way)
        claims += material.claims_of_lambda(rows, f"RMSE, {RELEARNED.name}, {way}")
    even, last = (_worst(table, quantity) for quantity in (table.quantities[1], RELEARNED))
    ours = f"{last.ours:.3f} at best ({table.label(last)}), {even.ours:.3f} before the first epoch"
    words = "implied: nets that learned with step size 0.5 err less than calling all even", ours
    return [*claims, judge_below(words, gap(last, even, 3))]


def _worst(table: Table, quantity: Quantity) -> Row:
    """The largest error before learning, the least after it: the comparison that is kindest."""
    rows = table.rows_of(quantity)
    choose = min if quantity == RELEARNED else max
    return choose(rows, key=lambda row: row.ours or 0.0)


def draw(table: Table, title: str) -> str:
    """A panel a way to split, a curve a lambda, from the first epoch on: what came before, a net
    that calls everything even, lies far below and is text. Beside them what the paper plots: nets
    that learned from all openings, on these."""
    lambdas = table.values("lam")
    marks = [(mark, quantity_of(mark)) for mark in MARKS if quantity_of(mark) in table.quantities]
    panels: list[Curves | Panel] = []
    for way in WAYS:
        curves = [
            [spot_of(table.row(q, way=way, lam=lam), mark) for mark, q in marks if mark]
            for lam in lambdas
        ]
        lowest = min(spot.y if spot.low is None else spot.low for each in curves for spot in each)
        bottom = math.floor(10 * lowest) / 10
        unit = f"RMSE of P on openings held out, the scale begins at {bottom:g}"
        panels.append(Curves(way, unit, "epochs", curves, bottom=bottom))
    relearned = [
        [bar_of(table.row(RELEARNED, way=way, lam=lam)) for lam in lambdas] for way in WAYS
    ]
    panels.append(
        Panel("learned from all openings", "RMSE of P on all of them", list(WAYS), relearned)
    )
    even = _worst(table, marks[0][1]).ours or 0.0
    text = f"step size 0.5, means over runs; a net that calls everything even: {even:.2f} at most"
    return draw_panels(title, text, [material.lambda_name(lam) for lam in lambdas], panels)


QUICK = material.PaperSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(material.PaperSettings(), QUICK, run, draw, judge)
