"""Players by name."""

from collections.abc import Callable

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.names import check_player_name, command_of, is_program, split_name
from katachi.players.playouts import PlayoutPlayer
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Player

EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "random": ConstantEvaluator,
    "alp": AverageLiberties,
    "influence": InfluenceEvaluator,
}


def make_player(name: str, seed: int = 0) -> Player:
    """The player of that name, or the program of a command line; raises KatachiError, naming the
    choices, when there is none."""
    check_player_name(name)
    if is_program(name):
        return ProgramPlayer(command_of(name))
    player, setting = split_name(name)
    if player == "playouts":
        return PlayoutPlayer(name, seed, int(setting) if setting else None)
    return EvaluatingPlayer(name, EVALUATORS[name](), seed)
