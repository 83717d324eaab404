"""Players by name."""

from collections.abc import Callable

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.gtp_program import find_program
from katachi.players.names import PROGRAM_PREFIX, check_player_name
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Player
from katachi.rules.errors import KatachiError

EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "random": ConstantEvaluator,
    "alp": AverageLiberties,
    "influence": InfluenceEvaluator,
}


def make_player(name: str, seed: int = 0) -> Player:
    """The player of that name, or the program of a `gtp:COMMAND`; raises KatachiError, naming the
    choices, when there is none."""
    if name.startswith(PROGRAM_PREFIX):
        return _make_program(name.removeprefix(PROGRAM_PREFIX))
    check_player_name(name)
    return EvaluatingPlayer(name, EVALUATORS[name](), seed)


def _make_program(command: str) -> Player:
    player = ProgramPlayer(command)
    if not find_program(command.partition(" ")[0]):
        raise KatachiError(f"no program {command.partition(' ')[0]!r} on the PATH")
    return player
