"""S2-width: more weights, more layers, and plain convolutions of as many weights or as much work.

The nets learn owners and the next move at once; both are measured on games they did not learn from.
They learn from equally many batches, and then for equally long.
"""

import time
from contextlib import closing

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.territory import MOVE_NET_OUTPUTS, NetKind
from katachi.experiments.bounds import Amount, Count, Rate
from katachi.experiments.claims import gap, judge_below, judge_exact
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.learned_moves import NEAR
from katachi.experiments.table_pictures import draw_rows
from katachi.features.territory_inputs import InputSettings, plane_count
from katachi.learning.territory_run import TerritoryGames
from katachi.learning.territory_training import TerritorySettings
from katachi.statistics import T_INTERVAL

WEIGHTS, WORK = Quantity("weights"), Quantity("products a point")
BATCHES = Quantity("batches")
ERROR = Quantity("cross-entropy", "nats a point", 3)
RIGHT = Quantity("points right", "%", 1)
NATS = Quantity("cross-entropy of a move", "nats", 3)
FIRST = Quantity("best move played", "%", 1)
MEASURED_BATCHES, PACE_BATCHES = 64, 20
TIMED = "equal time"
LABELS = ("{net}", "{net}, {budget}")


class NetSize(msgspec.Struct, frozen=True):
    """How large a net is."""

    kind: NetKind
    """Sweeps over the board, or plain convolutions."""
    width: Count
    """Hidden units, or planes of a convolution."""
    states: Count
    """States that a sweep passes on; no matter for a convolution."""
    layers: Count
    """Layers of either."""

    @property
    def name(self) -> str:
        """What it is called."""
        layers = "one layer" if self.layers == 1 else f"{self.layers} layers"
        if self.kind is NetKind.CONVOLUTION:
            return f"convolution, {self.width} planes, {layers}"
        return f"sweeps, {self.width} hidden, {self.states} states, {layers}"


class WidthSettings(Settings, frozen=True, kw_only=True):
    """Which nets, and how they learn."""

    runs: Count = 4
    """Independent runs of each net."""
    nets: tuple[NetSize, ...] = (
        NetSize(NetKind.SWEEPS, 16, 8, 1),
        NetSize(NetKind.SWEEPS, 32, 16, 1),
        NetSize(NetKind.SWEEPS, 16, 8, 2),
        NetSize(NetKind.SWEEPS, 32, 16, 2),
        NetSize(NetKind.CONVOLUTION, 12, 1, 4),
        NetSize(NetKind.CONVOLUTION, 14, 1, 4),
        NetSize(NetKind.CONVOLUTION, 16, 1, 8),
        NetSize(NetKind.CONVOLUTION, 40, 1, 4),
    )
    """The fifth has about as many weights as the first, the sixth does about as much work."""
    inputs: tuple[str, ...] = (*InputSettings().inputs, "placing", "last", "nearness:last")
    """What the nets see."""
    batch: Count = 128
    """Positions in a batch."""
    steps: Count = 800
    """Batches."""
    rate: Rate = 0.006
    """Step size at the beginning."""
    seconds: Amount = 40
    """Of learning, where all nets learn for equally long; 0 leaves these rows out."""


QUICK = WidthSettings(
    runs=2,
    nets=(NetSize(NetKind.SWEEPS, 4, 2, 1), NetSize(NetKind.CONVOLUTION, 4, 1, 2)),
    batch=8,
    steps=4,
    seconds=1,
)


class Measured(msgspec.Struct, frozen=True):
    """How a net stands after learning."""

    weights: int
    work: int
    error: float
    right: float
    nats: float
    first: float
    curve: list[float] = []
    """The error in owners after each part of the batches."""
    steps: int = 0
    """Batches learned from."""


def training_of(settings: WidthSettings, net: NetSize, seed: int) -> TerritorySettings:
    """How a net learns."""
    return TerritorySettings(
        inputs=InputSettings(settings.inputs),
        net=net.kind,
        hidden=net.width,
        states=net.states,
        layers=net.layers,
        predicts_moves=True,
        batch=settings.batch,
        steps=settings.steps,
        rate=settings.rate,
        seed=seed,
    )


def work_of(training: TerritorySettings, net: NetSize, weights: int) -> int:
    """Products of weights and numbers at a point far from the edges: a weight of a convolution is
    used once, one of the lateral nets by each of four sweeps, those of corners and sides never."""
    if net.kind is NetKind.CONVOLUTION:
        return weights
    windowed, local = plane_count(training.inputs)
    own, found = 9 * windowed + local, 0
    for layer in range(net.layers):
        below = own + (4 * net.states if layer else 0)
        found += 4 * net.width * (below + 3 * net.states)
    return found + net.width * (own + 4 * net.states + MOVE_NET_OUTPUTS)


def steps_in(training: TerritorySettings, games: TerritoryGames, seconds: float) -> int:
    """Batches that this machine learns from in so many seconds, at least one; by a net that is
    thrown away, whose first batches are not timed."""
    with closing(material.new_trainer(training, games)) as trainer:
        trainer.learn(PACE_BATCHES)
        begin = time.perf_counter()
        trainer.learn(PACE_BATCHES)
        each = (time.perf_counter() - begin) / PACE_BATCHES
    return max(1, round(seconds / each))


def measure(settings: WidthSettings, task: Task) -> Measured:
    """One net, for the batches of the settings or for their time."""
    path = task.require_file(material.SCORED9)
    games = material.open_parts(path)
    net = next(each for each in settings.nets if each.name == task.key["net"])
    training = training_of(settings, net, task.seed)
    if "budget" in task.key:
        steps = steps_in(training, games, settings.seconds)
        training = msgspec.structs.replace(training, steps=steps)
    trainer = material.new_trainer(training, games)
    curve = material.learn_by_parts(trainer, training.steps)
    found = trainer.measure(MEASURED_BATCHES)
    ownership, accuracy = found.val_ownership_loss, found.val_accuracy
    policy, top1 = found.val_policy_loss, found.val_top1
    if ownership is None or accuracy is None or policy is None or top1 is None:
        raise KatachiError(f"too few games of {path.name} are held out: use more")
    weights = trainer.weight_count
    work = work_of(training, net, weights)
    scores = ownership, 100 * accuracy, policy, 100 * top1
    return Measured(weights, work, *scores, curve, training.steps)


def run(settings: WidthSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every net as often as the settings say; raises KatachiError where the games
    are not there."""
    path = runner.require_file(material.SCORED9)
    names = [net.name for net in settings.nets]
    keys = cross(net=names) + (cross(net=names, budget=[TIMED]) if settings.seconds else [])
    tasks = tasks_of(keys, settings.runs, labels=LABELS)
    first = next(net for net in settings.nets if net.kind is NetKind.SWEEPS)
    behaviour = material.learning_of(path, [training_of(settings, first, seed)])
    study = Study("S2-width", settings, seed, tasks, measure, behaviour)
    found = runner.measure_all(study)
    notes = [
        f"{settings.steps:,} batches of {settings.batch} positions of {material.SCORED9}; inputs "
        f"{', '.join(settings.inputs)}. Every net learns owners and the next move at once.",
        f"Measured on {MEASURED_BATCHES * 64:,} positions sampled from held-out games, before a "
        "move of any phase.",
        f"{TIMED}: {settings.seconds} s of learning for each net, as many batches as this machine "
        "learns from in that time, found before; run it with one worker on an idle machine of two "
        "cores.",
        "Products a point: how often a weight is used for a point far from the edges.",
        material.HELD_OUT,
        T_INTERVAL,
    ]
    quantities = [WEIGHTS, WORK, BATCHES, ERROR, RIGHT, NATS, FIRST]
    table = Table(quantities=quantities, rows=found.rows(_rows), labels=LABELS, notes=notes)
    curves = [(key, [each.curve for each in runs]) for key, runs in found if "budget" not in key]
    return material.with_parts(table, ERROR, settings.steps, curves)


def _rows(key: Key, measured: list[Measured]) -> list[Row]:
    return [
        WEIGHTS.row(key, measured[0].weights),
        WORK.row(key, measured[0].work),
        BATCHES.mean(key, [each.steps for each in measured], (0, None)),
        ERROR.mean(key, [each.error for each in measured], (0, None)),
        RIGHT.mean(key, [each.right for each in measured], (0, 100)),
        NATS.mean(key, [each.nats for each in measured], (0, None)),
        FIRST.mean(key, [each.first for each in measured], (0, 100)),
    ]


def judge(table: Table) -> list[Claim]:
    """The paper's net beside the convolution of most nearly as many weights, twice."""
    counts = {str(row.key["net"]): row.ours or 0.0 for row in table.rows_of(WEIGHTS)}
    ours, *others = counts
    plain = [net for net in others if net.startswith(NetKind.CONVOLUTION.value)]
    near = min(plain, key=lambda net: abs(counts[net] - counts[ours]))
    claims = []
    for words, part in (("equal batches", {}), (TIMED, {"budget": TIMED})):
        one, other = (table.find(ERROR, {"net": net} | part) for net in (ours, near))
        if one is not None and other is not None:
            said = f"implied: sweeps err less than a convolution of about as many weights ({words})"
            found = f"{one.ours:.3f} nats a point, the convolution {other.ours:.3f}"
            claims.append(judge_below((said, found), gap(one, other, 3)))
    return [*claims, _judge_weights(counts[ours], counts[near])]


def _judge_weights(ours: float, others: float) -> Claim:
    """Whether the two nets that are compared have equally many weights."""
    more = 100 * (others / ours - 1)
    words = (
        "our condition: equal weights",
        f"{ours:,.0f}, the convolution {others:,.0f} ({more:+.1f} %)",
    )
    holds = max(ours, others) <= (1 + NEAR) * min(ours, others)
    return judge_exact(words, f"weights differ by {100 * NEAR:g} % at most", holds=holds, n=2)


def draw(table: Table, title: str) -> str:
    """For each net: the error in owners, and how often the best move was played."""
    text = "mean over runs, on games that were not learned from"
    return draw_rows(table, title, text, (ERROR, FIRST))


EXPERIMENT = Experiment(WidthSettings(), QUICK, run, draw, judge)
