"""S2-counted: a table of moves that were counted, as propensity is, alone and beside a net.

Classes of moves have strengths, and a move is played in proportion to the product of its own
(Bradley and Terry's model for many players). They are fitted to 9x9 games and used on any board;
beside a net they are a second opinion, whose weight is fitted as temperatures are.
"""

from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import Territory
from katachi.experiments.bounds import Count, NotNegative
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.s2_territory import learned_moves, material
from katachi.experiments.s2_territory.move_prediction import (
    Case,
    PredictionSettings,
    Shared,
    choose_games,
)
from katachi.experiments.s2_territory.predicted_moves import (
    LOG,
    MoveSet,
    Predicted,
    predicted_of,
    rows_of_runs,
)
from katachi.experiments.s2_territory.small_nets import GOALS
from katachi.measure.prediction import place_of, score_moves
from katachi.measure.prediction_scores import Place, judge_moves
from katachi.records.dataset import GameSet
from katachi.search.move_classes import Classes, Factors, classify_moves
from katachi.search.policy import Choices, fit_temperature, log_chances
from katachi.search.recorded_moves import MoveRange, recorded_positions
from katachi.statistics import Estimate, mean_by_cluster

NET, TABLE, BOTH = "the net", "the table", "both"
GAIN = Quantity("gained by the table", "nats a move", 3)
Strengths = list[npt.NDArray[np.float64]]
"""Logarithms, for the classes of each kind."""


class CountedSettings(learned_moves.NetSettings, frozen=True, kw_only=True):
    """What is counted, and beside which net it stands."""

    sets: tuple[MoveSet, ...] = learned_moves.MORE_GAMES
    """Games whose moves are predicted: amateurs' that were held out, and professionals'."""
    fitting_games: Count = 200
    """Most games that a temperature is fitted to, for each set."""
    net: str = "moves9"
    """The shipped net beside which the table stands."""
    counted_games: Count = 5000
    """9x9 games whose moves are counted."""
    sweeps: Count = 8
    """Times that all strengths are fitted anew."""
    doubt: NotNegative = 2.0
    """Moves of each class that are taken to have been played against one of strength 1, and as many
    that were not."""
    shares: Annotated[tuple[NotNegative, ...], msgspec.Meta(min_length=1)] = (
        0.05,
        0.1,
        0.2,
        0.3,
        0.4,
        0.6,
        0.8,
        1.0,
    )
    """What the table may count for beside the net."""


QUICK = CountedSettings(
    sets=learned_moves.SMALL_SETS, fitting_games=2, counted_games=4, sweeps=2, shares=(0.5,)
)


class Moves(NamedTuple):
    """Moves that could have been played, and those that were."""

    classes: Classes
    """[M, 3]."""
    starts: npt.NDArray[np.int64]
    """[K + 1]: where those of each position begin."""
    played: npt.NDArray[np.int64]
    """[K]."""
    scores: npt.NDArray[np.float64]
    """[M]: what a net says of them; nothing where none was asked."""
    place: Place
    """Where the positions are from."""


def gather(games: GameSet, wanted: MoveRange, net: Territory | None = None) -> Moves:
    """All moves before the wanted stones of games of one size."""
    classes, starts, played, scores, places, count = [], [], [], [], [], 0
    for group in recorded_positions(games, wanted):
        if len(group.rows) == 0:
            continue
        classes.append(classify_moves(group))
        starts.append(group.starts[:-1] + count)
        played.append(group.played + count)
        places.append(place_of(group).take(group.rows))
        if net is not None:
            scores.append(score_moves(net, group).scores)
        count += len(classes[-1])
    place = Place(*(np.concatenate(each) for each in zip(*places, strict=True)))
    return Moves(
        np.concatenate(classes),
        np.append(np.concatenate(starts), count),
        np.concatenate(played),
        np.concatenate(scores) if scores else np.zeros(0),
        place,
    )


def fit_strengths(moves: Moves, sweeps: int, doubt: float) -> Strengths:
    """The strengths of classes by which the played moves are likeliest, one kind after the other
    (minorisation and maximisation); of the shapes those are near 1 that were met rarely."""
    factors = Factors()
    strengths = [np.ones(count) for count in factors]
    kinds = [moves.classes[:, kind] for kind in range(len(factors))]
    wins = [
        np.bincount(kind[moves.played], minlength=count).astype(np.float64)
        for kind, count in zip(kinds, factors, strict=True)
    ]
    lengths = np.diff(moves.starts)
    for _ in range(sweeps):
        for number, kind in enumerate(kinds):
            total = np.prod([each[k] for each, k in zip(strengths, kinds, strict=True)], axis=0)
            rivals = np.add.reduceat(total, moves.starts[:-1])
            own = strengths[number]
            share = total / own[kind] / np.repeat(rivals, lengths)
            met = np.bincount(kind, share, len(own))
            held = doubt if number == 0 else 0.0
            found = (wins[number] + held) / np.maximum(met + 2 * held / (own + 1), 1e-12)
            # A class that was never met, or never played, has nothing that speaks for a number.
            strengths[number] = np.where((met > 0) & (wins[number] + held > 0), found, 1.0)
    return [np.log(each) for each in strengths]


def table_scores(moves: Moves, strengths: Strengths) -> npt.NDArray[np.float64]:
    """[M] what the table says of moves."""
    parts = [each[moves.classes[:, kind]] for kind, each in enumerate(strengths)]
    return np.asarray(np.sum(parts, axis=0))


class Opinion(msgspec.Struct, frozen=True):
    """What came of the net, the table or both on one set of games."""

    predicted: Predicted
    share: float
    """What the table counts for."""
    gain: Estimate
    """How much likelier moves are than by the net alone."""


class Counted(msgspec.Struct, frozen=True):
    """What came of all sets."""

    moves: int
    """That were counted."""
    games: int
    """That they are from."""
    opinions: dict[str, dict[str, Opinion]]
    """By who judges and by set."""


class _Fitted(NamedTuple):
    """An opinion whose temperature fits."""

    likelihood: float
    weights: tuple[float, float]
    """Of the net and of the table."""
    temperature: float


def _blend(
    moves: Moves, strengths: Strengths, weights: tuple[float, float]
) -> npt.NDArray[np.float64]:
    return weights[0] * moves.scores + weights[1] * table_scores(moves, strengths)


def _fit(moves: Moves, strengths: Strengths, weights: tuple[float, float]) -> _Fitted:
    choices = Choices(_blend(moves, strengths, weights), moves.starts, moves.played)
    temperature = fit_temperature(choices)
    chances = log_chances(choices.scores, choices.starts, temperature)[choices.played]
    return _Fitted(float(chances.mean()), weights, temperature)


def judge_set(
    fitting: Moves, measured: Moves, strengths: Strengths, shares: tuple[float, ...]
) -> dict[str, Opinion]:
    """How likely the measured moves are by each opinion, which is fitted to other moves."""
    tried = {NET: [(1.0, 0.0)], TABLE: [(0.0, 1.0)], BOTH: [(1.0, share) for share in shares]}
    games, opinions = len(np.unique(fitting.place.games)), {}
    net: npt.NDArray[np.float64] | None = None
    for who, options in tried.items():
        best = max(_fit(fitting, strengths, weights) for weights in options)
        scores = _blend(measured, strengths, best.weights)
        choices = Choices(scores, measured.starts, measured.played)
        outcomes = judge_moves(measured.place, choices, best.temperature)
        net = outcomes.log_chances if net is None else net
        gain = mean_by_cluster(outcomes.log_chances - net, measured.place.games)
        predicted = predicted_of([outcomes], best.temperature, games)
        opinions[who] = Opinion(predicted, best.weights[1], gain)
    return opinions


def measure(settings: CountedSettings, task: Task) -> Counted:
    """Counts, and predicts the moves of every set."""
    scored = material.open_parts(task.require_file(material.SCORED9))
    counted = gather(scored.train[: settings.counted_games], MoveRange())
    strengths = fit_strengths(counted, settings.sweeps, settings.doubt)
    net, wanted = (
        load_territory(settings.net),
        PredictionSettings(models=(), sets=settings.sets, fitting_games=settings.fitting_games),
    )
    opinions = {}
    for each in settings.sets:
        case = Case(each, False, "")
        folder = task.require_file(each.file).parent
        parts = choose_games(Shared(folder, [settings.net], task.study_seed), wanted, case)
        if all(map(len, parts)):
            fitting, measured = (gather(games, case.moves, net) for games in parts)
            opinions[each.name] = judge_set(fitting, measured, strengths, settings.shares)
    return Counted(len(counted.played), len(np.unique(counted.place.games)), opinions)


def run(settings: CountedSettings, seed: int, runner: Runner) -> Table:
    """Counts and measures; raises KatachiError where the games are not there."""
    files = learned_moves.require_games(settings, runner, material.SCORED9)
    behaviour = material.fingerprint(map(runner.require_file, files), [settings.net])
    tasks = [Task("all", 1)]
    found = runner.measure_all(Study("S2-counted", settings, seed, tasks, measure, behaviour))
    rows = found.rows(lambda _, runs: _rows(runs[0]))
    return Table(
        quantities=[*learned_moves.MEASURED, GAIN],
        rows=rows,
        labels=learned_moves.LABELS,
        notes=_notes(settings, found.one()),
    )


def _rows(counted: Counted) -> list[Row]:
    rows: list[Row] = []
    for name, by in counted.opinions.items():
        for who, each in by.items():
            key: Key = {"net": who, "games": name}
            rows += rows_of_runs(key, [each.predicted])
            if who != NET and each.predicted.scores is not None:
                rows.append(GAIN.estimate(key, each.gain, each.predicted.scores.games))
    return rows


def _notes(settings: CountedSettings, counted: Counted) -> list[str]:
    return [
        f"The net is {settings.net}. The table: a strength for what stands on the eight points "
        "around a move, together with its distance from the last move and what it does to the "
        "blocks beside it; one for its distance from the move before, and one for its line; fitted "
        f"to {counted.moves:,} moves of {counted.games:,} games of {material.SCORED9}. Both: "
        "scores of the net with a share of the table's, fitted as temperatures are; at 9x9 to "
        "games that net and table may have learned from, at other sizes to games that neither "
        "knows.",
        *learned_moves.notes_of_sets(settings),
    ]


def judge(table: Table) -> list[Claim]:
    """Whether the table adds to the net, and whether both come to the goal."""
    claims = []
    for row in table.rows_of(GAIN, net=BOTH):
        words = (
            f"beyond the paper: a table beside the net helps at {row.key['games']}",
            f"{row.ours:+.3f} nats a move",
        )
        claims.append(judge_above(words, number_of(row, 3)))
    for where, goal in GOALS.items():
        for row in table.rows_of(LOG, games=where, net=BOTH):
            if row.ours is not None:
                words = f"our goal: {goal:.2f} at {where}", f"{row.ours:.2f} (net and table)"
                claims.append(judge_above(words, number_of(row, 2), goal))
    return claims


def draw(table: Table, title: str) -> str:
    """Chances by both readings, and the best moves."""
    return learned_moves.draw_nets(table, title, "a net, a table of counted moves, and both")


EXPERIMENT = Experiment(CountedSettings(), QUICK, run, draw, judge)
