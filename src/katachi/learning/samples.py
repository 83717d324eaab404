"""Games to look at: how the agents play while they learn."""

from pathlib import Path

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.files.atomic import write_atomically
from katachi.learning.shape_training import ShapeTrainer
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.roster import make_player
from katachi.records.sgf import write_game
from katachi.td.shape_games import MOVES_A_POINT


def is_sampled(test: int) -> bool:
    """Whether games are kept at the test of this number, from 1: at 1, 2, 4, 8 and so on, so that
    early steps are seen closely and a long run does not fill the disk."""
    return test & (test - 1) == 0


def write_samples(folder: Path, trainer: ShapeTrainer, games: int) -> None:
    """Writes a game of the agents with each other, and one of the first against ALP, with what
    the agents thought of each position; raises OSError. The weights are not changed."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = trainer.settings
    points = settings.size * settings.size
    limit = MOVES_A_POINT * points
    terms = GameSettings(settings.size, settings.komi, opening_moves=0, move_limit=limit)
    seed = settings.seed + games
    first, last = (
        EvaluatingPlayer(f"agent {number}", agent, seed + number)
        for number, agent in ((1, trainer.agents[0]), (len(trainer.agents), trainer.agents[-1]))
    )
    for name, white in (("agents", last), ("alp", make_player("alp", seed))):
        outcome = play_game(first, white, terms)
        path = folder / f"{games:09}-{name}.sgf"
        write_atomically(path, write_game(outcome.record, outcome.evaluations))
