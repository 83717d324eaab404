"""S3-tree: learned features in tree search, as priors of moves and as values of positions, against
the same search by random games alone with as many visits."""

from collections.abc import Callable

import msgspec
import numpy as np

from katachi.arena.pairs import play_games, seat_seed
from katachi.evaluators.linear import Linear
from katachi.evaluators.protocol import Evaluator
from katachi.experiments.bounds import Count, Rate
from katachi.experiments.claims import gap, judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.convergence import TERMS
from katachi.experiments.s3_learned_features.match import learn_linear, learn_templates
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.crbm_training import CrbmSettings
from katachi.pictures.charts import Line, draw_panels
from katachi.players.protocol import Player
from katachi.players.tree import TreePlayer
from katachi.rules.state import BoardState
from katachi.search.tree import Numbers
from katachi.search.tree_leaves import PLAYOUT_SHARE, Comparing, Judge, judge_by_random_games
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_search import JudgeMaker, TreeSearch
from katachi.search.tree_walk import Said
from katachi.statistics import T_INTERVAL

WON = Quantity("won against random games alone", "%", 1)
LABELS = ("{features}, {use}",)
CRBM, DRAWN, TEMPLATES = "CRBM", "CRBM as drawn", "templates 2x2"
BOTH, PRIORS, VALUES = "priors and values", "priors", "values"
USES = {BOTH: (True, PLAYOUT_SHARE), PRIORS: (True, 1.0), VALUES: (False, PLAYOUT_SHARE)}
"""Whether features say how likely moves are, and what random games count for beside values."""
ALONE = (False, 1.0)
LIMITS = TreeLimits(memory=32 << 20)
"""A tree is made for each game, and small ones suffice."""
ARMS = ((CRBM, BOTH), (CRBM, PRIORS), (CRBM, VALUES), (DRAWN, BOTH), (TEMPLATES, BOTH))


class TreePriorSettings(Settings, frozen=True, kw_only=True):
    """What is learned, and how it searches."""

    runs: Count = 5
    """Trainings, with seeds of their own."""
    machine: learned_maps.RbmSettings = learned_maps.RbmSettings()
    """The RBM whose features are used."""
    alpha: Rate = 0.03
    """Step size of TD on the records."""
    rounds: Count = 5
    """Times through the records."""
    visits: Count = 200
    """Of each search of both players."""
    games: Count = 100
    """Games of each trained player."""
    file: str = learned_maps.GNUGO
    """The games that are learned from."""


QUICK = TreePriorSettings(
    runs=2,
    machine=learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=2)),
    rounds=1,
    visits=2,
    games=2,
)


class Trained(msgspec.Struct, frozen=True):
    """What came of one training."""

    won: float
    """Percentage of the points."""


def without_priors(judge: Judge) -> Judge:
    """The same judge, to whom all moves are equally likely."""

    def say(states: BoardState, sides: Numbers) -> Said:
        said = judge(states, sides)
        return said._replace(scores=np.zeros_like(said.scores))

    return say


def judge_by(use: tuple[bool, float]) -> JudgeMaker:
    """How leaves are judged where features are used so."""
    has_priors, share = use

    def make(evaluator: Evaluator, komi: float, seed: int) -> Judge:
        if use == ALONE:
            return judge_by_random_games(komi, seed)
        judge = Comparing(evaluator, komi, seed, share=share)
        return judge if has_priors else without_priors(judge)

    return make


def seats_of(
    model: Linear, settings: TreePriorSettings, use: str, seed: int
) -> Callable[[int], tuple[Player, Player]]:
    """Both players of each game, by its number."""

    def player(way: tuple[bool, float], number: int, seat: int) -> Player:
        search = TreeSearch(model, LIMITS, judge_by(way))
        return TreePlayer("tree", search, seat_seed(seed + number, seat), settings.visits)

    return lambda number: (player(USES[use], number, 0), player(ALONE, number, 1))


def model_of(settings: TreePriorSettings, task: Task) -> Linear:
    """What a run learned of its features."""
    paths, name = (task.require_file(settings.file),), task.key["features"]
    if name == TEMPLATES:
        return learn_templates(paths, settings.alpha, settings.rounds, task.run)[0]
    rbm = msgspec.structs.replace(settings.machine.seeded(task.run), is_learned=name == CRBM)
    features = learned_maps.learned_map(task.folder, paths, rbm)
    return learn_linear(features, paths, settings.alpha, settings.rounds, task.run)[0]


def measure(settings: TreePriorSettings, task: Task) -> Trained:
    """One training against search without it."""
    seats = seats_of(model_of(settings, task), settings, task.key["use"], task.seed)
    points = play_games(seats, TERMS, settings.games, task.seed)
    return Trained(100 * sum(points) / settings.games)


def run(settings: TreePriorSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    paths = (runner.require_file(settings.file),)
    keys = [{"features": features, "use": use} for features, use in ARMS]
    tasks = tasks_of(keys, settings.runs, labels=LABELS)
    study = Study("S3-tree", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        f"Tree search of {settings.visits} visits a move on both sides, 9x9, komi 5.5, "
        f"{settings.games} games of each training, colours alternating. The opponent is the same "
        "search in which all moves are equally likely at first and positions are judged by four "
        "random games each: UCT without knowledge.",
        "Priors: moves are as likely at first as features say by the positions they lead to. "
        "Values: half of a position's value is theirs, half that of the random games.",
        f"Features are valued by TD(0) on {settings.file}, step {settings.alpha:g}, "
        f"{settings.rounds} rounds, {settings.runs} trainings, kernels and order of games by a "
        f"seed of their own. {T_INTERVAL}",
        "The paper names UCT with its features as future work and has no numbers to compare with.",
    ]
    return Table(quantities=[WON], rows=rows, labels=LABELS, notes=notes)


def _rows(key: Key, runs: list[Trained]) -> list[Row]:
    return [WON.mean(key, [each.won for each in runs], (0.0, 100.0))]


def judge(table: Table) -> list[Claim]:
    """Whether learned features make the search stronger, and whether they must be learned, or
    those of a CRBM, to do so."""
    rows = {arm: table.row(WON, features=arm[0], use=arm[1]) for arm in ARMS}
    claims = []
    for use in USES:
        row = rows[CRBM, use]
        words = f"future work: UCT with CRBM features as {use} beats UCT", f"{row.ours:.1f} %"
        claims.append(judge_above(words, number_of(row, 1, " %"), 50.0))
    mine = rows[CRBM, BOTH]
    for name in (DRAWN, TEMPLATES):
        ours = f"{mine.ours:.1f} %, {name} {rows[name, BOTH].ours:.1f} %"
        words = f"implied: it does so by more than with {name}", ours
        claims.append(judge_above(words, gap(mine, rows[name, BOTH], 1, " %")))
    return claims


def draw(table: Table, title: str) -> str:
    """Points of each use of features."""
    lines = (Line(50.0, "equal"),)
    axes = Axes("features", "use")
    panel = panel_of(table, WON, axes, "tree search with features against without", 100.0, lines)
    text = f"equal visits, mean of {table.rows[0].n} trainings, 9x9"
    return draw_panels(title, text, list(map(str, table.values("use"))), [panel], 1)


EXPERIMENT = Experiment(TreePriorSettings(), QUICK, run, draw, judge)
