"""S2-F2b: how often the moves of professionals are among the best m at 19x19 (Figure 2b)."""

import msgspec
import numpy as np

from katachi.evaluators.shipped import (
    FEWER_GAMES,
    LARGE19,
    PREDICTING,
    SMALL19,
    load_territory,
)
from katachi.experiments.bounds import Amount, BoardSize, Count
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Quantity, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import spot_of
from katachi.measure.prediction import judge_played_moves
from katachi.measure.prediction_scores import MoveOutcomes, join_moves, within
from katachi.pictures.charts import Curves, Line, draw_panels
from katachi.records.selection import GameFilter
from katachi.search.recorded_moves import MoveRange
from katachi.statistics import Estimate, share_by_cluster

PAPER_STONES, PAPER_LENGTH, PAPER_SHARE = 80, 30, 50.0
"""The one value that the paper states in words."""
WITH_OUTPUT = {PREDICTING, FEWER_GAMES, SMALL19, LARGE19}
"""Shipped nets that say the move themselves; the paper's ranks moves by the points they lead to."""
PHASE = "{stones} stones"
LABELS = (PHASE, "best {best}")
UNIT = "% of moves"


class TopSettings(Settings, frozen=True, kw_only=True):
    """Which moves are looked at."""

    model: str = PREDICTING
    """A territory model, by name or folder."""
    file: str = "pro19.sgf.gz"
    """The games."""
    size: BoardSize = 19
    """Board size."""
    games: Count = 80
    """Games, sampled by the seed."""
    stones: tuple[Amount, ...] = (20, 80, 140, 200)
    """Moves made, and so about stones on the board, where a phase begins."""
    moves: Count = 4
    """Moves of a phase."""
    lengths: tuple[Count, ...] = (1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100)
    """How many of the best moves are taken."""


QUICK = TopSettings(games=2, stones=(20, 80), moves=2, lengths=(1, 10, 30, 100))


class Shares(msgspec.Struct, frozen=True):
    """What came of a phase."""

    shares: list[Estimate]
    """Of moves among the best, by `lengths`."""
    moves: int
    games: int


def measure(settings: TopSettings, task: Task) -> Shares:
    """One phase; all have games that are long enough for the last."""
    first = task.key["stones"]
    moves = MoveRange(first, first + settings.moves - 1)
    last = max(settings.stones) + settings.moves - 1
    path, learned = task.require_file(settings.file), material.files_learned([settings.model])
    unseen = material.open_unseen(path, settings.size, learned).measured
    long_enough = unseen.filter(GameFilter(min_moves=last))
    games = material.sample_games(long_enough, settings.games, task.study_seed)
    outcomes = judge_played_moves(load_territory(settings.model), games, moves)
    return shares_within(outcomes, settings.lengths)


def shares_within(outcomes: list[MoveOutcomes], lengths: tuple[int, ...]) -> Shares:
    """How many of the played moves are among the best so many, ties broken at random."""
    joined = join_moves(outcomes)
    games = joined.place.games
    shares = [share_by_cluster(within(joined, length), games) for length in lengths]
    return Shares(shares, len(games), len(np.unique(games)))


def quantity_of(stones: int) -> Quantity:
    """A column: the share in a phase."""
    return Quantity(PHASE.format(stones=stones), UNIT, 1)


def run(settings: TopSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the model or the games are."""
    material.check_share(settings.model)
    path = runner.require_file(settings.file)
    tasks = tasks_of(cross(stones=settings.stones), labels=LABELS)
    behaviour = material.fingerprint([path], [settings.model])
    found = runner.measure_all(Study("S2-F2b", settings, seed, tasks, measure, behaviour))
    rows = []
    for at, best in enumerate(settings.lengths):
        for key, [phase] in found:
            is_papers = (key["stones"], best) == (PAPER_STONES, PAPER_LENGTH)
            share, paper = phase.shares[at].in_percent(), PAPER_SHARE if is_papers else None
            quantity = quantity_of(key["stones"])
            rows.append(quantity.estimate({"best": best}, share, phase.games, paper))
    quantities = [quantity_of(stones) for stones in settings.stones]
    table = Table(quantities=quantities, rows=rows, labels=LABELS)
    notes = [
        material.describe_model(settings.model),
        f"{settings.moves} moves of each phase: with 80 stones, moves 80 to "
        f"{79 + settings.moves}; stones count as moves made. Games of {settings.file} that have "
        "all phases.",
        material.HELD_OUT,
        "95 % intervals take games, not moves, as independent.",
    ]
    return msgspec.structs.replace(table, notes=notes)


def judge(table: Table) -> list[Claim]:
    """The one point of Figure 2b that the paper puts in words."""
    for row in table.rows:
        if row.paper is not None and row.ours is not None:
            text = f"half of the moves are among the best {PAPER_LENGTH} with {PAPER_STONES} stones"
            words = text, f"{row.ours:.1f} %, by {_who(table)}"
            return [judge_above(words, number_of(row, 1, " %"), row.paper)]
    return []


def _who(table: Table) -> str:
    """The net that ranks the moves, as the notes name it."""
    name = material.described_model(table.notes) or "the net that the notes name"
    return f"{name}, which has an output for moves" if name in WITH_OUTPUT else name


def draw(table: Table, title: str) -> str:
    """A curve for each phase."""
    curves = [
        [spot_of(row, row.key["best"]) for row in table.rows_of(quantity)]
        for quantity in table.quantities
    ]
    names = [quantity.name for quantity in table.quantities]
    line = Line(PAPER_SHARE, f"the paper: at m = {PAPER_LENGTH} with {PAPER_STONES} stones")
    panel = Curves("moves among the best m", UNIT, "m", curves, 100.0, (line,))
    return draw_panels(title, "moves of professionals, by stones on the board", names, [panel])


EXPERIMENT = Experiment(TopSettings(), QUICK, run, draw, judge)
