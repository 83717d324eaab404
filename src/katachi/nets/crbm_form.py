"""What a convolutional RBM looks like, for those who train one and those who only use it."""

from enum import Enum
from functools import cache
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

ORIENTATIONS = 8
MOST_KERNELS = 4096
LARGEST_SIDE = 25

Positive = Annotated[int, msgspec.Meta(ge=1, le=MOST_KERNELS)]


class VisibleKind(Enum):
    """What the visible units are."""

    REAL = "real"
    """Any number; reconstructed by its mean, never sampled."""
    MULTINOMIAL = "multinomial"
    """Exactly one channel of each group is on; sampled by a softmax."""
    BINARY = "binary"
    """Each on or off by itself: the hidden maps of a layer below."""


class CrbmForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The shape of a convolutional RBM."""

    groups: tuple[Positive, ...] = (3,)
    """Channels of each group; of a multinomial group exactly one is on."""
    kernels: Positive = 105
    side: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_SIDE)] = 3
    """Kernels are side x side."""
    visible: VisibleKind = VisibleKind.MULTINOMIAL
    is_tied: bool = False
    """Whether a kernel stands for its eight orientations, of which at most one is on at a place."""
    has_null: bool = True
    """Whether, where kernels are tied, none of the eight may be on."""

    @property
    def channels(self) -> int:
        """Visible channels."""
        return sum(self.groups)

    @property
    def maps(self) -> int:
        """Hidden maps: tied kernels have one for each orientation."""
        return self.kernels * (ORIENTATIONS if self.is_tied else 1)

    @property
    def inputs(self) -> int:
        """Visible units of one window."""
        return self.channels * self.side**2


@cache
def orientation_table(form: CrbmForm) -> npt.NDArray[np.int64]:
    """[8 or 1, inputs]: turned[i] = kernel[table[o, i]] is a kernel, its channels one after the
    other, in orientation o; the first is the kernel as it is."""
    grid = np.arange(form.inputs).reshape(form.channels, form.side, form.side)
    if not form.is_tied:
        return grid.reshape(1, -1)
    flips = [(down, right) for right in (1, -1) for down in (1, -1)]
    turned = [g[:, ::d, ::r] for g in (grid, grid.swapaxes(1, 2)) for d, r in flips]
    return np.stack([each.reshape(-1) for each in turned])


def array_forms(form: CrbmForm) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The names, types and shapes of the arrays of such an RBM."""
    shape = (form.kernels, form.channels, form.side, form.side)
    return {
        "weight": ("float32", shape),
        "hidden_bias": ("float32", (form.kernels,)),
        "visible_bias": ("float32", (form.channels,)),
    }
