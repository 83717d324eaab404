"""S1-grow: what is learned on a small board carried to larger ones (section 7), and for comparison
the largest board from nothing.

The board grows at the paper's goal, or after a fixed number of games at each size. The second tells
what carrying over is worth, however hard the goal is on a small board.
"""

from functools import partial

import msgspec

from katachi.experiments.bounds import BoardSize, Count, Share
from katachi.experiments.claims import gap, judge_above, leave_open
from katachi.experiments.curves import with_curves
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import bar_of
from katachi.learning.curriculum import Curriculum, Stage
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from katachi.pictures.charts import Panel, draw_panels
from katachi.statistics import T_INTERVAL, is_above

LABELS = ("{way}, {size}x{size}",)
ALL, END = "all sizes", "at the end"
GROWN, FIXED, DIRECT = "grown", "grown at a fixed budget", "from nothing"
WAYS = (GROWN, FIXED, DIRECT)
GAMES = Quantity("games until both reach the goal", "games", 0)
SECONDS = Quantity("time of these games, tests left out", "s", 1)


class GrowingSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """How boards grow, beyond how agents learn and are tested."""

    runs: Count = 12
    """Independent runs of each way: grown by the goal, at a fixed budget, and from nothing."""
    largest: BoardSize = 9
    """The board at which growing ends; `size` is the one at which it begins."""
    sets: str = "1x1-3x3:LI+LD"
    """The shape sets."""
    cascade: bool = True
    """Whether agents learn by online cascade, as the paper's final agents did."""
    goal: Share = 0.9
    """Share of a test's games that both agents must win before the board grows."""
    games: Count = 200_000
    """Most games at each size: a board grows then, whatever the tests say; ours."""
    fixed_games: Count = 10_000
    """Games at each smaller size where the board grows at a fixed budget, at the first test after
    so many; ours: about half of the time that the largest board takes from nothing."""


QUICK = GrowingSettings(
    runs=2,
    largest=6,
    sets="1x1-2x2:LI",
    games=100,
    fixed_games=50,
    test_every=50,
    test_games=10,
    final_games=10,
)


class Growth(msgspec.Struct, frozen=True):
    """What came of one run."""

    stages: list[Stage]
    final: list[int]
    """Wins of each agent against ALP on the last board."""
    curve: list[list[int]] = []
    """Wins of each agent in each test, whatever the board."""


def first_training(settings: GrowingSettings, size: int, seed: int) -> TrainingSettings:
    """How agents learn on the board they begin with."""
    training = settings.training(settings.sets, seed)
    return msgspec.structs.replace(training, size=size, cascade=settings.cascade)


def curriculum_of(settings: GrowingSettings, way: str, seed: int) -> Curriculum:
    """From the smallest board to the largest, or the largest at once."""
    first = settings.largest if way == DIRECT else settings.size
    each = settings.fixed_games if way == FIXED else settings.games
    plan = msgspec.structs.replace(
        settings.plan(),
        games=each * (settings.largest - first) + settings.games,
        grow_to=settings.largest,
        grow_share=settings.goal,
        grow_games=settings.games,
    )
    return Curriculum(ShapeTrainer(first_training(settings, first, seed)), plan)


def measure(settings: GrowingSettings, task: Task) -> Growth:
    """One run, until both agents reach the goal on the largest board or games are used up."""
    way = task.key["way"]
    curriculum = curriculum_of(settings, way, task.seed)
    curve = []
    while not (curriculum.is_finished or _is_done(settings, curriculum.stages[-1])):
        test = curriculum.advance(settings.test_every)
        if test is not None:
            curve.append(list(test.wins))
        if way == FIXED:
            curriculum.next_size = next_size_by_games(settings, curriculum.stages[-1])
    return Growth(curriculum.stages, list(curriculum.test(settings.final_games).wins), curve)


def next_size_by_games(settings: GrowingSettings, stage: Stage) -> int | None:
    """The board to go on with after a fixed number of games, whatever the tests say."""
    is_over = stage.size < settings.largest and stage.games >= settings.fixed_games
    return stage.size + 1 if is_over else None


def _is_done(settings: GrowingSettings, stage: Stage) -> bool:
    return stage.size == settings.largest and stage.has_passed


def run(settings: GrowingSettings, seed: int, runner: Runner) -> Table:
    """Learns each way as often as the settings say."""
    tasks = tasks_of(cross(way=WAYS), settings.runs)
    probe = first_training(settings, settings.size, 1)
    behaviour = trials.behaviour_of([probe], settings.largest)
    found = runner.measure_all(Study("S1-grow", settings, seed, tasks, measure, behaviour))
    rows = found.rows(partial(_rows, settings))
    notes = [
        f"Sets {settings.sets}{', cascade' if settings.cascade else ''}; the board grows when both "
        f"agents win {settings.goal:.0%} of {settings.test_games} games against ALP, or after "
        f"{settings.games:,} games; then a remark tells how many runs reached the goal.",
        f"At a fixed budget it grows after {settings.fixed_games:,} games at each smaller size, "
        "whether the goal is reached or not; on the largest board all three go on until the goal. "
        "Games and time count all sizes, so what each way has learned from is to be seen.",
        T_INTERVAL,
        trials.KOMI,
        trials.BY_GAME,
    ]
    quantities = [GAMES, SECONDS, trials.FINAL]
    table = Table(quantities=quantities, rows=rows, labels=LABELS, notes=notes)
    curves = (
        trials.trial_curve(settings, key, [trials.Trial(g.curve, g.final) for g in growths])
        for key, growths in found
    )
    return with_curves(table, curves)


def _rows(settings: GrowingSettings, key: Key, growths: list[Growth]) -> list[Row]:
    """Of each size, and of all together; at a fixed budget only the last size has a goal."""
    rows = []
    last = len(growths[0].stages) - 1
    for index, stage in enumerate(growths[0].stages):
        stages = [[growth.stages[index]] for growth in growths]
        has_goal = key["way"] != FIXED or index == last
        rows += _stage_rows(key | {"size": stage.size}, stages, _remark(stages, has_goal=has_goal))
    if last > 0:
        parts = [g.stages[last:] if key["way"] == FIXED else g.stages for g in growths]
        whole = [growth.stages for growth in growths]
        rows += _stage_rows(key | {"part": ALL}, whole, _remark(parts))
    wins = [100 * sum(g.final) / (len(g.final) * settings.final_games) for g in growths]
    return [*rows, trials.FINAL.mean(key | {"part": END}, wins, (0, 100))]


def _remark(runs: list[list[Stage]], *, has_goal: bool = True) -> str:
    """How many runs reached the goal in all of these stages, where not every one did."""
    reached = sum(all(stage.has_passed for stage in stages) for stages in runs)
    return f"{reached} of {len(runs)} runs" if has_goal and reached < len(runs) else ""


def _stage_rows(key: Key, runs: list[list[Stage]], remark: str) -> list[Row]:
    games = [float(sum(stage.games for stage in stages)) for stages in runs]
    seconds = [sum(stage.seconds for stage in stages) for stages in runs]
    return [GAMES.mean(key, games, (0, None), remark=remark), SECONDS.mean(key, seconds, (0, None))]


def judge(table: Table) -> list[Claim]:
    """Section 7: learning on small boards first is significantly faster; by the paper's goal, and
    at a fixed budget, which the paper does not have."""
    text = "growing the board makes learning faster"
    claims = [_claim_of_speed(table, GROWN, text)]
    if table.rows_of(SECONDS, way=FIXED):
        claims.append(
            _claim_of_speed(table, FIXED, f"{text}: a fixed number of games at each size")
        )
    return claims


def _claim_of_speed(table: Table, way: str, text: str) -> Claim:
    """The time until the goal on the largest board, all sizes together, beside from nothing."""
    seconds, games = (_whole(table, quantity, way) for quantity in (SECONDS, GAMES))
    direct, direct_games = (_whole(table, quantity, DIRECT) for quantity in (SECONDS, GAMES))
    ours = (
        f"{seconds.ours:.0f} s and {games.ours:,.0f} games grown, {direct.ours:.0f} s and "
        f"{direct_games.ours:,.0f} games from nothing"
    )
    if way == GROWN:
        rows = table.rows_of(GAMES, way=way)
        ours += f"; {_words_of_goal([row.remark for row in rows if 'size' in row.key])}"
    words, by = (text, ours), gap(direct, seconds, 0, " s")
    last = {e: table.row(GAMES, way=e, size=direct.key["size"]) for e in (way, DIRECT)}
    if last[DIRECT].remark or (last[way].remark and is_above(by.number, 0.0) is not False):
        return leave_open(words, by, "undecided where a run never reaches the goal at the end")
    if last[way].remark:  # it has taken longer than is counted, so that it is slower all the same
        ours += f"; the goal was reached at the end by {last[way].remark}"
    return judge_above((text, ours), by)


def _whole(table: Table, quantity: Quantity, way: str) -> Row:
    """Of all sizes together; of the only one where there is one."""
    return table.find(quantity, {"way": way, "part": ALL}) or table.rows_of(quantity, way=way)[0]


def _words_of_goal(remarks: list[str]) -> str:
    """What the remarks of the smaller sizes say of the runs that reached the goal there."""
    known = [remark for remark in remarks if remark]
    whole = "every run reached the goal at every size"
    return f"the goal was reached at the smaller sizes by {', '.join(known)}" if known else whole


def draw(table: Table, title: str) -> str:
    """Games and time at each size and in all; from nothing, the largest board is all."""
    ways = [way for way in WAYS if table.rows_of(GAMES, way=way)]
    panels = [_panel(table, quantity, ways) for quantity in (GAMES, SECONDS)]
    ends = [f"{table.row(trials.FINAL, way=way, part=END).ours:.1f} % {way}" for way in ways]
    text = f"wins v ALP at the end: {', '.join(ends)}"
    text += f"; mean of {table.rows[0].n} runs; a number over a bar: so many reached the goal"
    return draw_panels(title, text, ways, panels, columns=1)


def _panel(table: Table, quantity: Quantity, ways: list[str]) -> Panel:
    sizes = table.values("size")
    groups = [f"{size}x{size}" for size in sizes] + [ALL]
    bars = [[bar_of(table.find(quantity, {"way": w, "size": s})) for w in ways] for s in sizes]
    whole = [bar_of(_whole(table, quantity, way)) for way in ways]
    return Panel(quantity.name, quantity.unit, groups, [*bars, whole])


EXPERIMENT = Experiment(GrowingSettings(), QUICK, run, draw, judge)
