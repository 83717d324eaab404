"""Commands of every GTP engine: who it is, the board, moves."""

from katachi import __version__
from katachi.interfaces.gtp.arguments import (
    expect,
    is_color,
    parse_color,
    parse_integer,
    parse_number,
)
from katachi.interfaces.gtp.errors import (
    CANNOT_UNDO,
    INVALID_COLOR,
    INVALID_COLOR_OR_COORDINATE,
    SYNTAX_ERROR,
    UNACCEPTABLE_SIZE,
    CommandError,
)
from katachi.interfaces.gtp.options import Compat
from katachi.interfaces.gtp.session import Command, Session
from katachi.interfaces.gtp.thinking import choose_move, generate_move, vertex_of_choice
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.ruleset import LARGEST_KOMI

_LIZZIE_NAME = "KataGo-katachi"
_LIZZIE_VERSION = "0.17.0"
_NOT_A_SIZE = "boardsize not an integer"
_NOT_A_KOMI = "komi not a float"


def protocol_version(_session: Session, _arguments: list[str]) -> str:
    """The version of GTP spoken here."""
    return "2"


def engine_name(session: Session, _arguments: list[str]) -> str:
    """The name of the engine."""
    return _LIZZIE_NAME if session.options.compat == Compat.LIZZIE else "katachi"


def engine_version(session: Session, _arguments: list[str]) -> str:
    """The version of the engine."""
    return _LIZZIE_VERSION if session.options.compat == Compat.LIZZIE else __version__


def known_command(session: Session, arguments: list[str]) -> str:
    """Whether there is a command of that name."""
    return "true" if " ".join(arguments) in session.commands else "false"


def list_commands(session: Session, _arguments: list[str]) -> str:
    """All commands, one a line."""
    return "\n".join(sorted(session.commands))


def quit_engine(session: Session, _arguments: list[str]) -> str:
    """Ends the engine."""
    session.is_done = True
    return ""


def boardsize(session: Session, arguments: list[str]) -> str:
    """Starts a game on a board of that size; a second number must be the same."""
    expect(arguments, 1, 2, error=_NOT_A_SIZE)
    if not all(text.isascii() and text.lstrip("+-").isdigit() for text in arguments):
        raise CommandError(_NOT_A_SIZE)
    sizes = {parse_integer(text, UNACCEPTABLE_SIZE) for text in arguments}
    if len(sizes) != 1:
        raise CommandError(UNACCEPTABLE_SIZE)
    session.start_game(sizes.pop())
    return ""


def clear_board(session: Session, _arguments: list[str]) -> str:
    """Starts a game on an empty board of the same size."""
    session.start_game()
    return ""


def set_komi(session: Session, arguments: list[str]) -> str:
    """Sets komi, the points that White is given."""
    expect(arguments, 1, error=_NOT_A_KOMI)
    komi = parse_number(arguments[0], _NOT_A_KOMI)
    if abs(komi) > LARGEST_KOMI:
        raise CommandError(f"unacceptable komi: at most {LARGEST_KOMI:.0f}")
    session.game.komi = komi
    return ""


def get_komi(session: Session, _arguments: list[str]) -> str:
    """The present komi."""
    return f"{session.game.komi:g}"


def play(session: Session, arguments: list[str]) -> str:
    """Plays a stone or pass of that colour, whoever's turn it is, or notes that it resigns."""
    error = INVALID_COLOR_OR_COORDINATE
    expect(arguments, 2, error=error)
    color = parse_color(arguments[0], error)
    if arguments[1].lower() == "resign":
        session.resigned = color
    else:
        session.play(color, session.point(arguments[1], error))
    return ""


def parse_moves(session: Session, arguments: list[str]) -> list[tuple[int, int]]:
    """(colour, point) of `b D4 w Q16 ...`; raises CommandError where it is anything else."""
    if len(arguments) % 2:
        raise CommandError(SYNTAX_ERROR)
    error = INVALID_COLOR_OR_COORDINATE
    return [
        (parse_color(color, error), session.point(vertex, error))
        for color, vertex in zip(arguments[::2], arguments[1::2], strict=True)
    ]


def color_argument(arguments: list[str]) -> int:
    """The colour that is the first argument."""
    if not arguments:
        raise CommandError(INVALID_COLOR)
    return parse_color(arguments[0])


def color_to_move(session: Session, arguments: list[str]) -> tuple[int, list[str]]:
    """The colour that is the first argument, or whose turn it is, and the other arguments."""
    if arguments and is_color(arguments[0]):
        return parse_color(arguments[0]), arguments[1:]
    return session.game.to_play, arguments


def genmove(session: Session, arguments: list[str]) -> str:
    """Chooses and plays a move of that colour."""
    return generate_move(session, color_argument(arguments))


def reg_genmove(session: Session, arguments: list[str]) -> str:
    """Chooses a move of that colour without playing it."""
    return vertex_of_choice(session, choose_move(session, color_argument(arguments)))


def undo(session: Session, _arguments: list[str]) -> str:
    """Takes back the last move."""
    session.undo()
    return ""


def undo_moves(session: Session, arguments: list[str]) -> str:
    """Takes back so many moves (one if no number is given), or none if there are fewer."""
    expect(arguments, 0, 1, error=CANNOT_UNDO)
    session.undo(parse_integer(arguments[0], CANNOT_UNDO) if arguments else 1)
    return ""


def set_position(session: Session, arguments: list[str]) -> str:
    """Starts from these stones, `b D4 w Q16 ...`, without history; Black is to move."""
    from katachi.rules.game import Game

    stones = parse_moves(session, arguments)
    old = session.game
    game = Game(old.size, old.komi, old.rules)
    game.place_setup(
        [point for color, point in stones if color == BLACK],
        [point for color, point in stones if color == WHITE],
    )
    session.replace_game(game)
    return ""


def showboard(session: Session, _arguments: list[str]) -> str:
    """The board as a diagram, with whose turn it is, the captures and komi."""
    from katachi.rules.diagram import diagram_from_colors

    game = session.game
    black, white = game.captures
    diagram = diagram_from_colors(game.colors, game.size, game.last_point)
    return (
        f"\n{diagram}\n{COLOR_NAMES[game.to_play]} to move, {len(game.moves)} moves played\n"
        f"black (X) has captured {black}, white (O) {white}; komi {game.komi:g}"
    )


COMMANDS: dict[str, Command] = {
    "protocol_version": protocol_version,
    "name": engine_name,
    "version": engine_version,
    "known_command": known_command,
    "list_commands": list_commands,
    "quit": quit_engine,
    "boardsize": boardsize,
    "rectangular_boardsize": boardsize,
    "clear_board": clear_board,
    "komi": set_komi,
    "get_komi": get_komi,
    "play": play,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": undo,
    "gg-undo": undo_moves,
    "set_position": set_position,
    "showboard": showboard,
}
