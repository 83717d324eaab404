"""S2-week: how long the learning takes that took the paper a week (section 3).

The paper's validation error is in a picture only. In its place stands the error that as many epochs
with the paper's settings reach; shorter learning, in larger batches, is held against it.
"""

from functools import partial
from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.s2_territory.foretelling import (
    Chances,
    judge_owners,
    net_chances,
    owned_positions,
)
from katachi.experiments.s2_territory.learning_epochs import (
    EpochSettings,
    steps_after,
    training_of,
)
from katachi.experiments.s2_territory.material import HELD_OUT, SCORED9, open_parts, require_file
from katachi.experiments.s2_territory.training import (
    PAPER_GAMES,
    LongRun,
    count_positions,
    learning_of,
    name_of_run,
    new_trainer,
)
from katachi.experiments.statistics import estimate_row
from katachi.experiments.workbench import Study, Workbench
from katachi.measure.prediction_scores import report_ownership
from katachi.pictures.charts import Curves, Line, Spot, draw_panels
from katachi.records.dataset import GameSet
from katachi.statistics import Estimate

ERROR = Quantity("cross-entropy", "nats a point", 4)
TIME = Quantity("time of learning", "minutes", 1)
PAPER_MINUTES = 50 * 3 * 60.0
"""About 50 epochs of 3 hours."""
WANTED_MINUTES = 30.0


class WeekSettings(Settings, frozen=True, kw_only=True):
    """The paper's learning, and shorter ones."""

    epochs: int = 50
    """Of the paper's learning."""
    looks: int = 10
    """How often it is measured on its way, evenly."""
    batch: int = 10
    """Positions between its updates."""
    short_epochs: tuple[int, ...] = (2, 5, 10, 20)
    """Of the shorter ones, each with a step size that falls to nothing at its end."""
    short_batch: int = 64
    """Positions between their updates."""
    games: int = PAPER_GAMES
    """Games to learn from."""
    validation_games: int = 328
    """Held-out games that are measured."""
    epoch_positions: int = 0
    """Positions of an epoch; as many as the games have for 0."""
    hidden: int = 16
    """Hidden units of each net."""
    states: int = 8
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


def run_name(epochs: int, batch: int) -> str:
    """What a run is called."""
    return f"{epochs} epochs, an update every {batch} positions"


def runs_of(settings: WeekSettings) -> dict[str, EpochSettings]:
    """All runs by name, the paper's first; they are measured after their `epochs`."""
    every = settings.epochs // settings.looks
    plans = [(tuple(every * (n + 1) for n in range(settings.looks)), settings.batch)]
    plans += [((epochs,), settings.short_batch) for epochs in settings.short_epochs]
    return {
        run_name(epochs[-1], batch): EpochSettings(
            games=settings.games,
            epochs=epochs,
            epoch_positions=settings.epoch_positions,
            hidden=settings.hidden,
            states=settings.states,
            batch=batch,
        )
        for epochs, batch in plans
    }


def measure(
    path: Path, folder: Path, behaviour: str, settings: WeekSettings, task: Task, seed: int
) -> Looks:
    """One run; it goes on where it was if it was stopped."""
    plan = runs_of(settings)[task.setting]
    games = open_parts(path, settings.games)
    positions = settings.epoch_positions or count_positions(games)
    trainer = new_trainer(training_of(plan, positions, seed), games)
    measured = games.validation.shuffle(1)[: settings.validation_games]
    kept = folder / f"S2-week.{name_of_run(settings, task, seed, behaviour)}"
    run: LongRun[Look] = LongRun(trainer, kept, Look)

    def look() -> Look:
        error, count = error_of(net_chances(trainer.model()), measured)
        return Look(plan.epochs[len(run.measured)], error, count, run.seconds)

    steps = [steps_after(plan, positions, epoch) for epoch in plan.epochs]
    return Looks(run.measure_at(steps, look))


def error_of(chances: Chances, games: GameSet) -> tuple[Estimate, int]:
    """(error in owners over all positions, games)."""
    parts = [judge_owners(chances, group) for group in owned_positions(games)]
    report = report_ownership(parts, "evaluator")
    if report is None:
        raise KatachiError("no game with a known final ownership is held out: use more games")
    return report.all.cross_entropy, report.all.games


def run(settings: WeekSettings, seed: int, bench: Workbench) -> Table:
    """Learns what is missing; raises KatachiError where the games are not there."""
    path = require_file(bench, SCORED9)
    plans = runs_of(settings)
    behaviour = learning_of(path, [training_of(each, each.batch, 1) for each in plans.values()])
    costs = {name: each.epochs[-1] / each.batch for name, each in plans.items()}
    tasks = [Task(name, 1, cost) for name, cost in costs.items()]
    work = partial(measure, path, bench.folder, behaviour)
    study = Study("S2-week", settings, seed, tasks, work, Looks, behaviour)
    found = bench.measure_all(study)
    looks = {name: found[name, 1].looks for name in plans}
    paper, *short = looks
    rows = [
        row for look in looks[paper][:-1] for row in _rows(f"after {look.epoch} of these", look)
    ]
    rows += _rows(paper, looks[paper][-1], PAPER_MINUTES)
    rows += [row for name in short for row in _rows(name, looks[name][-1])]
    claim = _claim(looks[paper], [looks[name][-1] for name in short])
    return Table(quantities=[ERROR, TIME], rows=rows, claims=[claim], notes=_notes(settings))


def _rows(name: str, look: Look, paper: float | None = None) -> list[Row]:
    minutes = round(look.seconds / 60, 3)
    return [
        estimate_row(name, ERROR, look.error, look.games),
        Row(setting=name, quantity=TIME.name, ours=minutes, n=1, paper=paper),
    ]


def _claim(paper: list[Look], short: list[Look]) -> Claim:
    """The shortest learning that comes to the error of the paper's."""
    goal = paper[-1].error.value
    enough = [look for look in (*short, *paper) if look.error.value <= goal]
    first = min(enough, key=lambda look: look.seconds)
    minutes = first.seconds / 60
    ours = f"its error, {goal:.4f} nats a point, after {minutes:.1f} minutes ({first.epoch} epochs)"
    return Claim("about 50 epochs of 3 hours, a week", ours, minutes <= WANTED_MINUTES)


def _notes(settings: WeekSettings) -> list[str]:
    return [
        f"{settings.games:,} games of {SCORED9} to learn from, all positions of "
        f"{settings.validation_games:,} held-out ones measured. {settings.hidden} hidden units, "
        f"{settings.states} states, the paper's inputs, w = 0.25, k = 2; Adam, where the paper has "
        "plain descent, with a step size that falls from 0.01 to nothing.",
        "The paper's error is in a picture only; what its number of epochs reaches here, with its "
        "number of positions between updates, stands in its place.",
        "Minutes of learning on one core, a second one making batches; run it with one worker on "
        "an idle machine of two cores. `katachi train territory` learns the same way.",
        HELD_OUT,
        "95 % intervals take games, not positions, as independent.",
    ]


def draw(table: Table, title: str) -> str:
    """Errors against minutes: on the way of the paper's learning, and at the ends of shorter."""
    times = {row.setting: row.ours or 0.0 for row in table.rows if row.quantity == TIME.name}
    errors = [row for row in table.rows if row.quantity == ERROR.name]
    spots = {row.setting: Spot(times[row.setting], row.ours or 0.0) for row in errors}
    papers = [row.setting for row in table.rows if row.paper is not None]
    way = [spot for name, spot in spots.items() if name in papers or name.startswith("after ")]
    ends = [spot for name, spot in spots.items() if spot not in way]
    goal = Line(spots[papers[0]].y, "as good as the whole")
    panel = Curves("error on held-out games", ERROR.unit, TIME.unit, [way, ends], lines=(goal,))
    series = ["as the paper, on the way", "shorter, at their ends"]
    return draw_panels(title, "cross-entropy with the owners in the end", series, [panel])


EXPERIMENT = Experiment(WeekSettings(), QUICK, run, draw)
