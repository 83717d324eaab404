"""What the experiments have in common in which nets learn and then predict moves, on boards of the
three sizes of Table 2: which games, what came of a net, and that budgets were equal."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from katachi.evaluators.territory import Territory
from katachi.experiments.bounds import Count
from katachi.experiments.claims import judge_above, judge_exact
from katachi.experiments.protocol import Claim, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Task
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.move_prediction import (
    Case,
    PredictionSettings,
    Shared,
    choose_games,
)
from katachi.experiments.s2_territory.predicted_moves import (
    AMONG,
    LOG,
    LOG_OF_MEAN,
    MEAN,
    MEAN_OF_LOGS,
    PAPER_NET,
    TOP1,
    MoveSet,
    Predicted,
    log_number_of,
    predict_moves,
    rows_of_runs,
)
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.territory_training import TerritoryTrainer
from katachi.pictures.charts import Bar, Panel, draw_panels

LABELS = (
    *("{net}", "{net}, {games}"),
    *("{net}, {added} games of 19x19", "{net}, {added} games of 19x19: {games}"),
)
WEIGHTS = Quantity("weights")
GAMES = Quantity("games learned from")
UPDATES = Quantity("updates")
BOARDS = Quantity("boards learned from")
MEASURED = [LOG, MEAN, TOP1, AMONG]
BUDGET = [WEIGHTS, GAMES, UPDATES, BOARDS]
NEAR = 0.03
"""By what share the numbers of weights may differ that are called equal."""
SETS = (
    MoveSet("9x9", material.SCORED9, 9, 18, 22, games=500),
    MoveSet("13x13", "pro13.sgf.gz", 13, 36, 40),
    MoveSet("19x19", "pro19.sgf.gz", 19, 80, 83, games=200),
)
MORE_GAMES = tuple(msgspec.structs.replace(each, games=1000 if each.games else 0) for each in SETS)
"""For nets that say the move themselves, at one look for each position."""
SMALL_SETS = (
    MoveSet("9x9", material.SCORED9, 9, 18, 19, games=2),
    MoveSet("19x19", "pro19.sgf.gz", 19, 20, 20, games=2),
)
"""For quick runs; no 13x13 game comes with the package, and no long one of 19x19."""


class NetSettings(Settings, frozen=True, kw_only=True):
    """What nets are measured on."""

    sets: tuple[MoveSet, ...] = SETS
    """Games whose moves are predicted: amateurs' that were held out, and professionals'."""
    fitting_games: Count = 40
    """Most games that a temperature is fitted to, for each set and net."""


class Learned(msgspec.Struct, frozen=True):
    """What came of a net."""

    weights: int
    games: int
    updates: int
    boards: int
    predicted: dict[str, Predicted]
    """By the name of the set."""


def require_games(settings: NetSettings, runner: Runner, *others: str) -> list[str]:
    """Names of all files that a study needs; raises KatachiError where one is not there."""
    names = list(dict.fromkeys([*others, *(each.file for each in settings.sets)]))
    for name in names:
        runner.require_file(name)
    return names


def predict_sets(
    model: Territory, settings: NetSettings, task: Task, learned: frozenset[str] = frozenset()
) -> dict[str, Predicted]:
    """How likely the moves of every set are; of the files `learned` held-out games only."""
    wanted = PredictionSettings(models=(), sets=settings.sets, fitting_games=settings.fitting_games)
    found = {}
    for each in settings.sets:
        case = Case(each, False, "")
        folder = task.require_file(each.file).parent
        games = choose_games(Shared(folder, [], task.study_seed, learned), wanted, case)
        found[each.name] = predict_moves(model, games, case.moves)
    return found


def learned_by(trainer: TerritoryTrainer, games: int, predicted: dict[str, Predicted]) -> Learned:
    """What came of a trainer that is done."""
    settings = trainer.settings
    boards = trainer.done * settings.batch * (1 + settings.others)
    return Learned(trainer.weight_count, games, trainer.done, boards, predicted)


def rows_of_net(
    key: Key, runs: Sequence[Learned], sets: Iterable[MoveSet], *, is_papers: bool
) -> list[Row]:
    """The lines of a net: its budget, and each set; the paper's values beside those that they are
    about."""
    first = runs[0]
    values = (first.weights, first.games, first.updates, first.boards)
    rows = [
        quantity.row(key, value, len(runs)) for quantity, value in zip(BUDGET, values, strict=True)
    ]
    for each in sets:
        paper = PAPER_NET.get(each.size) if is_papers else None
        found = [run.predicted[each.name] for run in runs]
        rows += rows_of_runs(key | {"games": each.name}, found, paper)
    return rows


def judge_papers(table: Table) -> list[Claim]:
    """The paper's values by both readings, in the rows that have them."""
    claims = []
    for quantity, reading in ((LOG, MEAN_OF_LOGS), (MEAN, LOG_OF_MEAN)):
        for row in table.rows_of(quantity):
            if row.paper is not None and row.ours is not None:
                words = _words(table, row, row.paper, reading)
                claims.append(judge_above(words, log_number_of(row), row.paper))
    return claims


def _words(table: Table, row: Row, paper: float, reading: str) -> tuple[str, str]:
    said = f"{row.key['games']}: log-probability {paper:.2f} ({reading})"
    chance = math.exp(-(row.ours or 0.0))
    return said, f"{row.ours:.2f}, 1 in {chance:.1f} ({table.label(row)})"


def judge_equal(table: Table, groups: Sequence[Sequence[Key]]) -> Claim:
    """Whether nets had equal budgets: all of them equal weights and updates, those of a group equal
    games. What they differ in must be the rest."""
    keys = [key for group in groups for key in group]
    weights, updates = (_numbers(table, each, keys) for each in (WEIGHTS, UPDATES))
    games = [_numbers(table, GAMES, group) for group in groups]
    is_near = max(weights) <= (1 + NEAR) * min(weights)
    holds = is_near and all(min(each) == max(each) for each in (updates, *games))
    ours = ", ".join(
        f"{_words_of(numbers)} {what}"
        for numbers, what in ((weights, "weights"), (updates, "updates"))
    )
    told = "; ".join(map(_words_of, games)) + " games"
    told += " (pair by pair)" if len(groups) > 1 else ""
    words = "our condition: equal weights, games and updates", f"{ours}, {told}"
    return judge_exact(words, _rule_of(len(groups)), holds=holds, n=len(keys))


def _rule_of(groups: int) -> str:
    """When budgets are equal, in words."""
    near = f"weights differ by {100 * NEAR:g} % at most"
    if groups == 1:
        return f"updates and games are equal and {near}"
    return f"updates are equal, games are equal within each pair of nets, and {near}"


def _numbers(table: Table, quantity: Quantity, keys: Sequence[Key]) -> list[int]:
    return [int(table.row(quantity, **key).ours or 0) for key in keys]


def _words_of(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def draw_nets(table: Table, title: str, text: str) -> str:
    """Chances by both readings, and the best moves, for each net and set of games."""
    panels = [
        _chance_panel(table, LOG, "chance of a move, geometric mean"),
        _chance_panel(table, MEAN, "chance of a move, mean"),
    ]
    for quantity, top in ((AMONG, 100.0), (TOP1, None)):
        if table.rows_of(quantity):
            panels.append(panel_of(table, quantity, Axes("net", "games"), top=top))
    sets = [str(name) for name in table.values("games")]
    return draw_panels(title, text, sets, panels, columns=1)


def _chance_panel(table: Table, quantity: Quantity, title: str) -> Panel:
    """Logarithms as chances: a group for each net, in it a bar for each set."""
    nets, sets = ([str(name) for name in table.values(each)] for each in ("net", "games"))
    rows = [[table.find(quantity, {"net": net, "games": each}) for each in sets] for net in nets]
    bars = [[_chance_bar(row) for row in of_net] for of_net in rows]
    return Panel(title, "%", list(nets), bars)


def _chance_bar(row: Row | None) -> Bar:
    if row is None or row.ours is None:
        return Bar(None)
    low, high = (None if end is None else 100 * math.exp(end) for end in (row.low, row.high))
    return Bar(100 * math.exp(row.ours), low, high)


def notes_of_sets(settings: NetSettings) -> list[str]:
    """Which games were measured, and how."""
    sets = ", ".join(f"{each.first}-{each.last} at {each.name}" for each in settings.sets)
    return [
        f"Moves {sets}; amateurs' held-out games at 9x9, professionals' elsewhere. Chances are in "
        "proportion to exp(score / temperature) over all legal moves but the pass; temperatures "
        f"are fitted to {settings.fitting_games} games at most that are not measured. Natural "
        "logarithms.",
        material.HELD_OUT,
        "95 % intervals of the mean over runs, with that of the games measured, which take games, "
        "not moves, as independent. All nets are measured on the same games, so differences "
        "between nets are surer than their intervals say.",
    ]
