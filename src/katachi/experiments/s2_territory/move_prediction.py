"""S2-T2: how likely the moves that were played are (Table 2)."""

import math
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.evaluators import shipped
from katachi.evaluators.simple import ConstantEvaluator
from katachi.experiments.bounds import BoardSize, Count
from katachi.experiments.claims import judge_above
from katachi.experiments.protocol import (
    Claim,
    Experiment,
    Key,
    Quantity,
    Row,
    Settings,
    Table,
    Value,
    label_of,
)
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.predicted_moves import (
    AMONG,
    LOG,
    LOG_OF_MEAN,
    LOGS,
    MEAN,
    MEAN_OF_LOGS,
    PAPER_NET,
    PAPER_ONE_IN,
    TOO_FEW,
    TOP1,
    MoveSet,
    Predicted,
    cut_at,
    log_number_of,
    log_of,
    predict_moves,
    predicted_of,
)
from katachi.experiments.table_pictures import bar_of
from katachi.measure.prediction import judge_played_moves, part_games
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.records.dataset import GameSet
from katachi.records.selection import GameFilter
from katachi.search.recorded_moves import MoveRange
from katachi.statistics import Estimate

LABELS = ("{games}, {moves}: {player}",)
TEMPERATURE = Quantity("temperature", "points", 3)
SCORED = Quantity("moves")
UNIFORM, PAPER, WHOLE = "uniform", "the paper", "whole games"
PAPER_UNIFORM = {9: -4.13, 13: -4.88, 19: -5.64}
DRAWN = ("literal9", "paper9", "moves9")
"""The paper's recipe, one that chooses as the paper does, and one that predicts moves."""
PAPER_OTHERS = {"Boltzmann5": -5.55, "BoltzmannLiberties": -5.27}
"""By board size, and those that the paper compares with at 19x19."""
OTHERS_SIZE = 19
HEADLINE = {shipped.LITERAL, shipped.BY_POINTS, shipped.PREDICTING}


class PredictionSettings(Settings, frozen=True, kw_only=True):
    """Which moves are predicted, and by whom."""

    models: tuple[str, ...] = (
        shipped.LITERAL,
        shipped.BY_POINTS,
        shipped.PREDICTING,
        shipped.FEWER_GAMES,
        shipped.SMALL19,
        shipped.LARGE19,
    )
    """Territory models, by name or folder. The first four learned from 9x9 games only: owners
    alone as in the paper, to choose by points, to predict moves, and that from the paper's number
    of games."""
    training: str = material.SCORED9
    """The file that models learned from: only its held-out games are measured."""
    training_size: BoardSize = 9
    """Its board size: temperatures there are fitted to games that were learned from."""
    sets: tuple[MoveSet, ...] = (
        MoveSet("amateurs 9x9", material.SCORED9, 9, 18, 22, games=1500, whole_games=100),
        MoveSet(
            "amateurs 9x9, 9 kyu or better", material.SCORED9, 9, 18, 22, rank="9k", whole_games=100
        ),
        MoveSet("professionals 9x9", "pro9.sgf.gz", 9, 18, 22, whole_games=100),
        MoveSet("professionals 13x13", "pro13.sgf.gz", 13, 36, 40, whole_games=100),
        MoveSet("professionals 19x19", "pro19.sgf.gz", 19, 80, 83, games=1000, whole_games=100),
    )
    """Sets of games."""
    fitting_games: Count = 200
    """Most games that a temperature is fitted to."""
    whole_fitting_games: Count = 20
    """The same for whole games."""
    every: Count = 10
    """Of whole games a net that chooses by points, and must look at every legal move, predicts one
    move in so many."""


QUICK = PredictionSettings(
    sets=tuple(
        msgspec.structs.replace(each, games=2, whole_games=1)
        for each in PredictionSettings().sets
        if each.file in (material.SCORED9, "pro13.sgf.gz")
    ),
    fitting_games=2,
    whole_fitting_games=1,
)


class Shared(NamedTuple):
    """What all lines of the table are made of."""

    folder: Path
    """Of the games."""
    models: list[str]
    seed: int
    """Draws games."""
    learned: frozenset[str] = frozenset()
    """Files that were learned from beside those of the models."""


class Case(NamedTuple):
    """One line of the table."""

    games: MoveSet
    is_whole: bool
    player: str
    """`uniform`, or a model."""

    @property
    def moves(self) -> MoveRange:
        """The moves to predict."""
        return MoveRange() if self.is_whole else MoveRange(self.games.first, self.games.last)

    @property
    def place(self) -> str:
        """What is predicted, in words."""
        return f"{self.games.name}, {self.key['moves']}"

    @property
    def key(self) -> Key:
        """What the line is about."""
        moves = WHOLE if self.is_whole else f"moves {self.moves}"
        return {
            "games": self.games.name,
            "moves": moves,
            "player": material.name_of_model(self.player),
        }


def cases_of(settings: PredictionSettings, models: list[str]) -> list[Case]:
    """The lines of the table."""
    return [
        Case(games, is_whole, player)
        for games in settings.sets
        for is_whole in (False, True)
        for player in (UNIFORM, *models)
    ]


def choose_games(
    shared: Shared, settings: PredictionSettings, case: Case
) -> tuple[GameSet, GameSet]:
    """(games to fit a temperature to, games to measure), none in common."""
    own, seed = case.games, shared.seed
    learned = material.files_learned(shared.models) | {settings.training} | shared.learned
    measured = material.open_unseen(shared.folder / own.file, own.size, learned).measured
    if own.size == settings.training_size:
        training = material.open_unseen(shared.folder / settings.training, own.size, learned)
        assert training.learned is not None
        fitting = training.learned
    else:
        fitting, measured = part_games(measured, seed)
    is_long = GameFilter(size=own.size, min_moves=case.moves.first)
    wanted = GameFilter(
        size=own.size, min_moves=case.moves.first, weakest_rank=own.rank if own.rank else None
    )
    most = own.whole_games if case.is_whole else own.games
    fit = settings.whole_fitting_games if case.is_whole else settings.fitting_games
    chosen = material.sample_games(measured.filter(wanted), most, seed)
    return material.sample_games(fitting.filter(is_long), fit, seed), chosen


def measure(models: list[str], settings: PredictionSettings, task: Task) -> Predicted:
    """One line of the table; every player has the same games."""
    case = next(c for c in cases_of(settings, models) if c.key == task.key)
    shared = Shared(task.require_file(case.games.file).parent, models, task.study_seed)
    fitting, measured = choose_games(shared, settings, case)
    if len(measured) == 0:
        return Predicted(None)
    if case.player == UNIFORM:
        outcomes = judge_played_moves(ConstantEvaluator(), measured, case.moves)
        return predicted_of(outcomes)
    model = shipped.load_territory(case.player)
    every = settings.every if case.is_whole and not model.predicts_moves else 1
    return predict_moves(model, (fitting, measured), case.moves, every)


def run(settings: PredictionSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where a file of games is."""
    names = sorted({settings.training, *(each.file for each in settings.sets)})
    files = [runner.require_file(name) for name in names]
    models, missing = material.find_models(settings.models, runner)
    cases = cases_of(settings, models)
    tasks = [Task(label_of(LABELS, case.key), 1, cost_of(case), case.key) for case in cases]
    work = partial(measure, models)
    behaviour = material.fingerprint(files, models)
    found = runner.measure_all(Study("S2-T2", settings, seed, tasks, work, behaviour))
    measured = [(case, found.one(**case.key)) for case in cases]
    rows = [row for case, each in measured for row in _rows(case, each)]
    notes = [*missing, *map(material.describe_model, models), *_notes(settings)]
    return Table(
        quantities=[LOG, MEAN, TOP1, AMONG, TEMPERATURE, SCORED],
        rows=[*rows, *_other_rows(settings)],
        labels=LABELS,
        notes=notes,
    )


def cost_of(case: Case) -> float:
    """About how long a line takes: boards to judge, in millions of points."""
    points = case.games.size**2
    moves = points // 2 if case.is_whole else case.games.last - case.games.first + 1
    games = (case.games.whole_games if case.is_whole else case.games.games) or 500
    return games * moves * points * points / 1e6 * (0.05 if case.player == UNIFORM else 1.0)


def _rows(case: Case, found: Predicted) -> list[Row]:
    key, scores = case.key, found.scores
    paper = None if case.is_whole else _paper_of(case)
    if scores is None:
        row = Row(key=key, quantity=LOG.name, ours=None, n=0, remark=TOO_FEW)
        return [row]
    log, top = cut_at(LOGS, scores.log_probability), scores.top1
    rows = [
        LOG.estimate(key, log, scores.games, paper),
        TOP1.estimate(key, top.in_percent(), scores.games),
    ]
    if found.chance is not None and found.among is not None:
        mean = cut_at(LOGS, log_of(found.chance))
        rows.append(MEAN.estimate(key, mean, scores.games, paper))
        rows.append(AMONG.estimate(key, found.among.in_percent(), scores.games))
    if case.player != UNIFORM:
        value = Estimate(found.temperature)
        rows.append(TEMPERATURE.estimate(key, value, found.fitted))
    return [*rows, SCORED.row(key, scores.moves, scores.games)]


def _paper_of(case: Case) -> float | None:
    return (PAPER_UNIFORM if case.player == UNIFORM else PAPER_NET).get(case.games.size)


def _other_rows(settings: PredictionSettings) -> list[Row]:
    """What the paper compares with; ours has none of them."""
    keys = [Case(each, False, "").key for each in settings.sets if each.size == OTHERS_SIZE]
    return [
        LOG.row(key | {"player": name}, None, 0, value)
        for key in keys
        for name, value in PAPER_OTHERS.items()
    ]


def judge(table: Table) -> list[Claim]:
    """The net's lines of Table 2, by the models of its size that are named above, or by all where
    these were not asked for; by more games of a size that was judged already, for the paper has one
    line for each, only the model that predicts best."""
    rows = [
        row
        for row in table.rows_of(LOG)
        if row.paper is not None and row.ours is not None and row.key["player"] != UNIFORM
    ]
    named = {material.name_of_model(each) for each in HEADLINE}
    claimed = {row.key["player"] for row in rows} & named
    chosen = [row for row in rows if row.key["player"] in claimed or not claimed]
    first = {row.paper: row.key["games"] for row in reversed(chosen)}
    best = material.name_of_model(shipped.PREDICTING)
    chosen = [
        row for row in chosen if row.key["games"] == first[row.paper] or row.key["player"] == best
    ]
    means = [row for one in chosen if (row := table.find(MEAN, one.key)) is not None]
    return [
        *(_claim(row, MEAN_OF_LOGS) for row in chosen),
        *(_claim(row, LOG_OF_MEAN) for row in means),
    ]


def _claim(row: Row, reading: str) -> Claim:
    """One line by one of the two readings of the paper's numbers."""
    paper, ours = row.paper or 0.0, row.ours or 0.0
    place = f"{row.key['games']}, {row.key['moves']}"
    text = f"{place}: log-probability {paper:.2f}, 1 move in {PAPER_ONE_IN[paper]} ({reading})"
    words = text, f"{ours:.2f}, 1 in {math.exp(-ours):.1f}, by {row.key['player']}"
    return judge_above(words, log_number_of(row), paper)


def _notes(settings: PredictionSettings) -> list[str]:
    return [
        "Natural logarithms. The chance of a move is in proportion to exp(score / temperature), "
        "over all legal moves but the pass. The score is the points of the mover after it, as in "
        f"the paper, by {shipped.LITERAL} and {shipped.BY_POINTS}; the other models say the move "
        "directly, by an output of the net.",
        "Temperatures, which the paper does not state, are fitted for each board size and range of "
        f"moves to games that are not measured: at {settings.training_size}x"
        f"{settings.training_size} to games of {settings.training} that are learned from, "
        f"elsewhere to other games of the set; {settings.fitting_games} at most, "
        f"{settings.whole_fitting_games} for whole games.",
        material.HELD_OUT,
        "The paper does not say which moves it scored at 9x9 and 13x13; moves 18-22 and 36-40 fill "
        "as much of the board as 80-83 at 19x19, and have its number of legal moves. Its 9x9 games "
        "are amateurs' that are not public.",
        f"Of whole games the nets that choose by points predict one move in {settings.every}, from "
        "the first on; a uniform prediction and the other nets all of them.",
        "Both readings of the paper's values stand here: the mean of the logarithms, and the "
        "logarithm of the mean probability, which moves that were missed hardly change.",
        "95 % intervals take games, not moves, as independent.",
    ]


def draw(table: Table, title: str) -> str:
    """The chance of a played move by both readings, and how often it is the best, for the moves
    that the paper speaks of and the nets that its own is compared with."""
    known = table.values("player")
    players = [name for name in DRAWN if name in known] or [str(name) for name in known[:3]]
    rows = [row for row in table.rows_of(LOG) if row.key["moves"] != WHOLE]
    keys = [dict(each) for each in dict.fromkeys(_place_of(row) for row in rows)]
    groups = [str(key["games"]) for key in keys]
    best = [[bar_of(table.find(TOP1, key | {"player": p})) for p in players] for key in keys]
    panels = [
        *(
            Panel(
                f"chance of the played move, {words}",
                "%",
                groups,
                [_chance_bars(table, quantity, key, players) for key in keys],
            )
            for quantity, words in ((LOG, MEAN_OF_LOGS), (MEAN, LOG_OF_MEAN))
        ),
        Panel(TOP1.name, TOP1.unit, groups, best),
    ]
    note = "the paper's moves of each set; a log-probability is drawn as the chance that has it"
    return draw_panels(title, note, [*players, PAPER], panels, columns=1)


def _place_of(row: Row) -> tuple[tuple[str, Value], ...]:
    return tuple((factor, row.key[factor]) for factor in ("games", "moves"))


def _chance_bars(table: Table, quantity: Quantity, key: Key, players: list[str]) -> list[Bar]:
    """Of the players, and of the paper's net."""
    rows = [table.find(quantity, key | {"player": player}) for player in players]
    bars = [
        Bar(None) if row is None else Bar(_chance(row.ours), _chance(row.low), _chance(row.high))
        for row in rows
    ]
    stated = [table.find(LOG, key | {"player": player}) for player in players]
    papers = [row.paper for row in stated if row is not None and row.paper is not None]
    return [*bars, Bar(_chance(papers[0]) if papers else None)]


def _chance(log: float | None) -> float | None:
    return None if log is None else 100 * math.exp(log)


EXPERIMENT = Experiment(PredictionSettings(), QUICK, run, draw, judge)
