"""Each way of learning learns something, in seconds."""

import pytest

from katachi.learning.opponents import Opponent
from katachi.learning.shape_training import Loss, ShapeTrainer, SourceKind, TrainingSettings

TOYS = {
    "pair": TrainingSettings(sets="2x2:LI"),
    "self-play": TrainingSettings(sets="2x2:LI", source=SourceKind.SELF),
    "cross-entropy": TrainingSettings(sets="2x2:LI", loss=Loss.CROSS_ENTROPY),
    "lambda": TrainingSettings(sets="2x2:LI", lam=0.5),
    "cascade": TrainingSettings(sets="1x1-2x2:LI", cascade=True, alpha=0.3),
}


@pytest.mark.parametrize("settings", TOYS.values(), ids=TOYS.keys())
def test_after_10000_games_an_agent_beats_average_liberties(settings: TrainingSettings) -> None:
    trainer = ShapeTrainer(settings)
    assert max(trainer.test(100)) < 20
    trainer.learn(10_000)
    assert min(trainer.test(200)) > 100


def test_an_agent_learns_against_an_opponent_that_does_not() -> None:
    settings = TrainingSettings(
        sets="2x2:LI", source=SourceKind.SELF, loss=Loss.CROSS_ENTROPY, alpha=0.3
    )
    trainer = ShapeTrainer(settings, make_source=Opponent("alp").source)
    assert max(trainer.test(200)) < 10
    trainer.learn(300)
    assert min(trainer.test(200)) > 30
