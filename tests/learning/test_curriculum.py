"""When the board grows, and what a curriculum does on the way."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.learning.curriculum import Curriculum, Plan
from katachi.learning.shape_metrics import Measurement, measured
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings
from tests.learning.test_loop import assert_same_agents


def told(wins: list[int], size: int = 5, size_games: int = 500) -> Measurement:
    """A test of 100 games of each agent."""
    return measured(1000, size, size_games, 100, wins)


@pytest.mark.parametrize(
    ("plan", "test", "size"),
    [
        (Plan(grow_to=9), told([90, 90]), 6),
        (Plan(grow_to=9), told([100, 89]), None),
        (Plan(grow_to=9), told([89, 100]), None),
        (Plan(grow_to=9), told([95, 95], size=8), 9),
        (Plan(grow_to=9), told([100, 100], size=9), None),
        (Plan(grow_to=9), told([90]), 6),
        (Plan(grow_to=9, grow_share=0.5), told([50, 60]), 6),
        (Plan(grow_to=9, grow_games=1000), told([0, 0], size_games=999), None),
        (Plan(grow_to=9, grow_games=1000), told([0, 0], size_games=1000), 6),
        (Plan(), told([100, 100]), None),
    ],
)
def test_the_board_grows_when_every_agent_wins_often_enough(
    plan: Plan, test: Measurement, size: int | None
) -> None:
    assert plan.next_size(test) == size


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Plan(games=0), "0 games: use 1"),
        (lambda: Plan(test_every=0), "a test every 0 games"),
        (lambda: Plan(test_games=0), "0 test games: use 1 to 1000"),
        (lambda: Plan(final_games=1001), "1001 test games"),
        (lambda: Plan(grow_to=26), "board size 26"),
        (lambda: Plan(grow_to=9, grow_share=1.5), "growing at 1.5"),
        (lambda: Plan(grow_to=9, grow_share=float("nan")), "growing at nan"),
        (lambda: Plan(grow_to=9, grow_games=0), "0 games on a board"),
    ],
)
def test_a_senseless_plan_is_one_clear_line(make: object, words: str) -> None:
    with pytest.raises(KatachiError, match=words):
        make().check()  # type: ignore[operator]


SETTINGS = TrainingSettings(sets="1x1-2x2:LI+LD", alpha=0.5)
GROWING = Plan(games=130, test_every=20, test_games=4, grow_to=7, grow_share=0.0)


def finish(curriculum: Curriculum, most: int) -> list[Measurement]:
    tests = []
    while not curriculum.is_finished:
        test = curriculum.advance(most)
        if test is not None:
            tests.append(test)
    return tests


def test_a_curriculum_tests_every_so_often_and_grows_after_a_test() -> None:
    curriculum = Curriculum(ShapeTrainer(SETTINGS), GROWING)
    tests = finish(curriculum, 1000)
    assert [(test.games, test.size, test.size_games) for test in tests] == [
        (20, 5, 20),
        (40, 6, 20),
        (60, 7, 20),
        (80, 7, 40),
        (100, 7, 60),
        (120, 7, 80),
    ]
    stages = [(stage.size, stage.games, stage.has_passed) for stage in curriculum.stages]
    assert stages == [(5, 20, True), (6, 20, True), (7, 90, True)]
    assert curriculum.done == 130
    assert curriculum.seconds > 0


def test_a_curriculum_does_the_same_however_it_is_divided() -> None:
    whole, parts = (
        Curriculum(ShapeTrainer(SETTINGS), GROWING),
        Curriculum(ShapeTrainer(SETTINGS), GROWING),
    )
    assert finish(whole, 1000) == finish(parts, 7)
    assert_same_agents(whole.trainer, parts.trainer)


@pytest.mark.parametrize("games", [1, 20, 33, 40, 60, 129])
def test_a_curriculum_can_be_taken_up_wherever_it_stands(games: int) -> None:
    whole = Curriculum(ShapeTrainer(SETTINGS), GROWING)
    tests = finish(whole, 1000)
    curriculum = Curriculum(ShapeTrainer(SETTINGS), GROWING)
    before: list[Measurement] = []
    while curriculum.done < games:
        test = curriculum.advance(1)
        before += [] if test is None else [test]
    later = Curriculum(ShapeTrainer(SETTINGS), GROWING)
    later.load_state(curriculum.state())
    assert before + finish(later, 11) == tests
    assert_same_agents(whole.trainer, later.trainer)


def test_the_board_does_not_grow_when_there_is_no_game_left_to_play_on_it() -> None:
    curriculum = Curriculum(
        ShapeTrainer(SETTINGS), Plan(games=20, test_every=20, grow_to=7, grow_share=0)
    )
    finish(curriculum, 100)
    assert curriculum.size == 5
    assert curriculum.next_size == 6


def test_a_larger_board_keeps_what_was_learned() -> None:
    curriculum = Curriculum(ShapeTrainer(SETTINGS), GROWING)
    assert curriculum.advance(20) is not None
    small = [agent.resized(6).weights for agent in curriculum.trainer.agents]
    assert curriculum.advance(0) is None
    assert (curriculum.stages[-1].size, curriculum.stages[-1].games) == (6, 0)
    for agent, weights in zip(curriculum.trainer.agents, small, strict=True):
        assert np.array_equal(agent.weights, weights)
