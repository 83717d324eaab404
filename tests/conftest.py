"""What every test may ask for: the programs outside Python, and Hypothesis's settings."""

import os
import shutil
import time
from pathlib import Path

import hypothesis
import pytest

# Processes of tests share the cores: threads that wait for each other, busily, would take them all.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

# Kernels compile on first use, so no example has a deadline. CI tries the same examples each time.
hypothesis.settings.register_profile("local", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if IN_CI else "local")

pytest.register_assert_rewrite("tests.checks", "tests.oracle.games", "tests.rules.meaning")

PROGRAMS = ("gnugo", "node")


def find_gnugo() -> str | None:
    """The GNU Go on the path, or in the games folder that Debian leaves off root's path."""
    found = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    return str(Path(found).resolve()) if found else None


def require_gnugo() -> str:
    """GNU Go's path. Without it the test is skipped, and in CI it fails."""
    found = find_gnugo()
    if found is None:
        message = "needs GNU Go, which is not installed (apt-get install gnugo)"
        if IN_CI:
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return found


def require_node() -> str:
    """Node's path. Without it the test is skipped."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("needs Node.js, which is not installed (apt-get install nodejs)")
    return found


@pytest.fixture(scope="session")
def gnugo() -> str:
    """GNU Go's path."""
    return require_gnugo()


@pytest.fixture
def own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks go while this process works: how long a busy machine lets it wait is no player's
    doing."""
    monkeypatch.setattr(time, "perf_counter", time.process_time)


@pytest.fixture(scope="session")
def node() -> str:
    """Node's path."""
    return require_node()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what uses one of the programs with its name, so that `-m "not gnugo"` holds."""
    for program in PROGRAMS:
        if program in getattr(item, "fixturenames", ()):
            item.add_marker(program)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hold a test that is marked, but uses no fixture, to the same rule."""
    if item.get_closest_marker("gnugo"):
        require_gnugo()
    if item.get_closest_marker("node"):
        require_node()
