"""Players by name."""

from collections.abc import Callable

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.rules.errors import KatachiError

EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "random": ConstantEvaluator,
    "alp": AverageLiberties,
    "influence": InfluenceEvaluator,
}


def make_player(name: str, seed: int = 0) -> Player:
    """The player of that name; raises KatachiError, naming the choices, when there is none."""
    if name not in EVALUATORS:
        raise KatachiError(f"no player {name!r}: choose from {', '.join(EVALUATORS)}")
    return EvaluatingPlayer(name, EVALUATORS[name](), seed)
