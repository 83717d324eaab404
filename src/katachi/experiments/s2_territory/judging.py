"""How well positions of recorded games are judged: pieces of the evaluation, each on its own."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.measure.prediction import gather_choices, score_moves
from katachi.measure.prediction_scores import (
    FIFTHS,
    MoveOutcomes,
    OwnershipOutcomes,
    Place,
    judge_moves,
    judge_ownership,
)
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet
from katachi.records.record import GameRecord, Ownership
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import PLY, BoardState, colors_of
from katachi.search.policy import fit_temperature
from katachi.search.recorded_moves import MoveRange, recorded_positions

POSITIONS_AT_ONCE = 1024
Chances = Callable[[BoardState], npt.NDArray[np.float64]]
"""[B, points] the chance that Black will own each point of B positions."""


def judge_played_moves(
    evaluator: Evaluator, games: GameSet, moves: MoveRange, temperature: float = 1.0
) -> list[MoveOutcomes]:
    """How the wanted moves of games of one size were predicted; owners are not looked at."""
    parts = []
    for group in recorded_positions(games, moves):
        if len(group.rows):
            place = Place(group.games, FIFTHS * (group.moves - 1) // group.lengths)
            choices = score_moves(evaluator, group)
            parts.append(judge_moves(place.take(group.rows), choices, temperature))
    return parts


def fitted_temperature(evaluator: Evaluator, games: GameSet, moves: MoveRange) -> float:
    """The temperature at which the wanted moves are likeliest; 1 where there are none."""
    choices = gather_choices(evaluator, games, moves)
    return 1.0 if choices is None else fit_temperature(choices)


class OwnedPositions(NamedTuple):
    """P positions of one board size whose owners in the end are known."""

    states: BoardState
    owners: Ownership
    """[P, points]"""
    place: Place
    stones: npt.NDArray[np.int64]
    """[P] stones on the board."""


def owned_positions(games: GameSet) -> Iterator[OwnedPositions]:
    """The positions before all moves of games with marked owners, a good thousand in a group."""
    gathered: list[tuple[npt.NDArray[np.uint16], Ownership, tuple[int, int]]] = []
    for index, record in enumerate(games):
        assert record.ownership is not None
        for number, words in enumerate(_boards_of(record)):
            fifth = FIFTHS * number // len(record.moves)
            gathered.append((words, record.ownership, (index, fifth)))
        if len(gathered) >= POSITIONS_AT_ONCE:
            yield _group(gathered)
            gathered = []
    if gathered:
        yield _group(gathered)


def _boards_of(record: GameRecord) -> Iterator[npt.NDArray[np.uint16]]:
    """The board before each move."""
    game = game_from_record(record, 0)
    for point, color in zip(record.moves.tolist(), record.colors.tolist(), strict=True):
        yield game.words.copy()
        game.play(color, point)


def _group(
    gathered: list[tuple[npt.NDArray[np.uint16], Ownership, tuple[int, int]]],
) -> OwnedPositions:
    words = np.stack([each for each, _, _ in gathered])
    words[:, PLY] = 0
    states = positions_of_stones(words)
    games, fifths = np.array([place for _, _, place in gathered], np.int64).T
    stones = (colors_of(words) != 0).sum(axis=1)
    return OwnedPositions(
        states, np.stack([owners for _, owners, _ in gathered]), Place(games, fifths), stones
    )


def judge_owners(chances: Chances, group: OwnedPositions) -> OwnershipOutcomes:
    """How the owners of a group were predicted."""
    return judge_ownership(group.place, chances(group.states), group.owners)


def net_chances(evaluator: Evaluator) -> Chances:
    """The chances that an evaluator of ownership gives."""

    def chances(states: BoardState) -> npt.NDArray[np.float64]:
        owned = evaluator.evaluate(states).ownership
        assert owned is not None
        return np.asarray(owned, np.float64)

    return chances
