"""Arrays in fewer bits: what comes back is near, and the same for everybody."""

from typing import Any

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.files.packing import COUNTS, SHIFT, packed, unpacked

FORMS = {"net": "float32", "weights": "int32", "seen": "uint64", "table": "int8"}
RANDOM = np.random.default_rng(1)
TENSORS: dict[str, Any] = {
    "net": RANDOM.normal(size=50).astype(np.float32),
    "weights": RANDOM.integers(-(2**25), 2**25, 50).astype(np.int32),
    "seen": np.array([0, 1, 2, 3, 1000, 10**10], np.uint64),
    "table": np.arange(-5, 5, dtype=np.int8),
}


def test_what_is_packed_takes_half_or_less_and_comes_back_near() -> None:
    kept = packed(TENSORS)
    assert all(2 * kept[name].nbytes <= TENSORS[name].nbytes for name in ("net", "weights", "seen"))
    found: dict[str, Any] = dict(unpacked(kept, FORMS))
    assert found.keys() == TENSORS.keys()
    assert {name: str(each.dtype) for name, each in found.items()} == FORMS
    np.testing.assert_allclose(found["net"], TENSORS["net"], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(found["weights"], TENSORS["weights"], atol=2**10)
    np.testing.assert_allclose(found["seen"], TENSORS["seen"], rtol=0.06)
    np.testing.assert_array_equal(found["table"], TENSORS["table"])


def test_packing_what_was_packed_changes_nothing_more() -> None:
    once = unpacked(packed(TENSORS), FORMS)
    twice = unpacked(packed(once), FORMS)
    for name, each in once.items():
        np.testing.assert_array_equal(twice[name], each)


def test_counts_are_never_lost_and_never_made_up() -> None:
    assert COUNTS[:2].tolist() == [0, 1]
    assert (np.diff(COUNTS.astype(np.float64)) >= 0).all()
    assert COUNTS[-1] > 10**10


@pytest.mark.parametrize("shift", [np.array([17], np.uint8), np.array([1, 1], np.uint8)])
def test_a_shift_that_cannot_be_is_refused(shift: np.ndarray) -> None:
    with pytest.raises(KatachiError, match="has no shift from 0 to 16"):
        unpacked({"weights": np.zeros(3, np.int16), "weights" + SHIFT: shift}, FORMS)


def test_numbers_too_large_for_half_precision_are_refused() -> None:
    with pytest.raises(KatachiError, match="net is too large"):
        packed({"net": np.array([1e9], np.float32)})
