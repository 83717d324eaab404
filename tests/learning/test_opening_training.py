"""Opening nets learn by the paper's equation, in the loop and in the kernel alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.evaluators.opening_net import LOGITS_A_WEIGHT, OpeningNet
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.features.units import UNIT
from katachi.learning.loop import Trajectory, learn
from katachi.learning.opening_training import (
    OpeningTrainer,
    OpeningTraining,
    cut_games,
    join_games,
    prepare,
    stop_early,
    turn_games,
)
from katachi.records.openings import Opening, Style, all_symmetries
from katachi.rules.color import BLACK
from katachi.rules.point import points_of
from katachi.rules.state import colors_of
from tests.opening_games import random_opening, random_openings
from tests.oracle.openings import td_change

POINTS = OpeningInputs(RAW, 5)


def rows_of(opening: Opening) -> list[list[float]]:
    """The paper's inputs: a constant, and +1, -1 or 0 for each point."""
    colors = colors_of(opening.states().words)
    signs = np.where(colors == BLACK, 1.0, np.where(colors == 0, 0.0, -1.0))
    return [[1.0, *row] for row in signs.tolist()]


def trainer_of(openings: list[Opening], **changes: float) -> OpeningTrainer:
    return OpeningTrainer(OpeningTraining(**changes), prepare(openings, POINTS))  # type: ignore[arg-type]


@pytest.mark.kernel
@settings(max_examples=10)
@given(st.integers(0, 1000), st.integers(0, 12), st.floats(0.0, 1.0), st.integers(-1, 1))
def test_a_game_moves_the_weights_by_the_papers_double_sum(
    number: int, moves: int, lam: float, z: int
) -> None:
    opening = random_opening(number, moves + 1, judgement=float(z))
    trainer = trainer_of([opening], lam=lam, alpha=0.5, spread=0.3, seed=number)
    before = trainer.net.weights * UNIT / LOGITS_A_WEIGHT
    trainer.learn_in_order(trainer.material.games, np.arange(1))
    found = trainer.net.weights * UNIT / LOGITS_A_WEIGHT - before
    expected = td_change(before.tolist(), rows_of(opening), float(z), lam, 0.5)
    assert np.allclose(found, expected, atol=1e-5)


def test_a_game_of_one_move_by_hand() -> None:
    # Both predictions are 0 and z is 1: the last difference is 1, and the empty board has a
    # lambda-th of its share.
    point = points_of(5)[12]
    moves = np.array([point], np.uint16)
    opening = Opening(size=5, moves=moves, style=Style.MISC, judgement=1.0)
    trainer = trainer_of([opening], lam=0.5, alpha=0.5)
    trainer.learn_in_order(trainer.material.games, np.arange(1))
    weights = trainer.net.weights * UNIT / LOGITS_A_WEIGHT
    assert weights[0] == pytest.approx(0.5 * (1 + 0.5), abs=1e-6)
    assert weights[13] == pytest.approx(0.5, abs=1e-6)
    assert np.count_nonzero(weights) == 2


class OpeningSource:
    """Openings for the plain loop."""

    def __init__(self, openings: list[Opening]) -> None:
        self.openings = openings

    def take(self, number: int) -> list[Trajectory]:
        """All positions of one opening, seen from Black's side."""
        opening = self.openings[number]
        return [Trajectory(0, opening.states(), 0.5 + (opening.judgement or 0.0) / 2)]


@pytest.mark.kernel
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kinds", [RAW, RICH])
def test_the_kernel_learns_what_the_loop_does(kinds: tuple[str, ...], lam: float) -> None:
    openings = random_openings(6, 9)
    inputs = OpeningInputs(kinds, 5)
    material = prepare(openings, inputs)
    trainer = OpeningTrainer(OpeningTraining(lam=lam), material)
    games = turn_games(material.games) if kinds == RAW else material.games
    copies = all_symmetries(openings) if kinds == RAW else openings
    trainer.learn_in_order(games, np.arange(games.size))
    net = OpeningNet(inputs, None, material.scales)
    list(learn([net], OpeningSource(copies), trainer.rule, range(len(copies))))
    assert np.abs(net.weights).max() > 1000
    assert np.array_equal(net.weights, trainer.net.weights)


def test_a_full_lambda_descends_the_squared_error() -> None:
    opening = random_opening(3, 6, judgement=1.0)
    trainer = trainer_of([opening], lam=1.0, alpha=1e-3, spread=0.1)
    games, net = trainer.material.games, trainer.net

    def error() -> float:
        return float(((1.0 - (2.0 * trainer.chances(games) - 1.0)) ** 2).sum() / 2)

    start = net.weights.copy()
    slopes = []
    for place in range(len(start)):
        ends = []
        for side in (1, -1):
            net.weights[:] = start
            net.weights[place] += side * round(1e-4 * LOGITS_A_WEIGHT / UNIT)
            ends.append(error())
        slopes.append((ends[0] - ends[1]) / 2e-4)
    net.weights[:] = start
    trainer.learn_in_order(games, np.arange(1))
    moved = (net.weights - start) * UNIT / LOGITS_A_WEIGHT
    assert np.allclose(moved, -1e-3 * np.array(slopes), atol=2e-6)


def test_a_net_learns_who_holds_the_middle() -> None:
    source = np.random.default_rng(5)
    openings = []
    for number in range(60):
        others = source.permutation([p for p in points_of(5).tolist() if p != points_of(5)[12]])[:5]
        is_black = number % 2 == 0
        moves = (
            [points_of(5)[12], *others] if is_black else [others[0], points_of(5)[12], *others[1:]]
        )
        openings.append(
            Opening(
                size=5,
                moves=np.array(moves, np.uint16),
                style=Style.MISC,
                game=number,
                judgement=1.0 if is_black else -1.0,
            )
        )
    trainer, course = stop_early(
        OpeningTraining(lam=0.7, alpha=0.02, epochs=20),
        material := prepare(openings, POINTS),
        material.games.select(np.arange(60) < 40),
        material.games.select(np.arange(60) >= 40),
    )
    last = trainer.chances(material.games)[40:, -1]
    assert np.all((last > 0.5) == (np.arange(40, 60) % 2 == 0))
    assert course.held_out[course.epochs] == min(course.held_out[1:]) < course.held_out[0]


def test_equal_seeds_learn_equal_weights() -> None:
    nets = []
    for seed in (1, 1, 2):
        trainer = trainer_of(random_openings(9, 8), seed=seed, spread=0.1)
        trainer.learn_epoch(trainer.material.games)
        nets.append(trainer.net.weights)
    assert np.array_equal(nets[0], nets[1])
    assert not np.array_equal(nets[0], nets[2])


def test_a_cut_opening_is_learned_as_the_shorter_one_is() -> None:
    openings = random_openings(4, 8)
    whole = prepare(openings, POINTS)
    cut = cut_games(whole, 5, whole.games.outcome)
    short = [each.cut(5).judged(each.judgement or 0.0) for each in openings]
    trainers = [
        OpeningTrainer(OpeningTraining(), whole),
        OpeningTrainer(OpeningTraining(), prepare(short, POINTS)),
    ]
    trainers[0].learn_in_order(join_games([cut, cut]), np.arange(8))
    trainers[1].learn_in_order(join_games([trainers[1].material.games] * 2), np.arange(8))
    assert np.array_equal(trainers[0].net.weights, trainers[1].net.weights)


def test_openings_that_cannot_be_learned_from_are_refused() -> None:
    with pytest.raises(KatachiError, match="no openings to learn from"):
        prepare([], POINTS)
    unjudged = random_opening(4, 3).cut(2)
    with pytest.raises(KatachiError, match="opening 5 has no judgement"):
        prepare([unjudged], POINTS)
    with pytest.raises(KatachiError, match="opening 2 has 4 moves at 5x5: all need 3 at 5x5"):
        prepare([random_opening(0, 3), random_opening(1, 4)], POINTS)
