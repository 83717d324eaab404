"""S4-value: the learned value beside a strong judge's, by the number of moves."""

from itertools import pairwise

import msgspec
import numpy as np

from katachi.experiments.bounds import Count, Share
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material, prediction
from katachi.experiments.table_pictures import spot_of
from katachi.pictures.charts import Curves, Line, Spot, draw_panels
from katachi.rules.color import BLACK, EMPTY
from katachi.statistics import mean_by_cluster, share_by_cluster

RIGHT = Quantity("judgement right", "%", 1)
NOW = Quantity("correlation with the lead now", "", 3)
LATER = Quantity("correlation with the lead after move 50", "", 3)
SAID, CAME = Quantity("z it says", "", 3), Quantity("z that came", "", 3)
LABELS = ("{net}, after move {moves}", "{net}, says {low:+g} to {high:+g}")
BINS = (-1.0, -0.2, 0.0, 0.2, 0.4, 1.0)
"""Of what a net says z will be; the rich one hardly says more."""


class ValueSettings(material.OpeningSettings, frozen=True, kw_only=True):
    """Which nets are asked."""

    lam: Share = 0.7
    """Weight of later differences."""
    nets: tuple[prediction.NetKind, ...] = prediction.NETS[1:]
    """Who is asked."""
    runs: Count = 10
    """Parts of the games; each is asked once."""


def measure(settings: ValueSettings, task: Task) -> prediction.Predicted:
    """One part of the games."""
    kind = prediction.net_named(settings.nets, task.key["net"])
    return prediction.predict_run(settings, task, kind, settings.lam)


def run(settings: ValueSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing; raises KatachiError for too few runs."""
    prediction.check_folds(settings.runs)
    nets = [kind.name for kind in settings.nets]
    tasks = tasks_of(cross(net=nets), settings.runs)
    behaviour = f"{material.fingerprint(runner, settings)}-{settings.runs}"
    found = runner.measure_all(Study("S4-value", settings, seed, tasks, measure, behaviour))
    judged = material.judged_of(runner, settings)
    z = np.array([each.judgement for each in judged.openings], np.float64)
    leads = {moves: judged.leads(moves, settings.komi) for moves in prediction.JUDGED_MOVES}
    lead = {
        moves: np.array([lead[each.game] for each in judged.openings])
        for moves, lead in leads.items()
    }
    rows: list[Row] = []
    for key, parts in found:
        verdicts = prediction.join_parts(parts, len(z))
        rows += _move_rows(key, verdicts, z, lead)
        rows += _calibration_rows(key, verdicts.expected()[-1], z)
    notes = [
        f"{len(z):,} games, each asked of a net (lambda {settings.lam:g}) that learned from "
        "others; the judgement is that after move 50, the lead a strong program's after as many "
        "moves as stated. Fisher's and Wilson's 95 % intervals over games.",
        "Below: openings by what a net says z will be after move 50, the mean of it, and the mean "
        "of z that came. " + _scale(judged),
    ]
    quantities = [RIGHT, NOW, LATER, SAID, CAME]
    return Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)


def _scale(judged: material.Judged) -> str:
    """How often the judge itself names the winner of the whole game."""
    winrates: dict[tuple[int, float | None], float] = {
        (each.index, each.komi): each.black_winrate
        for each in judged.judgements
        if each.moves == prediction.JUDGED_MOVES[-1] and each.black_winrate is not None
    }
    pairs = [
        (winrates[opening.game, opening.komi], opening.winner)
        for opening in judged.openings
        if opening.winner != EMPTY and (opening.game, opening.komi) in winrates
    ]
    if not pairs:
        return "The judge tells no chance of winning the games."
    right = sum((chance > 0.5) == (winner == BLACK) for chance, winner in pairs)
    return (
        "For scale: the strong judge's own win rate after move 50 names the winner in "
        f"{100 * right / len(pairs):.1f} % of the {len(pairs):,} games whose winner and komi are "
        "known."
    )


def _move_rows(
    net: Key,
    verdicts: prediction.Verdicts,
    z: prediction.Values,
    lead: dict[int, prediction.Values],
) -> list[Row]:
    right, expected = verdicts.right(z), verdicts.expected()
    games = np.arange(len(z))
    rows = []
    for at, moves in enumerate(verdicts.plies):
        key = net | {"moves": moves}
        share = share_by_cluster(right[at], games).in_percent()
        rows.append(RIGHT.estimate(key, share, len(z)))
        if moves in lead:
            now = prediction.correlation(expected[at], lead[moves])
            rows.append(NOW.estimate(key, now, len(z)))
        if moves:
            later = prediction.correlation(expected[at], lead[prediction.JUDGED_MOVES[-1]])
            rows.append(LATER.estimate(key, later, len(z)))
    return rows


def _calibration_rows(net: Key, expected: prediction.Values, z: prediction.Values) -> list[Row]:
    rows = []
    for low, high in pairwise(BINS):
        inside = (expected > low) & (expected <= high)
        count = int(inside.sum())
        if count:
            games = np.arange(count)
            key = net | {"low": low, "high": high}
            rows.append(SAID.estimate(key, mean_by_cluster(expected[inside], games), count))
            rows.append(CAME.estimate(key, mean_by_cluster(z[inside], games), count))
    return rows


def judge(table: Table) -> list[Claim]:
    """Whether a net with knowledge of Go is right more often."""
    last = prediction.JUDGED_MOVES[-1]
    raw, rich = (table.find(RIGHT, {"net": net, "moves": last}) for net in ("raw", "rich"))
    if raw is None or rich is None:
        return []
    ours = f"{rich.ours:.1f} % of the judgements after move {last}, the raw net {raw.ours:.1f} %"
    words = "a priori knowledge is what the net lacks", ours
    return [judge_above(words, gap(rich, raw, 1, " %"))]


def draw(table: Table, title: str) -> str:
    """By move number: right verdicts, and correlation with the lead."""
    nets = [str(net) for net in table.values("net")]

    def spots(net: str, quantity: Quantity) -> list[Spot]:
        return [spot_of(row, row.key["moves"]) for row in table.rows_of(quantity, net=net)]

    panels = [
        Curves("judgement after move 50 right", "%", "moves", [spots(net, RIGHT) for net in nets]),
        Curves("lead now", "correlation", "moves", [spots(net, NOW) for net in nets]),
        Curves("lead after move 50", "correlation", "moves", [spots(net, LATER) for net in nets]),
        _calibration(table, nets),
    ]
    text = "games that the nets have not seen; z, the judgement: +1 is good for Black, -1 for White"
    return draw_panels(title, text, nets, panels)


def _calibration(table: Table, nets: list[str]) -> Curves:
    curves = [
        [spot_of(table.row(CAME, **row.key), row.ours or 0.0) for row in table.rows_of(SAID, net=n)]
        for n in nets
    ]
    return Curves(
        "calibration after move 50", "z that came", "z it says", curves, None, (Line(0.0, ""),)
    )


QUICK = ValueSettings(
    runs=3, nets=tuple(msgspec.structs.replace(kind, epochs=1) for kind in prediction.NETS[1:])
)
EXPERIMENT = Experiment(ValueSettings(), QUICK, run, draw, judge)
