"""S2-t: what learning costs, and how the cost of a move grows with the board (section 4)."""

import math
import time

import msgspec
import numpy as np

from katachi.evaluators.territory import Tables, Territory, TerritoryConfig, array_shapes
from katachi.experiments.bounds import Amount, BoardSize, Count, Share
from katachi.experiments.claims import Tested, judge_within
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.features.propensity import CLASSES, PATTERNS, PLACES, PropensityTable
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings
from katachi.pictures.charts import Bar, Curves, Line, Panel, Spot, draw_panels
from katachi.search.analysis import evaluate_moves
from katachi.statistics import slope_of

EPOCH = Quantity("an epoch", "s", 1)
PACE = Quantity("pace", "positions/s")
ONE_PLY = Quantity("all moves of a position", "ms", 2)
BOARDS = Quantity("moves")
EACH = Quantity("one board", "microseconds", 1)
POWER = Quantity("power of the board's length", "", 2)
PAPER_EPOCH = 3 * 3600.0
PAPER_POWER = 4.0
"""All moves of a position are some N^2, and each board has N^2 points."""
LABELS = ("an update every {batch} positions", "one ply, {size}x{size}")
GROWTH = "growth of the cost of all moves"
NEAR = 0.5
WARM_STEPS = 3
ROUNDS = 3


class CostSettings(Settings, frozen=True, kw_only=True):
    """What is timed."""

    games: Count = material.PAPER_GAMES
    """Games of an epoch."""
    batches: tuple[Count, ...] = (10, 64)
    """Positions between updates, the paper's first."""
    epoch_positions: Amount = 0
    """Positions of an epoch; as many as the games have for 0."""
    sizes: tuple[BoardSize, ...] = (9, 13, 19)
    """Boards on which all moves of a position are judged."""
    fill: Share = 0.22
    """Share of the board that has stones."""
    repeats: Count = 20
    """How often they are judged in a round."""


QUICK = CostSettings(games=12, batches=(10,), epoch_positions=40, sizes=(5, 9), repeats=1)


class Timed(msgspec.Struct, frozen=True):
    """A time, and for how many positions or boards."""

    seconds: float
    count: int


def measure(settings: CostSettings, task: Task) -> Timed:
    """The time of an epoch, or of moves on one board size, as the task says."""
    if "batch" in task.key:
        return time_epoch(settings, task)
    return time_moves(settings, task.key["size"], task.seed)


def time_epoch(settings: CostSettings, task: Task) -> Timed:
    """A pass over as many positions as the games have."""
    batch, path = task.key["batch"], task.require_file(material.SCORED9)
    games = material.open_parts(path, settings.games)
    positions = settings.epoch_positions or material.count_positions(games)
    steps = math.ceil(positions / batch)
    training = TerritorySettings(batch=batch, steps=steps + WARM_STEPS, seed=task.seed)
    trainer = material.new_trainer(training, games)
    trainer.learn(WARM_STEPS)
    begin = time.perf_counter()
    trainer.learn(steps)
    return Timed(time.perf_counter() - begin, steps * batch)


def time_moves(settings: CostSettings, size: int, seed: int) -> Timed:
    """All moves of a position, in the best of a few rounds."""
    evaluator = untrained(seed)
    game = material.random_game(size, round(settings.fill * size * size), seed)
    moves = game.legal_moves(game.to_play)
    evaluate_moves(evaluator, game, game.to_play, moves)
    best = math.inf
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(settings.repeats):
            evaluate_moves(evaluator, game, game.to_play, moves)
        best = min(best, (time.perf_counter() - begin) / settings.repeats)
    return Timed(best, len(moves))


def untrained(seed: int) -> Territory:
    """The paper's net with random weights: how long it takes does not depend on them."""
    source = np.random.default_rng(seed)
    shapes = array_shapes(TerritoryConfig(InputSettings(), 16, 8, 1))
    arrays = {
        name: source.normal(0.0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()
    }
    table = PropensityTable(
        source.uniform(-1.0, 1.0, (CLASSES, PATTERNS, PLACES)).astype(np.float32),
        np.ones((CLASSES, PATTERNS), np.float32),
    )
    return Territory(InputSettings(), arrays, Tables(table))


def power_of(sizes: list[int], seconds: list[float]) -> float:
    """The power of the board's length that fits times best."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def run(settings: CostSettings, seed: int, runner: Runner) -> Table:
    """Takes the times that are missing; raises KatachiError where the games are."""
    path = runner.require_file(material.SCORED9)
    tasks = tasks_of(cross(batch=settings.batches), cost=lambda _: 10.0, labels=LABELS)
    tasks += tasks_of(cross(size=settings.sizes), labels=LABELS)
    study = Study("S2-t", settings, seed, tasks, measure, material.fingerprint([path]))
    found = runner.measure_all(study)
    rows = found.rows(_rows)
    plies = [found.one(size=size).seconds for size in settings.sizes]
    power = power_of(list(settings.sizes), plies)
    rows.append(POWER.row({"growth": GROWTH}, round(power, 3), len(plies), PAPER_POWER))
    notes = [
        f"An epoch is a pass over as many positions as {settings.games:,} games of "
        f"{material.SCORED9} have, sampled at random; the paper's 69 inputs, 16 hidden units, 8 "
        "states, one core, a second one for making batches. The paper's 3 hours are those of a "
        "machine of 2006.",
        f"One ply: every legal move of a random position with stones on {settings.fill:.0%} of the "
        f"board, its inputs and the net without torch, one core, best of {ROUNDS} rounds. Run it "
        "with one worker on an idle machine.",
    ]
    quantities = [EPOCH, PACE, ONE_PLY, BOARDS, EACH, POWER]
    return Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)


def judge(table: Table) -> list[Claim]:
    """How the cost grows with the board."""
    rows = table.rows_of(ONE_PLY)
    sizes = [math.log(float(row.key["size"])) for row in rows]
    power = slope_of(sizes, [math.log(row.ours or 1.0) for row in rows])
    if power is None:
        return []
    words = (
        "the cost grows about with the fourth power of the board's length",
        f"{power.value:.2f}, of all moves of a position; the paper speaks of learning",
    )
    by = Tested(power, len(rows), 2, "", "95 % interval of the power")
    return [judge_within(words, by, (PAPER_POWER - NEAR, PAPER_POWER + NEAR))]


def _rows(key: Key, runs: list[Timed]) -> list[Row]:
    [timed] = runs
    if "batch" in key:
        pace = round(timed.count / timed.seconds)
        return [EPOCH.row(key, round(timed.seconds, 2), paper=PAPER_EPOCH), PACE.row(key, pace)]
    return [
        ONE_PLY.row(key, round(1e3 * timed.seconds, 3)),
        BOARDS.row(key, timed.count),
        EACH.row(key, round(1e6 * timed.seconds / timed.count, 2)),
    ]


def draw(table: Table, title: str) -> str:
    """The time of an epoch, and of all moves by board size."""
    epochs = table.rows_of(EPOCH)
    bars = [[Bar(row.ours, words=f"{row.ours or 0:,.0f} s")] for row in epochs]
    line = Line(PAPER_EPOCH, "the paper: about 3 hours")
    names = [table.label(row) for row in epochs]
    panel = Panel("an epoch", "s, on a logarithmic scale", names, bars, lines=(line,), is_log=True)
    spots = [Spot(float(row.key["size"]), row.ours or 0.0) for row in table.rows_of(ONE_PLY)]
    power = table.row(POWER, growth=GROWTH).ours or 0.0
    curves = Curves("all moves of a position", "ms", "lines of the board", [spots])
    text = f"all moves cost about the board's length to the power of {power:.1f}; the paper says 4"
    return draw_panels(title, text, [], [panel, curves])


EXPERIMENT = Experiment(CostSettings(), QUICK, run, draw, judge)
