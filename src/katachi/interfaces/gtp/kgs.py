"""Commands of the KGS Go server."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from katachi.interfaces.gtp.core import color_argument
from katachi.interfaces.gtp.errors import CommandError
from katachi.interfaces.gtp.session import Command, Session
from katachi.interfaces.gtp.thinking import (
    ask_player,
    play_choice,
    settle_choice,
    thinking_seconds,
)
from katachi.players.finish_settings import Counting
from katachi.rules.color import EMPTY, opponent
from katachi.rules.ruleset import RULESETS

if TYPE_CHECKING:
    from katachi.players.protocol import Choice
    from katachi.rules.game import Game

_RULESETS = {"chinese": "cgos", "aga": "aga", "new_zealand": "new-zealand"}
"""KGS forbids repetition under its Chinese rules too."""


def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Chooses and plays a move while dead stones are taken off the board: never a pass while some
    of the opponent's are left that can be taken, for those that stay are counted as alive."""
    color = color_argument(arguments)
    begun = time.perf_counter()
    agreed = session.finish
    session.finish = agreed.to_the_end()
    try:
        choice = _choose_cleanup(session, color)
    finally:
        session.finish = agreed
    return play_choice(session, color, settle_choice(session, color, choice, begun))


def _choose_cleanup(session: Session, color: int) -> Choice:
    """The player's move; one beside a dead stone instead of a pass or an idle move."""
    from katachi.players.finishing import is_idle
    from katachi.players.settling import dead_stones_of, settle

    game = session.strict_game()
    settled = settle(game)
    dead = dead_stones_of(game, settled, opponent(color))
    if not dead:
        return ask_player(session, color)
    seconds = thinking_seconds(session, color)
    choice = session.player.choose(game.copy(), color, seconds)
    if choice.failure is not None:
        return choice
    attack = _attack_on(game, color, dead)
    is_asked = not choice.point or is_idle(game, settled, choice.point)
    return choice if attack is None or not is_asked else choice._replace(point=attack)


def _attack_on(game: Game, color: int, dead: set[int]) -> int | None:
    """A sensible move beside the dead stones that takes some or leaves the fewest liberties, not
    into atari where another will do; None without any."""
    from katachi.rules.point import STRIDE
    from katachi.search.afterstates import sensible_moves

    moves = [
        point
        for point in sensible_moves(game, color).tolist()
        if dead & {point - STRIDE, point - 1, point + 1, point + STRIDE}
    ]
    return min(moves, key=lambda point: _attack_order(game, color, point, dead), default=None)


def _attack_order(game: Game, color: int, point: int, dead: set[int]) -> tuple[bool, int]:
    """(whether the attacker is left in atari, the fewest liberties of a dead block after it)."""
    after = game.copy()
    after.play(color, point)
    board = after.board
    left = [board.liberties_at(stone) for stone in dead if board.color_at(stone) != EMPTY]
    taken = len(left) < len(dead)
    return board.liberties_at(point) == 1, 0 if taken else min(left)


def set_rules(session: Session, arguments: list[str]) -> str:
    """Sets the rules by KGS's name; Japanese rules cannot be played."""
    name = _RULESETS.get(arguments[0].lower() if arguments else "")
    if name is None:
        raise CommandError(f"unsupported rules: use {', '.join(_RULESETS)}")
    session.game.rules = RULESETS[name]
    session.finish = replace(session.finish, counting=Counting.AGREED)
    return ""


def chat(session: Session, _arguments: list[str]) -> str:
    """A polite answer to whatever is said."""
    return f"I am katachi, a program; my player is {session.options.player}."


def game_over(_session: Session, _arguments: list[str]) -> str:
    """Takes notice that the game is over."""
    return ""


COMMANDS: dict[str, Command] = {
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-rules": set_rules,
    "kgs-chat": chat,
    "kgs-game_over": game_over,
}
