"""S4-F3: nets play openings against each other, and a program judges (Figure 3)."""

from functools import partial
from itertools import combinations

import msgspec
import numpy as np

from katachi.arena.opening_judges import GNUGO, EvaluatorJudge, OpeningJudge, ProgramJudge
from katachi.arena.opening_play import cross_play, play_opening
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import InfluenceEvaluator
from katachi.experiments.bounds import Count, NotNegative
from katachi.experiments.claims import gap, judge_above, leave_open, number_of, slope
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s4_openings import material
from katachi.experiments.s4_openings.prediction import NETS, NetKind, prepare_kind
from katachi.experiments.s4_openings.prediction import training_of as rich_training
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.opening_training import OpeningTrainer
from katachi.pictures.charts import Line, draw_panels
from katachi.players.names import find_program
from katachi.records.judgements import DeadBand
from katachi.rules.diagram import diagram_from_colors

PAPER = {
    1.0: {0.0: "VW", 0.3: "ND", 0.7: "VW", 1.0: "VW"},
    0.7: {0.0: "FW", 0.3: "ND", 0.7: "VW", 1.0: "VB"},
    0.3: {0.0: "VW", 0.3: "VW", 0.7: "FW", 1.0: "ND"},
    0.0: {0.0: "VW", 0.3: "ND", 0.7: "VW", 1.0: "VB"},
}
"""By Black's lambda, then White's: very or fairly favourable to a side, or undecided."""
PAPER_POINTS = {"VB": 100.0, "FB": 100.0, "ND": 50.0, "FW": 0.0, "VW": 0.0}
RICH = "rich"
ALL = Quantity("against all, both colours", "% of points", 1)
BY_INFLUENCE = "influence"

MORE_OPENINGS = (
    "undecided where one side learned from more openings: the rich net learned from all that are "
    "judged, the raw nets from the paper's 213"
)


class CrossSettings(material.PaperSettings, frozen=True, kw_only=True):
    """Who plays, how long, and who judges."""

    moves: Count = 50
    """Of an opening that is played."""
    judge: str = "gnugo"
    """`gnugo`, by its estimate of the score, or `influence`, by the evaluator of that name."""
    even: NotNegative = 2.0
    """Points ahead, less than which is even."""
    rich: NetKind | None = msgspec.structs.replace(NETS[-1], epochs=8)
    """Plays, too: the net with richer inputs, lambda 0.7; None to leave it out."""


class Round(msgspec.Struct, frozen=True):
    """What came of one opening of each pair."""

    points: dict[str, float]
    """Black's: 1 where the judge calls it good for Black, 0.5 even, 0 good for White; by
    `pair_name`."""
    leads: dict[str, float]
    """What the judge said: points, or for an evaluator the chance."""
    board: str
    """The last position of one of them."""


def pair_name(black: str, white: str) -> str:
    """What the opening of two nets is called."""
    return f"{black} v {white}"


def names_of(settings: CrossSettings) -> list[str]:
    """The nets that play."""
    names = [material.lambda_name(lam) for lam in settings.lambdas]
    return names if settings.rich is None else [*names, RICH]


def make_judge(settings: CrossSettings) -> OpeningJudge:
    """The judge; raises KatachiError where it cannot be had."""
    band = DeadBand(lead=settings.even)
    if settings.judge == BY_INFLUENCE:
        return EvaluatorJudge(BY_INFLUENCE, InfluenceEvaluator(), band)
    if find_program("gnugo") is None:
        raise KatachiError("GNU Go judges this experiment: install gnugo, or judge by influence")
    return ProgramJudge(GNUGO, band)


def make_nets(settings: CrossSettings, task: Task) -> dict[str, Evaluator]:
    """The paper's net of each lambda, and the rich one, learned from openings of one draw."""
    found = material.paper_set(task, settings, task.seed)
    nets: dict[str, Evaluator] = {}
    for lam in settings.lambdas:
        nets[material.lambda_name(lam)] = material.learn_as_paper(settings, found, lam, task.seed)[
            0
        ].net
    if settings.rich is not None:
        prepared = prepare_kind(task, settings, settings.rich)
        trainer = OpeningTrainer(rich_training(settings.rich, 0.7, task.seed), prepared.material)
        for _ in range(settings.rich.epochs):
            trainer.learn_epoch(prepared.learned)
        nets[RICH] = trainer.net
    return nets


def measure(settings: CrossSettings, task: Task) -> Round:
    """One opening of each pair, by nets of one draw."""
    nets = make_nets(settings, task)
    size = material.judged_of(task, settings).openings[0].size
    play = partial(
        play_opening, size=size, moves=settings.moves, komi=settings.komi, seed=task.seed
    )
    judge = make_judge(settings)
    try:
        found = cross_play(nets, judge, play)
    finally:
        judge.close()
    points, leads = {}, {}
    for (black, white), (_, judgement) in found.items():
        name = pair_name(black, white)
        points[name] = 0.5 + (judgement.z or 0.0) / 2
        lead = judgement.black_winrate if judgement.black_lead is None else judgement.black_lead
        leads[name] = round(lead or 0.0, 3)
    names = list(nets)
    game = found[names[-2 if len(names) > 1 else -1], names[-1]][0]
    return Round(points, leads, diagram_from_colors(game.colors, game.size, game.last_point))


def quantity_of(white: str) -> Quantity:
    """A column: against this net as White."""
    return Quantity(f"v {white}", "% of points as Black", 1)


def run(settings: CrossSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing; raises KatachiError without openings or judge."""
    behaviour = material.fingerprint(runner, settings)
    make_judge(settings).close()
    tasks = tasks_of([{"pairs": "all against all"}], settings.runs)
    found = runner.measure_all(Study("S4-F3", settings, seed, tasks, measure, behaviour))
    rounds = [each for _, runs in found for each in runs]
    names = names_of(settings)
    rows: list[Row] = []
    for black in names:
        for white in names:
            score = sum(each.points[pair_name(black, white)] for each in rounds)
            row = quantity_of(white).score({"net": black}, score, len(rounds))
            lead = float(np.mean([each.leads[pair_name(black, white)] for each in rounds]))
            verdict = _paper_word(black, white)
            paper = PAPER_POINTS.get(verdict)
            remark = f"mean lead {lead:+.1f}" + (f"; the paper {verdict}" if verdict else "")
            rows.append(msgspec.structs.replace(row, paper=paper, remark=remark))
        rows.append(_sum_row(black, names, rounds))
    shapes = {f"{' v '.join(names[-2:])}, run 1": rounds[0].board.split("\n")}
    notes = [
        material.REBUILT.format(band=settings.band),
        f"Each pair plays {settings.moves} moves {settings.runs} times, by nets that learned from "
        "openings sampled again each time; ties are broken at random. The judge is "
        + ("GNU Go's estimate of the score" if settings.judge == "gnugo" else "influence")
        + f" with komi {settings.komi:g}, less than {settings.even:g} points even (half a point), "
        "instead of a 9-dan professional; Wilson's intervals.",
        "The rich net learns from all judged games with the lead as z, not from those drawn: its "
        "rows show what it can play, not what its inputs alone are worth.",
        "The paper played each pair once; its verdict is counted as 100, 50 or 0 % of a point.",
    ]
    quantities = [*map(quantity_of, names), ALL]
    return Table(quantities=quantities, rows=rows, notes=notes, shapes=shapes)


def _paper_word(black: str, white: str) -> str:
    """The paper's verdict, where it has one."""
    for lam, verdicts in PAPER.items():
        for other, word in verdicts.items():
            if (material.lambda_name(lam), material.lambda_name(other)) == (black, white):
                return word
    return ""


def _sum_row(name: str, names: list[str], rounds: list[Round]) -> Row:
    """Points of a net against all others, with both colours."""
    others = [other for other in names if other != name]
    score = sum(
        each.points[pair_name(name, other)] + 1.0 - each.points[pair_name(other, name)]
        for each in rounds
        for other in others
    )
    return ALL.score({"net": name}, score, max(1, 2 * len(others) * len(rounds)))


def judge(table: Table) -> list[Claim]:
    """Whether lambda makes nets play better, by points among themselves; and knowledge.

    The paper says that nets of a higher lambda win, and adds White in brackets. It may mean those
    that have White, or that White wins, too: both are judged, and the higher lambda with either
    colour.
    """
    lambdas = {material.lambda_name(lam): lam for lam in PAPER}
    raw = [name for name in table.values("net") if name in lambdas]
    rows = [_among(table, str(name), [str(other) for other in raw]) for name in raw]
    by_lambda = {lambdas[str(name)]: row for name, row in zip(raw, rows, strict=True)}
    lower = {lam: row for lam, row in by_lambda.items() if lam < 1.0}
    claims = []
    if len(lower) > 1:
        ours = ", ".join(f"{row.ours:.0f} %" for row in lower.values()) + " of the points"
        some = ", ".join(f"{lam:g}" for lam in lower)
        names = [material.lambda_name(lam) for lam in sorted(lower)]
        said = f"with White a net mostly wins against one with a lower lambda (lambda {some})"
        claims.append(_judge_white(table, said, list(combinations(names, 2))))
        said = f"a net with a higher lambda mostly wins, with either colour (lambda {some})"
        words = said, ours
        claims.append(judge_above(words, slope(list(lower), list(lower.values()), 0)))
        both = [(str(black), str(white)) for black in raw for white in raw]
        claims.append(_judge_white(table, "White mostly wins (all raw nets)", both))
    if 0.0 in by_lambda and 1.0 in by_lambda:
        none, full = by_lambda[0.0], by_lambda[1.0]
        words = "lambda 0 does better than lambda 1", f"{none.ours:.0f} % and {full.ours:.0f} %"
        claims.append(judge_above(words, gap(none, full, 0, " %")))
    rich = table.find(ALL, {"net": RICH})
    if rich is not None:
        words = "knowledge of Go is essential to play", f"{rich.ours:.0f} % against the raw nets"
        claims.append(leave_open(words, number_of(rich, 0, " %"), MORE_OPENINGS))
    return claims


def _judge_white(table: Table, said: str, pairs: list[tuple[str, str]]) -> Claim:
    """Whether White mostly wins, in games of these pairs of Black and White."""
    rows = [table.row(quantity_of(white), net=black) for black, white in pairs]
    games = sum(row.n for row in rows)
    points = sum((100 - (row.ours or 0.0)) * row.n / 100 for row in rows)
    white = ALL.score({"net": "White"}, points, games)
    words = said, f"{white.ours:.0f} % of the points in {games} openings"
    return judge_above(words, number_of(white, 0, " %"), 50.0)


def _among(table: Table, name: str, others: list[str]) -> Row:
    """Points of a net against others of its kind, with both colours."""
    rows = [table.row(quantity_of(other), net=name) for other in others if other != name]
    back = [table.row(quantity_of(name), net=other) for other in others if other != name]
    points = sum((row.ours or 0.0) * row.n / 100 for row in rows)
    points += sum((100 - (row.ours or 0.0)) * row.n / 100 for row in back)
    return ALL.score({"net": name}, points, sum(row.n for row in [*rows, *back]))


def draw(table: Table, title: str) -> str:
    """A group a net as Black, a bar an opponent; and all together."""
    names = [str(net) for net in table.values("net")]
    axes, half = Axes("net", has_words=False), (Line(50.0, ""),)
    columns = [quantity_of(white) for white in names]
    panels = [
        panel_of(table, columns, axes, "points as Black", 100.0, half),
        panel_of(table, ALL, axes, "points against all, both colours", 100.0, half),
    ]
    panels = [panel._replace(unit="%") for panel in panels]
    series = [f"against {name}" for name in names]
    return draw_panels(title, "openings judged by a program", series, panels, columns=1)


QUICK = CrossSettings(runs=1, epochs=1, lambdas=(0.0, 1.0), moves=6, judge=BY_INFLUENCE, rich=None)
EXPERIMENT = Experiment(CrossSettings(), QUICK, run, draw, judge)
