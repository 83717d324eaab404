"""S1-F6: what single shapes say (Figure 6): the weights of those that the paper speaks of.

The picture itself is lost in the copy of the paper that we have. Its words (section 11) are what is
compared: which shapes stand for them is our reading, and a shape stands in the set that they name.
"""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.bounds import BoardSize, Count
from katachi.experiments.claims import (
    gap,
    judge_above,
    judge_apart,
    judge_below,
    judge_within,
    leave_open,
    number_of,
)
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.s1_local_shape.cascade import diagram_of
from katachi.experiments.table_pictures import draw_rows
from katachi.features.shape_contents import shape_of_weight
from katachi.features.shape_sets import ShapeSet
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from katachi.statistics import T_INTERVAL, mean_of

WEIGHT = Quantity("weight", "logits", 4)
SEEN = Quantity("learned from", "times", 0)
TIMES = Quantity("times as bad as one stone", "", 2)
LABELS = ("{shape}: {diagram}, {set}",)
TWICE = (1.5, 2.5)
"""What we take for twice."""


class Named(NamedTuple):
    """A shape that the paper speaks of, or several that stand for the same words."""

    name: str
    set: str
    diagrams: tuple[str, ...]
    """As `diagram_of` writes them; a question mark is anything."""

    @property
    def key(self) -> Key:
        """Of its row."""
        return {"shape": self.name, "diagram": " or ".join(self.diagrams), "set": self.set}

    def is_one(self, diagram: str) -> bool:
        """Whether a shape is one of these."""
        return any(fnmatchcase(diagram, form) for each in self.diagrams for form in _forms_of(each))


def _forms_of(diagram: str) -> tuple[str, ...]:
    """A square shape in the corner is the same when rows become columns; other diagrams are written
    as the set's weights number them."""
    rows, at, where = diagram.partition("@")
    turned = "/".join("".join(column) for column in zip(*rows.split("/"), strict=True))
    is_same = bool(at) and len(turned) == len(rows) and turned.find("/") == rows.find("/")
    return (diagram, f"{turned}{at}{where}") if is_same else (diagram,)


STONE = Named("a stone", "1x1:LI", ("X",))
CORNER = Named("a stone in the corner", "1x1:LD", ("X@1,1",))
BESIDE = Named("a stone beside the corner", "1x1:LD", ("X@1,2",))
INSIDE = Named("a stone on the third line", "1x1:LD", ("X@3,3",))
CONNECTED = Named("connected stones", "2x1:LI", ("XX",))
IN_CORNER = Named("stones in the corner", "2x1:LD", ("X?@1,1",))
TWO_IN_CORNER = Named("two connected stones in the corner", "2x1:LD", ("XX@1,1",))
SURROUNDED = Named("a stone beside an empty corner", "2x1:LD", (".X@1,1",))
CUT = Named("enemy stones cut apart", "3x2:LI", ("OXO/.X.", ".XO/OX.", "OXO/OX.", "OXO/OXO"))
EYES = (
    Named("two eyes at 1-1 and 2-2", "3x3:LD", (".XX/X.X/XX?@1,1",)),
    Named("two eyes at 1-2 and 2-1", "3x3:LD", ("X.X/.XX/XX?@1,1",)),
    Named("two eyes at 1-1 and 1-3", "3x3:LD", (".X./XXX/???@1,1",)),
)
SHAPES = (
    *(STONE, CORNER, BESIDE, INSIDE, CONNECTED),
    *(IN_CORNER, TWO_IN_CORNER, SURROUNDED, CUT, *EYES),
)
BY_WEIGHT = {"two": "two connected stones in the corner", "by": "their own weight"}
BY_SUM = {"two": "two connected stones in the corner", "by": "with the weights of each stone"}


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


class Found(msgspec.Struct, frozen=True):
    """What came of one pair, by the place of each of `SHAPES`."""

    logits: list[float]
    """The mean weight of both agents, shapes counted as often as they were learned from."""
    seen: list[int]
    """How often that was."""


def weights_of(model: LocalShape, each: Named) -> list[int]:
    """The numbers of the weights that a shape has, or all shapes of its kind; raises KatachiError
    where the model has none."""
    found = [at for diagram, at in _diagrams(model, each.set) if each.is_one(diagram)]
    if not found:
        raise KatachiError(
            f"no shape {each.diagrams[0]} in {each.set} at {model.size}x{model.size}"
        )
    return found


def _diagrams(model: LocalShape, name: str) -> Iterator[tuple[str, int]]:
    """The shapes of a set as they are written, and their weights."""
    layouts = layout_of(model.sets, model.size, model.bins)
    for shape_set, layout in zip(model.sets, layouts, strict=True):
        if shape_set.name == name:
            for index in range(layout.first, layout.end):
                shape = shape_of_weight(model.sets, model.size, model.bins, index)
                yield diagram_of(shape), index


@cache
def _places(sets: tuple[ShapeSet, ...], size: int, bins: int) -> list[npt.NDArray[np.int64]]:
    """The weights of each of `SHAPES`."""
    model = LocalShape(sets, size, bins)
    return [np.array(weights_of(model, each), np.int64) for each in SHAPES]


def measure(settings: ShapeSettings, task: Task) -> Found:
    """One pair."""
    trainer = ShapeTrainer(settings.learning(task.seed))
    trainer.learn(settings.games)
    agents = trainer.agents
    logits, counts = [], []
    for at in _places(agents[0].sets, agents[0].size, agents[0].bins):
        weights = np.concatenate([agent.weights[at] for agent in agents])
        seen = np.concatenate([agent.seen[at] for agent in agents]).astype(np.float64)
        total = float(seen.sum())
        logits.append(round(float(weights @ seen) / total * UNIT, 6) if total else 0.0)
        counts.append(int(total))
    return Found(logits, counts)


def run(settings: ShapeSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing and looks the shapes up."""
    tasks = tasks_of([{"agents": "pairs"}], settings.runs)
    behaviour = trials.behaviour_of([settings.learning(1)])
    found = runner.measure_all(Study("S1-F6", settings, seed, tasks, measure, behaviour))
    rows = found.rows(rows_of)
    notes = [
        f"Pairs that learned from {settings.games:,} games at {settings.size}x{settings.size}, "
        f"sets {settings.sets}{', cascade' if settings.cascade else ''}, squared loss, step size "
        f"{settings.alpha:g}; the mean of both agents' weights. The paper's agents were grown.",
        "X is an own stone, O an enemy stone, ? anything; rows are parted by slashes; @row,column "
        "is where, from the nearest corner. Several shapes count as often as they were learned "
        "from. With cascade a weight is what a shape adds to what more general ones say of the "
        "same stones.",
        "The picture is lost: a cut is a line of own stones across the template with enemy stones "
        "on both sides; the three ways to two eyes are the two that a 3x3 corner holds whole, and "
        "the one along the edge. The weights of each stone are those of 1x1 in its place.",
        T_INTERVAL,
        trials.KOMI,
    ]
    return Table(quantities=[WEIGHT, SEEN, TIMES], rows=rows, labels=LABELS, notes=notes)


def rows_of(_: Key, pairs: Sequence[Found]) -> list[Row]:
    """The weight of each shape, how often it was seen, and how bad two stones in the corner are."""
    rows = []
    for at, each in enumerate(SHAPES):
        known = [pair.logits[at] for pair in pairs if pair.seen[at]]
        if known:
            rows.append(WEIGHT.estimate(each.key, mean_of(known), len(known)))
        rows.append(SEEN.mean(each.key, [float(pair.seen[at]) for pair in pairs], (0, None)))
    return [*rows, *_rows_of_corner(pairs)]


def _rows_of_corner(pairs: Sequence[Found]) -> list[Row]:
    """How many times as bad as one stone in the corner two connected ones are; none where one is
    not bad in every pair."""
    one, beside, two = (
        np.array([pair.logits[SHAPES.index(each)] for pair in pairs])
        for each in (CORNER, BESIDE, TWO_IN_CORNER)
    )
    if not (one < 0).all():
        return []
    return [
        TIMES.mean(BY_WEIGHT, (two / one).tolist()),
        TIMES.mean(BY_SUM, ((one + beside + two) / one).tolist()),
    ]


GOOD: tuple[tuple[str, Named], ...] = (
    ("2x1: surrounding the corner is good", SURROUNDED),
    ("2x1: connected stones are powerful", CONNECTED),
    ("3x2: cutting the opponent's stones into separate groups has value", CUT),
    *((f"3x3: in the corner, {each.name} are good", each) for each in EYES),
)


def judge(table: Table) -> list[Claim]:
    """The sentences of section 11, one by one."""
    claims = [*_signs(table, (("1x1: a stone has a basic value", STONE),), judge_above)]
    corner, inside = (table.find(WEIGHT, each.key) for each in (CORNER, INSIDE))
    if corner is not None and inside is not None:
        ours = f"{inside.ours:+.4f} on the third line, {corner.ours:+.4f} in the corner"
        words = "1x1: each intersection has a value of its own", ours
        claims.append(judge_apart(words, gap(inside, corner, 4)))
    claims += _signs(table, (("2x1: playing stones in the corner is bad", IN_CORNER),), judge_below)
    claims += _signs(table, GOOD, judge_above)
    claims += _signs(table, (("one stone in the corner is bad", CORNER),), judge_below)
    return [*claims, *_claims_of_two(table)]


def _signs(
    table: Table, claims: Sequence[tuple[str, Named]], judge_sign: Callable[..., Claim]
) -> Iterator[Claim]:
    """Whether the weights of shapes point where the paper says; of shapes that were met."""
    for text, each in claims:
        row = table.find(WEIGHT, each.key)
        if row is not None:
            yield judge_sign((text, f"{row.ours:+.4f}"), number_of(row, 4))


def _claims_of_two(table: Table) -> list[Claim]:
    """Two connected stones in the corner are twice as bad as one: by the weight in the set of two
    stones, and with what the places of the stones say."""
    one, two = (table.find(WEIGHT, each.key) for each in (CORNER, TWO_IN_CORNER))
    if one is None or two is None:
        return []
    claims = []
    for key in (BY_WEIGHT, BY_SUM):
        text = f"two connected stones in the corner are twice as bad ({key['by']})"
        row = table.find(TIMES, key)
        if row is None:
            words = text, f"one {one.ours:+.4f}, two {two.ours:+.4f}"
            rule = "undecided where one stone in the corner is not bad in every pair"
            claims.append(leave_open(words, number_of(one, 4), rule))
        else:
            words = text, f"{row.ours:.2f} times as bad"
            claims.append(judge_within(words, number_of(row, 2, " times"), TWICE))
    return claims


def draw(table: Table, title: str) -> str:
    """A bar a shape."""
    return draw_rows(table, title, f"mean of {table.rows[0].n} pairs of agents", (WEIGHT,))


EXPERIMENT = Experiment(ShapeSettings(), QUICK, run, draw, judge)
