"""S3-play: a second layer, liberties and the edge in play, not only before an SVM: features of each
RBM are valued by TD(0) on the same games, and the players meet 2x2 templates."""

import msgspec

from katachi.experiments.bounds import Count, Rate, Share
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.convergence import play_evaluators
from katachi.experiments.s3_learned_features.match import learn_linear, learn_templates
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.board_channels import EDGE, LIBERTIES, STONES
from katachi.learning.crbm_training import CrbmSettings
from katachi.pictures.charts import Line, draw_panels
from katachi.statistics import T_INTERVAL, mean_of

WON = Quantity("won against 2x2, played out", "%", 1)
ERROR = Quantity("held-out error", "squared, a position", 4)
FEATURES = Quantity("features")
ONE, DRAWN = "one layer", "one layer, as drawn"
TWO, WITH_LIBERTIES, WITH_EDGE = "two layers", "with liberties", "with liberties and edge"
CLAIMS = {
    TWO: "future work: a second layer makes the player stronger",
    WITH_LIBERTIES: "future work: liberties as channels make the player stronger",
    WITH_EDGE: "future work: liberties and the edge as channels make the player stronger",
}
COSTS = {TWO: 4.0, WITH_LIBERTIES: 2.0, WITH_EDGE: 2.0}
"""How long a player takes next to one of a single layer."""
BATCHES = 1000
"""Of 100 boards, that each layer learns from."""
LENGTH = 64.0
"""Of the features of a board of 2x2 templates, squared."""


def _rbms() -> dict[str, learned_maps.RbmSettings]:
    """Sizes as near to the 5,184 features of 2x2 templates as whole kernels allow."""
    plain, change = CrbmSettings(steps=BATCHES), msgspec.structs.replace
    upper = learned_maps.upper_layer(207, BATCHES)
    return {
        ONE: learned_maps.RbmSettings(plain),
        DRAWN: learned_maps.RbmSettings(plain, is_learned=False),
        TWO: learned_maps.RbmSettings(change(plain, kernels=40), upper),
        WITH_LIBERTIES: learned_maps.RbmSettings(change(plain, inputs=(STONES, LIBERTIES))),
        WITH_EDGE: learned_maps.RbmSettings(change(plain, inputs=(STONES, LIBERTIES, EDGE))),
    }


class DeeperSettings(Settings, frozen=True, kw_only=True):
    """Which players learn, and how they are matched."""

    runs: Count = 5
    """Trainings of each player, with seeds of their own."""
    machines: dict[str, learned_maps.RbmSettings] = msgspec.field(default_factory=_rbms)
    """RBMs whose features are used, by name."""
    alpha: Rate = 0.1
    """Step size of TD, for features as long as those of 2x2 templates."""
    rounds: Count = 5
    """Times through the records."""
    games: Count = 400
    """Games of each trained player against one over 2x2 templates."""
    epsilon: Share = 0.1
    """Share of random moves of both."""
    file: str = learned_maps.GNUGO
    """The games that are learned from."""


_FEW = CrbmSettings(kernels=4, steps=2)
QUICK = DeeperSettings(
    runs=2,
    machines={
        ONE: learned_maps.RbmSettings(_FEW),
        TWO: learned_maps.RbmSettings(_FEW, _FEW),
        WITH_EDGE: learned_maps.RbmSettings(
            msgspec.structs.replace(_FEW, inputs=(STONES, LIBERTIES, EDGE))
        ),
    },
    rounds=1,
    games=2,
)


class Trained(msgspec.Struct, frozen=True):
    """What came of one training."""

    won: float
    """Percentage of the games against 2x2."""
    error: float
    features: int


def measure(settings: DeeperSettings, task: Task) -> Trained:
    """Learns a player and its opponent with one seed, and lets them play."""
    paths = (task.require_file(settings.file),)
    rbm = settings.machines[task.key["machine"]].seeded(task.run)
    features = learned_maps.learned_map(task.folder, paths, rbm)
    step = settings.alpha * LENGTH / learned_maps.squared_length(features, paths)
    mine, error = learn_linear(features, paths, step, settings.rounds, task.run)
    other, _ = learn_templates(paths, settings.alpha, settings.rounds, task.run)
    won = play_evaluators(mine, other, settings.games, settings.epsilon, task.seed)
    return Trained(won, error, mine.weight_count)


def run(settings: DeeperSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    paths = (runner.require_file(settings.file),)
    tasks = tasks_of(
        cross(machine=settings.machines),
        settings.runs,
        lambda key: COSTS.get(key["machine"], 1.0),
    )
    study = Study("S3-play", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        f"Each RBM and its weights were learned {settings.runs} times, kernels and order of games "
        f"by a seed of their own, from {settings.file}, nine tenths of it; {settings.games:,} "
        "games of each with a player over 2x2 templates that learned from the same games in the "
        f"same order. Both play with epsilon {settings.epsilon:g}, komi 5.5, games played out, "
        "area counted.",
        f"TD(0), rounds through the games: {settings.rounds}; the step size is {settings.alpha:g} "
        "times what brings the squares of a board's features to 64, as those of 2x2 templates "
        f"have. {T_INTERVAL}",
        "The paper names both as future work and has no numbers to compare with.",
    ]
    return Table(quantities=[WON, ERROR, FEATURES], rows=rows, notes=notes)


def _rows(key: Key, runs: list[Trained]) -> list[Row]:
    return [
        WON.mean(key, [each.won for each in runs], (0.0, 100.0)),
        ERROR.estimate(key, mean_of([each.error for each in runs]), len(runs)),
        FEATURES.row(key, runs[0].features),
    ]


def judge(table: Table) -> list[Claim]:
    """Whether each addition wins more against 2x2 than one layer that sees stones alone."""
    one = table.row(WON, machine=ONE)
    claims = []
    for name, words in CLAIMS.items():
        row = table.find(WON, {"machine": name})
        if row is not None:
            ours = f"{row.ours:.1f} % against 2x2, one layer {one.ours:.1f} %"
            claims.append(judge_above((words, ours), gap(row, one, 1, " %")))
    return claims


def draw(table: Table, title: str) -> str:
    """Wins of each player."""
    lines = (Line(50.0, "equal"),)
    panel = panel_of(table, WON, Axes("machine"), "CRBM players against 2x2", 100.0, lines)
    return draw_panels(title, f"mean of {table.rows[0].n} trainings, 9x9", [], [panel], 1)


EXPERIMENT = Experiment(DeeperSettings(), QUICK, run, draw, judge)
