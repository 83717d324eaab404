"""How long large work would take on 10, 100 and 1,000 nodes: a simulation fed with measured times.

    python benchmarks/cluster_cost.py [--json]

CPU times of the tasks and of what their driver does with each are measured here; the cost of a task
in Ray is that of `results/ray.jsonl`. Then each work is simulated task by task: nodes of 16 cores
that differ in speed, one in a hundred of them slow, and die now and then; each worker begins by
loading what it needs; the driver hands out tasks and takes results one after another, over a line
of 10 Gbit/s. The peer is the work divided by the cores; the name says what the time is mostly of.
"""

import heapq
import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt
from _report import Measurement, measured_versions, read_options, show

from katachi.arena.database import Database
from katachi.arena.ladder import Ladder
from katachi.arena.match import MatchSettings
from katachi.arena.roster import enter_players, read_roster
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished, GameTask, play_here
from katachi.evaluators.territory import Tables
from katachi.experiments.journal import Journal, Line
from katachi.experiments.s1_local_shape import set_study, set_study9, trials
from katachi.features.territory_inputs import InputSettings, exchanged_planes, plane_count
from katachi.learning.selfplay_games import GamesTask, NetWeights, join_games, play_part
from katachi.learning.selfplay_settings import INPUTS, SelfPlaySettings, game_plan
from katachi.learning.selfplay_training import make_fitter
from katachi.workers import Shared

if TYPE_CHECKING:
    from katachi.nets.search_fitting import SearchFitter

NODES = (10, 100, 1000)
CORES = 16
LINE = 1.25e9
"""Bytes a second into and out of the driver's machine."""
SPREAD, SLOW_SHARE, SLOWNESS = 0.1, 0.01, 4.0
"""Of the nodes' speeds: standard deviation of the logarithm, share of slow ones, how slow."""
HOURS_TO_DEATH = 500.0
"""Of a node, on average; the task under way is begun again."""
MEASURED_GAMES = 500
FIGURE_RUNS, LADDER_GAMES, SELF_PLAY_GAMES = 50, 10_000, 10**9
NEW_GAMES = 10**6
"""Games of a generation of self-play."""
TASK_COST = 1e-3
"""Seconds of the driver for a task, where `results/ray.jsonl` does not say."""

Seconds = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Work:
    """Independent tasks, and what each costs who asks for it."""

    name: str
    seconds: Seconds
    """Of each task on one core, in the order in which they are begun."""
    driver: float
    """Seconds of the driver for each."""
    start: float
    """Seconds until a process of a worker is ready."""
    sent: float = 0.0
    """Bytes that every node fetches."""
    returned: float = 0.0
    """Bytes that come back from each task."""
    serial: float = 0.0
    """Seconds of the driver when all tasks are done."""
    rounds: int = 1
    """How often all this is done."""


def simulate(work: Work, nodes: int, seed: int = 1) -> dict[str, float]:
    """Seconds of one round: the end of the last task, and the parts that might explain it."""
    random = np.random.default_rng(seed)
    slow = np.where(random.random(nodes) < SLOW_SHARE, SLOWNESS, 1.0)
    speeds = np.exp(random.normal(0, SPREAD, nodes)) * slow
    speeds = np.repeat(speeds * (1 / speeds).mean(), CORES)  # together they do as much as equals
    fetched = work.sent * nodes / LINE
    cost = work.driver + work.returned / LINE
    free = [(fetched + work.start * speed, float(speed)) for speed in speeds]
    heapq.heapify(free)
    driver, end = 0.0, 0.0
    deaths = random.random(len(work.seconds)) < work.seconds / (3600 * HOURS_TO_DEATH)
    for seconds, dies in zip(work.seconds, deaths, strict=True):
        ready, speed = heapq.heappop(free)
        driver = max(driver, ready) + cost
        done = driver + seconds * speed * (1.5 if dies else 1.0)
        end = max(end, done)
        heapq.heappush(free, (done, speed))
    return {
        "all": max(end, driver) + work.serial,
        "work": float(work.seconds.sum()) / (nodes * CORES),
        "the longest task": float(work.seconds.max()),
        "the driver": cost * len(work.seconds) + work.serial,
        "the store": fetched,
        "the start of processes": work.start,
    }


def judged(work: Work, nodes: int) -> Measurement:
    """The simulated time beside the work divided by the cores."""
    found = simulate(work, nodes)
    whole, ideal = (work.rounds * found.pop(name) / 60 for name in ("all", "work"))
    limits = {"work": ideal * 60 / work.rounds} | found
    limit = max(limits, key=lambda name: limits[name])
    name = f"{work.name}, {nodes:,} nodes: mostly {limit}"
    settings = {key: round(value, 3) for key, value in limits.items()}
    settings |= {"nodes": nodes, "cores": CORES, "tasks": len(work.seconds), "rounds": work.rounds}
    return Measurement(name, whole, ideal, ideal / whole, settings, "min")


def cpu_seconds(act: Callable[[], object]) -> float:
    """CPU time of this process and of those that it started and ended."""

    def now() -> float:
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        used = [resource.getrusage(kind) for kind in kinds]
        return sum(each.ru_utime + each.ru_stime for each in used)

    begin = now()
    act()
    return now() - begin


def task_cost() -> float:
    """Seconds of the driver for a task in Ray, as measured."""
    path = Path(__file__).parents[1] / "results" / "ray.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    costs = [each["ours"] for each in map(json.loads, lines) if "in the store" in each["name"]]
    return costs[-1] / 1e6 if costs else TASK_COST


def start_cost(code: str) -> float:
    """CPU seconds of a new process that runs code."""
    return cpu_seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))


def figure4() -> Work:
    """Figure 4 at 9x9: runs of each setting, the longest first."""
    whole = set_study9.Study9Settings()
    small = msgspec.structs.replace(
        whole, games=MEASURED_GAMES, test_every=MEASURED_GAMES, final_games=10
    )
    seconds = []
    for key in [*whole.keys(set_study.ALONE), *whole.keys(set_study.UP_TO)]:
        training = small.training(set_study.sets_of(key), 1)
        trials.learn(msgspec.structs.replace(small, games=1, test_every=1), training)  # compiles
        spent = cpu_seconds(partial(trials.learn, small, training))
        seconds += FIGURE_RUNS * [spent * whole.games / MEASURED_GAMES]
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal")
        line = Line("x", "x", "x", 1, 1.0, {}, msgspec.Raw(b"[" + b"1," * 2000 + b"1]"))
        begin = time.perf_counter()
        for _ in range(20):
            journal.add(line)
        kept = (time.perf_counter() - begin) / 20
    start = start_cost(
        "from katachi.learning.shape_training import ShapeTrainer, TrainingSettings\n"
        "ShapeTrainer(TrainingSettings(size=9)).learn(1)"
    )
    name = f"Figure 4 at 9x9, {len(seconds):,} runs"
    ordered = np.sort(np.array(seconds))[::-1]
    return Work(name, ordered, task_cost() + kept, start, returned=4000)


ROSTER = '[ladder]\nname = "x"\nsize = 9\nschedule = "all"\ngames = 45\n'


def ladder() -> Work:
    """A ladder of GNU Go and our players: games by their number of moves."""
    settings = MatchSettings("gnugo:0", "alp", 20, GameSettings(9))
    played: list[Finished] = []
    tasks = [settings.task(number) for number in range(settings.games)]
    spent = cpu_seconds(lambda: played.extend(play_here(tasks)))
    moves = np.array([len(each.outcome.record.moves) for each in played], float)
    seconds = (spent * moves / moves.sum())[
        np.random.default_rng(1).integers(len(moves), size=LADDER_GAMES)
    ]
    stored = _store_cost(played[0])
    start = start_cost("from katachi.players.roster import make_player; make_player('alp')")
    name = f"ladder at 9x9, {LADDER_GAMES:,} games"
    return Work(name, seconds, task_cost() + stored, start, returned=len(pickle.dumps(played[0])))


def _store_cost(game: Finished) -> float:
    """Seconds of the driver for each game of a ladder of ten players, played in no time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "roster.toml"
        names = [f'[[player]]\nname = "p{n}"\nspec = "random"\n' for n in range(10)]
        file.write_text(ROSTER + "".join(names))
        terms, entered, _ = enter_players(read_roster(file))
        with Database(Path(folder) / "ladder.db") as database:
            played = Ladder(terms, entered, database).play(lambda tasks: _instant(tasks, game))
            begin = time.process_time()
            count = sum(1 for _ in played)
            return (time.process_time() - begin) / count


def _instant(tasks: Iterator[GameTask], game: Finished) -> Iterator[Finished]:
    for task in tasks:
        yield Finished(task, game.outcome)


def self_play() -> Iterator[Work]:
    """Self-play at 9x9: a generation's games in parts, then the driver learns from them."""
    settings = SelfPlaySettings(size=9, komi=7.0, new_games=NEW_GAMES, parts=1024)
    fitter = make_fitter(settings, None, "cpu")
    net = NetWeights(InputSettings(INPUTS), fitter.mean_arrays(), Tables())
    task = GamesTask(Shared(net), game_plan(settings), 1, 1)
    play_part(task)
    games = 8
    begin = time.process_time()
    part = play_part(task._replace(total=games))
    a_game = (time.process_time() - begin) / games
    begin = time.process_time()
    join_games([part] * 50)
    joined = (time.process_time() - begin) / 50
    learned = settings.steps * _step_cost(fitter, settings)
    answer, weights = len(pickle.dumps(part)) / games, len(pickle.dumps(net))
    start = start_cost("import katachi.learning.selfplay_ladder")
    rounds = SELF_PLAY_GAMES // NEW_GAMES
    for parts in (1024, 16_384):
        share = NEW_GAMES / parts
        yield Work(
            f"self-play at 9x9, 10^9 games, parts of {share:,.0f}",
            np.full(parts, a_game * share),
            task_cost() + joined * share / games,
            start / rounds,  # processes stay from one generation to the next
            sent=weights,
            returned=answer * share,
            serial=learned,
            rounds=rounds,
        )


def _step_cost(fitter: "SearchFitter", settings: SelfPlaySettings) -> float:
    """Seconds of the driver for a batch to learn from."""
    from katachi.nets.search_fitting import Exchange, SearchedBoards

    inputs, random = InputSettings(INPUTS), np.random.default_rng(1)
    boards = (settings.batch, settings.size, settings.size)
    planes = random.random((boards[0], sum(plane_count(inputs)), *boards[1:])).astype(np.float16)
    cells = random.random(boards).astype(np.float32)
    outputs = np.ones(boards[0], np.int64)
    seen = SearchedBoards(planes, cells, cells, np.ones(boards, bool), outputs)
    fitter.show(seen, Exchange(*exchanged_planes(inputs)))
    fitter.fit(np.arange(boards[0]), settings.rate)
    begin = time.process_time()
    for _ in range(5):
        fitter.fit(np.arange(boards[0]), settings.rate)
    return (time.process_time() - begin) / 5


def works() -> Iterator[Work]:
    """All that is simulated."""
    yield figure4()
    yield ladder()
    yield from self_play()


def main() -> int:
    """Shows each work on each number of nodes."""
    read_options()
    versions = measured_versions("ray")
    for work in works():
        for nodes in NODES:
            show(judged(work, nodes), versions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
