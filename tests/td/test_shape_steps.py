"""Local shape learned after each move: the kernel is the plain algorithm, bit for bit."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.learning.shape_training import Loss, ShapeTrainer, SourceKind, TrainingSettings
from katachi.rules.game import Game
from katachi.rules.positions import positions_of
from katachi.rules.state import PLY, BoardState
from katachi.td.shape_learning import learning_rates
from katachi.td.targets import ErrorRule, UpdateRule, logistic


def state_after(game: Game, mover: int) -> BoardState:
    words = game.words.copy()
    words[PLY] = 0
    return positions_of(words[None], mover)


class PlainLearner:
    """An agent that learns after each of its moves, written as the paper does."""

    def __init__(self, model: LocalShape, rule: UpdateRule) -> None:
        self.model, self.rule = model, rule
        self.before: BoardState | None = None

    def value(self, state: BoardState) -> float:
        return logistic(UNIT * int(self.model.predict(state).sum()))

    def moved(self, state: BoardState) -> None:
        if self.before is not None:
            self.learn(self.value(state))
        self.before = state

    def learn(self, following: float) -> None:
        assert self.before is not None
        steps = self.rule.steps(self.model.predict(self.before), following)
        self.model.nudge(self.before, steps)


# What learns by move is compiled for S1-permove alone, and takes nine seconds.
@pytest.mark.slow
@pytest.mark.parametrize("sets", ["1x1-2x2:LI", "2x2:LD,4x3:LI,2x1:LI:liberty"])
@pytest.mark.parametrize("loss", list(Loss))
def test_the_kernel_learns_what_the_plain_algorithm_does(sets: str, loss: Loss) -> None:
    settings = TrainingSettings(size=5, sets=sets, bins=500, alpha=1.0, loss=loss, by_move=True)
    trainer = ShapeTrainer(settings)
    models = [LocalShape(parse_sets(sets), 5, 500) for _ in range(2)]
    tables = models[0].tables
    rates = learning_rates(tables, [1.0] * len(models[0].sets))
    rule = UpdateRule(ErrorRule(0.0, loss is Loss.SQUARED), tables.general, rates, UNIT)
    for number in range(3):
        plies = trainer.learn(1)
        record = trainer._games[0].record[:plies].tolist()
        agents = [PlainLearner(models[(number + seat) % 2], rule) for seat in range(2)]
        game = Game(5)
        for ply, point in enumerate(record):
            mover = game.to_play
            game.play(mover, point)
            agents[ply % 2].moved(state_after(game, mover))
        won = np.sign(game.area_score() - 7.5)
        agents[0].learn(0.5 + 0.5 * won)
        agents[1].learn(0.5 - 0.5 * won)
        for agent, model in zip(trainer.agents, models, strict=True):
            assert np.array_equal(agent.weights, model.weights), number


@pytest.mark.slow
def test_one_agent_that_plays_itself_learns_too() -> None:
    trainer = ShapeTrainer(TrainingSettings(sets="2x2:LI", by_move=True, source=SourceKind.SELF))
    trainer.learn(2000)
    assert trainer.test(100)[0] > 20


@pytest.mark.parametrize("others", [{"lam": 0.5}, {"cascade": True}, {"workers": 2}])
def test_what_has_no_such_rule_is_refused(others: dict[str, float]) -> None:
    with pytest.raises(KatachiError, match="learning by move is TD"):
        ShapeTrainer(TrainingSettings(by_move=True, **others))  # type: ignore[arg-type]
