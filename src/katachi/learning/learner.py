"""What every learner is: the one page that a run, a test and a new paper need to know."""

from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError

Tensors = dict[str, npt.NDArray[np.generic]]


class Metrics(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one measurement says: a line of `metrics.jsonl`. Its first field is the number of units
    learned from when it was made."""

    @property
    def done(self) -> int:
        """Units learned from."""
        return int(getattr(self, self.__struct_fields__[0]))


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


def check_state(tensors: Tensors, own: Tensors, what: str) -> None:
    """Raises KatachiError, saying what differs, unless a state has the tensors of a learner's
    own."""
    found, wanted = (
        {name: (each.dtype, each.shape) for name, each in state.items()} for state in (tensors, own)
    )
    if found != wanted:
        raise KatachiError(f"the checkpoint is of other {what} than this run's")


class Fitter(Protocol):
    """What fits a net."""

    def restore(self, tensors: Tensors, /) -> None:
        """Goes on from a state; raises KeyError and ValueError."""


def restore_fitter(fitter: Fitter, tensors: Tensors) -> None:
    """Lets a fitter go on from a state; raises KatachiError where it is of another net."""
    try:
        fitter.restore(tensors)
    except (KeyError, ValueError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise KatachiError(f"the checkpoint is of another net: {why}") from None
