"""Shape models that know nothing but have weights, for tests of what is done with weights."""

import numpy as np

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets

EVERY_KIND = "1x1-2x2:LI+LD,3x2:LD,4x3:LI+LD,4x4:LI,1x1-2x2:LI+LD:liberty,3x2:LD:liberty"
"""Sets of exact, hashed and liberty shapes."""


def random_model(sets: str = EVERY_KIND, size: int = 5, bins: int = 1000) -> LocalShape:
    """A model with random weights, each of them seen at least once."""
    model = LocalShape(parse_sets(sets), size, bins)
    source = np.random.default_rng(1)
    model.weights[:] = source.integers(-(2**24), 2**24, len(model.weights))
    model.seen[:] = source.integers(1, 10_000, len(model.seen))
    return model
