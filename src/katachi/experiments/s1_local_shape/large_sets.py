"""S1-large: large sets, and sets that know where they lie, with ten times the paper's games: its
Figure 4 stops where they have hardly begun (future work)."""

from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.curves import with_curves
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import draw_panels
from katachi.statistics import T_INTERVAL

SHORT = Quantity("wins v ALP after the paper's games", "%", 1)


class LargeSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """Which sets learn, and how long."""

    runs: Count = 8
    """Independent runs of each set."""
    sets: tuple[str, ...] = ("2x2:LI", "3x3:LD", "4x3:LI", "4x3:LD", "4x4:LI", "4x4:LD")
    """Shape sets, each learned alone; the first is the best of the paper's."""
    games: Count = 1_000_000
    """Games a pair of agents learns from."""
    short: Count = 100_000
    """The paper's number of games."""
    test_every: Count = 100_000
    """Games between tests."""
    test_games: Count = 1000
    """Games of each agent against ALP in a test."""


QUICK = LargeSettings(
    runs=2,
    sets=("2x2:LI", "4x3:LD"),
    games=100,
    short=50,
    test_every=50,
    test_games=10,
    final_games=20,
)


def measure(settings: LargeSettings, task: Task) -> trials.Trial:
    """One pair of agents."""
    return trials.learn(settings, settings.training(task.key["sets"], task.seed))[0]


def run(settings: LargeSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every set as often as the settings say."""
    trainings = [settings.training(sets, 1) for sets in settings.sets]
    tasks = tasks_of(
        cross(sets=settings.sets),
        settings.runs,
        lambda key: trials.cost_of(key["sets"], settings.size),
    )
    behaviour = trials.behaviour_of(trainings)
    found = runner.measure_all(Study("S1-large", settings, seed, tasks, measure, behaviour))
    notes = [
        f"Each set alone, as in S1-F4, but for {settings.games:,} games where the paper has "
        f"{settings.short:,}; the same runs are tested on their way.",
        T_INTERVAL,
        trials.KOMI,
        trials.BY_GAME,
    ]
    rows = found.rows(lambda key, runs: _rows(settings, key, runs))
    table = Table(quantities=[SHORT, trials.FINAL], rows=rows, notes=notes)
    return with_curves(table, (trials.trial_curve(settings, key, runs) for key, runs in found))


def _rows(settings: LargeSettings, key: Key, runs: list[trials.Trial]) -> list[Row]:
    short = [trials.percent_after(settings, each, settings.short) for each in runs]
    final = [trials.final_percent(settings, each) for each in runs]
    return [SHORT.mean(key, short, (0, 100)), trials.FINAL.mean(key, final, (0, 100))]


def judge(table: Table) -> list[Claim]:
    """Whether more games make each set stronger."""
    claims = []
    for sets in table.values("sets"):
        short, final = (table.row(each, sets=sets) for each in (SHORT, trials.FINAL))
        words = f"future work: longer training makes it stronger ({sets})"
        ours = f"{final.ours:.1f} %, after the paper's games {short.ours:.1f} %"
        claims.append(judge_above((words, ours), gap(final, short, 1, " %")))
    return claims


def draw(table: Table, title: str) -> str:
    """Wins after the paper's games and at the end."""
    shown = (SHORT, trials.FINAL)
    panel = panel_of(table, shown, Axes("sets"), "sets alone, 5x5", 100.0)
    text = f"mean of {table.rows[0].n} runs"
    return draw_panels(title, text, [each.name for each in shown], [panel], 1)


EXPERIMENT = Experiment(LargeSettings(), QUICK, run, draw, judge)
