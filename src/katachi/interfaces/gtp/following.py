"""Telling a player that follows its results how a game ended."""

from katachi.interfaces.gtp.session import Session
from katachi.players import settling
from katachi.players.protocol import Following
from katachi.rules.color import BLACK, EMPTY, opponent


def tell_result(session: Session) -> None:
    """Tells the player how its game on the board ended: by a resignation, or counted after two
    passes. It hears nothing of a game that goes on, nor of a draw."""
    winner = winner_of(session) if isinstance(session.player, Following) else EMPTY
    if isinstance(session.player, Following) and winner != EMPTY:
        session.log(session.player.hear_result(is_won=winner in session.own))


def winner_of(session: Session) -> int:
    """Who has won the game on the board; EMPTY for nobody, or nobody yet."""
    if session.resigned is not None:
        return opponent(session.resigned)
    game = session.game
    if not game.is_over:
        return EMPTY
    status = settling.settle(game).status
    lead = settling.lead_of(game, status, session.finish.counting, BLACK)
    return EMPTY if lead == 0 else BLACK if lead > 0 else opponent(BLACK)
