"""X-selfplay5: a net learns from its own searches, from nothing past GNU Go's lowest level.

One run of `katachi train selfplay` with its defaults, kept beside the journal: stopped, it goes on
where it was. At its end a longer match says more surely how strong it is.
"""

import msgspec

from katachi.arena.rating import Rating
from katachi.experiments import matches
from katachi.experiments.bounds import Count
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, seed_of, tasks_of
from katachi.experiments.table_pictures import spot_of
from katachi.learning.generation_ratings import rate_generations
from katachi.learning.run import Place
from katachi.learning.run_folder import RunFolder
from katachi.learning.run_view import RunView
from katachi.learning.selfplay_ladder import default_opponent
from katachi.learning.selfplay_run import SelfPlayConfig, SelfPlayRun
from katachi.learning.selfplay_settings import (
    SelfPlayMeasurement,
    SelfPlayPlan,
    SelfPlaySettings,
    match_terms,
)
from katachi.pictures.charts import Curves, Line, draw_panels
from katachi.statistics import Estimate
from katachi.workers import is_in_pool

TREE = Quantity("small tree search", "% of points", 1)
NET = Quantity("the net alone", "% of points", 1)
PREVIOUS = Quantity("tree v the generation before", "% of points", 1)
ELO = Quantity("rating of the tree", "Elo above the opponent", 0)
GAMES = Quantity("games played")
SECONDS = Quantity("playing and learning", "s")
QUANTITIES = [TREE, NET, PREVIOUS, ELO, GAMES, SECONDS]
LABELS = ("generation {generation}", "at the end, {games} games")
COURSE, AT_END = "the run", "at the end"
EVEN = 50.0


class SelfPlayStudy(Settings, frozen=True, kw_only=True):
    """How the net plays and learns, and how it is tested."""

    play: SelfPlaySettings = SelfPlaySettings()
    """As the command has it; the seed is the study's."""
    test: SelfPlayPlan = SelfPlayPlan()
    """The same for the tests of each generation."""
    processes: Count = 2
    """That play; they change no result."""
    last_games: Count = 200
    """Of each match at the end."""


QUICK = SelfPlayStudy(
    play=SelfPlaySettings(
        size=3, width=4, depth=2, generations=2, new_games=4, visits=6, quick_visits=2, steps=2
    ),
    test=SelfPlayPlan(opponent="alp", match_games=2, match_visits=2, opening_moves=2),
    processes=1,
    last_games=2,
)


class Course(msgspec.Struct, frozen=True):
    """What came of the run."""

    tests: tuple[SelfPlayMeasurement, ...]
    seconds: tuple[float, ...]
    """Spent on playing and learning up to each test."""
    last: tuple[float, float]
    """Rates of the tree and of the net alone, in the matches at the end."""

    @property
    def opponent(self) -> str:
        """Who they were tested against."""
        return self.tests[-1].opponent


def measure(settings: SelfPlayStudy, task: Task) -> Course:
    """The run, from its beginning or from where it was, and the matches at its end."""
    play = msgspec.structs.replace(settings.play, seed=task.study_seed)
    config = SelfPlayConfig(play, settings.test)
    asked = seed_of(task.behaviour, msgspec.json.encode(config))
    folder = task.folder / f"X-selfplay5-{asked:x}"
    # A process of a study can start none of its own.
    place = Place(workers=1 if is_in_pool() else settings.processes)
    if RunFolder(folder).exists:
        run = SelfPlayRun.resume(folder, place)
    else:
        run = SelfPlayRun.begin(folder, config, place)
    try:
        for _ in run.run():
            pass
        run.finish()
        last = run.learner.match(settings.last_games, ("tree", "net"))
    finally:
        run.close()
    seconds = tuple(float(row["seconds"] or 0.0) for row in RunView(folder).rows)
    return Course(tuple(run.metrics), seconds, (last["win_rate_tree"], last["win_rate_net"]))


def rows_of(settings: SelfPlayStudy, course: Course) -> list[Row]:
    """A row for each test and quantity."""

    def rounded(rating: Rating) -> Estimate:
        return Estimate(*(round(each, 1) for each in (rating.elo, *rating.interval)))

    rows = []
    ratings = rate_generations(course.tests)
    for test, seconds, rating in zip(course.tests, course.seconds, ratings, strict=True):
        key, games = {"generation": test.generations}, test.match_games
        rows += [
            TREE.share(key, test.win_rate_tree * games, games),
            NET.share(key, test.win_rate_net * games, games),
            PREVIOUS.share(key, test.win_rate_previous * games, games),
            *([] if rating is None else [ELO.estimate(key, rounded(rating), rating.games)]),
            GAMES.row(key, test.games_played),
            SECONDS.row(key, round(seconds, 1)),
        ]
    key, games = {"games": settings.last_games}, settings.last_games
    for quantity, rate in zip((TREE, NET), course.last, strict=True):
        rows.append(quantity.score(key, round(rate * games, 1), games))
    return rows


def run(settings: SelfPlayStudy, seed: int, runner: Runner) -> Table:
    """Learns, or goes on, and tells what each generation was."""
    if not settings.test.opponent and default_opponent() != "gnugo:0":
        runner.tell(f"{matches.GNUGO_MISSING}: {default_opponent()} takes its place")
    tasks = tasks_of([{"part": COURSE}])
    study = Study("X-selfplay5", settings, seed, tasks, measure, "1")
    course = runner.measure_all(study).one(part=COURSE)
    rows = rows_of(settings, course)
    play = settings.play
    weights = f"a net of {play.depth} layers of {play.width} planes"
    notes = [
        f"From random weights, {weights}; {play.new_games} games a generation, "
        f"{play.visits} visits of a move that is learned from; tested against {course.opponent}, "
        f"{settings.test.match_visits} visits a move. Tests take time beside playing and learning.",
        "Ratings are a Bradley-Terry fit to all tests, the opponent being 0.",
        matches.terms_note(match_terms(play, settings.test)),
    ]
    return Table(quantities=QUANTITIES, rows=rows, labels=LABELS, notes=notes)


def judge(table: Table) -> list[Claim]:
    """Whether it is past the opponent that the notes name, by the match at the end."""
    last = next(row for row in table.rows_of(TREE) if "games" in row.key)
    words = "from nothing past GNU Go's lowest level", f"{last.ours:.1f} % of the points"
    return [judge_above(words, number_of(last, 1, " %"), EVEN)]


def draw(table: Table, title: str) -> str:
    """The rates of wins by generation."""
    shown = (TREE, NET, PREVIOUS)
    curves = [
        [
            spot_of(row, float(row.key["generation"]))
            for row in table.rows_of(quantity)
            if "generation" in row.key
        ]
        for quantity in shown
    ]
    panels = [Curves("games won", "%", "generations", curves, 100.0, (Line(EVEN, "equal"),))]
    if ratings := [spot_of(row, float(row.key["generation"])) for row in table.rows_of(ELO)]:
        panels.append(Curves("rating of the tree", ELO.unit, "generations", [ratings]))
    return draw_panels(title, "95 % intervals", [each.name for each in shown], panels)


EXPERIMENT = Experiment(SelfPlayStudy(), QUICK, run, draw, judge)
