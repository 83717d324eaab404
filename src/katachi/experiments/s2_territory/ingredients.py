"""S2-ingredients: what it takes to predict moves, from the paper's recipe to ours, step by step.

Each net has one thing more than the one before; weights, games and updates are equal.
"""

from itertools import pairwise

import msgspec

from katachi.evaluators import shipped
from katachi.experiments.bounds import Amount, Count, Rate
from katachi.experiments.claims import gap, judge_above, judge_below, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import learned_moves, material
from katachi.experiments.s2_territory.learned_moves import Learned
from katachi.experiments.s2_territory.predicted_moves import AMONG, BEST, LOG
from katachi.experiments.s2_territory.top_moves import PAPER_SHARE
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings

PAPER = "+ stones 2 moves later"
"""The recipe as the paper has it."""
WHERE = "19x19"
CHOICE, LAST, OUTPUT, ALONE = (
    *("+ choice of moves", "+ last moves"),
    *("+ output for moves", "+ moves alone, our inputs"),
)
CLAIMED = {
    PAPER: "stones 2 moves later in the targets help",
    CHOICE: "to learn from the choice of moves, too, adds nothing",
    LAST: "to see the last moves adds nothing",
    OUTPUT: "an output for moves adds nothing",
    ALONE: "to learn moves without owners, with our inputs, adds nothing",
}
"""What the paper's recipe says of each step: it has the first, and does without the others."""
LAST_MOVES = ("recent:1", "nearness")
OUR_INPUTS = (
    *("stones", "influence", "propensity"),
    *("last", "placing", "nearness", "nearness:last"),
)


class IngredientSettings(learned_moves.NetSettings, frozen=True, kw_only=True):
    """How nets learn."""

    runs: Count = 4
    """Independent runs of each net."""
    games: Count = material.PAPER_GAMES
    """Games to learn from."""
    hidden: Count = 16
    """Hidden units of each net."""
    states: Count = 8
    """States that each sweep passes on."""
    batch: Count = 64
    """Positions in a batch."""
    steps: Count = 3500
    """Batches."""
    rate: Rate = 0.01
    """Step size at the beginning."""
    others: Amount = 7
    """Other moves beside each that was played, where the choice of moves is learned from."""
    models: tuple[str, ...] = (shipped.LITERAL, shipped.BY_POINTS, shipped.PREDICTING)
    """Shipped models that stand beside the nets, for scale: the first has the paper's recipe, all
    learned longer, the others from more games."""


QUICK = IngredientSettings(
    runs=2,
    sets=learned_moves.SMALL_SETS,
    fitting_games=2,
    games=12,
    hidden=4,
    states=2,
    batch=8,
    steps=4,
    others=1,
    models=(shipped.PREDICTING,),
)


def recipes_of(settings: IngredientSettings) -> dict[str, TerritorySettings]:
    """How each net learns, by its name; each has what the one before has, and one thing more."""
    owners = TerritorySettings(
        hidden=settings.hidden,
        states=settings.states,
        batch=settings.batch,
        steps=settings.steps,
        rate=settings.rate,
        later_share=0.0,
    )
    change = msgspec.structs.replace
    paper = change(owners, later_share=0.25)
    choice = change(paper, others=settings.others, cell_weight=0.5)
    seen = InputSettings((*InputSettings().inputs, *LAST_MOVES))
    last = change(choice, inputs=seen)
    output = change(last, predicts_moves=True, others=0)
    ours = change(output, inputs=InputSettings(OUR_INPUTS), cell_weight=0.0)
    return {
        "final owners": owners,
        PAPER: paper,
        CHOICE: choice,
        LAST: last,
        OUTPUT: output,
        ALONE: ours,
    }


def measure(settings: IngredientSettings, task: Task) -> Learned:
    """One net that learns, or a shipped one."""
    recipes, net = recipes_of(settings), task.key["net"]
    if net not in recipes:
        return _measure_shipped(settings, task)
    games = material.open_parts(task.require_file(material.SCORED9), settings.games)
    training = msgspec.structs.replace(recipes[net], seed=task.seed)
    trainer = material.new_trainer(training, games)
    trainer.learn(settings.steps)
    predicted = learned_moves.predict_sets(trainer.model(), settings, task)
    return learned_moves.learned_by(trainer, len(games.train), predicted)


def _measure_shipped(settings: IngredientSettings, task: Task) -> Learned:
    name = task.key["net"]
    found = next(each for each in settings.models if material.name_of_model(each) == name)
    model = shipped.load_territory(found)
    games = model.training.get("games", {}).get("train", 0)
    training = msgspec.convert(model.training.get("settings", {}), TerritorySettings)
    predicted = learned_moves.predict_sets(model, settings, task)
    boards = training.steps * training.batch * (1 + training.others)
    return Learned(model.weight_count, games, training.steps, boards, predicted)


def cost_of(settings: IngredientSettings, net: str) -> float:
    """About how long a net takes beside others: boards to learn from, then to choose among."""
    recipe = recipes_of(settings).get(net)
    if recipe is None:
        return 0.5
    return 1.0 + recipe.others + (0.0 if recipe.predicts_moves else 1.5)


def run(settings: IngredientSettings, seed: int, runner: Runner) -> Table:
    """Learns and measures what is missing; raises KatachiError where the games are not there."""
    files = learned_moves.require_games(settings, runner, material.SCORED9)
    paths = [runner.require_file(name) for name in files]
    recipes = recipes_of(settings)
    models, missing = material.find_models(settings.models, runner)
    shown = [material.name_of_model(each) for each in models]

    def cost(key: Key) -> float:
        return cost_of(settings, key["net"])

    tasks = tasks_of(cross(net=recipes), settings.runs, cost) + tasks_of(cross(net=shown), 1, cost)
    behaviour = material.learning_of(paths[0], recipes.values())
    behaviour += material.fingerprint(paths[1:], models)
    found = runner.measure_all(Study("S2-ingredients", settings, seed, tasks, measure, behaviour))

    def rows(key: Key, runs: list[Learned]) -> list[Row]:
        is_papers = key["net"] == PAPER
        return learned_moves.rows_of_net(key, runs, settings.sets, is_papers=is_papers)

    return Table(
        quantities=[*learned_moves.MEASURED, *learned_moves.BUDGET],
        rows=found.rows(rows),
        labels=learned_moves.LABELS,
        notes=[*missing, *_notes(settings, models)],
    )


def _notes(settings: IngredientSettings, models: list[str]) -> list[str]:
    return [
        f"Every net learns from {settings.games:,} games of {material.SCORED9}, {settings.steps:,} "
        f"updates of {settings.batch} positions; {settings.hidden} hidden units, {settings.states} "
        "states. One thing is added at a time and kept. Final owners: the paper's inputs, chosen "
        f"by the points a move leads to. {PAPER}: they count a quarter, as in the paper, whose "
        f"recipe that is. Choice of moves: {settings.others} others beside each that was played, "
        f"so more boards a position. Last moves: inputs {', '.join(LAST_MOVES)}. Output for "
        "moves: the net says the move itself. Moves alone: no owners, and inputs of "
        f"{shipped.PREDICTING} in place of eyes, liberties and weakest blocks.",
        *map(material.describe_model, models),
        *learned_moves.notes_of_sets(settings),
    ]


def judge(table: Table) -> list[Claim]:
    """The paper's values by its recipe, and what each step adds on the largest board."""
    known = recipes_of(IngredientSettings())
    steps = [str(net) for net in table.values("net") if net in known]
    added = [_judge_step(table, *pair) for pair in pairwise(steps)]
    equal = learned_moves.judge_equal(table, [[{"net": net} for net in steps]])
    papers = learned_moves.judge_papers(table)
    return [*papers, *_judge_best(table), *(claim for claim in added if claim), equal]


def _judge_step(table: Table, before: str, net: str) -> Claim | None:
    """What one step adds; the paper has the first of them, and does without the others."""
    less, more = (table.find(LOG, {"net": each, "games": WHERE}) for each in (before, net))
    if less is None or more is None or less.ours is None or more.ours is None:
        return None
    ours = f"{more.ours:.2f} with, {less.ours:.2f} without it at {WHERE}"
    by, said = gap(more, less, 2), f"implied: {CLAIMED[net]}"
    return judge_above((said, ours), by) if net == PAPER else judge_below((said, ours), by)


def _judge_best(table: Table) -> list[Claim]:
    """Figure 2b by the paper's recipe."""
    row = table.find(AMONG, {"net": PAPER, "games": WHERE})
    if row is None or row.ours is None:
        return []
    words = f"half of the moves are among the best {BEST} with 80 stones", f"{row.ours:.1f} %"
    return [judge_above(words, number_of(row, 1, " %"), PAPER_SHARE)]


def draw(table: Table, title: str) -> str:
    """Chances by both readings, and the best moves, for each net and board size."""
    text = "each net has one thing more than the one before"
    return learned_moves.draw_nets(table, title, text)


EXPERIMENT = Experiment(IngredientSettings(), QUICK, run, draw, judge)
