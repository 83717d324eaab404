"""Arrays of a model kept in fewer bits than they are used in.

Counts of 64 bits are kept in 32 where that is enough. A shipped model that would be large is packed
by `scripts/pack_models.py`: reals in half precision, integer weights as 16 bits and a shift, counts
of what was seen as 8 bits on a scale of powers. What is read back is exactly what is kept, so that
a packed model is the same everywhere; how far it is from the one that was packed, its card says.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError

Tensors = dict[str, npt.NDArray[np.generic]]
SEEN = "seen"
"""The counts that may be kept so."""
SHIFT = ".shift"
"""How the name of the shift of a packed array ends."""
MOST_SHIFT = 16
"""So that 16 bits, shifted, are 32."""
CODES_A_DOUBLING = 7
_STEPS = 2.0 ** (np.arange(255) / CODES_A_DOUBLING)
COUNTS = np.concatenate([[0], np.rint(_STEPS)]).astype(np.uint64)
"""What each of 256 codes counts: 0, 1, and up to 7e10, each a tenth more than the one before."""


def narrowed(counts: npt.NDArray[np.uint64]) -> npt.NDArray[np.generic]:
    """Counts in as few bits as they need, 32 or 64, to be kept so."""
    is_small = counts.max(initial=0) <= np.iinfo(np.uint32).max
    return counts.astype(np.uint32) if is_small else counts


def widened(tensor: npt.NDArray[np.generic], wanted: str) -> npt.NDArray[np.generic]:
    """An array that is kept in half as many bits as it is used in; any other as it is."""
    is_narrow = (str(tensor.dtype), wanted) in (("uint32", "uint64"), ("float16", "float32"))
    return tensor.astype(wanted) if is_narrow else tensor


def unpacked(tensors: Tensors, wanted: Mapping[str, str]) -> Tensors:
    """Arrays of these types, which may be kept in fewer bits; raises KatachiError for a shift that
    cannot be."""
    shifts = {name.removesuffix(SHIFT) for name in tensors if name.endswith(SHIFT)}
    found: Tensors = {}
    for name, tensor in tensors.items():
        if name in shifts and tensor.dtype == np.int16 and wanted.get(name) == "int32":
            found[name] = tensor.astype(np.int32) << _shift(tensors[name + SHIFT])
        elif name == SEEN and tensor.dtype == np.uint8 and wanted.get(name) == "uint64":
            found[name] = COUNTS[tensor.astype(np.intp)]
        elif not (name.endswith(SHIFT) and name.removesuffix(SHIFT) in wanted):
            found[name] = widened(tensor, wanted.get(name, ""))
    return found


def _shift(tensor: npt.NDArray[np.generic]) -> int:
    if tensor.dtype != np.uint8 or tensor.shape != (1,) or int(tensor[0]) > MOST_SHIFT:
        raise KatachiError(f"a packed array has no shift from 0 to {MOST_SHIFT}")
    return int(tensor[0])


def packed(tensors: Tensors) -> Tensors:
    """Arrays in as few bits as is said above, others as they are. Raises
    KatachiError for reals that half precision cannot hold."""
    found: Tensors = {}
    for name, tensor in tensors.items():
        if tensor.dtype == np.float32:
            found[name] = _half(name, tensor)
        elif tensor.dtype == np.int32:
            found[name], found[name + SHIFT] = _shifted(tensor)
        elif name == SEEN and tensor.dtype in (np.uint32, np.uint64):
            found[name] = _codes(tensor)
        else:
            found[name] = tensor
    return found


def _half(name: str, tensor: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    if not np.abs(tensor).max(initial=0) <= np.finfo(np.float16).max:
        raise KatachiError(f"{name} is too large for half precision")
    return tensor.astype(np.float16)


def _shifted(
    tensor: npt.NDArray[np.generic],
) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
    """(the upper 16 bits that are needed, rounded; how far they were shifted)."""
    values = tensor.astype(np.int64)
    shift = 0
    while np.abs(np.rint(values / 2**shift)).max(initial=0) > np.iinfo(np.int16).max:
        shift += 1
    return np.rint(values / 2**shift).astype(np.int16), np.array([shift], np.uint8)


def _codes(counts: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """The code of the nearest count; only 0 is 0."""
    values = counts.astype(np.float64)
    code = np.rint(CODES_A_DOUBLING * np.log2(np.maximum(values, 1))) + 1
    return np.where(values == 0, 0, np.minimum(code, 255)).astype(np.uint8)
