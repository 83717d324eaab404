"""S2-small: how well a net of 6,000 weights predicts moves that has learned from 9x9 games alone.

The paper's values at 13x13 and, nearly, at 19x19 are the goal, as means of logarithms. The recipes
are those that promise most: two thin layers of sweeps, more games, stronger teachers; convolutions
stand beside them, which learn faster at 9x9 and may carry over worse.
"""

from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from katachi.evaluators.territory import NetKind
from katachi.experiments.bounds import Count, Rate
from katachi.experiments.claims import judge_above, judge_exact
from katachi.experiments.protocol import Claim, Experiment, Key, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import learned_moves, material
from katachi.experiments.s2_territory.ingredients import OUR_INPUTS
from katachi.experiments.s2_territory.learned_moves import WEIGHTS, Learned
from katachi.experiments.s2_territory.predicted_moves import LOG, MoveSet, log_number_of
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_run import TerritoryGames, TerritoryPlan, open_plan
from katachi.learning.territory_training import TerritorySettings
from katachi.records.dataset import GameSet
from katachi.records.selection import GameFilter

OTHER9 = "ogs9_other.sgf.gz"
"""More 9x9 games of amateurs, most of them given up: owners are not known, moves are."""
GOALS = {"13x13": -2.27, "19x19": -2.75}
MOST_WEIGHTS = 6000


class Recipe(msgspec.Struct, frozen=True):
    """How a net is made, and what it learns from."""

    name: str
    """What it is called in the table."""
    kind: NetKind
    """Sweeps over the board, or plain convolutions."""
    width: Count
    """Hidden units, or planes of a convolution."""
    layers: Count
    """Layers of either."""
    has_more: bool = False
    """Whether it learns from games that were given up, too."""
    strong: Count = 1
    """How many times games of strong players count."""


class SmallSettings(learned_moves.NetSettings, frozen=True, kw_only=True):
    """Which recipes are tried."""

    sets: tuple[MoveSet, ...] = learned_moves.MORE_GAMES
    """Games whose moves are predicted: amateurs' that were held out, and professionals'."""
    fitting_games: Count = 200
    """Most games that a temperature is fitted to, for each set and net."""
    runs: Count = 3
    """Independent runs of each recipe."""
    recipes: tuple[Recipe, ...] = (
        Recipe("sweeps", NetKind.SWEEPS, 16, 1),
        Recipe("two thin layers", NetKind.SWEEPS, 8, 2),
        Recipe("two, more games", NetKind.SWEEPS, 8, 2, has_more=True),
        Recipe("two, strong teachers", NetKind.SWEEPS, 8, 2, has_more=True, strong=10),
        Recipe("convolution", NetKind.CONVOLUTION, 11, 5),
        Recipe("flat convolution", NetKind.CONVOLUTION, 14, 3),
    )
    """Nets, none of more than 6,000 weights."""
    rank: str = "9k"
    """How strong both players of a game are at least that is a strong one's."""
    inputs: tuple[str, ...] = OUR_INPUTS
    """What the nets see."""
    batch: Count = 128
    """Positions in a batch."""
    steps: Count = 12_000
    """Batches."""
    rate: Rate = 0.008
    """Step size at the beginning."""


QUICK = SmallSettings(
    runs=2,
    sets=learned_moves.SMALL_SETS,
    fitting_games=2,
    recipes=(
        Recipe("sweeps", NetKind.SWEEPS, 4, 1),
        Recipe("convolution", NetKind.CONVOLUTION, 4, 2, has_more=True, strong=2),
    ),
    batch=8,
    steps=4,
)


def training_of(settings: SmallSettings, recipe: Recipe, seed: int) -> TerritorySettings:
    """How a net learns: moves alone, which every game tells."""
    return TerritorySettings(
        inputs=InputSettings(settings.inputs),
        net=recipe.kind,
        hidden=recipe.width,
        layers=recipe.layers,
        predicts_moves=True,
        cell_weight=0.0,
        batch=settings.batch,
        steps=settings.steps,
        rate=settings.rate,
        seed=seed,
    )


@cache
def open_files(paths: tuple[Path, ...]) -> TerritoryGames:
    """The games of files, parted into those to learn from and others."""
    return open_plan(TerritoryPlan(games=tuple(map(str, paths))), needs_owners=False)


def games_of(recipe: Recipe, paths: tuple[Path, ...], rank: str) -> TerritoryGames:
    """What a net learns from; games of strong players are there as often as they count."""
    games = open_files(paths if recipe.has_more else paths[:1])
    strong = games.train.filter(GameFilter(weakest_rank=rank)).rows
    rows = np.concatenate([games.train.rows, np.repeat(strong, recipe.strong - 1)])
    return TerritoryGames(GameSet(games.train.columns, rows), games.validation)


def measure(settings: SmallSettings, task: Task) -> Learned:
    """One net."""
    recipe = next(each for each in settings.recipes if each.name == task.key["net"])
    paths = task.require_file(material.SCORED9), task.require_file(OTHER9)
    games = games_of(recipe, paths, settings.rank)
    trainer = material.new_trainer(training_of(settings, recipe, task.seed), games)
    trainer.learn(settings.steps)
    predicted = learned_moves.predict_sets(trainer.model(), settings, task)
    return learned_moves.learned_by(trainer, len(np.unique(games.train.rows)), predicted)


def run(settings: SmallSettings, seed: int, runner: Runner) -> Table:
    """Learns and measures what is missing; raises KatachiError where the games are not there."""
    files = learned_moves.require_games(settings, runner, material.SCORED9, OTHER9)
    small, *others = map(runner.require_file, files)
    tasks = tasks_of(cross(net=[each.name for each in settings.recipes]), settings.runs)
    plans = [training_of(settings, each, seed) for each in settings.recipes]
    behaviour = material.learning_of(small, plans) + material.fingerprint(others)
    found = runner.measure_all(Study("S2-small", settings, seed, tasks, measure, behaviour))

    def rows(key: Key, runs: list[Learned]) -> list[Row]:
        return learned_moves.rows_of_net(key, runs, settings.sets, is_papers=False)

    return Table(
        quantities=[*learned_moves.MEASURED, *learned_moves.BUDGET],
        rows=found.rows(rows),
        labels=learned_moves.LABELS,
        notes=_notes(settings),
    )


def _notes(settings: SmallSettings) -> list[str]:
    return [
        f"All nets learn moves alone at 9x9, {settings.steps:,} batches of {settings.batch} "
        f"positions of {material.SCORED9}; more games are those of {OTHER9}, strong teachers are "
        f"games of both in which both players are {settings.rank} or better, which count several "
        "times. Thin layers: two of sweeps, of half the hidden units.",
        f"Inputs {', '.join(settings.inputs)}.",
        *learned_moves.notes_of_sets(settings),
    ]


def judge(table: Table) -> list[Claim]:
    """Whether a recipe comes to the goal, and with weights few enough."""
    weights = [int(row.ours or 0) for row in table.rows_of(WEIGHTS)]
    claims = [
        judge_exact(
            (f"our goal: {MOST_WEIGHTS:,} weights at most", f"{max(weights):,} at most"),
            f"no net has more than {MOST_WEIGHTS:,} weights",
            holds=max(weights) <= MOST_WEIGHTS,
            n=len(weights),
        )
    ]
    for where, goal in GOALS.items():
        for row in table.rows_of(LOG, games=where):
            if row.ours is not None:
                words = f"our goal: {goal:.2f} at {where}", f"{row.ours:.2f} ({row.key['net']})"
                claims.append(judge_above(words, log_number_of(row), goal))
    return claims


def draw(table: Table, title: str) -> str:
    """Chances by both readings, and the best moves, for each recipe and board size."""
    text = f"{MOST_WEIGHTS:,} weights at most, learned at 9x9 alone"
    return learned_moves.draw_nets(table, title, text)


EXPERIMENT = Experiment(SmallSettings(), QUICK, run, draw, judge)
