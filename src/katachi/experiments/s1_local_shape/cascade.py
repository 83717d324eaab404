"""S1-cascade: online cascade (section 8) beside plain learning: strength, what the sets up to each
say together, and readability."""

import math

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Wanted, rank_set
from katachi.experiments.bounds import Amount, Count
from katachi.experiments.claims import Tested, judge_above, mean_gap, number_of, share_of
from katachi.experiments.curves import with_curves
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table, Value
from katachi.experiments.runner import Runner, Study, Task, seed_of, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.s1_local_shape.cumulative_values import (
    CORRELATION,
    OFF,
    RULES,
    TOGETHER,
    Likeness,
    claims_together,
    compare_values,
    general_sets,
    mean_known,
    panels_together,
    positions_between,
    rows_together,
    steps_of,
    values_of,
)
from katachi.experiments.table_pictures import Axes, bar_of, panel_of
from katachi.features.shape_contents import Shape
from katachi.features.shape_sets import ShapeSet, parse_sets
from katachi.features.shape_tables import layout_of
from katachi.features.units import UNIT, Counts
from katachi.learning.shape_training import ShapeTrainer, terms_of
from katachi.pictures.charts import Panel, draw_panels
from katachi.players.evaluating import EvaluatingPlayer
from katachi.statistics import T_INTERVAL, difference_of

LABELS = ("up to {up_to}",)
VERSUS = "cascade v plain"
MARKS = ".XO"
"""An empty point, an own stone, an enemy stone."""
FEWEST_SHAPES = 3
"""With fewer, a correlation says nothing."""
ALIKE = 0.95
"""Correlation from which two sets of weights say the same."""
SCORE = Quantity("head to head", "% of points", 1)
ALONE = {rule: Quantity(f"like the set alone, {rule}", "correlation", 2) for rule in RULES}
WEIGHT = {rule: Quantity(f"mean weight, {rule}", "logits", 3) for rule in RULES}
AGREED = {rule: Quantity(f"agents agree, {rule}", "correlation", 2) for rule in RULES}


class CascadeSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: Count = 12
    """Independent runs, each of a plain pair, a cascade pair, a pair for each set alone, and one
    for each set with all more general ones."""
    sets: str = "1x1-3x3:LI+LD"
    """The shape sets."""
    head_games: Count = 40
    """Games of each plain agent with each cascade agent of a run."""
    opening_moves: Amount = 2
    """Random moves before these games begin; each opening is played twice, colours exchanged."""
    position_games: Count = 20
    """Games of each plain agent with the cascade agent of its number whose positions are valued by
    all; both move by chance as often as while learning."""
    least_seen: Amount = 1000
    """How often a shape must have been learned from to count among the readable ones."""
    shown: Amount = 4
    """How many of the best and of the worst shapes of each set are shown."""


QUICK = CascadeSettings(
    runs=2,
    sets="1x1-2x2:LI",
    games=100,
    test_every=50,
    test_games=10,
    final_games=20,
    head_games=2,
    position_games=2,
    least_seen=10,
    shown=2,
)


class Comparison(msgspec.Struct, frozen=True):
    """What came of one run; everything by rule, plain and cascade."""

    by_rule: dict[str, trials.Trial] = msgspec.field(name="trials")
    points: float
    """Of the cascade agents against the plain ones."""
    games: int
    alone: dict[str, dict[str, float | None]]
    """By set: correlation of its weights with those it has when learned alone."""
    agreed: dict[str, dict[str, float | None]]
    """By set: correlation of its weights between the two agents."""
    worth: dict[str, dict[str, float | None]]
    """By set: how far from zero its weights are."""
    shapes: dict[str, dict[str, str]]
    """By set: its best and worst shapes."""
    together: dict[str, dict[str, list[Likeness]]]
    """By set and agent: what the sets as general as it or more so say together, beside an agent
    that learned these sets only."""


def measure(settings: CascadeSettings, task: Task) -> Comparison:
    """One run: both rules, each set alone and with the more general ones, and games between the
    two rules."""
    seed = task.seed
    training = settings.training(settings.sets, seed)
    learned = {
        rule: trials.learn(settings, msgspec.structs.replace(training, cascade=is_cascade))
        for rule, is_cascade in RULES.items()
    }
    agents = {rule: trainer.agents for rule, (_, trainer) in learned.items()}
    alone = {
        each.name: learn_alone(settings, each.name, seed) for each in parse_sets(settings.sets)
    }
    points = [
        play_pairing(settings, cascade, plain, seed_of(seed, i, j))
        for i, cascade in enumerate(agents["cascade"])
        for j, plain in enumerate(agents["plain"])
    ]
    return Comparison(
        {rule: trial for rule, (trial, _) in learned.items()},
        math.fsum(points),
        len(points) * settings.head_games,
        {rule: _likeness_to_alone(settings, pair, alone) for rule, pair in agents.items()},
        {rule: _agreement(settings, pair) for rule, pair in agents.items()},
        {rule: _mean_weights(pair) for rule, pair in agents.items()},
        {rule: _shapes(settings, pair[0]) for rule, pair in agents.items()},
        _compare_together(settings, agents, seed),
    )


def learn_alone(settings: CascadeSettings, sets: str, seed: int) -> list[LocalShape]:
    """Two agents that have learned, plainly, with one set or some sets only."""
    trainer = ShapeTrainer(settings.training(sets, seed))
    trainer.learn(settings.games)
    return trainer.agents


def _compare_together(
    settings: CascadeSettings, agents: dict[str, list[LocalShape]], seed: int
) -> dict[str, dict[str, list[Likeness]]]:
    """What the sets up to each say together, beside two agents that learned these sets only: of the
    positions of games between the plain and the cascade agent of the same number."""
    sets = parse_sets(settings.sets)
    positions = []
    for number, (plain, cascade) in enumerate(zip(agents["plain"], agents["cascade"], strict=True)):
        terms = terms_of(settings.training(settings.sets, seed_of(seed, "positions", number)))
        positions.append(positions_between(plain, cascade, terms, settings.position_games))
    found: dict[str, dict[str, list[Likeness]]] = {rule: {} for rule in RULES}
    for each in steps_of(sets):
        alone = learn_alone(settings, general_sets(sets, each), seed)
        wanted = [values_of(*pair) for pair in zip(alone, positions, strict=True)]
        for rule, pair in agents.items():
            found[rule][each.name] = [
                compare_values(values_of(agent, states, each), values)
                for agent, states, values in zip(pair, positions, wanted, strict=True)
            ]
    return found


def play_pairing(settings: CascadeSettings, one: LocalShape, other: LocalShape, seed: int) -> float:
    """Points of the first of two models against the second, greedy, colours alternating."""
    terms = GameSettings(settings.size, settings.komi, opening_moves=settings.opening_moves)
    ours, theirs = (
        EvaluatingPlayer(str(seat + 1), model, seat_seed(seed, seat))
        for seat, model in enumerate((one, other))
    )
    return sum(play_games(lambda _: (ours, theirs), terms, settings.head_games, seed))


def _likeness_to_alone(
    settings: CascadeSettings, pair: list[LocalShape], alone: dict[str, list[LocalShape]]
) -> dict[str, float | None]:
    """By set: the mean over both agents, each beside the agent of its number."""
    return {
        each.name: mean_known(
            [
                likeness(agent, other, each, settings.least_seen)
                for agent, other in zip(pair, alone[each.name], strict=True)
            ]
        )
        for each in pair[0].sets
    }


def _agreement(settings: CascadeSettings, pair: list[LocalShape]) -> dict[str, float | None]:
    one, other = pair
    return {each.name: likeness(one, other, each, settings.least_seen) for each in one.sets}


def _mean_weights(pair: list[LocalShape]) -> dict[str, float | None]:
    return {
        each.name: mean_known([mean_weight(agent, each) for agent in pair]) for each in pair[0].sets
    }


def _shapes(settings: CascadeSettings, agent: LocalShape) -> dict[str, str]:
    return {
        each.name: extreme_shapes(agent, each, settings.shown, settings.least_seen)
        for each in agent.sets
        if not each.is_hashed
    }


def likeness(one: LocalShape, other: LocalShape, each: ShapeSet, least_seen: int) -> float | None:
    """Correlation of the weights of a set that both models have, over the shapes that both met at
    least so often; None where there is nothing to compare."""
    weights, seen = zip(*(_weights(model, each) for model in (one, other)), strict=True)
    is_known = (seen[0] >= least_seen) & (seen[1] >= least_seen)
    if is_known.sum() < FEWEST_SHAPES:
        return None
    first, second = (values[is_known].astype(np.float64) for values in weights)
    if not (first.std() > 0 and second.std() > 0):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def mean_weight(model: LocalShape, each: ShapeSet) -> float:
    """How far from zero the weights of a set are, in logits: the mean over all that it learned
    from, so that frequent shapes count for more; 0 before it has learned."""
    weights, seen = _weights(model, each)
    total = int(seen.sum(dtype=np.int64))
    return float(np.abs(weights) @ seen.astype(np.float64)) * UNIT / total if total else 0.0


def _weights(model: LocalShape, each: ShapeSet) -> tuple[npt.NDArray[np.int32], Counts]:
    layout = layout_of(model.sets, model.size, model.bins)[model.sets.index(each)]
    return model.weights[layout.first : layout.end], model.seen[layout.first : layout.end]


def extreme_shapes(model: LocalShape, each: ShapeSet, most: int, least_seen: int) -> str:
    """The best and the worst shapes of a set that is not hashed, of those met at least so often,
    each with its weight in logits."""
    ranking = rank_set(model, model.sets.index(each), Wanted(most, least_seen))
    best, worst = (
        ", ".join(f"{diagram_of(one.shape)} {one.units * UNIT:+.3f}" for one in shapes)
        for shapes in (ranking.best, ranking.worst)
    )
    return f"best {best or '-'}; worst {worst or '-'}"


def diagram_of(shape: Shape) -> str:
    """The rows of a shape, X own and O enemy, parted by slashes; where location matters, then the
    row and column at which it begins, from the nearest corner."""
    rows = ["".join(MARKS[stone.owner] for stone in row) for row in shape.rows]
    where = f"@{shape.window.row + 1},{shape.window.col + 1}" if shape.has_location else ""
    return "/".join(rows) + where


def run(settings: CascadeSettings, seed: int, runner: Runner) -> Table:
    """Compares as often as the settings say."""
    tasks = tasks_of([{"rules": "plain and cascade"}], settings.runs)
    training = settings.training(settings.sets, 1)
    probes = [msgspec.structs.replace(training, cascade=each) for each in RULES.values()]
    study = Study("S1-cascade", settings, seed, tasks, measure, trials.behaviour_of(probes))
    compared = runner.measure_all(study).runs(rules="plain and cascade")
    learned: list[tuple[Key, list[trials.Trial]]] = [
        ({"rule": rule}, [each.by_rule[rule] for each in compared]) for rule in RULES
    ]
    rows = [row for key, runs in learned for row in trials.trial_rows(settings, key, runs)]
    points, games = math.fsum(c.points for c in compared), sum(c.games for c in compared)
    rows.append(SCORE.score({"match": VERSUS}, points, games))
    sets = parse_sets(settings.sets)
    steps, names = ([each.name for each in some] for some in (steps_of(sets), sets))
    rows += rows_together(steps, [each.together for each in compared])
    rows += [row for name in names for row in _rows_of_set(name, compared)]
    kinds = (TOGETHER, OFF, ALONE, AGREED, WEIGHT)
    of_sets = [quantity for kind in kinds for quantity in kind.values()]
    quantities = [trials.FINAL, trials.HALF_TIME, trials.EARLY, SCORE, *of_sets]
    table = Table(
        quantities=quantities,
        rows=rows,
        labels=LABELS,
        notes=_notes(settings),
        shapes={
            f"{name}, first agent of run 1": [
                f"{rule:<8}{compared[0].shapes[rule][name]}" for rule in RULES
            ]
            for name in compared[0].shapes["plain"]
        },
    )
    return with_curves(table, (trials.trial_curve(settings, key, runs) for key, runs in learned))


def _notes(settings: CascadeSettings) -> list[str]:
    return [
        f"{T_INTERVAL} Of the head to head: Wilson's over games.",
        "Up to a set: what it and all more general sets of an agent say together (equation 4), "
        "beside a plain agent that learned with these sets only, from as many games of its own; "
        f"the chances to win in the positions of {settings.position_games} games between a plain "
        "and a cascade agent. Off: the root mean square of the differences. The last set is left "
        "out: up to it are all sets.",
        "Like the set alone: the correlation of a set's weights with those that the same set "
        f"learns alone, over shapes met {settings.least_seen:,} times or more by both. Agents "
        "agree: the same between the two agents of a pair, who share nothing. Mean weight: how far "
        "from zero weights are, shapes counted as often as they were learned from.",
        "X is an own stone, O an enemy stone; rows are parted by slashes; @row,column is where, "
        "from the nearest corner. Numbers are logits.",
        trials.KOMI,
        trials.BY_GAME,
    ]


def _rows_of_set(name: str, compared: list[Comparison]) -> list[Row]:
    rows = []
    for kind, of_run, bounds in (
        (ALONE, [each.alone for each in compared], CORRELATION),
        (AGREED, [each.agreed for each in compared], CORRELATION),
        (WEIGHT, [each.worth for each in compared], (0, None)),
    ):
        for rule in RULES:
            known = [value for each in of_run if (value := each[rule][name]) is not None]
            if known:
                rows.append(kind[rule].mean({"set": name}, known, bounds))
    return rows


def judge(table: Table) -> list[Claim]:
    """What section 8 says of the cascade: the sets up to each come together to the best that they
    can express, the most general shapes to the values that they have alone, and hold what they can
    express; more specific ones learn corrections."""
    first = next(iter(table.values("set")))
    known = table.find(ALONE["cascade"], {"set": first})
    claims = claims_together(table)
    if known is not None:
        text = "with cascade the most general shapes approximate the best values from those alone"
        words = text, f"{first}: correlation {known.ours:.2f} with the set learned alone"
        claims.append(judge_above(words, number_of(known, 2), ALIKE))
    pairs = [_by_rule(table, AGREED, name) for name in table.values("set")]
    agreed = [pair for pair in pairs if pair is not None]
    if agreed:
        ours = f"mean correlation between agents: {_means(agreed)}, over {len(agreed)} sets"
        words = "with cascade weights are canonical: independent agents agree more on them", ours
        claims.append(judge_above(words, mean_gap(agreed, 2)))
    return [*claims, _claim_of_generality(table, first)]


def _by_rule(table: Table, kind: dict[str, Quantity], name: Value) -> tuple[Row, Row] | None:
    """(cascade, plain) of a set, where both are known."""
    cascade, plain = (table.find(kind[rule], {"set": name}) for rule in ("cascade", "plain"))
    return None if cascade is None or plain is None else (cascade, plain)


def _means(pairs: list[tuple[Row, Row]]) -> str:
    cascade, plain = (
        math.fsum(row.ours or 0.0 for row in side) / len(pairs) for side in zip(*pairs, strict=True)
    )
    return f"{cascade:.2f} with cascade, {plain:.2f} plain"


def _claim_of_generality(table: Table, first: Value) -> Claim:
    """What general shapes can express is not left to specific ones."""
    shares = {}
    for rule in RULES:
        part, *rest = sorted(table.rows_of(WEIGHT[rule]), key=lambda row: row.key["set"] != first)
        shares[rule] = share_of(part, rest)
    cascade, plain = shares["cascade"], shares["plain"]
    words = (
        "with cascade the most general shapes hold more of what is known",
        f"{first} has {cascade.value:.0f} % of the mean weights, plain {plain.value:.0f} %",
    )
    n = table.rows_of(WEIGHT["plain"])[0].n
    by = Tested(difference_of(cascade, plain), n, 0, " %", "95 % interval of the difference")
    return judge_above(words, by)


def draw(table: Table, title: str) -> str:
    """Strength, then readability by set."""
    rules = list(RULES)
    strength = [[bar_of(table.row(trials.FINAL, rule=rule)) for rule in rules]]
    panels = [Panel("wins v ALP at the end", "%", ["both agents"], strength, 100.0)]
    panels += panels_together(table)
    for heading, kind in (
        ("a set's weights beside those it learns alone", ALONE),
        ("the two agents' weights side by side", AGREED),
        ("how far from zero a set's weights are", WEIGHT),
    ):
        top = None if kind is WEIGHT else 1.0
        panels.append(panel_of(table, list(kind.values()), Axes("set"), heading, top))
    panels = [panel for panel in panels if panel.groups]
    score = table.row(SCORE, match=VERSUS)
    text = f"head to head the cascade agents score {score.ours:.1f} % ({score.remark})"
    return draw_panels(title, text, rules, panels, columns=1)


EXPERIMENT = Experiment(CascadeSettings(), QUICK, run, draw, judge)
