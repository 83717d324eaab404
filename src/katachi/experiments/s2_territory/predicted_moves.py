"""Games whose moves are to be predicted, and what is told of how likely they were."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from katachi.evaluators.protocol import Evaluator
from katachi.experiments.bounds import Amount, BoardSize, Count
from katachi.experiments.claims import Tested, number_of
from katachi.experiments.protocol import Key, Quantity, Row
from katachi.experiments.s2_territory.top_moves import shares_within
from katachi.measure.prediction import fitted_temperature, judge_played_moves
from katachi.measure.prediction_scores import MoveOutcomes, MoveScores, report_moves
from katachi.records.dataset import GameSet
from katachi.search.recorded_moves import MoveRange
from katachi.statistics import Estimate, combine, mean_by_cluster, mean_of

LOG = Quantity("mean log-probability", "nats", 3)
MEAN = Quantity("log of the mean probability", "nats", 3)
"""The paper speaks of "the average probability of moves": by this reading its values are these."""
MEAN_OF_LOGS, LOG_OF_MEAN = "as a mean of logarithms", "as the logarithm of a mean"
"""How the paper's values can be read."""
LOGS = -math.inf, 0.0
"""Between which logarithms of chances lie."""
TOP1 = Quantity("best move played", "%", 1)
BEST = 30
AMONG = Quantity(f"among the best {BEST}", "%", 1)
"""What Figure 2b shows, beside Table 2."""
PAPER_NET = {9: -1.86, 13: -2.27, 19: -2.70}
"""The net's values in Table 2 by board size."""
PAPER_ONE_IN = {-1.86: 7, -2.27: 10, -2.70: 15}
"""The chances that Table 2 prints beside them: one move in so many."""
TOO_FEW = "too few games"


class MoveSet(msgspec.Struct, frozen=True):
    """Games whose moves are to be predicted."""

    name: str
    """What it is called in the table."""
    file: str
    """The file of the games."""
    size: BoardSize
    """Board size."""
    first: Count
    """First of the moves that the paper's table is about."""
    last: Count
    """Last of them."""
    rank: str = ""
    """How strong both players are at least."""
    games: Amount = 0
    """Most games, for these moves; 0 for all."""
    whole_games: Amount = 0
    """The same for whole games."""


class Predicted(msgspec.Struct, frozen=True):
    """What came of one set, for one player."""

    scores: MoveScores | None
    """None where there are too few games."""
    temperature: float = 1.0
    fitted: int = 0
    """Games the temperature was fitted to."""
    chance: Estimate | None = None
    """Mean chance of the played moves."""
    among: Estimate | None = None
    """Share of them among the best few."""


def predict_moves(
    model: Evaluator, games: tuple[GameSet, GameSet], moves: MoveRange, every: int = 1
) -> Predicted:
    """How likely moves are, by a temperature that is fitted to the first of two sets of games, in
    the second; there only one move in so many is looked at."""
    fitting, measured = games
    if len(measured) == 0:
        return Predicted(None)
    temperature = fitted_temperature(model, fitting, moves)
    outcomes = [
        each
        for part in parts_of(moves, every, measured)
        for each in judge_played_moves(model, measured, part, temperature)
    ]
    return predicted_of(outcomes, temperature, len(fitting))


def parts_of(moves: MoveRange, every: int, games: GameSet) -> list[MoveRange]:
    """One of every so many of the wanted moves, from the first on; all as they are for 1."""
    if every == 1:
        return [moves]
    last = moves.last or int(games.columns.moves.lengths[games.rows].max())
    return [MoveRange(number, number) for number in range(moves.first, last + 1, every)]


def predicted_of(
    outcomes: list[MoveOutcomes], temperature: float = 1.0, fitted: int = 0
) -> Predicted:
    """What a line of the table says of these moves."""
    scores = score_all(outcomes)
    if scores is None:
        return Predicted(None, temperature, fitted)
    chances = np.exp(np.concatenate([each.log_chances for each in outcomes]))
    games = np.concatenate([each.place.games for each in outcomes])
    chance = mean_by_cluster(chances, games)
    among = shares_within(outcomes, (BEST,)).shares[0]
    return Predicted(scores, temperature, fitted, chance, among)


def score_all(outcomes: list[MoveOutcomes]) -> MoveScores | None:
    """The scores of all moves together."""
    report = report_moves(outcomes)
    return None if report is None else report.all


def log_of(chance: Estimate) -> Estimate:
    """The logarithm of a mean chance; an interval that reaches 0 has none."""
    if chance.low is None or chance.high is None or chance.low <= 0:
        return Estimate(math.log(chance.value))
    return Estimate(*map(math.log, (chance.value, chance.low, chance.high)))


def over_runs(numbers: Sequence[Estimate], ends: tuple[float, float] | None = None) -> Estimate:
    """The mean of at least one run, all measured on the same games. Its interval tells how much
    other runs would differ, and other games, as if the two were independent; it stays between the
    ends, where they are given."""
    mean = mean_of([each.value for each in numbers])
    runs = mean if mean.low is not None else Estimate(mean.value, mean.value, mean.value)
    down = [each.value - each.low for each in numbers if each.low is not None]
    up = [each.high - each.value for each in numbers if each.high is not None]
    if down and up:
        games = Estimate(0.0, -sum(down) / len(down), sum(up) / len(up))
        mean = combine((1.0, 1.0), (runs, games))
    return mean if ends is None else cut_at(ends, mean)


def cut_at(ends: tuple[float, float], number: Estimate) -> Estimate:
    """The same number with an interval that stays between two ends."""
    if number.low is None or number.high is None:
        return number
    return Estimate(number.value, max(ends[0], number.low), min(ends[1], number.high))


def log_number_of(row: Row, digits: int = 2) -> Tested:
    """The logarithm of a chance as a row has it, its interval cut where such logarithms end; rows
    of older results may reach beyond."""
    by = number_of(row, digits)
    return by._replace(number=cut_at(LOGS, by.number))


def rows_of_runs(key: Key, runs: Sequence[Predicted], paper: float | None = None) -> list[Row]:
    """What a table says of one set and several runs: both readings of the paper's values, the share
    of best moves, and that of moves among the best few."""
    scores = [each.scores for each in runs if each.scores is not None]
    chances = [each.chance for each in runs if each.chance is not None]
    among = [each.among for each in runs if each.among is not None]
    if not (scores and chances and among):
        return [Row(key=key, quantity=LOG.name, ours=None, n=0, remark=TOO_FEW)]
    games, top = scores[0].games, [each.top1.in_percent() for each in scores]
    best = [each.in_percent() for each in among]
    return [
        LOG.estimate(key, over_runs([each.log_probability for each in scores], LOGS), games, paper),
        MEAN.estimate(key, over_runs([log_of(each) for each in chances], LOGS), games, paper),
        TOP1.estimate(key, over_runs(top, (0.0, 100.0)), games),
        AMONG.estimate(key, over_runs(best, (0.0, 100.0)), games),
    ]
