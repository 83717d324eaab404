"""Commands of servers and tournament programs, and katachi's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from katachi import __version__
from katachi.interfaces.gtp import wire
from katachi.interfaces.gtp.formats import describe_rules, ownership_texts
from katachi.interfaces.gtp.gui import parse_seconds, rows_of
from katachi.interfaces.gtp.session import ENGINE_HELP, Command, Session
from katachi.players import finish_settings
from katachi.rules.color import BLACK, COLOR_NAMES, EMPTY, WHITE, opponent
from katachi.rules.ruleset import RULESETS

if TYPE_CHECKING:
    from katachi.players.protocol import Choice
    from katachi.rules.board import Board
    from katachi.rules.game import Game


def cpu_time(_session: Session, _arguments: list[str]) -> str:
    """Seconds of processor time used so far."""
    return f"{time.process_time():.3f}"


def explain_last_move(session: Session, _arguments: list[str]) -> str:
    """Who chose the last generated move, how fast, and its opinion of it."""
    return session.explanation


def describe_engine(session: Session, _arguments: list[str]) -> str:
    """The engine and everything that decides how it plays."""
    options, finish = session.options, session.finish
    rules = " ".join(f"{key}={value}" for key, value in describe_rules(session.game.rules).items())
    return (
        f"katachi {__version__}\n"
        f"player {options.player}, seed {options.seed}, {session.seconds:g} s a move\n"
        f"rules {rules}\n"
        f"counting {finish.counting.value}, pass {'on' if finish.passes else 'off'}, "
        f"resign {finish_settings.text_from_chance(finish.resign)}\n{ENGINE_HELP}"
    )


def opponent_name(session: Session, arguments: list[str]) -> None:
    """Stores the name of the opponent, and that the server counts all stones as alive."""
    session.opponent = " ".join(arguments)[:100]
    session.finish = session.finish.to_the_end()


def take_notice(_session: Session, _arguments: list[str]) -> None:
    """Nothing to do: the client only says so."""


def show_ownership(session: Session, arguments: list[str]) -> str:
    """Who will own each point, 1 Black to -1 White: now, or `after V` or `after pass`."""
    if not arguments:
        return _ownership_rows(session)
    wire.expect(arguments, 2)
    wire.require(arguments[0].lower() == "after")
    session.play(session.game.to_play, session.point(arguments[1]))
    try:
        return _ownership_rows(session)
    finally:
        session.undo()


def _ownership_rows(session: Session) -> str:
    color = session.game.to_play
    texts = ownership_texts(session.analyse(color), 1 if color == BLACK else -1)
    return "\n" + "\n".join(rows_of(session, texts))


def show_features(session: Session, arguments: list[str]) -> str:
    """What is seen at a point: its block and liberties, or whose eye it is, who may play there; and
    of a player that knows shapes those around it."""
    wire.expect(arguments, 1)
    point = session.point(arguments[0])
    wire.require(point != 0)
    board = session.game.board
    color = board.color_at(point)
    if color == EMPTY:
        text = _empty_point(session, board, point)
    else:
        stones, liberties = len(board.block_at(point)), board.liberties_at(point)
        text = f"{COLOR_NAMES[color]} block of {stones}, liberties {liberties}"
    return "\n".join([text, *_shapes_around(session, point)])


def _shapes_around(session: Session, point: int) -> list[str]:
    """The shapes around a point as the player who moved last sees them, if it knows shapes."""
    evaluator = getattr(session.player, "evaluator", None)
    if evaluator is None:
        return []
    from katachi.pictures.move_shapes import explain_point

    return explain_point(evaluator, session.game, opponent(session.game.to_play), point)


def _empty_point(session: Session, board: Board, point: int) -> str:
    eyes = [COLOR_NAMES[color] for color in (BLACK, WHITE) if board.is_eye(point, color)]
    verdicts = [f"{COLOR_NAMES[c]} {session.game.judge(c, point)}" for c in (BLACK, WHITE)]
    return f"empty, eye of {eyes[0] if eyes else 'nobody'}; " + ", ".join(verdicts)


def explain_move(session: Session, arguments: list[str]) -> str:
    """What a move of whose turn it is would lead to, its rank among all moves, and of a player
    that knows shapes those it changes."""
    from katachi.search.afterstates import sensible_moves

    wire.expect(arguments, 1)
    color, point = session.game.to_play, session.point(arguments[0])
    wire.require(session.strict_game().is_legal(color, point), wire.ILLEGAL_MOVE)
    points = {point, *sensible_moves(session.strict_game(), color).tolist()}
    moves = session.analyse(color, sorted(points)).candidates
    move = next(each for each in moves if each.point == point)
    lead = "" if move.lead is None else f", {move.lead:+.1f} points"
    name = f"{COLOR_NAMES[color]} {session.vertex(point)}"
    rate = f"win rate {100 * move.win_rate:.1f} %"
    text = f"{name}: {rate}{lead}, rank {move.rank} of {len(moves)}"
    return "\n".join([text, *_changed_shapes(session, color, point)])


def _changed_shapes(session: Session, color: int, point: int) -> list[str]:
    """The shapes that a move changes, if the player knows shapes."""
    evaluator = getattr(session.player, "evaluator", None)
    if evaluator is None:
        return []
    from katachi.pictures.move_shapes import explain_move as explain_shapes

    return explain_shapes(evaluator, session.strict_game(), color, point)


def show_or_set_param(session: Session, arguments: list[str]) -> str:
    """Lists the parameters, or sets one: `seconds`, the time for a move without a clock; `pass`, 1
    to pass when nothing is left to gain; `resign`, a chance or never; `counting`, how games are
    counted: agreed, all-alive or japanese."""
    wire.expect(arguments, 0, 2)
    if not arguments:
        return _parameter_lines(session)
    name, value = arguments[0].lower(), arguments[1]
    known = ("seconds", *_FINISHING)
    wire.require(name in known, f"no such parameter: use {', '.join(known)}")
    if name == "seconds":
        session.seconds = parse_seconds(value)
    else:
        field, read = _FINISHING[name]
        session.finish = replace(session.finish, **{field: read(value)})
    return ""


def _parameter_lines(session: Session) -> str:
    options, finish = session.options, session.finish
    countings = "/".join(each.value for each in finish_settings.Counting)
    return (
        f"[string] seconds {session.seconds:g}\n"
        f"[bool] pass {int(finish.passes)}\n"
        f"[string] resign {finish_settings.text_from_chance(finish.resign)}\n"
        f"[list/{countings}] counting {finish.counting.value}\n"
        f"[label] player {options.player}\n[label] seed {options.seed}"
    )


_FINISHING: dict[str, tuple[str, Callable[[str], Any]]] = {
    "pass": ("passes", wire.parse_flag),
    "resign": ("resign", finish_settings.chance_from_text),
    "counting": ("counting", finish_settings.counting_from_text),
}
"""Parameters that are fields of the settings of the end, and how they are read."""


def show_help(session: Session, arguments: list[str]) -> str:
    """What a command does, or all of them."""
    if not arguments:
        lines = (
            f"{name}: {_summary(command)}" for name, command in sorted(session.commands.items())
        )
        return "\n" + "\n".join([*lines, ENGINE_HELP])
    command = session.commands.get(" ".join(arguments))
    if command is None:
        raise wire.CommandError("no such command")
    return _summary(command)


def _summary(command: Command) -> str:
    return " ".join((command.__doc__ or "").split())


_RULESETS = {"chinese": "cgos", "aga": "aga", "new_zealand": "new-zealand"}
"""KGS forbids repetition under its Chinese rules too."""


def genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Chooses and plays a move while dead stones are taken off the board: never a pass while some
    of the opponent's are left that can be taken, for those that stay are counted as alive."""
    color = wire.color_argument(arguments)
    return session.play_choice(color, session.choose_move(color, partial(_choose_cleanup, session)))


def _choose_cleanup(session: Session, color: int) -> Choice:
    """The player's move; one beside a dead stone instead of a pass or an idle move."""
    from katachi.players.finishing import is_idle
    from katachi.players.settling import dead_stones_of, settle

    game = session.strict_game()
    settled = settle(game)
    dead = dead_stones_of(game, settled, opponent(color))
    if not dead:
        agreed = session.finish
        session.finish = agreed.to_the_end()
        try:
            return session.ask_player(color)
        finally:
            session.finish = agreed
    seconds = session.thinking_seconds(color)
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


def set_rules(session: Session, arguments: list[str]) -> None:
    """Sets the rules by KGS's name; Japanese rules cannot be played."""
    name = _RULESETS.get(arguments[0].lower() if arguments else "")
    if name is None:
        raise wire.CommandError(f"unsupported rules: use {', '.join(_RULESETS)}")
    session.game.rules = RULESETS[name]
    session.finish = replace(session.finish, counting=finish_settings.Counting.AGREED)


def chat(session: Session, _arguments: list[str]) -> str:
    """A polite answer to whatever is said."""
    return f"I am katachi, a program; my player is {session.options.player}."


def game_over(_session: Session, _arguments: list[str]) -> None:
    """Accepts that the game is over; nothing changes."""


COMMANDS: dict[str, Command] = {
    "cputime": cpu_time,
    "gomill-cpu_time": cpu_time,
    "gomill-explain_last_move": explain_last_move,
    "gomill-describe_engine": describe_engine,
    "cgos-opponent_name": opponent_name,
    "cgos-opponent_rating": take_notice,
    "cgos-gameover": take_notice,
    "katachi-ownership": show_ownership,
    "katachi-features": show_features,
    "katachi-explain": explain_move,
    "katachi-param": show_or_set_param,
    "katachi-help": show_help,
    "kgs-genmove_cleanup": genmove_cleanup,
    "kgs-rules": set_rules,
    "kgs-chat": chat,
    "kgs-game_over": game_over,
}
