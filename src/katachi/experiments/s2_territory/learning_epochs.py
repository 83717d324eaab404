"""S2-F2a: how the error falls with learning, by the number of stones on the board (Figure 2a)."""

import math
from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.experiments.bounds import Amount, Count, Rate
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import spot_of
from katachi.learning.territory_training import TerritorySettings
from katachi.measure.prediction import Chances, chances_of, owned_positions
from katachi.measure.prediction_scores import join_owners
from katachi.pictures.charts import Curves, Spot, draw_panels
from katachi.records.dataset import GameSet
from katachi.rules.state import colors_of
from katachi.statistics import Estimate, mean_by_cluster

LEARNING, ALL = "learning", "all positions"
LABELS = ("{first}-{last} stones", "{first} stones and more", "epoch {epoch}")
TIME = Quantity("time of learning", "minutes", 1)
UNIT = "nats a point"


class EpochSettings(Settings, frozen=True, kw_only=True):
    """How a net learns, and when it is looked at."""

    games: Count = material.PAPER_GAMES
    """Games to learn from."""
    validation_games: Count = 328
    """Held-out games that are measured."""
    epochs: tuple[Count, ...] = (1, 2, 33, 38)
    """After how many it is measured."""
    epoch_positions: Amount = 0
    """Positions of an epoch; as many as the games have for 0."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    batch: Count = 64
    """Positions between updates; the paper has 10."""
    rate: Rate = 0.01
    """Step size of Adam at the beginning; it falls to nothing. The paper has plain descent."""
    bin: Count = 10
    """How many numbers of stones stand together."""
    furthest: Count = 60
    """So many stones and more stand together, too."""


QUICK = EpochSettings(
    games=12,
    validation_games=2,
    epoch_positions=32,
    epochs=(1, 2, 3),
    hidden=4,
    states=2,
    batch=16,
    bin=20,
)


class StoneError(msgspec.Struct, frozen=True):
    """The error on positions with about as many stones."""

    key: dict[str, int | str]
    error: Estimate
    games: int


class EpochErrors(msgspec.Struct, frozen=True):
    """The errors after an epoch."""

    stones: list[StoneError]
    """By number of stones, and at last of all positions."""
    seconds: float
    """Of learning so far."""


class Errors(msgspec.Struct, frozen=True):
    """What came of the run."""

    positions: int
    """Of an epoch."""
    epochs: list[EpochErrors]


def training_of(settings: EpochSettings, positions: int, seed: int) -> TerritorySettings:
    """How the net learns."""
    return TerritorySettings(
        hidden=settings.hidden,
        states=settings.states,
        batch=settings.batch,
        rate=settings.rate,
        steps=steps_after(settings, positions, settings.epochs[-1]),
        seed=seed,
    )


def steps_after(settings: EpochSettings, positions: int, epoch: int) -> int:
    """Updates in so many epochs."""
    return math.ceil(epoch * positions / settings.batch)


def measure(settings: EpochSettings, task: Task) -> Errors:
    """The one run; it goes on where it was if it was stopped."""
    games = material.open_parts(task.require_file(material.SCORED9), settings.games)
    positions = settings.epoch_positions or material.count_positions(games)
    trainer = material.new_trainer(training_of(settings, positions, task.seed), games)
    measured = games.validation.shuffle(task.seed)[: settings.validation_games]
    run = material.LongRun(trainer, material.path_of_run("S2-F2a", settings, task), EpochErrors)

    def look() -> EpochErrors:
        chances = chances_of(trainer.model())
        return EpochErrors(list(errors_by_stones(settings, chances, measured)), run.seconds)

    steps = [steps_after(settings, positions, epoch) for epoch in settings.epochs]
    return Errors(positions, run.measure_at(steps, look))


def errors_by_stones(
    settings: EpochSettings, chances: Chances, games: GameSet
) -> Iterator[StoneError]:
    """Errors by number of stones, and of all positions."""
    groups = list(owned_positions(games))
    stones = np.concatenate([(colors_of(each.states.words) != 0).sum(axis=1) for each in groups])
    judged = join_owners([group.judge(chances) for group in groups])
    rows = judged.place.games
    bins = np.minimum(stones, settings.furthest) // settings.bin
    masks: list[tuple[dict[str, int | str], npt.NDArray[np.bool_]]] = [
        (bin_key(settings, int(each)), bins == each) for each in np.unique(bins)
    ]
    masks.append(({"part": ALL}, np.ones(len(bins), np.bool_)))
    for key, mask in masks:
        error = mean_by_cluster(judged.loss[mask], rows[mask], judged.points[mask])
        yield StoneError(key, error, len(np.unique(rows[mask])))


def bin_key(settings: EpochSettings, number: int) -> dict[str, int | str]:
    """The numbers of stones that stand together."""
    first = number * settings.bin
    if first + settings.bin > settings.furthest:
        return {"first": first}
    return {"first": first, "last": first + settings.bin - 1}


def quantity_of(epoch: int) -> Quantity:
    """The error after an epoch."""
    return Quantity(f"after epoch {epoch}", UNIT, 3)


def run(settings: EpochSettings, seed: int, runner: Runner) -> Table:
    """Learns once, unless that is done; raises KatachiError where the games are not there."""
    path = runner.require_file(material.SCORED9)
    behaviour = material.learning_of(path, [training_of(settings, settings.batch, 1)])
    tasks = tasks_of([{"run": LEARNING}])
    study = Study("S2-F2a", settings, seed, tasks, measure, behaviour)
    errors = runner.measure_all(study).one(run=LEARNING)
    rows = [
        quantity_of(epoch).estimate(each.key, each.error, each.games)
        for index in range(len(errors.epochs[0].stones))
        for epoch, after in zip(settings.epochs, errors.epochs, strict=True)
        for each in after.stones[index : index + 1]
    ]
    rows += [
        TIME.row({"epoch": epoch}, round(after.seconds / 60, 3))
        for epoch, after in zip(settings.epochs, errors.epochs, strict=True)
    ]
    notes = [
        f"{settings.games:,} games of {material.SCORED9} to learn from, "
        f"{settings.validation_games:,} held-out ones measured; an epoch is {errors.positions:,} "
        "positions sampled at random"
        + ("." if settings.epoch_positions else ", as many as these games have."),
        f"{settings.hidden} hidden units, {settings.states} states, batches of {settings.batch}, "
        f"Adam from {settings.rate:g} to nothing at the last epoch. Cross-entropy with the owners "
        "at the end of the game, neutral points left out; 95 % intervals take games as "
        "independent.",
        material.HELD_OUT,
        "The paper's error is the relative entropy of its net to its targets, which are partly "
        "stones two moves later; ours is against final owners alone. The values of its figure are "
        "in a picture only. So the two cannot be set side by side.",
    ]
    quantities = [*(quantity_of(epoch) for epoch in settings.epochs), TIME]
    return Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)


def judge(table: Table) -> list[Claim]:
    """What Figure 2a shows: the error falls as the net learns, and as the board fills."""
    errors = [quantity for quantity in table.quantities if quantity.unit == UNIT]
    first, last = (
        next(row for row in table.rows_of(quantity) if "part" in row.key)
        for quantity in (errors[0], errors[-1])
    )
    by_stones = [row for row in table.rows_of(errors[-1]) if "first" in row.key]
    early, late = by_stones[0], by_stones[-1]
    fall = f"{first.ours:.3f} {errors[0].name}, {last.ours:.3f} {errors[-1].name}"
    ends = ", ".join(f"{row.ours:.3f} with {table.label(row)}" for row in (early, late))
    return [
        judge_above(("the error falls with the epochs", fall), gap(first, last, 3)),
        judge_above(("the error is smaller late in the game", ends), gap(early, late, 3)),
    ]


def draw(table: Table, title: str) -> str:
    """The error after the last epoch, and how much less it is than after the first."""
    first, *later = [quantity for quantity in table.quantities if quantity.unit == UNIT]
    stones = [row.key for row in table.rows_of(first) if "first" in row.key]
    last = [spot_of(table.row((later or [first])[-1], **key), key["first"]) for key in stones]
    gains = [[_gain(table, (first, quantity), key) for key in stones] for quantity in later]
    x = "stones on the board, at least"
    whole = Curves("error on held-out games, last epoch", UNIT, x, [last])
    panels = [whole, *([Curves(f"less than {first.name}", UNIT, x, gains)] if gains else [])]
    names = [quantity.name for quantity in later or [first]]
    text = "cross-entropy with the owners in the end; the left curve is in the first colour"
    return draw_panels(title, text, names, panels)


def _gain(table: Table, pair: tuple[Quantity, Quantity], key: Key) -> Spot:
    """How much less the error after the second epoch is than after the first, without interval:
    both are of the same games."""
    before, after = (table.row(quantity, **key).ours or 0.0 for quantity in pair)
    return Spot(float(key["first"]), before - after)


EXPERIMENT = Experiment(EpochSettings(), QUICK, run, draw, judge)
