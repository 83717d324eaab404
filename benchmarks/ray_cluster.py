"""The same tasks on a Ray cluster of several nodes: equal results, faults and scaling.

    python benchmarks/ray_cluster.py [--part faults|scaling|overhead] [--json]

The nodes are raylets of this machine with resources of their own, a core each. `faults`: an
experiment, a ladder with GNU Go and a set of its games, by two processes and by three nodes, of
which a process is killed after a quarter of the tasks and a whole node after half of them; another
joins then. It ends with an error unless what comes of both is the same. `scaling`: tasks of equal
work on one worker and on two, which needs two idle cores. `overhead`: what a task that does nothing
costs who asks for it, and what a net in the store costs beside one that travels with its task.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from _report import Measurement, measured_versions, show

from katachi.arena.database import Database
from katachi.arena.ladder import Ladder
from katachi.arena.roster import enter_players, read_roster
from katachi.arena.self_play import SelfPlaySet, SelfPlaySettings, line_of
from katachi.arena.settings import GameSettings
from katachi.arena.workers import play_tasks
from katachi.experiments.catalogue import load_experiment
from katachi.experiments.runner import Progress, Runner
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from katachi.players.names import find_program
from katachi.ray_pool import RayPool
from katachi.workers import Pool, ProcessPool, Shared, Terms

NODES = 3
ATTEMPTS = 5
STORE = 80_000_000
"""Bytes of memory for the store of a node."""
ENGINE = "gnugo --mode gtp --level 0 --chinese-rules --seed {seed}"
ROSTER = """
[ladder]
name = "small"
size = 5
opening_moves = 2
schedule = "all"
games = GAMES
"""
PLAYERS = ("gnugo:0", "alp", "random")
LADDER_GAMES, SET_GAMES = 500, 1000

Results = dict[Any, Any]
Job = Callable[[Pool, Path, Callable[[], None]], Results]
"""Does its tasks by a pool in a folder, and calls after each."""


class Nodes:
    """A cluster of this machine whose processes and nodes can be killed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster  # pyright: ignore[reportMissingImports]

        self._cluster = Cluster()
        self._add(num_cpus=0, include_dashboard=False)
        self._nodes = [self._add() for _ in range(NODES)]
        RayPool(address=self._cluster.address)  # whose messages do not come between ours
        self.killed: list[str] = []

    def _add(self, *, num_cpus: int = 1, **others: Any) -> Any:
        """A new node; on a busy machine it may take more than one attempt."""
        for _ in range(ATTEMPTS):
            try:
                return self._cluster.add_node(
                    num_cpus=num_cpus, object_store_memory=STORE, **others
                )
            except Exception as error:  # Ray has no class of its own for this
                sys.stderr.write(f"a node did not start: {error}\n")
        sys.exit("no node can be started")

    def kill_worker(self) -> None:
        """Kills a process that has a task."""
        busy = [pid for node in self._nodes for pid in _children(_raylet(node)) if _is_busy(pid)]
        if busy:
            os.kill(busy[0], signal.SIGKILL)
            self.killed.append("worker")

    def kill_node(self) -> None:
        """Kills a node with all its processes; a new one joins."""
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)
        self.killed.append("node")
        self._nodes.append(self._add())

    def end(self) -> None:
        """Ends all processes."""
        import ray  # pyright: ignore[reportMissingImports]

        ray.shutdown()
        self._cluster.shutdown()


def _raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text().split()]


def _is_busy(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::_work")
    except OSError:
        return False


def sabotage(nodes: Nodes, total: int) -> Callable[[], None]:
    """What is called after each of so many tasks: at two of them something dies."""
    deeds = {max(1, total // 4): nodes.kill_worker, max(2, total // 2): nodes.kill_node}
    done = 0

    def after_each() -> None:
        nonlocal done
        done += 1
        deeds.get(done, lambda: None)()

    return after_each


def experiment_job(pool: Pool, folder: Path, after_each: Callable[[], None]) -> Results:
    """S1-F4, quick: the rows of its table."""
    experiment = load_experiment("S1-F4")

    def observe(progress: Progress) -> None:
        if progress.task is not None:
            after_each()

    table = experiment.run(experiment.quick, 1, Runner(folder, pool, observe=observe))
    # How long the runs took is another matter.
    return {
        (repr(row.key), row.quantity): row for row in table.rows if "second" not in row.quantity
    }


def ladder_job(pool: Pool, folder: Path, after_each: Callable[[], None]) -> Results:
    """A ladder with GNU Go: the record of each game."""
    file = folder / "roster.toml"
    games = str(LADDER_GAMES // 3 + 1)
    players = [f'[[player]]\nname = "{each}"\nspec = "{each}"\n' for each in PLAYERS]
    file.write_text(ROSTER.replace("GAMES", games) + "".join(players))
    terms, contestants, _ = enter_players(read_roster(file))
    found: Results = {}
    with Database(folder / "ladder.db") as database:
        ladder = Ladder(terms, contestants, database)
        for task, outcome in ladder.play(lambda tasks: play_tasks(tasks, pool)):
            found[task.names, task.number] = line_of(outcome.record)
            after_each()
    return found


def set_job(pool: Pool, folder: Path, after_each: Callable[[], None]) -> Results:
    """A set of GNU Go's games: the whole file."""
    game = GameSettings(5, opening_moves=2)
    with SelfPlaySet(folder / "set.sgf.gz", SelfPlaySettings(ENGINE, SET_GAMES, game)) as games:
        for _ in games.play(pool):
            after_each()
        return {"file": games.finish().read_bytes()}


JOBS: dict[str, tuple[Job, int, str]] = {
    "S1-F4 quick": (experiment_job, 24, "runs/s"),
    "ladder with GNU Go 5x5": (ladder_job, 3 * (LADDER_GAMES // 3 + 1), "games/s"),
    "games of GNU Go 5x5": (set_job, SET_GAMES, "games/s"),
}


def faults(versions: dict[str, str]) -> None:
    """Each job by two processes, and by nodes that die."""
    jobs = {
        name: job for name, job in JOBS.items() if "GNU Go" not in name or find_program("gnugo")
    }
    # First what needs no cluster: processes are copies of this one, which then has no threads.
    alone = {name: timed(job, ProcessPool(2)) for name, (job, _, _) in jobs.items()}
    nodes = Nodes()
    try:
        for name, (_, total, unit) in jobs.items():
            found, seconds = _with_faults(nodes, name)
            if found != alone[name][0]:
                sys.exit(f"{name}: not the same as by processes")
            settings = {"tasks": total, "nodes": NODES, "killed": nodes.killed, "results": "equal"}
            label = f"{name}, {total:,} tasks; a process and a node killed, results equal"
            ours, peer = total / seconds, total / alone[name][1]
            show(Measurement(label, ours, peer, ours / peer, settings, unit), versions)
    finally:
        nodes.end()


def _with_faults(nodes: Nodes, name: str) -> tuple[Results, float]:
    job, total, _ = JOBS[name]
    nodes.killed.clear()
    answer = timed(job, RayPool(), sabotage(nodes, total))
    if nodes.killed != ["worker", "node"]:
        sys.exit(f"{name}: killed only {nodes.killed}")
    return answer


def timed(
    job: Job, pool: Pool, after_each: Callable[[], None] = lambda: None
) -> tuple[Results, float]:
    """(what came of a job in a folder of its own, its seconds)."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        found = job(pool, Path(folder), after_each)
        return found, time.perf_counter() - begin


class Learning:
    """Lets agents learn from so many games: work that is the same each time."""

    def work(self, games: int) -> int:
        """How many games there were."""
        trainer = ShapeTrainer(TrainingSettings(size=5, sets="1x1:LI,2x2:LI"))
        trainer.learn(games)
        return games

    def close(self) -> None:
        """Nothing was started."""


class Nothing:
    """Does nothing with a task that carries data."""

    def work(self, task: tuple[int, Shared[Any]]) -> int:
        """How much data there is."""
        return len(task[1].get())

    def close(self) -> None:
        """Nothing was started."""


@contextmanager
def local_ray(count: int) -> Iterator[RayPool]:
    """Ray on so many cores of this machine."""
    import ray  # pyright: ignore[reportMissingImports]

    yield RayPool(count)
    ray.shutdown()


def run_all(pool: Pool, worker: type, tasks: Iterable[Any]) -> float:
    """Seconds that all tasks take."""
    waiting = iter(tasks)
    begin = time.perf_counter()
    for _ in pool.work(lambda: next(waiting, None), worker, Terms(str)):
        pass
    return time.perf_counter() - begin


GAMES_A_TASK, TASKS, ROUNDS = 100_000, 24, 5


def scaling(versions: dict[str, str]) -> None:
    """Two workers beside one, the better of processes and of Ray apart."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for count, found in rates.items():
            with local_ray(count) as pool:
                run_all(pool, Learning, [GAMES_A_TASK] * count)  # processes begin, kernels load
                found.append(TASKS / run_all(pool, Learning, [GAMES_A_TASK] * TASKS))
    one, two = (float(np.median(found)) for found in rates.values())
    ratios = [high / low for low, high in zip(*rates.values(), strict=True)]
    settings: dict[str, float] = {"tasks": TASKS, "games a task": GAMES_A_TASK, "rounds": ROUNDS}
    settings["efficiency"] = round(two / one / 2, 3)
    ends = (min(ratios), max(ratios))
    name = "learning tasks on Ray, 2 workers against 1"
    show(Measurement(name, two, one, two / one, settings, "tasks/s", ends), versions)


def overhead(versions: dict[str, str]) -> None:
    """What a task costs its driver: CPU time, and with data of a net's size."""
    data = np.zeros(250_000, np.float32)
    with local_ray(2) as pool:
        stored, count = pool.share(data), 400
        for name, shared in (("in the store", stored), ("with its task", Shared(data))):
            run_all(pool, Nothing, [(0, shared)] * 8)
            begin = time.process_time()
            run_all(pool, Nothing, [(0, shared)] * count)
            cost = (time.process_time() - begin) / count
            label = f"CPU time of the driver for a task, a net of 1 MB {name}"
            settings = {"tasks": count, "bytes": data.nbytes}
            show(Measurement(label, 1e6 * cost, None, None, settings, "us"), versions)


PARTS = {"faults": faults, "scaling": scaling, "overhead": overhead}


def main() -> int:
    """Measures the parts that were asked for, or all."""
    parser = argparse.ArgumentParser(description="The same tasks on a Ray cluster.")
    parser.add_argument("--part", choices=PARTS, help="one part instead of all")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    asked = parser.parse_args().part
    try:
        import ray  # noqa: F401 # pyright: ignore[reportMissingImports]
    except ImportError:
        sys.stderr.write("needs Ray: pip install 'katachi[ray]'\n")
        return 0
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    versions = measured_versions("ray")
    for name, part in PARTS.items():
        if asked in (None, name):
            part(versions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
