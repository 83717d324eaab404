"""How many cores NumPy's matrix products take, by which nets are computed."""

import os
from collections.abc import Mapping

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Of the environment, by which a user says it."""
OURS = "KATACHI_ONE_CORE"
"""A variable that says that the first of them is ours."""


def use_one_core() -> None:
    """Lets the products take one core, unless the user says otherwise: they are small, and on a
    busy machine threads that wait for each other made them many times as slow. Whatever plays on
    several cores has a thread or process for each. Nothing may have imported NumPy before."""
    if not any(name in os.environ for name in VARIABLES):
        os.environ |= {VARIABLES[0]: "1", OURS: "1"}


def as_the_user_had_it(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without what `use_one_core` added, for programs of others."""
    ours = {OURS, VARIABLES[0]} if OURS in environment else set()
    return {name: value for name, value in environment.items() if name not in ours}
