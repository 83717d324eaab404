"""Every kernel is compiled for one kind of arguments, whatever is done with it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from katachi.features.shape_sets import parse_sets
from katachi.features.shape_tables import shape_tables
from katachi.td.shape_memory import new_game

TEMPLATES = ("1x1", "2x1", "2x2", "3x2", "3x3", "4x3", "4x4", "5x4", "5x5")
SETS = (
    *(f"{template}:{where}" for template in TEMPLATES for where in ("LI", "LD")),
    "1x1:LI:liberty",
    "2x2:LD:liberty",
    "3x3:LI:liberty",
    "1x1-3x3:LI+LD",
    "1x1-2x2:LI,4x4:LI,1x1:LI:liberty",
)
"""Of all kinds: exact, hashed, liberty and mixed ones."""


def type_of(value: object) -> object:
    """What the compiler sees."""
    typeof: Callable[[object], object] = numba.typeof
    return typeof(value)


def smallest_size(sets: str) -> int:
    """The board on which a set has a single window."""
    return max(2, *(each.template.length for each in parse_sets(sets)))


def test_memory_of_shapes_has_one_type_for_every_set_and_size() -> None:
    types = set()
    for sets in SETS:
        for size in {smallest_size(sets), 5, 7}:
            tables = shape_tables(parse_sets(sets), size, 64)
            types |= {(type_of(tables), type_of(new_game(tables, size, 4)))}
    assert len(types) == 1


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without JIT"
)
def test_no_use_compiles_a_kernel_again_or_after_the_warm_up() -> None:
    command = [sys.executable, "-m", "tests.kernel_uses"]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if line.split()[0] in ("twice", "late")] == []
