"""The run modes that look for bad indices and overflow really are on when they are asked for."""

import os
import subprocess
import sys

import numpy as np
import pytest

from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.legality import list_legal_moves

CHECKED = any(os.environ.get(name) == "1" for name in ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"))
SHOW_CACHE = "from katachi._jit import cache_folder; print(cache_folder())"


@pytest.mark.kernel
@pytest.mark.skipif(not CHECKED, reason="needs NUMBA_BOUNDSCHECK=1 or NUMBA_DISABLE_JIT=1")
def test_an_index_out_of_bounds_is_an_error() -> None:
    room = np.zeros(8, np.uint16)
    with pytest.raises(IndexError):
        list_legal_moves(Game(3).state, BLACK, 1, False, room)


def folder_with(**settings: str) -> str:
    names = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT")
    environment = {k: v for k, v in os.environ.items() if k not in names} | settings
    command = [sys.executable, "-c", SHOW_CACHE]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_checked_kernels_are_kept_apart_from_the_others() -> None:
    assert folder_with(NUMBA_BOUNDSCHECK="1") != folder_with()
