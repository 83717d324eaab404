"""S4-T3: the best opening that each net finds in the tree of recorded ones (Table 3)."""

import msgspec

from katachi.experiments.claims import judge_above, judge_exact, number_of
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import Line, draw_panels
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import all_symmetries
from katachi.search.opening_lines import best_line
from katachi.statistics import T_INTERVAL

PAPER = {
    0.0: (-0.49, 1.0, -1.0),
    0.3: (0.90, 1.0, -1.0),
    0.7: (-0.39, 1.0, 0.0),
    1.0: (0.07, 1.0, 0.0),
}
EMPTY, FIRST, JUDGED = Quantity("P0", "", 2), Quantity("P1", "", 2), Quantity("z", "", 2)
LABELS = ("lambda {lam:g}",)
ALIKE = Quantity("runs in which all lambdas agree", "runs")
SURE = 0.95
"""From here on P says that the game is won."""
COLUMNS = (EMPTY, FIRST, JUDGED)
MEANINGS = {
    EMPTY: "the net's view of the empty board",
    FIRST: "after the first move",
    JUDGED: "the judgement of the opening",
}


class Best(msgspec.Struct, frozen=True):
    """The opening that a net likes best."""

    empty: float
    first: float
    judged: float = msgspec.field(name="worth")
    """z of the opening."""
    game: int
    """Its number in the file, from 0."""


def measure(settings: material.PaperSettings, task: Task) -> Best:
    """One net and its tree, whose mirror images are not joined: the net tells them apart."""
    lam = task.key["lam"]
    # All lambdas of a run see the same openings, as the paper's do.
    found = material.paper_set(task, settings, task.run)
    trainer, _ = material.learn_as_paper(settings, found, lam, task.seed)
    copies = all_symmetries(found.openings)
    line = best_line(OpeningTree(copies, is_joined=False), trainer.net, task.seed)
    opening = copies[line.openings[0]]
    first = round(line.steps[0].value, 6)
    return Best(round(line.first, 6), first, opening.judgement or 0.0, opening.game)


def run(settings: material.PaperSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing."""
    tasks = tasks_of(cross(lam=settings.lambdas), settings.runs, labels=LABELS)
    behaviour = material.fingerprint(runner, settings)
    found = runner.measure_all(Study("S4-T3", settings, seed, tasks, measure, behaviour))
    rows: list[Row] = []
    for key, runs in found:
        values = ([each.empty for each in runs], [each.first for each in runs])
        columns = zip(COLUMNS, (*values, [each.judged for each in runs]), strict=True)
        for (quantity, each), paper in zip(columns, PAPER[key["lam"]], strict=True):
            rows.append(quantity.mean(key, each, (-1.0, 1.0), paper))
    picked = zip(*([each.game for each in runs] for _, runs in found), strict=True)
    alike = sum(len(set(games)) == 1 for games in picked)
    rows.append(ALIKE.row({"choice": "the same game"}, alike, settings.runs))
    notes = [
        material.REBUILT.format(band=settings.band),
        "Forward minimax: at Black's turn the recorded move with the largest P, at White's the "
        "smallest, until one opening is left; ties are broken at random. z is the judgement of "
        "that opening; the mean over runs, as all else.",
        T_INTERVAL,
    ]
    return Table(quantities=[*COLUMNS, ALIKE], rows=rows, labels=LABELS, notes=notes)


def judge(table: Table) -> list[Claim]:
    """What section 4.3 says of Table 3: P1 is 1.00 for every lambda, and choices differ."""
    claims = []
    for row in table.rows_of(FIRST):
        words = f"P1 of the best opening is 1.00 ({table.label(row)})", f"{row.ours:.3f}"
        claims.append(judge_above(words, number_of(row, 3), SURE))
    alike = table.find(ALIKE, {"choice": "the same game"})
    if alike is not None:
        runs = int(alike.ours or 0)
        words = (
            "no guarantee that all lambdas pick the same game",
            f"they do in {runs} of {alike.n} runs",
        )
        rule = "they differ in at least one run"
        claims.append(judge_exact(words, rule, holds=runs < alike.n, n=alike.n))
    return claims


def draw(table: Table, title: str) -> str:
    """Three bars a lambda."""
    axes, lines = Axes("lam", name=material.lambda_name), (Line(0.0, ""),)
    panel = panel_of(table, COLUMNS, axes, "the best opening of each net", lines=lines)
    text = "forward minimax over the tree; means over runs; +1 is good for Black, -1 for White"
    series = [f"{quantity.name}: {MEANINGS[quantity]}" for quantity in COLUMNS]
    return draw_panels(title, text, series, [panel])


QUICK = material.PaperSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(material.PaperSettings(), QUICK, run, draw, judge)
