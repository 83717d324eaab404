"""S1-F6: what single shapes say (Figure 6): the weights of those that the paper speaks of.

The picture itself is lost in the copy of the paper that we have; its words are what is compared.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.bounds import BoardSize, Count
from katachi.experiments.claims import judge_above, judge_below, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.s1_local_shape.cascade import diagram_of
from katachi.experiments.table_pictures import draw_rows
from katachi.features.shape_contents import shape_of_weight
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from katachi.statistics import T_INTERVAL

WEIGHT = Quantity("weight", "logits", 3)
LABELS = ("{shape}: {diagram}, {set}",)


class Named(NamedTuple):
    """A shape that the paper speaks of, as `diagram_of` writes it."""

    name: str
    set: str
    diagram: str
    is_good: bool

    @property
    def key(self) -> Key:
        """Of its row."""
        return {"shape": self.name, "diagram": self.diagram, "set": self.set}


SHAPES = (
    Named("a stone", "1x1:LI", "X", is_good=True),
    Named("a stone in the corner", "1x1:LD", "X@1,1", is_good=False),
    Named("connected stones", "2x1:LI", "XX", is_good=True),
    Named("connected stones in the corner", "2x1:LD", "XX@1,1", is_good=False),
    Named("a cut", "2x2:LI", "XO/OX", is_good=True),
    Named("the corner surrounded", "2x2:LD", ".X/X.@1,1", is_good=True),
    Named("two eyes in the corner", "3x2:LD", ".X./XXX@1,1", is_good=True),
)


class ShapeSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """How the agents learn whose shapes are looked at: as the paper's final ones, not grown."""

    runs: Count = 12
    """Independent pairs of agents."""
    size: BoardSize = 9
    """Board size."""
    sets: str = "1x1-3x3:LI+LD"
    """The shape sets."""
    cascade: bool = True
    """Whether agents learn by online cascade."""

    def learning(self, seed: int) -> TrainingSettings:
        """How a pair learns."""
        return msgspec.structs.replace(self.training(self.sets, seed), cascade=self.cascade)


QUICK = ShapeSettings(runs=2, size=5, games=100)


class Weights(msgspec.Struct, frozen=True):
    """What came of one pair: the mean weight of both agents for each shape, by its place."""

    logits: list[float]


def weight_of(model: LocalShape, each: Named) -> int:
    """The number of the weight that a shape has; raises KatachiError where the model has none."""
    found = dict(_diagrams(model, each.set))
    if each.diagram not in found:
        raise KatachiError(f"no shape {each.diagram} in {each.set} at {model.size}x{model.size}")
    return found[each.diagram]


def _diagrams(model: LocalShape, name: str) -> Iterator[tuple[str, int]]:
    """The shapes of a set as they are written, and their weights."""
    for shape_set, layout in zip(
        model.sets, layout_of(model.sets, model.size, model.bins), strict=True
    ):
        if shape_set.name == name:
            for index in range(layout.first, layout.end):
                shape = shape_of_weight(model.sets, model.size, model.bins, index)
                yield diagram_of(shape), index


def measure(settings: ShapeSettings, task: Task) -> Weights:
    """One pair."""
    trainer = ShapeTrainer(settings.learning(task.seed))
    trainer.learn(settings.games)
    places = [weight_of(trainer.agents[0], each) for each in SHAPES]
    means = np.mean([agent.weights[places] for agent in trainer.agents], axis=0)
    return Weights([round(float(mean) * UNIT, 6) for mean in means])


def run(settings: ShapeSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing and looks the shapes up."""
    tasks = tasks_of([{"agents": "pairs"}], settings.runs)
    behaviour = trials.behaviour_of([settings.learning(1)])
    found = runner.measure_all(Study("S1-F6", settings, seed, tasks, measure, behaviour))
    rows = found.rows(_rows)
    notes = [
        f"Pairs that learned from {settings.games:,} games at {settings.size}x{settings.size}, "
        f"sets {settings.sets}{', cascade' if settings.cascade else ''}, squared loss, step size "
        f"{settings.alpha:g}; the mean of both agents' weights. The paper's agents were grown.",
        "X is an own stone, O an enemy stone; rows are parted by slashes; @row,column is where, "
        "from the nearest corner. With cascade a weight is what a shape adds to what more general "
        "ones say of the same stones.",
        T_INTERVAL,
        trials.KOMI,
    ]
    return Table(quantities=[WEIGHT], rows=rows, labels=LABELS, notes=notes)


def _rows(_: Key, pairs: list[Weights]) -> list[Row]:
    return [
        WEIGHT.mean(each.key, [pair.logits[at] for pair in pairs]) for at, each in enumerate(SHAPES)
    ]


def judge(table: Table) -> list[Claim]:
    """Which way each shape points."""
    claims = []
    for each in SHAPES:
        row = table.row(WEIGHT, **each.key)
        words = f"{each.name} is {'good' if each.is_good else 'bad'}", f"{row.ours:+.3f}"
        test = judge_above if each.is_good else judge_below
        claims.append(test(words, number_of(row, 3)))
    return claims


def draw(table: Table, title: str) -> str:
    """A bar a shape."""
    return draw_rows(table, title, f"mean of {table.rows[0].n} pairs of agents", (WEIGHT,))


EXPERIMENT = Experiment(ShapeSettings(), QUICK, run, draw, judge)
