"""Having the player ready before a clock runs, so that its first move does not load it."""

from katachi.interfaces.gtp.session import Session
from katachi.rules.color import BLACK


def make_ready(session: Session) -> None:
    """Makes the player, and lets it start on boards of the present size, once for each size. What
    cannot be had says so in the first move."""
    game = session.strict_game()
    if session.ready_size == game.size:
        return
    session.ready_size, status = game.size, session.exit_status
    try:
        _start(session)
    except Exception:  # a player of others may raise anything, and does so again in its move
        session.exit_status = status


def _start(session: Session) -> None:
    from katachi.players.evaluating import JudgingPlayer
    from katachi.players.protocol import Started

    player, _ = session.player, session.finisher
    if isinstance(player, Started):
        player.start(session.strict_game())
    if isinstance(player, JudgingPlayer):
        player.analyse(session.strict_game(), BLACK)  # loads kernels, and draws nothing by chance
