"""The plain loop, and that the fused kernel learns the same to the last bit."""

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT, Logits
from katachi.learning.loop import Trajectory, learn, learn_game
from katachi.learning.shape_training import (
    Loss,
    ShapeTrainer,
    SourceKind,
    TrainingSettings,
    terms_of,
)
from katachi.learning.sources import AgentGames, play_each_other
from katachi.rules.state import BoardState, new_states
from katachi.td.targets import ErrorRule, UpdateRule


def agents_at_play(settings: TrainingSettings, agents: list[LocalShape]) -> AgentGames:
    """What the kernel plays, one step at a time."""
    return play_each_other(agents, terms_of(settings))


SETTINGS = {
    "one set": TrainingSettings(sets="2x2:LI"),
    "exact sets of both kinds": TrainingSettings(sets="1x1-3x3:LI+LD", seed=2),
    "hashed sets": TrainingSettings(sets="2x2:LI,4x3-5x4:LI+LD", bins=500),
    "liberties": TrainingSettings(sets="2x2:LI,1x1-2x2:LI+LD:liberty", bins=300, lam=0.5),
    "cascade": TrainingSettings(sets="1x1-2x2:LI+LD", cascade=True, alpha=1.0),
    "cascade and lambda": TrainingSettings(sets="1x1-3x2:LD,2x2:LI", cascade=True, lam=0.5),
    "lambda 0.8": TrainingSettings(sets="1x1-2x2:LI", lam=0.8, alpha=0.5),
    "lambda 1": TrainingSettings(sets="3x3:LD", lam=1.0, alpha=2.0),
    "cross-entropy": TrainingSettings(sets="1x1-3x3:LI", loss=Loss.CROSS_ENTROPY),
    "step sizes of sets": TrainingSettings(
        sets="1x1-2x2:LI+LD", alphas={"1x1:LD": 0.7, "2x2:LI": 0.01}
    ),
    "self-play": TrainingSettings(sets="1x1-2x2:LI+LD", source=SourceKind.SELF),
    "self-play, hashed": TrainingSettings(sets="4x4:LD", bins=99, source=SourceKind.SELF),
    "draws": TrainingSettings(sets="2x2:LI+LD", komi=1.0, alpha=1.0),
    "no exploration": TrainingSettings(sets="2x2:LD", epsilon=0.0, alpha=1.0),
    "only exploration": TrainingSettings(sets="2x2:LD", epsilon=1.0),
    "6x6": TrainingSettings(sets="1x1-2x2:LI+LD,4x3:LD", size=6, lam=0.3),
    "a large seed": TrainingSettings(sets="2x2:LI", seed=-(2**70) + 3),
}
GAMES = 12


def assert_same_agents(one: ShapeTrainer, other: ShapeTrainer) -> None:
    """Fails unless the agents of both have learned the same, to the last bit."""
    assert one.games == other.games
    assert len(one.agents) == len(other.agents)
    for first, second in zip(one.agents, other.agents, strict=True):
        assert np.array_equal(first.weights, second.weights)
        assert np.array_equal(first.seen, second.seen)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_fused_kernel_learns_what_the_plain_loop_does(settings: TrainingSettings) -> None:
    fused, plain = ShapeTrainer(settings), ShapeTrainer(settings, make_source=agents_at_play)
    fused.learn(GAMES)
    plain.learn(GAMES)
    assert np.abs(fused.agents[0].weights).max() > 1000
    assert_same_agents(fused, plain)


@pytest.mark.kernel
@pytest.mark.parametrize("cascade", [False, True])
def test_the_fused_kernel_learns_what_the_plain_loop_does_on_a_tiny_board(cascade: bool) -> None:
    sets = "1x1-2x2:LI+LD,3x3:LD"
    settings = TrainingSettings(size=3, sets=sets, komi=1.0, lam=0.5, cascade=cascade)
    fused, plain = ShapeTrainer(settings), ShapeTrainer(settings, make_source=agents_at_play)
    fused.learn(3)
    plain.learn(3)
    assert_same_agents(fused, plain)


def test_calls_may_divide_the_games_in_any_way_and_kernel_and_loop_may_take_turns() -> None:
    settings = TrainingSettings(sets="1x1-2x2:LI+LD", lam=0.5)
    whole = ShapeTrainer(settings)
    whole.learn(30)
    parts = ShapeTrainer(settings)
    for count in (1, 0, 12, 4):
        parts.learn(count)
    parts = ShapeTrainer(settings, parts.agents, parts.games, agents_at_play)
    parts.learn(3)
    parts = ShapeTrainer(settings, parts.agents, parts.games)
    parts.learn(10)
    assert_same_agents(whole, parts)


class Diary:
    """An agent that notes what is asked of it."""

    def __init__(self, name: str, diary: list[str]) -> None:
        self.name = name
        self.diary = diary

    def predict(self, states: BoardState) -> Logits:
        """Zero, after a note."""
        self.diary.append(f"{self.name} predicts {len(states.words)}")
        return np.zeros((len(states.words), 1), np.int64)

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """A note only."""
        assert steps.shape == (len(states.words), 1)
        self.diary.append(f"{self.name} learns {[float(step) for step in steps[:, 0] * UNIT]}")


class TwoGames:
    """A source: both agents play 2 positions, or only the second one does."""

    def take(self, number: int) -> list[Trajectory]:
        """Game 0 or 1."""
        two, none = new_states(2, 5, 1), new_states(0, 5, 1)
        return [Trajectory(0, none if number else two, 1.0), Trajectory(1, two, 0.0)]


def test_every_agent_predicts_before_any_learns_and_no_positions_are_no_lesson() -> None:
    diary: list[str] = []
    rule = UpdateRule(ErrorRule(is_squared=False), np.ones((1, 1), np.uint8), np.array([1.0]), UNIT)
    list(learn([Diary("a", diary), Diary("b", diary)], TwoGames(), rule, range(2)))
    assert diary == [
        "a predicts 2",
        "b predicts 2",
        "a learns [0.0, 0.5]",
        "b learns [0.0, -0.5]",
        "b predicts 2",
        "b learns [0.0, -0.5]",
    ]


def test_both_views_of_a_self_play_game_move_the_same_weights() -> None:
    agent = LocalShape(parse_sets("1x1:LI"), 5)
    states = new_states(1, 5, 1)
    rule = UpdateRule(ErrorRule(), agent.tables.general, np.array([0.1]), UNIT)
    learn_game([agent], [Trajectory(0, states, 1.0), Trajectory(0, states, 1.0)], rule)
    twice = agent.weights.copy()
    agent.weights[:] = 0
    learn_game([agent], [Trajectory(0, states, 1.0)], rule)
    assert np.array_equal(twice, 2 * agent.weights)
    assert twice.any()
