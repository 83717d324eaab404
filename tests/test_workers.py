"""Tasks come to the same whoever does them, and whatever dies under them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli import main
from katachi.ray_pool import RayPool
from katachi.workers import (
    MOST_WORKERS,
    Pool,
    ProcessPool,
    Shared,
    Terms,
    call_in_copy,
    is_in_pool,
    pool_of,
)


class Task(NamedTuple):
    """A number to be squared, and what happens meanwhile."""

    number: int
    marks: Path | None = None
    """A folder in which each attempt leaves a mark."""
    deaths: int = 0
    """Attempts under which the process dies."""
    factor: Shared[int] = Shared(1)
    seconds: float = 0.0
    fails: bool = False
    waits_for: int = 0
    """Marks that must be there before it ends."""


class Squares:
    """Squares numbers."""

    def work(self, task: Task) -> int:
        if task.marks is not None:
            mark = task.marks / f"{task.number}-{time.monotonic_ns()}"
            mark.touch()
            if len(list(task.marks.glob(f"{task.number}-*"))) <= task.deaths:
                os.kill(os.getpid(), signal.SIGKILL)
        while task.marks and len(list(task.marks.iterdir())) < task.waits_for:
            time.sleep(0.01)
        time.sleep(task.seconds)
        if task.fails:
            raise KatachiError(f"{task.number} has no square")
        return task.factor.get() * task.number**2

    def close(self) -> None:
        """Nothing was started."""


class Asked:
    """Says whether it is a worker of a pool."""

    def work(self, task: int) -> bool:
        return is_in_pool()

    def close(self) -> None:
        """Nothing was started."""


TERMS: Terms[Task] = Terms(lambda task: f"number {task.number}")


def taking(tasks: list[Task]) -> Callable[[], Task | None]:
    return partial(next, iter(tasks), None)


@pytest.fixture(scope="module")
def ray_pool() -> Iterator[Pool]:
    """Ray on two cores of this machine."""
    ray = pytest.importorskip("ray")
    yield RayPool(2)
    ray.shutdown()


RAY = pytest.param("ray", marks=[pytest.mark.slow, pytest.mark.filterwarnings("ignore")])


@pytest.fixture(params=["one process", "two processes", RAY])
def pool(request: pytest.FixtureRequest) -> Pool:
    """Whoever does tasks."""
    if request.param == "ray":
        found: Pool = request.getfixturevalue("ray_pool")
        return found
    return ProcessPool(1 if request.param == "one process" else 2)


@pytest.fixture(params=["two processes", RAY])
def dying_pool(request: pytest.FixtureRequest) -> Pool:
    """Whoever does tasks in processes of their own."""
    if request.param == "ray":
        found: Pool = request.getfixturevalue("ray_pool")
        return found
    return ProcessPool(2)


def test_every_task_is_done_once(pool: Pool) -> None:
    shared = pool.share(3)
    tasks = [Task(number, factor=shared) for number in range(7)]
    found = list(pool.work(taking(tasks), Squares, TERMS))
    assert sorted((task.number, square) for task, square in found) == [
        (number, 3 * number**2) for number in range(7)
    ]


def test_tasks_may_depend_on_earlier_results(pool: Pool) -> None:
    waiting, results = [Task(3)], []
    for _, square in pool.work(lambda: waiting.pop() if waiting else None, Squares, TERMS):
        results.append(square)
        if square < 1000:
            waiting.append(Task(square))
    assert results == [9, 81, 6561]


def test_a_slow_task_holds_back_nobody(dying_pool: Pool, tmp_path: Path) -> None:
    slow = Task(0, tmp_path, waits_for=20)
    tasks = [slow, *(Task(number, tmp_path) for number in range(1, 20))]
    found = [task.number for task, _ in dying_pool.work(taking(tasks), Squares, TERMS)]
    assert 0 in found[-2:]  # it and the one that it waited for end together
    assert sorted(found) == list(range(20))


def test_a_task_that_cannot_be_done_ends_the_work_with_its_line(pool: Pool) -> None:
    tasks = [Task(number, fails=number == 2) for number in range(5)]
    with pytest.raises(KatachiError, match="2 has no square"):
        list(pool.work(taking(tasks), Squares, TERMS))


def test_when_the_time_is_up_nothing_is_waited_for(dying_pool: Pool) -> None:
    begin = time.monotonic()
    terms: Terms[Task] = Terms(TERMS.name, time_left=lambda: 0.1)
    assert list(dying_pool.work(taking([Task(1, seconds=300)]), Squares, terms)) == []
    assert time.monotonic() - begin < 200


def test_a_task_whose_process_died_is_begun_again(dying_pool: Pool, tmp_path: Path) -> None:
    tasks = [Task(4, tmp_path, deaths=1), Task(5)]
    terms: Terms[Task] = Terms(TERMS.name, attempts=2)
    found = list(dying_pool.work(taking(tasks), Squares, terms))
    assert sorted(square for _, square in found) == [16, 25]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_task_whose_process_dies_each_time_is_named(
    dying_pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.ray_pool.ATTEMPTS", 2)
    with pytest.raises(KatachiError, match="number 4"):
        list(dying_pool.work(taking([Task(4, tmp_path, deaths=99)]), Squares, TERMS))


def test_closed_early_it_leaves_the_rest_undone(pool: Pool, tmp_path: Path) -> None:
    tasks = [Task(number, tmp_path) for number in range(50)]
    with closing(pool.work(taking(tasks), Squares, TERMS)) as going:
        next(going)
    assert len(list(tmp_path.iterdir())) < 50


def test_a_worker_knows_that_it_is_in_a_pool(dying_pool: Pool) -> None:
    numbers = iter([1])
    terms: Terms[int] = Terms(str)
    assert [told for _, told in dying_pool.work(lambda: next(numbers, None), Asked, terms)] == [
        True
    ]
    assert not is_in_pool()


def test_a_number_stands_for_so_many_processes() -> None:
    assert pool_of(3).count == 3
    with pytest.raises(KatachiError, match="0 workers: use 1 or more"):
        pool_of(0)
    with pytest.raises(KatachiError, match="use at most 1024"):
        ProcessPool(MOST_WORKERS + 1)


def test_without_ray_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    out = tmp_path / "match"
    command = ["katachi", "match", "alp", "random", "--on", "ray", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit):
        main()
    line = "katachi: a cluster needs Ray: pip install 'katachi[ray]'"
    assert capsys.readouterr().err.splitlines() == [line]
    assert not out.exists()


def test_an_address_is_of_a_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["katachi", "match", "alp", "random", "--address", "a:1"])
    with pytest.raises(SystemExit):
        main()
    line = "katachi: --address a:1 is of a Ray cluster: add --on ray"
    assert capsys.readouterr().err.splitlines() == [line]


def _fail() -> int:
    raise KatachiError("no square")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_copy_of_this_process_leaves_what_it_made_and_nothing_else() -> None:
    assert call_in_copy(os.getpid) != os.getpid()
    with pytest.raises(KatachiError, match="no square"):
        call_in_copy(_fail)
    with pytest.raises(KatachiError, match="died"):
        call_in_copy(partial(os._exit, 1))


@pytest.mark.slow
def test_a_cluster_of_this_machine_leaves_no_token_in_the_users_folder(tmp_path: Path) -> None:
    """Ray would ask for it later, on clusters whose other machines have none."""
    pytest.importorskip("ray")
    code = "from katachi.ray_pool import RayPool; RayPool(1)"
    variables = {name: value for name, value in os.environ.items() if "RAY_AUTH" not in name}
    command = [sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, env=variables | {"HOME": str(tmp_path)}, check=True, timeout=120)
    assert not (tmp_path / ".ray").exists()
