"""The pieces give what the whole evaluation gives."""

from pathlib import Path

import numpy as np
import pytest

from katachi.evaluators.shipped import load_territory
from katachi.experiments.s2_territory.material import SCORED9
from katachi.measure.prediction import (
    PredictionSettings,
    chances_of,
    fitted_temperature,
    judge_played_moves,
    measure_board,
    owned_positions,
)
from katachi.measure.prediction_scores import report_moves, report_ownership
from katachi.records.dataset import open_games
from katachi.rules.state import colors_of
from katachi.search.recorded_moves import MoveRange


def test_moves_and_owners_are_judged_as_by_the_evaluation(data: Path, model: str) -> None:
    evaluator = load_territory(model)
    games = open_games(data / SCORED9)[:2]
    whole = measure_board(evaluator, games, PredictionSettings(temperature=0.7))
    assert report_moves(judge_played_moves(evaluator, games, MoveRange(), 0.7)) == whole.moves
    chances = chances_of(evaluator)
    parts = [group.judge(chances) for group in owned_positions(games)]
    ours = report_ownership(parts, "evaluator")
    assert ours is not None
    assert whole.ownership is not None
    assert ours.all.positions == whole.ownership.all.positions
    assert ours.all.right == whole.ownership.all.right
    assert ours.all.cross_entropy.value == pytest.approx(whole.ownership.all.cross_entropy.value)
    assert ours.calibration_error == pytest.approx(whole.ownership.calibration_error)


def test_positions_carry_their_stones(data: Path) -> None:
    games = open_games(data / SCORED9)[:1]
    (group,) = owned_positions(games)
    stones = (colors_of(group.states.words) != 0).sum(axis=1)
    assert stones[:5].tolist() == [0, 1, 2, 3, 4]
    owners = games[0].ownership
    assert owners is not None
    assert np.array_equal(group.owners[0], owners)
    assert set(group.place.games.tolist()) == {0}


def test_a_temperature_without_moves_is_one(data: Path, model: str) -> None:
    games = open_games(data / SCORED9)[:1]
    assert fitted_temperature(load_territory(model), games, MoveRange(500, 501)) == 1.0
