"""S2-week: how long the learning takes that took the paper a week (section 3).

The paper's validation error is in a picture only. In its place stands the error that as many epochs
with the paper's settings reach; shorter learning, in larger batches, is held against it.
"""

import msgspec

from katachi.experiments.bounds import Amount, Count
from katachi.experiments.claims import VERDICTS, Tested, gap, judge_below
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s2_territory import learning_epochs, material
from katachi.experiments.table_pictures import spot_of
from katachi.measure.prediction import chances_of, measure_owners
from katachi.pictures.charts import Curves, Line, Spot, draw_panels
from katachi.statistics import Estimate

LABELS = ("{epochs} epochs, an update every {batch} positions", "after {after} of these")
ERROR = Quantity("cross-entropy", "nats a point", 4)
TIME = Quantity("time of learning", "minutes", 1)
PAPER_MINUTES = 50 * 3 * 60.0
"""About 50 epochs of 3 hours."""
TIMED_ONCE = (
    "yes if they take less time than the paper's, else no; timed once, so without an interval: it "
    "depends on the machine and on what else it does"
)
WANTED_MINUTES = 30.0
MARGIN = 0.01
"""Nats a point by which an error may be larger and still count as the same."""
ROOM = 0.005
"""Of the picture, above and below the curves, in nats."""


class WeekSettings(Settings, frozen=True, kw_only=True):
    """The paper's learning, and shorter ones."""

    epochs: Count = 50
    """Of the paper's learning."""
    looks: Count = 10
    """How often it is measured on its way, evenly."""
    batch: Count = 10
    """Positions between its updates."""
    short_epochs: tuple[Count, ...] = (2, 5, 10)
    """Of the shorter ones, each with a step size that falls to nothing at its end."""
    short_batch: Count = 64
    """Positions between their updates."""
    games: Count = material.PAPER_GAMES
    """Games to learn from."""
    validation_games: Count = 328
    """Held-out games that are measured."""
    epoch_positions: Amount = 0
    """Positions of an epoch; as many as the games have for 0."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""


QUICK = WeekSettings(
    epochs=4,
    looks=2,
    short_epochs=(1, 2),
    games=12,
    validation_games=2,
    epoch_positions=40,
    hidden=4,
    states=2,
)


class Look(msgspec.Struct, frozen=True):
    """How a net stands on its way."""

    epoch: int
    error: Estimate
    games: int
    seconds: float
    """Of learning so far."""


class Looks(msgspec.Struct, frozen=True):
    """What came of a run."""

    looks: list[Look]


def runs_of(settings: WeekSettings) -> dict[tuple[int, int], learning_epochs.EpochSettings]:
    """All runs by (epochs, batch), the paper's first; they are measured after their `epochs`."""
    every = settings.epochs // settings.looks
    plans = [(tuple(every * (n + 1) for n in range(settings.looks)), settings.batch)]
    plans += [((epochs,), settings.short_batch) for epochs in settings.short_epochs]
    return {
        (epochs[-1], batch): learning_epochs.EpochSettings(
            games=settings.games,
            epochs=epochs,
            epoch_positions=settings.epoch_positions,
            hidden=settings.hidden,
            states=settings.states,
            batch=batch,
        )
        for epochs, batch in plans
    }


def measure(settings: WeekSettings, task: Task) -> Looks:
    """One run; it goes on where it was if it was stopped."""
    plan = runs_of(settings)[task.key["epochs"], task.key["batch"]]
    games = material.open_parts(task.require_file(material.SCORED9), settings.games)
    positions = settings.epoch_positions or material.count_positions(games)
    trainer = material.new_trainer(learning_epochs.training_of(plan, positions, task.seed), games)
    measured = games.validation.shuffle(1)[: settings.validation_games]
    kept = material.path_of_run("S2-week", settings, task)
    run: material.LongRun[Look] = material.LongRun(trainer, kept, Look)

    def look() -> Look:
        found = measure_owners(chances_of(trainer.model()), measured).all
        epoch = plan.epochs[len(run.measured)]
        return Look(epoch, found.cross_entropy, found.games, run.seconds)

    steps = [learning_epochs.steps_after(plan, positions, epoch) for epoch in plan.epochs]
    return Looks(run.measure_at(steps, look))


def run(settings: WeekSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing; raises KatachiError where the games are not there."""
    path = runner.require_file(material.SCORED9)
    plans = runs_of(settings)
    behaviour = material.learning_of(
        path, [learning_epochs.training_of(each, each.batch, 1) for each in plans.values()]
    )
    keys: list[Key] = [{"epochs": epochs, "batch": batch} for epochs, batch in plans]
    tasks = tasks_of(keys, cost=lambda key: key["epochs"] / key["batch"], labels=LABELS)
    found = runner.measure_all(Study("S2-week", settings, seed, tasks, measure, behaviour))
    (paper, [papers]), *others = found
    short = [(key, run.looks[-1]) for key, [run] in others]
    *way, end = papers.looks
    rows = [row for look in way for row in _rows({"after": look.epoch}, look)]
    rows += _rows(paper, end, PAPER_MINUTES)
    rows += [row for key, look in short for row in _rows(key, look)]
    quantities, notes = [ERROR, TIME], _notes(settings)
    return Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)


def _rows(key: Key, look: Look, paper: float | None = None) -> list[Row]:
    minutes = round(look.seconds / 60, 3)
    return [ERROR.estimate(key, look.error, look.games), TIME.row(key, minutes, paper=paper)]


def judge(table: Table) -> list[Claim]:
    """How long the paper's number of epochs takes; and whether the longest of the short learnings
    comes to the error of the whole, as far as held-out games tell."""
    times = table.rows_of(TIME)
    whole = next(row for row in times if row.paper is not None)
    goal = table.row(ERROR, **whole.key)
    words = "about 50 epochs of 3 hours, a week", f"{whole.ours:.1f} minutes for as many epochs"
    is_less = (whole.ours or 0.0) < (whole.paper or 0.0)
    by = Tested(Estimate(whole.ours or 0.0), whole.n)
    claims = [by.claim(words, TIMED_ONCE, VERDICTS[is_less])]
    short = [row for row in times if row.paper is None and "after" not in row.key]
    short = [row for row in short if (row.ours or 0.0) <= WANTED_MINUTES]
    if short:
        last = max(short, key=lambda row: row.ours or 0.0)
        error = table.row(ERROR, **last.key)
        ours = (
            f"{error.ours:.4f} nats a point after {last.ours:.1f} minutes, {goal.ours:.4f} in all"
        )
        words = f"our goal: its error within {WANTED_MINUTES:g} minutes", ours
        claims.append(judge_below(words, gap(error, goal, 4, " nats"), MARGIN))
    return claims


def _notes(settings: WeekSettings) -> list[str]:
    return [
        f"{settings.games:,} games of {material.SCORED9} to learn from, all positions of "
        f"{settings.validation_games:,} held-out ones measured. {settings.hidden} hidden units, "
        f"{settings.states} states, the paper's inputs, w = 0.25, k = 2; Adam, where the paper has "
        "plain descent, with a step size that falls from 0.01 to nothing.",
        "The paper's error is in a picture only; what its number of epochs reaches here, with its "
        "number of positions between updates, stands in its place.",
        "Minutes of learning on one core, a second one making batches; run it with one worker on "
        "an idle machine of two cores. `katachi train territory` learns the same way.",
        material.HELD_OUT,
        "95 % intervals take games, not positions, as independent.",
    ]


def draw(table: Table, title: str) -> str:
    """Errors against minutes: on the way of the paper's learning, and at the ends of shorter."""
    way: list[Spot] = []
    ends: list[Spot] = []
    for time in table.rows_of(TIME):
        is_papers = time.paper is not None or "after" in time.key
        (way if is_papers else ends).append(spot_of(table.row(ERROR, **time.key), time.ours or 0.0))
    lines = (Line(way[-1].y, "as good as the whole"),)
    # Zero is far below what differs between epochs.
    found = [end for spot in (*way, *ends) for end in spot[1:] if end is not None]
    top, bottom = max(found) + ROOM, min(found) - ROOM
    head = "error on held-out games"
    panel = Curves(head, ERROR.unit, TIME.unit, [way, ends], top, lines, bottom)
    series = ["as the paper, on the way", "shorter, at their ends"]
    return draw_panels(title, "cross-entropy with the owners in the end", series, [panel])


EXPERIMENT = Experiment(WeekSettings(), QUICK, run, draw, judge)
