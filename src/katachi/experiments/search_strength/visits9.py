"""X-visits9: what more visits are worth, each number against the one before it, about a quarter.

Each move is searched from an empty tree. All games of a block are played at once, their leaves
judged together; on a GPU the blocks are shared out among processes.
"""

import os
from collections.abc import Iterator
from functools import cache, partial
from typing import Annotated, NamedTuple

import msgspec

from katachi.arena.openings import sample_opening
from katachi.arena.rating import FitSettings, PairScore, fit_ratings
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.territory import NetKind, Territory
from katachi.experiments import matches
from katachi.experiments.bounds import Amount, Count
from katachi.experiments.protocol import Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.search_strength.pairings import SCORE
from katachi.experiments.table_pictures import spot_of
from katachi.learning.selfplay_games import compute_on_card
from katachi.pictures.charts import Curves, draw_panels
from katachi.players.roster import make_judging
from katachi.search.tree_leaves import judge_of
from katachi.search.tree_limits import CPU, GPU, check_room
from katachi.search.tree_many import bytes_of
from katachi.search.tree_matches import MatchPlan, play_match
from katachi.workers import ProcessPool, Terms

ELO = Quantity("Elo", "above the fewest visits", 0)
NAME = "X-visits9"
Visits = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
"""Of a move."""
STEPS = (1, 6, 25, 100, 400, 1600, 6400)
PROCESSES_OF_GPU = 12
"""That share a GPU: each grows its trees on a core of its own while others use it."""


class VisitSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """Which numbers of visits play, and how."""

    net: str = "territory:selfplay9"
    """Who judges."""
    visits: Annotated[tuple[Visits, ...], msgspec.Meta(min_length=2)] = STEPS
    """Each plays the one before it, which is smaller."""
    games: Count = 200
    """Of each pair."""
    opening_moves: Amount = 2
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    leaves: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 32
    """Of a game that are judged together at most."""
    visits_a_leaf: Count = 50
    """Fewer leaves are where a search has fewer visits than so many for each: leaves found together
    know nothing of each other, and that should harm few visits no more than many."""
    block: Count = 40
    """Games played in one go."""

    @property
    def openings(self) -> int:
        """Of a block: from each there are two games."""
        return -(-self.block // 2)

    def plan(self, visits: tuple[int, int]) -> MatchPlan:
        """How games between these numbers of visits are played."""
        return MatchPlan(self.size, self.komi, visits, self.leaves, self.visits_a_leaf)

    @property
    def pairs(self) -> list[Key]:
        """The pairs that play."""
        steps = zip(self.visits[1:], self.visits, strict=False)
        return [{"visits": more, "against": fewer} for more, fewer in steps]


def play_block(settings: VisitSettings, task: Task, device: str) -> matches.Score:
    """The points of the greater number in a block of games."""
    evaluator = evaluator_on(device, settings.net)
    terms = settings.terms
    openings = [
        [move.point for move in sample_opening(terms, task.seed, number)]
        for number in range(settings.openings)
    ]
    plan = settings.plan((int(task.key["visits"]), int(task.key["against"])))
    judge = judge_of(evaluator, settings.komi, task.seed)
    games = play_match(plan, openings, judge)[: settings.block]
    points = sum(1.0 if game.lead > 0 else 0.5 if game.lead == 0 else 0.0 for game in games)
    return matches.Score(points, len(games))


@cache
def evaluator_on(device: str, name: str) -> Evaluator:
    """Who judges, computed there; raises KatachiError where that cannot be."""
    if device == CPU:
        return make_judging(name)
    net = net_on_gpu(device, name)
    compute_on_card(net, device)
    return net


def net_on_gpu(device: str, name: str) -> Territory:
    """The net of that name, one of its own, computed there; raises KatachiError for an evaluator
    that no GPU computes, and where there is none."""
    evaluator = make_judging(name)
    if not isinstance(evaluator, Territory) or evaluator.net is not NetKind.CONVOLUTION:
        raise KatachiError(f"{name} is no convolution, as a GPU computes it: use --device cpu")
    return evaluator.on(device)


def measure(settings: VisitSettings, task: Task) -> matches.Score:
    """The same on a processor."""
    return play_block(settings, task, CPU)


class _Worker(NamedTuple):
    """Plays blocks in a process of its own."""

    settings: VisitSettings
    device: str

    def work(self, task: Task) -> matches.Score:
        """What came of a block."""
        return play_block(self.settings, task, self.device)

    def close(self) -> None:
        """Nothing was started."""


def measure_together(
    settings: VisitSettings, tasks: list[Task], device: str = GPU
) -> Iterator[list[tuple[Task, matches.Score]]]:
    """What comes of all blocks by processes that share a GPU."""
    if device != CPU:  # What cannot be is said here, not by each process.
        net_on_gpu(device, settings.net)
    count = min(PROCESSES_OF_GPU, os.cpu_count() or 1, len(tasks))
    pool, left = ProcessPool(count), iter(tasks)
    terms: Terms[Task] = Terms(lambda task: f"{task.setting} run {task.run}")
    take = partial(next, left, None)
    for task, score in pool.work(take, partial(_Worker, settings, device), terms):
        yield [(task, score)]


def study_of(settings: VisitSettings, seed: int) -> Study[VisitSettings, matches.Score]:
    """The blocks of all pairs. How many games are asked for, and of whom, does not change those
    that were played."""
    kept = msgspec.structs.replace(settings, visits=(), games=1)
    blocks = -(-settings.games // settings.block)
    tasks = tasks_of(settings.pairs, blocks, cost_of, ("{visits} v {against} visits",))
    behaviour = matches.fingerprint_players([f"tree:{settings.net}"])
    return Study(NAME, kept, seed, tasks, measure, behaviour, measure_together)


def cost_of(key: Key) -> float:
    """About how long games take."""
    return float(key["visits"] + key["against"])


def elo_rows(rows: list[Row]) -> list[Row]:
    """A rating of every number of visits, that of the least being 0."""
    scores = []
    for row in rows:
        points = (row.ours or 0.0) / 100 * row.n
        more, fewer = (str(row.key[name]) for name in ("visits", "against"))
        scores.append(PairScore(more, fewer, points, 0, row.n - points))
    least = str(min(int(row.key["against"]) for row in rows))
    fit = fit_ratings(scores, FitSettings({least: 0.0}))
    return [
        Row(
            key={"visits": int(each.name)},
            quantity=ELO.name,
            ours=round(each.elo, 1),
            low=None if each.is_anchor else round(each.interval[0], 1),
            high=None if each.is_anchor else round(each.interval[1], 1),
            n=each.games,
        )
        for each in sorted(fit.ratings, key=lambda each: int(each.name))
    ]


def run(settings: VisitSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing and rates the numbers of visits; raises KatachiError where they do not
    rise, or their trees have no room."""
    if list(settings.visits) != sorted(set(settings.visits)):
        raise KatachiError(f"visits {settings.visits} do not rise: name the fewest first")
    games, most = 2 * settings.openings, max(settings.visits)
    room = bytes_of(settings.plan((most, most)).sizes(games))
    check_room(f"{games:,} games at once of {most:,} visits", room)
    make_judging(settings.net)
    found = runner.measure_all(study_of(settings, seed))
    rows = found.rows(lambda key, blocks: [matches.total_row(key, SCORE, blocks)])
    notes = [
        matches.terms_note(settings.terms),
        f"Both sides search by {settings.net}, each move from an empty tree; leaves judged at "
        f"once: {settings.leaves} at most, one for each {settings.visits_a_leaf} visits.",
        f"Elo by Bradley-Terry over all pairs; that of {min(settings.visits)} is 0. One visit is "
        "the likeliest move.",
    ]
    return Table(
        quantities=[SCORE, ELO],
        rows=[*rows, *elo_rows(rows)],
        labels=("{visits} v {against} visits", "{visits} visits"),
        notes=notes,
    )


def draw(table: Table, title: str) -> str:
    """Elo by visits, a step for each of their numbers."""
    rows = table.rows_of(ELO)
    spots = [spot_of(row, step) for step, row in enumerate(rows)]
    axis = ", ".join(str(row.key["visits"]) for row in rows)
    curve = Curves("Elo", ELO.unit, f"steps: {axis} visits", [spots])
    return draw_panels(title, "95 % intervals", [], [curve])


EXPERIMENT = Experiment(
    VisitSettings(),
    VisitSettings(net="alp", size=5, visits=(1, 2, 4), games=2, block=2),
    run,
    draw,
)
