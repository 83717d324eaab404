"""How well an evaluator predicts the moves and the territory of recorded games.

Moves: their chance under the Gibbs policy over the values of all legal afterstates. Territory: the
evaluator's ownership against the owners at the end of the game. Intervals hold 95 % and know that
positions of one game are not independent (`katachi.statistics`).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation, Evaluator, MoveScores, abilities_of
from katachi.measure.prediction_scores import (
    FIFTHS,
    MoveOutcomes,
    MoveReport,
    OwnershipOutcomes,
    OwnershipReport,
    Place,
    judge_moves,
    judge_ownership,
    report_moves,
    report_ownership,
)
from katachi.records.dataset import GameSet, common_size
from katachi.records.final_ownership import FinalOwnership, Settlement, final_ownership
from katachi.records.record import Ownership
from katachi.records.selection import sample_fractions
from katachi.rules.color import BLACK
from katachi.rules.point import index_of_points
from katachi.rules.state import SIZE, TRACE_POINT, BoardState
from katachi.search.analysis import CONTINUATIONS, black_ownership
from katachi.search.policy import Choices, black_scores, fit_temperature
from katachi.search.recorded_moves import MoveRange, RecordedPositions, recorded_positions

MOST_FITTING_GAMES = 200
FEWEST_GAMES = 5
"""The temperature is fitted to one game in so many, which is not measured; of fewer games to those
that are measured."""

Tell = Callable[[int], object]
"""Hears how many more games are done."""
Chances = Callable[[BoardState], npt.NDArray[np.float64]]
"""[B, points] the chance that Black will own each point of B positions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionSettings:
    """What to measure."""

    moves: MoveRange = field(default_factory=MoveRange)
    """Which moves, and the positions before them."""
    temperature: float | None = None
    """Of the Gibbs policy; None for the evaluator's own or a fitted one."""
    seed: int = 0
    """Draws the games that the temperature is fitted to."""


class Temperature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The temperature of a Gibbs policy and where it is from."""

    value: float
    source: str
    """`given`, `model`, `other games` (of the set, which are not measured) or `same games`."""
    games: int = 0
    """Games it was fitted to."""


class BoardReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was measured on boards of one size."""

    size: int
    games: int
    """Games measured, those the temperature was fitted to left out."""
    temperature: Temperature
    moves: MoveReport | None
    """None where no stone was played in the wanted moves."""
    ownership: OwnershipReport | None
    """None where the final ownership of no game is known."""
    final_ownership: dict[str, int]
    """Games by how their final ownership is known (`katachi.records.final_ownership`)."""


def measure_board(
    evaluator: Evaluator, games: GameSet, settings: PredictionSettings, tell: Tell | None = None
) -> BoardReport:
    """Measures an evaluator on games of one board size; raises KatachiError for a set without
    games or with several sizes, and where the evaluator cannot judge such boards.

    `tell` hears of every game twice that is used twice: to fit the temperature and to measure.
    """
    size = common_size(games)
    temperature, measured = _settle_temperature(evaluator, games, settings, tell)
    gatherer = _Gatherer(evaluator, measured, temperature.value)
    groups = recorded_positions(measured, settings.moves)
    for group in _heard(groups, tell, len(measured)):
        gatherer.add(group)
    return BoardReport(
        size,
        len(measured),
        temperature,
        report_moves(gatherer.moves),
        report_ownership(gatherer.ownership, gatherer.source),
        {each.value: gatherer.settlements[each] for each in Settlement},
    )


def _settle_temperature(
    evaluator: Evaluator, games: GameSet, settings: PredictionSettings, tell: Tell | None
) -> tuple[Temperature, GameSet]:
    """The temperature, and the games that are left to be measured."""
    if settings.temperature is not None:
        return Temperature(settings.temperature, "given"), games
    fitted = abilities_of(evaluator).temperature
    stored = None if fitted is None else fitted(common_size(games))
    if stored is not None:
        return Temperature(stored, "model"), games
    fitting, measured = part_games(games, settings.seed)
    source = "other games" if len(measured) else "same games"
    measured = measured if len(measured) else fitting
    value = fitted_temperature(evaluator, fitting, settings.moves, tell)
    return Temperature(value, source, len(fitting)), measured


def fitted_temperature(
    evaluator: Evaluator, games: GameSet, moves: MoveRange, tell: Tell | None = None
) -> float:
    """The temperature at which the wanted moves are likeliest; 1 where there are none."""
    choices = gather_choices(evaluator, games, moves, tell)
    return 1.0 if choices is None else fit_temperature(choices)


def part_games(games: GameSet, seed: int) -> tuple[GameSet, GameSet]:
    """(games to fit a temperature to, games to measure): a fifth, `MOST_FITTING_GAMES` at most, and
    the rest; records of one game fall into the same part. All and none of too few games."""
    fractions = sample_fractions(games.info["identity"], seed)
    count = min(len(games) // FEWEST_GAMES, MOST_FITTING_GAMES)
    last = np.sort(fractions)[count - 1] if count else 1.0
    parts = games.rows[fractions <= last], games.rows[fractions > last]
    fitting, measured = (GameSet(games.columns, rows, games.rejections) for rows in parts)
    return fitting, measured


def gather_choices(
    evaluator: Evaluator, games: GameSet, moves: MoveRange, tell: Tell | None = None
) -> Choices | None:
    """The mover's score of every legal move before each wanted stone, for fitting a temperature;
    None where there is no such stone. Takes eight bytes a legal move."""
    groups = _heard(recorded_positions(games, moves), tell, len(games))
    parts = [score_moves(evaluator, group) for group in groups if len(group.rows)]
    if not parts:
        return None
    ends = np.cumsum([len(part.scores) for part in parts])
    firsts = [0, *ends[:-1].tolist()]
    starts = [part.starts[:-1] + first for part, first in zip(parts, firsts, strict=True)]
    played = [part.played + first for part, first in zip(parts, firsts, strict=True)]
    scores = np.concatenate([part.scores for part in parts])
    return Choices(scores, np.append(np.concatenate(starts), ends[-1]), np.concatenate(played))


def _heard(
    groups: Iterator[RecordedPositions], tell: Tell | None, games: int
) -> Iterator[RecordedPositions]:
    """The groups, telling how many more games each brings to an end."""
    done = 0
    for group in groups:
        begun = int(group.games[-1])
        yield group
        if tell is not None:
            tell(begun - done)
        done = begun
    if tell is not None:
        tell(games - done)


def score_moves(evaluator: Evaluator, group: RecordedPositions) -> Choices:
    """What each legal move of a group is worth to the mover, all judged in one call, or how likely
    it is where the evaluator says that itself."""
    predict = abilities_of(evaluator).moves
    if predict is not None:
        return _predicted(predict, group)
    scores = black_scores(evaluator.evaluate(group.after))
    is_black = np.repeat(group.colors[group.rows] == BLACK, np.diff(group.starts))
    return Choices(np.where(is_black, scores, -scores), group.starts, group.played)


def _predicted(predict: MoveScores, group: RecordedPositions) -> Choices:
    rows = group.rows
    before = BoardState(group.before.words[rows], group.before.hashes[rows], group.before.keys)
    scores = predict(before, group.colors[rows])
    owner = np.repeat(np.arange(len(rows)), np.diff(group.starts))
    size = int(before.words.flat[SIZE])
    places = index_of_points(group.after.words[:, TRACE_POINT], size)
    return Choices(scores[owner, places], group.starts, group.played)


def place_of(group: RecordedPositions) -> Place:
    """Where the positions of a group are from."""
    return Place(group.games, FIFTHS * (group.moves - 1) // group.lengths)


def _judge_group(
    evaluator: Evaluator, group: RecordedPositions, temperature: float
) -> list[MoveOutcomes]:
    """How the stones of a group were predicted; nothing where none was played."""
    if len(group.rows) == 0:
        return []
    place = place_of(group).take(group.rows)
    return [judge_moves(place, score_moves(evaluator, group), temperature)]


def judge_played_moves(
    evaluator: Evaluator, games: GameSet, moves: MoveRange, temperature: float = 1.0
) -> list[MoveOutcomes]:
    """How the wanted moves of games of one size were predicted; owners are not looked at."""
    groups = recorded_positions(games, moves)
    return [each for group in groups for each in _judge_group(evaluator, group, temperature)]


class OwnedPositions(NamedTuple):
    """P positions of one board size whose owners in the end are known."""

    states: BoardState
    owners: Ownership
    """[P, points]"""
    place: Place

    def judge(self, chances: Chances) -> OwnershipOutcomes:
        """How the owners were predicted."""
        return judge_ownership(self.place, chances(self.states), self.owners)


def owned_positions(games: GameSet) -> Iterator[OwnedPositions]:
    """The positions before all moves of games with marked owners, a good thousand in a group."""
    for group in recorded_positions(games, MoveRange(), has_moves=False):
        owners = {game: games[game].ownership for game in np.unique(group.games).tolist()}
        known = [each for game in group.games.tolist() if (each := owners[game]) is not None]
        yield OwnedPositions(group.before, np.stack(known), place_of(group))


def measure_owners(chances: Chances, games: GameSet) -> OwnershipReport:
    """How the owners of all positions of games with marked owners are predicted by an evaluator;
    raises KatachiError where there are none."""
    report = report_ownership(
        [group.judge(chances) for group in owned_positions(games)], "evaluator"
    )
    if report is None:
        raise KatachiError("no game with a known final ownership is held out: use more games")
    return report


def owner_chances(
    states: BoardState, evaluation: Evaluation, playouts: int = CONTINUATIONS
) -> npt.NDArray[np.float64]:
    """[B, points] the chance that Black will own each point of B positions, as they were evaluated,
    or where that says nothing by so many random continuations: the share of those with one more for
    each side, as it is never sure."""
    chances = black_ownership(states, evaluation, playouts)
    if evaluation.ownership is None:
        chances = (playouts * chances + 1.0) / (playouts + 2.0)
    return chances


def chances_of(evaluator: Evaluator, playouts: int = CONTINUATIONS) -> Chances:
    """What tells `owner_chances` by an evaluator."""
    return lambda states: owner_chances(states, evaluator.evaluate(states), playouts)


class _Gatherer:
    """Judges groups of positions and keeps what comes out."""

    def __init__(self, evaluator: Evaluator, games: GameSet, temperature: float) -> None:
        self.evaluator = evaluator
        self.games = games
        self.temperature = temperature
        self.moves: list[MoveOutcomes] = []
        self.ownership: list[OwnershipOutcomes] = []
        self.source = "evaluator"
        self.settlements: Counter[Settlement] = Counter()
        self._ends: dict[int, FinalOwnership] = {}

    def add(self, group: RecordedPositions) -> None:
        place = place_of(group)
        self.moves += _judge_group(self.evaluator, group, self.temperature)
        self._settle(np.unique(group.games).tolist())
        owners = [self._ends[game].owners for game in group.games.tolist()]
        known = [each for each in owners if each is not None]
        if known:
            chosen = np.flatnonzero([each is not None for each in owners])
            before = group.before
            states = BoardState(before.words[chosen], before.hashes[chosen], before.keys)
            evaluation = self.evaluator.evaluate(states)
            if evaluation.ownership is None:
                self.source = "playouts"
            chances = owner_chances(states, evaluation)
            self.ownership.append(judge_ownership(place.take(chosen), chances, np.stack(known)))

    def _settle(self, games: list[int]) -> None:
        """Finds the owners at the end of those of these games that are new."""
        for game in games:
            if game not in self._ends:
                self._ends[game] = final_ownership(self.games[game])
                self.settlements[self._ends[game].settlement] += 1
