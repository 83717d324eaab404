"""The metrics against a slow, obvious one, and on evaluators whose scores are known."""

import dataclasses
import math

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Abilities, Evaluation, Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.features.territory_inputs import InputSettings
from katachi.measure.prediction import (
    BoardReport,
    PredictionSettings,
    gather_choices,
    measure_board,
    part_games,
)
from katachi.measure.prediction_scores import Place, judge_ownership, report_ownership
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, open_games, set_of_records
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import BoardState, colors_of
from katachi.search.policy import GibbsPolicy, fit_temperature
from katachi.search.recorded_moves import MoveRange
from tests.evaluators.territory_models import random_territory
from tests.interfaces.test_cli import GAMES


class StoneOwner:
    """Gives each side the points of its stones, nearly surely, and calls the rest even."""

    name = "stone owner"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words)
        chances = np.where(colors == BLACK, 0.9, np.where(colors == WHITE, 0.2, 0.5))
        return Evaluation(np.full(len(colors), 0.5), chances.astype(np.float32))


class WarmOwner(StoneOwner):
    """The same with a temperature of its own for 9x9."""

    abilities = Abilities(temperature=lambda size: 3.0 if size == 9 else None)


@pytest.fixture(scope="module")
def games() -> GameSet:
    return open_games(GAMES, use_cache=False)[:12]


def given(temperature: float, first: int = 1, last: int | None = None) -> PredictionSettings:
    return PredictionSettings(temperature=temperature, moves=MoveRange(first, last))


def slow_moves(
    evaluator: Evaluator, games: GameSet, temperature: float, wanted: MoveRange
) -> tuple[list[float], list[list[float]]]:
    """(log-probability of each stone, its chance to be among the best 1, 2, ... 50)."""
    logs, tops = [], []
    for record in games:
        for number in wanted.numbers(len(record.moves)):
            color, point = int(record.colors[number - 1]), int(record.moves[number - 1])
            if point == PASS:
                continue
            game = game_from_record(record, number - 1, Rules(KoRule.SIMPLE))
            scores = {}
            for move in game.legal_moves(color).tolist():
                after = game.copy()
                after.play(color, move)
                evaluation = evaluator.evaluate(after.states)
                value = float(evaluation.value[0])
                score = math.log(value / (1 - value))
                if evaluation.ownership is not None:
                    score = float(evaluation.ownership[0].astype(np.float64).sum())
                scores[move] = score if color == BLACK else -score
            weights = {move: math.exp(score / temperature) for move, score in scores.items()}
            logs.append(math.log(weights[point] / sum(weights.values())))
            better = sum(score > scores[point] + 1e-12 for score in scores.values())
            equal = sum(abs(score - scores[point]) <= 1e-12 for score in scores.values())
            tops.append([min(max((m - better) / equal, 0.0), 1.0) for m in range(1, 51)])
    return logs, tops


def test_moves_of_an_evaluator_that_predicts_moves_are_those_of_its_policy(games: GameSet) -> None:
    model = random_territory(InputSettings(("stones", "last", "nearness")), outputs=3)
    report = measure_board(model, games[:2], given(1.5, 5, 12))
    logs = []
    for record in games[:2]:
        for number in range(5, 13):
            game = game_from_record(record, number - 1, Rules(KoRule.SIMPLE))
            color, point = int(record.colors[number - 1]), int(record.moves[number - 1])
            found = GibbsPolicy(model, 1.5).chances(game, color)
            logs.append(math.log(found.chances[found.points.tolist().index(point)]))
    assert report.moves is not None
    assert report.moves.all.moves == len(logs)
    assert report.moves.all.log_probability.value == pytest.approx(np.mean(logs), abs=1e-9)


@pytest.mark.parametrize(
    ("evaluator", "temperature"), [(AverageLiberties(), 0.05), (StoneOwner(), 0.7)]
)
def test_moves_are_scored_as_the_slow_metrics_do(
    games: GameSet, evaluator: Evaluator, temperature: float
) -> None:
    few = games[:3]
    report = measure_board(evaluator, few, given(temperature, 11, 25))
    logs, tops = slow_moves(evaluator, few, temperature, MoveRange(11, 25))
    assert report.moves is not None
    assert report.moves.all.moves == len(logs)
    assert report.moves.all.log_probability.value == pytest.approx(np.mean(logs), abs=1e-9)
    assert report.moves.top == pytest.approx(np.mean(tops, axis=0).tolist(), abs=1e-9)
    assert report.moves.all.top1.value == pytest.approx(report.moves.top[0])


def test_ownership_is_scored_as_the_slow_metrics_do(games: GameSet) -> None:
    few = games[:3]
    report = measure_board(StoneOwner(), few, given(1.0))
    losses, right = [], []
    for record in few:
        assert record.ownership is not None
        for number in range(len(record.moves)):
            colors = game_from_record(record, number).colors
            for color, owner in zip(colors.tolist(), record.ownership.tolist(), strict=True):
                if owner:
                    black = {0: 0.5, BLACK: 0.9, WHITE: 0.2}[color]
                    chance = black if owner > 0 else 1 - black
                    losses.append(-math.log(chance))
                    right.append(0.5 if chance == 0.5 else float(chance > 0.5))
    assert report.ownership is not None
    assert report.ownership.source == "evaluator"
    assert report.ownership.all.points == len(losses)
    assert report.ownership.all.cross_entropy.value == pytest.approx(np.mean(losses), rel=1e-6)
    assert report.ownership.all.right.value == pytest.approx(np.mean(right))
    assert report.final_ownership["marked"] == 3


def test_parts_of_the_game_add_up_to_the_whole(games: GameSet) -> None:
    report = measure_board(AverageLiberties(), games, given(0.05))
    assert report.moves is not None
    assert report.ownership is not None
    moves = [part for part in report.moves.fifths if part is not None]
    assert len(moves) == len(report.moves.fifths) == 5
    assert sum(part.moves for part in moves) == report.moves.all.moves
    total = sum(part.moves * part.log_probability.value for part in moves)
    assert total / report.moves.all.moves == pytest.approx(report.moves.all.log_probability.value)
    places = [part for part in report.ownership.fifths if part is not None]
    assert sum(part.points for part in places) == report.ownership.all.points
    assert sum(each.points for each in report.ownership.calibration) == report.ownership.all.points


def test_an_evaluator_without_opinion_is_as_good_as_uniform(games: GameSet) -> None:
    report = measure_board(ConstantEvaluator(), games, PredictionSettings())
    assert report.moves is not None
    moves = report.moves.all
    assert moves.log_probability.value == pytest.approx(moves.uniform)
    assert moves.log_probability.low is not None
    assert moves.log_probability.low < moves.uniform
    assert report.ownership is not None
    assert report.ownership.source == "playouts"
    assert 0.6 < report.ownership.all.right.value < 1.0


def test_the_temperature_is_fitted_to_games_that_are_not_measured(games: GameSet) -> None:
    report = measure_board(AverageLiberties(), games, PredictionSettings())
    known = report.temperature
    assert known.source == "other games"
    assert known.games + report.games == len(games)
    fitting, _ = part_games(games, 0)
    assert len(fitting) == 2
    choices = gather_choices(AverageLiberties(), fitting, MoveRange())
    assert choices is not None
    assert known.value == fit_temperature(choices)


def test_records_of_one_game_are_never_parted(games: GameSet) -> None:
    twice = set_of_records([*games, *games])
    for seed in range(5):
        fitting, measured = part_games(twice, seed)
        ours, theirs = set(fitting.info["identity"]), set(measured.info["identity"])
        assert not ours & theirs
        assert len(fitting) >= len(twice) // 5
        assert len(fitting) + len(measured) == len(twice)


def test_too_few_games_are_fitted_and_measured_alike(games: GameSet) -> None:
    report = measure_board(AverageLiberties(), games[:2], PredictionSettings())
    assert (report.temperature.source, report.games) == ("same games", 2)


def test_a_temperature_may_be_given_or_the_models_own(games: GameSet) -> None:
    def temperature(report: BoardReport) -> tuple[float, str, int]:
        return report.temperature.value, report.temperature.source, report.games

    few = games[:2]
    assert temperature(measure_board(WarmOwner(), few, PredictionSettings())) == (3.0, "model", 2)
    assert temperature(measure_board(WarmOwner(), few, given(2.0))) == (2.0, "given", 2)


def test_every_game_is_reported(games: GameSet) -> None:
    heard: list[int] = []
    measure_board(AverageLiberties(), games, PredictionSettings(), heard.append)
    assert sum(heard) == len(games)
    assert min(heard) >= 0


def test_resigned_games_have_moves_but_no_territory(games: GameSet) -> None:
    records = [dataclasses.replace(record, ownership=None) for record in games[:2]]
    text = b"(;SZ[9]RE[B+R];B[ee];W[cc];B[cd])"
    report = measure_board(
        AverageLiberties(), set_of_records([*read_games(text), records[0]]), given(1.0, 1, 3)
    )
    assert report.final_ownership["unsettled"] >= 1
    assert report.moves is not None
    assert report.moves.all.moves == 6
    alone = measure_board(AverageLiberties(), set_of_records(read_games(text)), given(1.0))
    assert alone.ownership is None


def test_passes_are_no_moves_to_predict() -> None:
    text = b"(;SZ[5]KM[0.5]RE[B+24.5];B[cc];W[];B[];TB[aa])"
    report = measure_board(AverageLiberties(), set_of_records(read_games(text)), given(1.0, 2, 3))
    assert report.moves is None
    assert report.ownership is not None
    assert report.ownership.all.positions == 2


def test_boards_of_several_sizes_are_refused() -> None:
    games = set_of_records(read_games(b"(;SZ[5];B[cc])(;SZ[7];B[cc])"))
    with pytest.raises(KatachiError, match="the sizes here: 5, 7"):
        measure_board(AverageLiberties(), games, PredictionSettings())
    with pytest.raises(KatachiError, match="the sizes here: none"):
        measure_board(AverageLiberties(), games[:0], PredictionSettings())


def test_true_chances_are_well_calibrated_and_bold_ones_are_not() -> None:
    random = np.random.default_rng(1)
    chances = random.random((400, 81))
    owners = np.where(random.random(chances.shape) < chances, 1, -1).astype(np.int8)
    place = Place(np.arange(400), np.zeros(400, np.int64))
    true = report_ownership([judge_ownership(place, chances, owners)], "evaluator")
    bold = report_ownership([judge_ownership(place, np.round(chances), owners)], "evaluator")
    assert true is not None
    assert bold is not None
    assert true.calibration_error < 0.02
    assert bold.calibration_error == pytest.approx(0.25, abs=0.01)
    assert true.all.right.value == pytest.approx(bold.all.right.value)
    assert math.isfinite(bold.all.cross_entropy.value)
