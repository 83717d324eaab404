"""What tests on a CUDA GPU have in common, or in the simulator (`make test-cudasim`)."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest


def needs_card() -> ModuleType:
    """The launcher of shape learning; skips the test where there is neither GPU nor simulator."""
    module: ModuleType = pytest.importorskip("katachi.batch.shape_cuda", exc_type=ImportError)
    if not module.cuda.is_available():
        pytest.skip("needs a CUDA GPU, or NUMBA_ENABLE_CUDASIM=1")
    return module


@contextmanager
def quick_switches() -> Iterator[None]:
    """Lets the simulator's threads take turns at once."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
