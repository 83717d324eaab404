"""Moves and opinions of the session's player, checked before anyone else sees them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from katachi.interfaces.gtp.errors import CommandError
from katachi.interfaces.gtp.session import Session
from katachi.players.clock import expected_moves_left
from katachi.rules.color import COLOR_NAMES, opponent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from katachi.players.protocol import Choice
    from katachi.search.analysis import Analysis


def thinking_seconds(session: Session, color: int) -> float:
    """How long the next move may take: by the clock, or the default limit where there is none."""
    game = session.game
    budget = session.clock.budget(color, expected_moves_left(game.size, len(game.moves)))
    return session.seconds if budget is None else budget


def choose_move(session: Session, color: int) -> Choice:
    """The player's move for `color`, legal under positional superko; it is not played.

    Raises KatachiError when the player fails.
    """
    begun = time.perf_counter()
    return settle_choice(session, color, ask_player(session, color), begun)


def ask_player(session: Session, color: int) -> Choice:
    """The player's answer, whatever it is, or a pass or resignation in its place."""
    seconds = thinking_seconds(session, color)
    return session.finisher.choose(session.player, session.strict_game(), color, seconds)


def settle_choice(session: Session, color: int, choice: Choice, begun: float) -> Choice:
    """The choice once it is charged to the clock of `color`, checked and explained.

    `begun` is when thinking began, by `time.perf_counter`. An illegal answer is replaced by a legal
    move, or a pass, and logged; for a failure its error is raised.
    """
    took = time.perf_counter() - begun
    session.clock.spend(color, took)
    if choice.failure is not None:
        raise choice.failure
    choice = _checked(session, color, choice)
    session.explanation = _explain(session, color, choice, took)
    return choice


def _checked(session: Session, color: int, choice: Choice) -> Choice:
    from katachi.players.protocol import Choice
    from katachi.rules.point import PASS
    from katachi.search.afterstates import sensible_moves

    game = session.strict_game()
    if choice.point is None or game.is_legal(color, choice.point):
        return choice
    session.log(f"the player {session.player.name} answered with an illegal move")
    moves = sensible_moves(game, color)
    return Choice(int(moves[0]) if len(moves) else PASS)


def _explain(session: Session, color: int, choice: Choice, took: float) -> str:
    name = vertex_of_choice(session, choice)
    text = f"{COLOR_NAMES[color]} {name} by {session.player.name} in {took:.3f} s"
    if choice.win_rate is not None:
        text += f", win rate {100 * choice.win_rate:.1f} %"
    return text


def vertex_of_choice(session: Session, choice: Choice) -> str:
    """The reply to genmove: a vertex, `pass` or `resign`."""
    return "resign" if choice.point is None else session.vertex(choice.point)


def generate_move(session: Session, color: int) -> str:
    """Chooses a move for `color`, plays it, and returns its name; resigning moves no stone."""
    return play_choice(session, color, choose_move(session, color))


def play_choice(session: Session, color: int, choice: Choice) -> str:
    """Plays a choice of the session's player, or notes that it resigned; returns its name."""
    session.names[color] = session.player.name
    if session.opponent:
        session.names[opponent(color)] = session.opponent
    if choice.point is None:
        session.resigned = color
    else:
        session.play(color, choice.point)
    return vertex_of_choice(session, choice)


def can_analyse(session: Session) -> bool:
    """Whether the player has opinions as well as moves."""
    from katachi.players.protocol import Analyst

    return isinstance(session.player, Analyst)


def analyse(session: Session, color: int, points: Sequence[int] | None = None) -> Analysis:
    """What the player thinks of the position with `color` to move, and of these moves if given.

    Only moves that are legal under positional superko are looked at; without any, the pass is.
    """
    import numpy as np

    from katachi.players.protocol import Analyst

    player = session.player
    if not isinstance(player, Analyst):
        raise CommandError(f"the player {player.name} does not analyse")
    game = session.strict_game()
    if points is None:
        return player.analyse(game, color)
    legal = [point for point in points if game.is_legal(color, point)]
    return player.analyse(game, color, np.array(legal, np.uint16))
