"""What every learner is: the one page that a run, a test and a new paper need to know."""

from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Tensors = dict[str, npt.NDArray[np.generic]]


class Metrics(Protocol):
    """What one measurement says: a record, and a line of `metrics.jsonl`."""

    @property
    def done(self) -> int:
        """Units learned from when it was made."""
        ...


class Model(Protocol):
    """What has been learned, ready to be kept."""

    training: dict[str, Any]
    """How it was made."""

    def save(self, folder: Path, card: str) -> None:
        """Writes the model and its card, Markdown, to a folder."""
        ...


MetricsT = TypeVar("MetricsT", bound=Metrics)
MetricsT_co = TypeVar("MetricsT_co", bound=Metrics, covariant=True)


class Learner(Protocol[MetricsT_co]):
    """Learns from units, such as games or batches, that depend only on their numbers, the settings
    and what was learned before: calls of `learn` may divide them in any way."""

    @property
    def done(self) -> int:
        """Units learned from so far."""
        ...

    def learn(self, count: int) -> None:
        """Learns from `count` more units; raises KatachiError where that came to nothing."""
        ...

    def measure(self) -> MetricsT_co:
        """How good it is now; measuring changes nothing that is learned."""
        ...

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the material."""
        ...

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of other settings."""
        ...

    def model(self) -> Model:
        """What has been learned."""
        ...
