"""When a player that never passes by itself accepts that the game is over."""

from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.scoring import final_status


def counted_lead(game: Game, color: int) -> float:
    """Points by which `color` is ahead when the present position is counted by area, dead stones
    lifted."""
    lead = final_status(game.words).balance - game.komi
    return lead if color == BLACK else -lead


def accepts_end(game: Game, color: int) -> bool:
    """Whether `color` answers the pass before by a pass: it has won if the game ends so, or its
    last move, which was passed upon as well, has brought it nothing."""
    passes = [move.point == PASS for move in game.moves]
    if not passes or not passes[-1]:
        return False
    lead = counted_lead(game, color)
    if lead > 0:
        return True
    if len(passes) < 3 or not passes[-3] or passes[-2]:
        return False
    earlier = game.copy()
    for _ in range(2):
        earlier.undo()
    return lead <= counted_lead(earlier, color)
