"""S2-ablation: what each input is good for: left out one at a time, and other influence kernels.

The nets learn owners and where the next move will be; both are measured on games they did not learn
from.
"""

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_above, judge_within
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import draw_rows
from katachi.features.influence import InfluenceKernel
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings
from katachi.measure import prediction
from katachi.measure.prediction_scores import report_moves
from katachi.records.selection import GameFilter
from katachi.search.recorded_moves import MoveRange
from katachi.statistics import T_INTERVAL

ERROR = Quantity("cross-entropy", "nats a point", 3)
RIGHT = Quantity("points right", "%", 1)
LOG = Quantity("log-probability of moves", "nats", 3)
TOP1 = Quantity("best move played", "%", 1)
PLAIN = "all"
WITHOUT, KERNEL = "without ", "influence kernel "
NO_MATTER = 0.01
"""Nats a point by which another kernel of influence may change the error and yet be called no
matter."""


class AblationSettings(Settings, frozen=True, kw_only=True):
    """What is left out, and how nets learn."""

    runs: Count = 8
    """Independent runs of each setting."""
    left_out: tuple[str, ...] = ("influence", "propensity", "eyes", "liberties", "weakest")
    """Inputs left out one at a time; a last net has none of them."""
    kernels: tuple[str, ...] = (InfluenceKernel.PATHS.value, InfluenceKernel.EIGHT.value)
    """Other kernels of influence."""
    games: Count = material.PAPER_GAMES
    """Games to learn from."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    batch: Count = 32
    """Moves in a batch."""
    steps: Count = 2000
    """Batches."""
    owned_games: Count = 300
    """Held-out games on whose positions owners are measured."""
    move_games: Count = 500
    """Held-out games whose moves are foremoved."""
    fitting_games: Count = 100
    """Games that were learned from, to which the temperature is fitted."""
    first: Count = 18
    """First of the moves that are foremoved."""
    last: Count = 22
    """Last of them."""


QUICK = AblationSettings(
    runs=2,
    left_out=("propensity",),
    kernels=(InfluenceKernel.EIGHT.value,),
    games=12,
    hidden=4,
    states=2,
    batch=8,
    steps=4,
    owned_games=1,
    move_games=2,
    fitting_games=2,
)


class Tested(msgspec.Struct, frozen=True):
    """How a net stands after learning."""

    error: float
    right: float
    log: float
    top1: float
    curve: list[float] = []
    """The error in owners after each part of the batches."""


def variants_of(settings: AblationSettings) -> dict[str, TerritorySettings]:
    """How each net learns, by its name."""
    every = InputSettings()
    inputs = {PLAIN: every}
    for name in settings.left_out:
        inputs[f"{WITHOUT}{name}"] = _without(every, {name})
    if len(settings.left_out) > 1:
        inputs[f"{WITHOUT}all of these"] = _without(every, set(settings.left_out))
    for kernel in settings.kernels:
        changed = msgspec.structs.replace(every, influence_kernel=InfluenceKernel(kernel))
        inputs[f"{KERNEL}{kernel}"] = changed
    return {
        name: TerritorySettings(
            inputs=seen,
            hidden=settings.hidden,
            states=settings.states,
            predicts_moves=True,
            batch=settings.batch,
            steps=settings.steps,
        )
        for name, seen in inputs.items()
    }


def _without(every: InputSettings, names: set[str]) -> InputSettings:
    left = tuple(name for name in every.inputs if name not in names)
    return msgspec.structs.replace(every, inputs=left)


def measure(settings: AblationSettings, task: Task) -> Tested:
    """One net; all are tested on the same games."""
    path = task.require_file(material.SCORED9)
    games = material.open_parts(path, settings.games)
    training = msgspec.structs.replace(variants_of(settings)[task.key["net"]], seed=task.seed)
    trainer = material.new_trainer(training, games)
    curve = material.learn_by_parts(trainer, settings.steps)
    model = trainer.model()
    held_out = games.validation.shuffle(task.study_seed)
    chances = prediction.chances_of(model)
    owned = prediction.measure_owners(chances, held_out[: settings.owned_games])
    moves = MoveRange(settings.first, settings.last)
    long_enough = GameFilter(min_moves=settings.first)
    fitting = games.train.filter(long_enough).shuffle(task.study_seed)[: settings.fitting_games]
    temperature = prediction.fitted_temperature(model, fitting, moves)
    measured = held_out.filter(long_enough)[: settings.move_games]
    moved = report_moves(prediction.judge_played_moves(model, measured, moves, temperature))
    if moved is None:
        raise KatachiError(f"too few games of {path.name} are held out: use more")
    right, top1 = 100 * owned.all.right.value, 100 * moved.all.top1.value
    log = moved.all.log_probability.value
    return Tested(owned.all.cross_entropy.value, right, log, top1, curve)


def run(settings: AblationSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every net as often as the settings say; raises KatachiError where the games
    are not there."""
    path = runner.require_file(material.SCORED9)
    variants = variants_of(settings)
    tasks = tasks_of(cross(net=variants), settings.runs)
    behaviour = material.learning_of(path, variants.values())
    study = Study("S2-ablation", settings, seed, tasks, measure, behaviour)
    found = runner.measure_all(study)
    notes = [
        f"{settings.games:,} games of {material.SCORED9}, {settings.steps:,} batches of "
        f"{settings.batch} positions; {settings.hidden} hidden units, {settings.states} states. "
        "Short learning: what matters is the difference.",
        f"Owners: all positions of {settings.owned_games:,} held-out games. Moves "
        f"{settings.first}-{settings.last} of {settings.move_games:,}, the temperature fitted to "
        f"{settings.fitting_games:,} games that were learned from.",
        material.HELD_OUT,
        T_INTERVAL,
    ]
    table = Table(quantities=[ERROR, RIGHT, LOG, TOP1], rows=found.rows(_rows), notes=notes)
    curves = [(key, [each.curve for each in runs]) for key, runs in found]
    return material.with_parts(table, ERROR, settings.steps, curves)


def _rows(key: Key, tested: list[Tested]) -> list[Row]:
    return [
        ERROR.mean(key, [each.error for each in tested], (0, None)),
        RIGHT.mean(key, [each.right for each in tested], (0, 100)),
        LOG.mean(key, [each.log for each in tested]),
        TOP1.mean(key, [each.top1 for each in tested], (0, 100)),
    ]


def judge(table: Table) -> list[Claim]:
    """What each input is good for, by the error in owners; and whether it matters which kernel
    stands in for the influence of the paper, which we could not read."""
    plain, claims = table.row(ERROR, net=PLAIN), []
    for row in table.rows_of(ERROR):
        net, by = str(row.key["net"]), gap(row, plain, 3, " nats")
        ours = f"{row.ours:.3f} nats a point {net}, {plain.ours:.3f} with {PLAIN}"
        if net.startswith(WITHOUT):
            said = f"implied: the net needs its inputs ({net})"
            claims.append(judge_above((said, ours), by))
        elif net.startswith(KERNEL):
            said = f"implied: its influence may be another ({net.removeprefix(KERNEL)})"
            claims.append(judge_within((said, ours), by, (-NO_MATTER, NO_MATTER)))
    return claims


def draw(table: Table, title: str) -> str:
    """For each net: the error in owners, and how often the best move was played."""
    text = f"mean of {table.rows[0].n} runs, on games that were not learned from"
    return draw_rows(table, title, text, (ERROR, TOP1))


EXPERIMENT = Experiment(AblationSettings(), QUICK, run, draw, judge)
