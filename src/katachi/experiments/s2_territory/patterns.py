"""S2-patterns: richer propensity: patterns above 3x3 found by hashing, the spread and a weighted
mean over windows, and every window by itself, each added to the paper's inputs (future work)."""

import msgspec

from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_below
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import draw_rows
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings
from katachi.measure import prediction
from katachi.statistics import T_INTERVAL, mean_of

ERROR = Quantity("error in owners", "nats a point", 4)
EARLY = Quantity("error in owners, first fifth of games", "nats a point", 4)
RIGHT = Quantity("points right", "%", 2)
PLAIN = "the paper's inputs"
ADDED = {
    "propensity:large": "patterns above 3x3 by hashing",
    "propensity:deviation": "spread over windows",
    "propensity:weighted": "weighted mean over windows",
    "propensity:windows": "every window by itself",
}
"""What the paper names, by the inputs that have it."""
COSTS = {"propensity:large": 2.0, "propensity:windows": 1.5}


class PatternSettings(Settings, frozen=True, kw_only=True):
    """What is added, and how nets learn."""

    runs: Count = 8
    """Independent runs of each setting."""
    added: tuple[str, ...] = tuple(ADDED)
    """Inputs added one at a time."""
    games: Count = material.PAPER_GAMES
    """Games to learn from."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    batch: Count = 32
    """Positions in a batch."""
    steps: Count = 2000
    """Batches."""
    owned_games: Count = 500
    """Held-out games on whose positions owners are measured."""


QUICK = PatternSettings(
    runs=2,
    added=("propensity:large", "propensity:deviation"),
    games=12,
    hidden=4,
    states=2,
    batch=8,
    steps=4,
    owned_games=2,
)


class Tested(msgspec.Struct, frozen=True):
    """How a net stands after learning."""

    error: float
    early: float
    right: float


def variants_of(settings: PatternSettings) -> dict[str, TerritorySettings]:
    """How each net learns, by what it sees besides."""
    every = InputSettings()
    seen = {PLAIN: every}
    for name in settings.added:
        seen[name] = msgspec.structs.replace(every, inputs=(*every.inputs, name))
    return {
        name: TerritorySettings(
            inputs=inputs,
            hidden=settings.hidden,
            states=settings.states,
            batch=settings.batch,
            steps=settings.steps,
        )
        for name, inputs in seen.items()
    }


def measure(settings: PatternSettings, task: Task) -> Tested:
    """One net; all are tested on the same games."""
    games = material.open_parts(task.require_file(material.SCORED9), settings.games)
    training = msgspec.structs.replace(variants_of(settings)[task.key["net"]], seed=task.seed)
    trainer = material.new_trainer(training, games)
    trainer.learn(settings.steps)
    held_out = games.validation.shuffle(task.study_seed)[: settings.owned_games]
    owned = prediction.measure_owners(prediction.chances_of(trainer.model()), held_out)
    first = next(each for each in owned.fifths if each is not None)
    error, right = owned.all.cross_entropy.value, 100 * owned.all.right.value
    return Tested(error, first.cross_entropy.value, right)


def run(settings: PatternSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every net as often as the settings say; raises KatachiError where the games
    are not there."""
    path = runner.require_file(material.SCORED9)
    variants = variants_of(settings)
    tasks = tasks_of(cross(net=variants), settings.runs, lambda key: COSTS.get(key["net"], 1.0))
    behaviour = material.learning_of(path, variants.values())
    study = Study("S2-patterns", settings, seed, tasks, measure, behaviour)
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        f"{settings.games:,} games of {material.SCORED9}, {settings.steps:,} batches of "
        f"{settings.batch} positions; {settings.hidden} hidden units, {settings.states} states. "
        "Short learning: what matters is the difference.",
        "Propensity is how often the points of a pattern end up Black's or White's, counted in the "
        "games that are learned from. Of squares of 5x5 to 9x9 around a point the largest that was "
        "met there speaks for it; they are found by hashes.",
        f"All positions of {settings.owned_games:,} held-out games.",
        material.HELD_OUT,
        T_INTERVAL,
    ]
    return Table(quantities=[ERROR, EARLY, RIGHT], rows=rows, notes=notes)


def _rows(key: Key, tested: list[Tested]) -> list[Row]:
    return [
        ERROR.estimate(key, mean_of([each.error for each in tested], 0.0), len(tested)),
        EARLY.estimate(key, mean_of([each.early for each in tested], 0.0), len(tested)),
        RIGHT.mean(key, [each.right for each in tested], (0, 100)),
    ]


def judge(table: Table) -> list[Claim]:
    """Whether each addition makes the error less; large patterns also early in the game, for which
    the paper wants them."""
    claims = []
    for quantity, when in ((ERROR, ""), (EARLY, ", in the first fifth of games")):
        plain = table.row(quantity, net=PLAIN)
        for name, words in ADDED.items():
            row = table.find(quantity, {"net": name})
            if row is not None and (quantity == ERROR or name == "propensity:large"):
                ours = f"{row.ours:.4f} nats a point, with the paper's inputs {plain.ours:.4f}"
                said = f"future work: {words} predicts owners better{when}", ours
                claims.append(judge_below(said, gap(row, plain, 4, " nats")))
    return claims


def draw(table: Table, title: str) -> str:
    """For each net: the error in owners, over all and early in games."""
    text = f"mean of {table.rows[0].n} runs, on games that were not learned from"
    return draw_rows(table, title, text, (ERROR, EARLY))


EXPERIMENT = Experiment(PatternSettings(), QUICK, run, draw, judge)
