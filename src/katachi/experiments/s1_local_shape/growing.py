"""S1-grow: what is learned on a small board carried to larger ones (section 7), and for comparison
the largest board from nothing."""

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
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.statistics import T_INTERVAL

LABELS = ("{way}, {size}x{size}",)
ALL, END = "all sizes", "at the end"
GROWN, DIRECT = "grown", "from nothing"
GAMES = Quantity("games until both reach the goal", "games", 0)
SECONDS = Quantity("time of these games, tests left out", "s", 1)


class GrowingSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """How boards grow, beyond how agents learn and are tested."""

    runs: Count = 12
    """Independent runs, grown and from nothing."""
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


QUICK = GrowingSettings(
    runs=2, largest=6, sets="1x1-2x2:LI", games=100, test_every=50, test_games=10, final_games=10
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
    first = settings.size if way == GROWN else settings.largest
    plan = msgspec.structs.replace(
        settings.plan(),
        games=settings.games * (1 + settings.largest - first),
        grow_to=settings.largest,
        grow_share=settings.goal,
        grow_games=settings.games,
    )
    return Curriculum(ShapeTrainer(first_training(settings, first, seed)), plan)


def measure(settings: GrowingSettings, task: Task) -> Growth:
    """One run, until both agents reach the goal on the largest board or games are used up."""
    curriculum = curriculum_of(settings, task.key["way"], task.seed)
    curve = []
    while not (curriculum.is_finished or _is_done(settings, curriculum.stages[-1])):
        test = curriculum.advance(settings.test_every)
        if test is not None:
            curve.append(list(test.wins))
    return Growth(curriculum.stages, list(curriculum.test(settings.final_games).wins), curve)


def _is_done(settings: GrowingSettings, stage: Stage) -> bool:
    return stage.size == settings.largest and stage.has_passed


def run(settings: GrowingSettings, seed: int, runner: Runner) -> Table:
    """Learns both ways as often as the settings say."""
    tasks = tasks_of(cross(way=(GROWN, DIRECT)), settings.runs)
    probe = first_training(settings, settings.size, 1)
    behaviour = trials.behaviour_of([probe], settings.largest)
    found = runner.measure_all(Study("S1-grow", settings, seed, tasks, measure, behaviour))
    rows = found.rows(partial(_rows, settings))
    notes = [
        f"Sets {settings.sets}{', cascade' if settings.cascade else ''}; the board grows when both "
        f"agents win {settings.goal:.0%} of {settings.test_games} games against ALP, or after "
        f"{settings.games:,} games; then a remark tells how many runs reached the goal.",
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
    """Of each size, and of all together."""
    rows = []
    for index, stage in enumerate(growths[0].stages):
        stages = [[growth.stages[index]] for growth in growths]
        rows += _stage_rows(key | {"size": stage.size}, stages)
    if len(growths[0].stages) > 1:
        rows += _stage_rows(key | {"part": ALL}, [growth.stages for growth in growths])
    wins = [100 * sum(g.final) / (len(g.final) * settings.final_games) for g in growths]
    return [*rows, trials.FINAL.mean(key | {"part": END}, wins, (0, 100))]


def _stage_rows(key: Key, runs: list[list[Stage]]) -> list[Row]:
    reached = sum(all(stage.has_passed for stage in stages) for stages in runs)
    remark = "" if reached == len(runs) else f"{reached} of {len(runs)} runs"
    games = [float(sum(stage.games for stage in stages)) for stages in runs]
    seconds = [sum(stage.seconds for stage in stages) for stages in runs]
    return [GAMES.mean(key, games, (0, None), remark=remark), SECONDS.mean(key, seconds, (0, None))]


def judge(table: Table) -> list[Claim]:
    """Section 7: learning on small boards first is significantly faster."""
    direct, *_ = table.rows_of(SECONDS, way=DIRECT)
    grown = table.find(SECONDS, {"way": GROWN, "part": ALL}) or table.rows_of(SECONDS, way=GROWN)[0]
    last = [table.rows_of(GAMES, way=way, size=direct.key["size"])[0] for way in (GROWN, DIRECT)]
    forced = [row.remark for row in table.rows_of(GAMES, way=GROWN) if "size" in row.key]
    ours = f"{grown.ours:.0f} s grown, {direct.ours:.0f} s from nothing; {_words_of_goal(forced)}"
    words, by = ("growing the board makes learning faster", ours), gap(direct, grown, 0, " s")
    if any(row.remark for row in last):
        return [leave_open(words, by, "undecided where a run never reaches the goal at the end")]
    return [judge_above(words, by)]


def _words_of_goal(remarks: list[str]) -> str:
    """What the remarks of the smaller sizes say of the runs that reached the goal there."""
    known = [remark for remark in remarks if remark]
    whole = "every run reached the goal at every size"
    return f"the goal was reached at the smaller sizes by {', '.join(known)}" if known else whole


def draw(table: Table, title: str) -> str:
    """Games and time at each size."""
    panels = []
    for quantity in (GAMES, SECONDS):
        rows = table.rows_of(quantity)
        names = [_name_of_group(table, row) for row in rows]
        panels.append(Panel(quantity.name, quantity.unit, names, [_pair(row) for row in rows]))
    grown, direct = (table.row(trials.FINAL, way=way, part=END).ours for way in (GROWN, DIRECT))
    text = f"wins v ALP at the end: {grown:.1f} % grown, {direct:.1f} % from nothing"
    text += f"; mean of {table.rows[0].n} runs; a number over a bar: so many reached the goal"
    return draw_panels(title, text, [GROWN, DIRECT], panels, columns=1)


def _name_of_group(table: Table, row: Row) -> str:
    """The size where the board grew, and all that is known of the other way."""
    if row.key["way"] != GROWN:
        return table.label(row)
    return f"{row.key['size']}x{row.key['size']}" if "size" in row.key else ALL


def _pair(row: Row) -> list[Bar]:
    """The bar in the colour of its way."""
    return [bar_of(row)] if row.key["way"] == GROWN else [Bar(None), bar_of(row)]


EXPERIMENT = Experiment(GrowingSettings(), QUICK, run, draw, judge)
