"""What can be read from the weights of a shape model: the best and the worst shapes of a set, and
how much two models agree on them."""

import numpy as np
import numpy.typing as npt

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Wanted, rank_set
from katachi.features.shape_contents import Shape
from katachi.features.shape_sets import ShapeSet
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT, Counts

MARKS = ".XO"
"""An empty point, an own stone, an enemy stone."""
FEWEST_SHAPES = 3
"""With fewer, a correlation says nothing."""


def likeness(one: LocalShape, other: LocalShape, each: ShapeSet, least_seen: int) -> float | None:
    """Correlation of the weights of a set that both models have, over the shapes that both met at
    least so often; None where there is nothing to compare."""
    weights, seen = zip(*(_weights(model, each) for model in (one, other)), strict=True)
    is_known = (seen[0] >= least_seen) & (seen[1] >= least_seen)
    if is_known.sum() < FEWEST_SHAPES:
        return None
    first, second = (values[is_known].astype(np.float64) for values in weights)
    if not (first.std() > 0 and second.std() > 0):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def mean_weight(model: LocalShape, each: ShapeSet) -> float:
    """How far from zero the weights of a set are, in logits: the mean over all that it learned
    from, so that frequent shapes count for more; 0 before it has learned."""
    weights, seen = _weights(model, each)
    total = int(seen.sum(dtype=np.int64))
    return float(np.abs(weights) @ seen.astype(np.float64)) * UNIT / total if total else 0.0


def _weights(model: LocalShape, each: ShapeSet) -> tuple[npt.NDArray[np.int32], Counts]:
    layout = layout_of(model.sets, model.size, model.bins)[model.sets.index(each)]
    return model.weights[layout.first : layout.end], model.seen[layout.first : layout.end]


def extreme_shapes(model: LocalShape, each: ShapeSet, most: int, least_seen: int) -> str:
    """The best and the worst shapes of a set that is not hashed, of those met at least so often,
    each with its weight in logits."""
    ranking = rank_set(model, model.sets.index(each), Wanted(most, least_seen))
    best, worst = (
        ", ".join(f"{diagram_of(one.shape)} {one.units * UNIT:+.3f}" for one in shapes)
        for shapes in (ranking.best, ranking.worst)
    )
    return f"best {best or '-'}; worst {worst or '-'}"


def diagram_of(shape: Shape) -> str:
    """The rows of a shape, X own and O enemy, parted by slashes; where location matters, then the
    row and column at which it begins, from the nearest corner."""
    rows = ["".join(MARKS[stone.owner] for stone in row) for row in shape.rows]
    where = f"@{shape.window.row + 1},{shape.window.col + 1}" if shape.has_location else ""
    return "/".join(rows) + where
