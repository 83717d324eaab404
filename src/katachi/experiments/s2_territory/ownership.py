"""S2-own: who will own each point, in all phases of games that were not learned from.

Beside the net: the mean owner over random games to the end, 64 of them, and as many as take the
net's time.
"""

import time
from itertools import islice

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.shipped import BY_POINTS, LITERAL, TERRITORY, load_territory
from katachi.evaluators.simple import ConstantEvaluator
from katachi.experiments.bounds import Amount, Count
from katachi.experiments.claims import gap, judge_below
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.measure import prediction_scores
from katachi.measure.prediction import Chances, chances_of, owned_positions
from katachi.pictures.charts import draw_panels
from katachi.records.dataset import GameSet

ERROR = Quantity("cross-entropy", "nats a point", 3)
RIGHT = Quantity("points right", "%", 1)
CALIBRATION = Quantity("calibration error", "%", 1)
TIME = Quantity("time", "ms a position", 3)
PLAYOUTS = Quantity("random games")
ALL = "all"
MANY = "random games"
SWEEPING = (LITERAL, "territory9", BY_POINTS)
PARTS = ("0-20 %", "20-40 %", "40-60 %", "60-80 %", "80-100 %")
"""Fifths of a game."""
FOR_SCALE = (
    "For scale: KataGo's 6-block net of a million weights reaches 0.334 nats a point on such games "
    "(0.61, 0.50, 0.29, 0.19, 0.04 by fifths) and 84 % of points right."
)


class OwnershipSettings(Settings, frozen=True, kw_only=True):
    """What is measured."""

    model: str = TERRITORY
    """A territory model, by name or folder."""
    sweeping: tuple[str, ...] = SWEEPING
    """Others that are sweeping nets: the paper's by its own recipe, a larger one that learned
    owners alone, too, and one of the paper's size that learned moves beside them."""
    file: str = material.SCORED9
    """Games with marked owners; only its held-out ones are measured."""
    games: Amount = 1000
    """Most games; 0 for all."""
    playouts: Count = 64
    """Random games from each position, for comparison."""
    timed_groups: Count = 2
    """Groups of a good thousand positions that the equal time is found by."""


QUICK = OwnershipSettings(games=2, sweeping=("territory9",), playouts=4, timed_groups=1)


class Judged(msgspec.Struct, frozen=True):
    """What came of one way to tell owners."""

    report: prediction_scores.OwnershipReport
    seconds: float
    """For each position."""
    playouts: int = 0
    """Random games for each position."""


def seconds_each(chances: Chances, games: GameSet, groups: int) -> float:
    """How long a position takes, the first group left out where there are more."""
    taken = list(islice(owned_positions(games), groups + 1))
    chances(taken[0].states)
    begin = time.perf_counter()
    for group in taken[-groups:]:
        chances(group.states)
    return (time.perf_counter() - begin) / sum(len(each.owners) for each in taken[-groups:])


def equal_playouts(settings: OwnershipSettings, games: GameSet) -> int:
    """Random games that take the model's time, at least one."""
    ours = seconds_each(chances_of(load_territory(settings.model)), games, settings.timed_groups)
    theirs = seconds_each(
        chances_of(ConstantEvaluator(), settings.playouts), games, settings.timed_groups
    )
    return max(1, round(settings.playouts * ours / theirs))


def ways_of(settings: OwnershipSettings) -> tuple[str, str, str]:
    """(the model, many random games, as many as take its time)."""
    return (
        material.name_of_model(settings.model),
        f"{settings.playouts} {MANY}",
        "random games, equal time",
    )


def measure(settings: OwnershipSettings, task: Task) -> Judged:
    """One way to tell owners, on the same positions as the others."""
    held_out = material.open_parts(task.require_file(settings.file)).validation
    games = material.sample_games(held_out, settings.games, task.study_seed)
    model, many, _ = ways_of(settings)
    own = {model: settings.model} | {material.name_of_model(m): m for m in settings.sweeping}
    if task.key["way"] in own:
        return judge(chances_of(load_territory(own[task.key["way"]])), games, 0)
    playouts = settings.playouts if task.key["way"] == many else equal_playouts(settings, games)
    return judge(chances_of(ConstantEvaluator(), playouts), games, playouts)


def judge(chances: Chances, games: GameSet, playouts: int) -> Judged:
    """How the owners of all positions of games are predicted, and how fast."""
    parts, seconds, positions = [], 0.0, 0
    for group in owned_positions(games):
        begin = time.perf_counter()
        given = chances(group.states)
        seconds += time.perf_counter() - begin
        parts.append(prediction_scores.judge_ownership(group.place, given, group.owners))
        positions += len(group.owners)
    report = prediction_scores.report_ownership(parts, "playouts" if playouts else "evaluator")
    if report is None:
        raise KatachiError("no game with a known final ownership is held out: use more games")
    return Judged(report, seconds / positions, playouts)


def run(settings: OwnershipSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    path = runner.require_file(settings.file)
    models, missing = material.find_models([settings.model, *settings.sweeping], runner)
    _, many, equal = ways_of(settings)
    ways = [*map(material.name_of_model, models), many]
    if settings.model in models:
        ways.append(equal)
    tasks = tasks_of(cross(way=ways), cost=lambda key: 1.0 if key["way"] in (many, equal) else 0.1)
    behaviour = material.fingerprint([path], models)
    found = runner.measure_all(Study("S2-own", settings, seed, tasks, measure, behaviour))
    rows = found.rows(_rows)
    every = found.one(way=ways[0]).report.all
    notes = [
        *missing,
        *map(material.describe_model, models),
        f"{every.positions:,} positions of {every.games:,} held-out games of {settings.file}, "
        "those before every move; neutral points left out.",
        material.HELD_OUT,
        "A random game's owners count with one more game for each side, as no point is then sure. "
        "Equal time: as many random games as take the model's time for a position, found again "
        "where it is run; times hold for one core.",
        FOR_SCALE,
        "95 % intervals take games, not positions, as independent.",
    ]
    return Table(quantities=[ERROR, RIGHT, CALIBRATION, PLAYOUTS, TIME], rows=rows, notes=notes)


def _rows(way: Key, runs: list[Judged]) -> list[Row]:
    [judged] = runs
    report, games = judged.report, judged.report.all.games
    key = way | {"part": ALL}
    rows = [
        *_score_rows(key, report.all),
        CALIBRATION.row(key, round(100 * report.calibration_error, 3), games),
        PLAYOUTS.row(key, judged.playouts, games),
        TIME.row(key, round(1000 * judged.seconds, 5), games),
    ]
    for part, scores in zip(PARTS, report.fifths, strict=True):
        if scores is not None:
            rows += _score_rows(way | {"part": part}, scores)
    return rows


def _score_rows(key: Key, scores: prediction_scores.OwnershipScores) -> list[Row]:
    return [
        ERROR.estimate(key, scores.cross_entropy, scores.games),
        RIGHT.estimate(key, scores.right.in_percent(), scores.games),
    ]


def judge_sweeps(table: Table) -> list[Claim]:
    """Whether the paper's kind of net tells owners, by the error beside many random games."""
    ways = [str(way) for way in table.values("way")]
    random = [way for way in ways if way.endswith(MANY)]
    sweeping = [way for way in ways if way in map(material.name_of_model, SWEEPING)]
    if not random:
        return []
    many = table.row(ERROR, way=random[0], part=ALL)
    claims = []
    for way in sweeping:
        ours = table.row(ERROR, way=way, part=ALL)
        words = (
            f"sweeping nets learn to predict territory fairly well ({way})",
            f"{ours.ours:.3f} nats a point, {random[0]} {many.ours:.3f}",
        )
        claims.append(judge_below(words, gap(ours, many, 3)))
    return claims


def draw(table: Table, title: str) -> str:
    """Errors and points right by fifths of the game, for each way."""
    axes = Axes("part", "way")
    panels = [
        panel_of(table, quantity, axes, top=top)._replace(
            unit=f"{quantity.unit}, by fifths of the game"
        )
        for quantity, top in ((ERROR, None), (RIGHT, 100.0))
    ]
    panels.append(panel_of(table, CALIBRATION, axes))
    ways = [str(way) for way in table.values("way")]
    return draw_panels(title, "games that were not learned from", ways, panels)


EXPERIMENT = Experiment(OwnershipSettings(), QUICK, run, draw, judge_sweeps)
