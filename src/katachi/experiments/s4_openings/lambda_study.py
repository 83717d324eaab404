"""S4-lambda: four lambdas, the paper's protocol and one that does not leak, in one study."""

import msgspec
import numpy as np

from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material, prediction
from katachi.experiments.s4_openings.first_hits import THRESHOLD
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.opening_training import OpeningTrainer
from katachi.pictures.charts import Line, draw_panels
from katachi.statistics import T_INTERVAL, Estimate, mean_by_cluster, share_by_cluster
from katachi.td.opening_learning import OpeningGames

PAPER_WAYS = {"213, random split": False, "213, split by game": True}
LABELS = ("{net}, lambda {lam:g}",)
HITS = Quantity("hits of P1", "%", 1)
LAST_HITS = Quantity("hits of P50", "%", 1)
RMSE = Quantity("RMSE", "", 3)
RIGHT = Quantity("right after move 50", "%", 1)
RIGHT_ALL = Quantity("right, all positions", "%", 1)
BRIER, LOSS = Quantity("Brier score", "", 3), Quantity("log-loss", "nats", 3)
LEAD = Quantity("correlation with the lead", "", 3)
MAJORITY = "always the commonest judgement"


class LambdaSettings(material.PaperSettings, frozen=True, kw_only=True):
    """How all nets learn. `alpha` and `epochs` are those of the paper's nets."""

    nets: tuple[prediction.NetKind, ...] = prediction.NETS
    """Nets that are asked about games they have not seen."""


class Measured(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a run: of the paper's protocol, or of predicted openings."""

    hits: float = 0.0
    last_hits: float = 0.0
    rmse: float = 0.0
    predicted: prediction.Predicted | None = msgspec.field(default=None, name="foretold")


def measure(settings: LambdaSettings, task: Task) -> Measured:
    """One run of one net; all nets have the same parts."""
    net, lam = task.key["net"], task.key["lam"]
    if net in PAPER_WAYS:
        return measure_paper(settings, task)
    kind = prediction.net_named(settings.nets, net)
    return Measured(predicted=prediction.predict_run(settings, task, kind, lam))


def measure_paper(settings: LambdaSettings, task: Task) -> Measured:
    """The paper's protocol: 213 openings, hits on those held out."""
    way, lam, seed = task.key["net"], task.key["lam"], task.seed
    found = material.paper_set(task, settings, seed)
    trainer, course = material.stop_as_paper(settings, found, lam, seed, is_by_game=PAPER_WAYS[way])
    _, held_out = material.split_copies(found.games, seed, is_by_game=PAPER_WAYS[way])
    first, last = hits_of(trainer, held_out)
    return Measured(first, last, round(course.held_out[course.epochs], 5))


def hits_of(trainer: OpeningTrainer, games: OpeningGames) -> tuple[float, float]:
    """Percentages of openings whose first, and whose last P hits z by the paper's rule."""
    values = 2.0 * trainer.chances(games) - 1.0
    z = 2.0 * games.outcome - 1.0
    verdicts = np.sign(values) * (np.abs(values) > THRESHOLD)
    first, last = (100.0 * float(np.mean(verdicts[:, ply] == z)) for ply in (1, -1))
    return round(first, 4), round(last, 4)


def run(settings: LambdaSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing; raises KatachiError for too few runs."""
    prediction.check_folds(settings.runs)
    nets = [*PAPER_WAYS, *(kind.name for kind in settings.nets)]
    keys = cross(net=nets, lam=settings.lambdas)
    tasks = tasks_of(keys, settings.runs, labels=LABELS)
    # The parts depend on how many runs there are, so the runs of two numbers are not mixed.
    behaviour = f"{material.fingerprint(runner, settings)}-{settings.runs}"
    found = runner.measure_all(Study("S4-lambda", settings, seed, tasks, measure, behaviour))
    rows: list[Row] = []
    judged = material.judged_of(runner, settings)
    leads = judged.leads(50, settings.komi)
    z = np.array([each.judgement for each in judged.openings], np.float64)
    lead = np.array([leads[each.game] for each in judged.openings])
    verdicts: list[prediction.Verdicts] = []
    for key, runs in found:
        if key["net"] in PAPER_WAYS:
            rows += _paper_rows(key, runs)
        else:
            parts = [each.predicted for each in runs if each.predicted is not None]
            verdicts.append(prediction.join_parts(parts, len(z)))
            rows += _predicted_rows(key, verdicts[-1], z, lead)
    rows += _baseline_rows(verdicts[0], z)
    table = Table(quantities=[HITS, LAST_HITS, RMSE, *COLUMNS], rows=rows, labels=LABELS)
    return msgspec.structs.replace(table, notes=_notes(settings, len(z)))


COLUMNS = (RIGHT, RIGHT_ALL, BRIER, LOSS, LEAD)


def _paper_rows(key: Key, runs: list[Measured]) -> list[Row]:
    return [
        HITS.mean(key, [each.hits for each in runs], (0.0, 100.0)),
        LAST_HITS.mean(key, [each.last_hits for each in runs], (0.0, 100.0)),
        RMSE.mean(key, [each.rmse for each in runs], (0.0, None)),
    ]


def _predicted_rows(
    key: Key, verdicts: prediction.Verdicts, z: prediction.Values, lead: prediction.Values
) -> list[Row]:
    games = np.arange(len(z))
    right = verdicts.right(z)
    every = np.tile(games, len(right))
    values: dict[str, Estimate] = {
        RIGHT.name: share_by_cluster(right[-1], games).in_percent(),
        RIGHT_ALL.name: share_by_cluster(right.reshape(-1), every).in_percent(),
        BRIER.name: mean_by_cluster(prediction.brier(verdicts.chances[-1], z), games),
        LOSS.name: mean_by_cluster(prediction.log_loss(verdicts.chances[-1], z), games),
        LEAD.name: prediction.correlation(verdicts.expected()[-1], lead),
    }
    return [q.estimate(key, values[q.name], len(z)) for q in COLUMNS]


def _baseline_rows(verdicts: prediction.Verdicts, z: prediction.Values) -> list[Row]:
    games = np.arange(len(z))
    guess = verdicts.baseline
    right = (guess.argmax(axis=1) - 1 == z).astype(np.float64)
    values = {
        RIGHT.name: share_by_cluster(right, games).in_percent(),
        RIGHT_ALL.name: share_by_cluster(right, games).in_percent(),
        BRIER.name: mean_by_cluster(prediction.brier(guess, z), games),
        LOSS.name: mean_by_cluster(prediction.log_loss(guess, z), games),
    }
    return [q.estimate({"net": MAJORITY}, values[q.name], len(z)) for q in COLUMNS[:-1]]


def judge(table: Table) -> list[Claim]:
    """Whether knowledge of Go helps, and whether lambda does, both on games held out."""
    rich = table.rows_of(RIGHT, net="rich")
    others = [row for row in table.rows_of(RIGHT) if row not in rich]
    rows = table.rows_of(RMSE, net=next(iter(PAPER_WAYS)))
    claims = material.claims_of_lambda(rows, f"{RMSE.name}, {next(iter(PAPER_WAYS))}")
    if not rich or not others:
        return claims
    best, ceiling = (max(some, key=lambda row: row.ours or 0.0) for some in (rich, others))
    ours = f"{best.ours:.1f} %, {table.label(best)}; the best of the others {ceiling.ours:.1f} %, "
    ours += table.label(ceiling)
    text = "knowledge of Go would help: richer inputs beat the raw net and the commonest judgement"
    return [judge_above((text, ours), gap(best, ceiling, 1, " %")), *claims]


def _notes(settings: LambdaSettings, count: int) -> list[str]:
    graded = f"the hyperbolic tangent of the lead over {settings.nets[-1].graded:g} points"
    return [
        material.REBUILT.format(band=settings.band),
        f"The first rows are the paper's protocol, {settings.runs} draws of its set: hits by its "
        f"rule, and RMSE over all positions, on what was held out. {T_INTERVAL}",
        f"The others predict the judgement after move 50 of {count:,} games, each by a net that "
        f"learned from other games: a {settings.runs}th of them is asked, the next stops the "
        "learning and fits the cuts between the three verdicts, the rest is learned from. "
        "Intervals of those rows take games as independent (Wilson's for percentages).",
        f"'raw' and 'rich' look at positions after every 5 moves and learn z as {graded}, also of "
        "the same openings cut after 10, 20, 30 and 40 moves; 'raw, as the paper' has its step "
        "size 0.5, all positions and z of three values. Raw nets learn from all mirror images; "
        "rich inputs are the same for all of them.",
    ]


def draw(table: Table, title: str) -> str:
    """Bars by lambda: the paper's protocol, and what games never seen say."""
    base, loss = (table.row(each, net=MAJORITY).ours or 0.0 for each in (RIGHT, LOSS))
    series = [material.lambda_name(lam) for lam in table.values("lam")]
    panels = [
        panel_of(table, quantity, Axes("net", "lam"), heading, lines=lines)
        for quantity, heading, lines in (
            (
                HITS,
                "the paper's protocol: hits of P1, the view after move 1",
                (Line(46.5, "always even: 46.5 %"),),
            ),
            (RMSE, "the paper's protocol: RMSE", ()),
            (RIGHT, "games never seen: judgement right", (Line(base, "commonest judgement"),)),
            (LOSS, "games never seen: log-loss", (Line(loss, "shares of the judgements"),)),
        )
    ]
    return draw_panels(title, "four lambdas, two protocols", series, panels)


QUICK = LambdaSettings(
    runs=3,
    epochs=2,
    lambdas=(0.0, 0.7),
    nets=tuple(msgspec.structs.replace(kind, epochs=1) for kind in prediction.NETS),
)
EXPERIMENT = Experiment(LambdaSettings(), QUICK, run, draw, judge)
