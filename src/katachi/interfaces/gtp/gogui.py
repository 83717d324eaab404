"""GoGui's commands: what its menu offers, the referee, fast ways to set up a position."""

from katachi import __version__
from katachi.errors import KatachiError
from katachi.interfaces.gtp.core import color_argument, parse_moves
from katachi.interfaces.gtp.errors import CommandError
from katachi.interfaces.gtp.scoring import final_score
from katachi.interfaces.gtp.session import Command, Session
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE

ANALYZE_COMMANDS = (
    "dboard/Ownership/katachi-ownership",
    "dboard/Ownership After Move/katachi-ownership after %p",
    "dboard/Ownership After Pass/katachi-ownership after pass",
    "string/Features/katachi-features %p",
    "string/Explain Move/katachi-explain %p",
    "string/Explain Last Move/gomill-explain_last_move",
    "string/Final Score/final_score",
    "plist/Dead Stones/final_status_list dead",
    "plist/Black Territory/final_status_list black_territory",
    "plist/White Territory/final_status_list white_territory",
    "param/Parameters/katachi-param",
)
"""`type/label/command`, as GoGui lists them in its menu."""


def analyze_commands(_session: Session, _arguments: list[str]) -> str:
    """The analyze commands, one a line."""
    return "\n".join(ANALYZE_COMMANDS)


def interrupt(_session: Session, _arguments: list[str]) -> str:
    """Nothing: any line ends an analysis."""
    return ""


def title(session: Session, _arguments: list[str]) -> str:
    """The title of the window."""
    return f"katachi {session.options.player}"


def version(_session: Session, _arguments: list[str]) -> str:
    """The version behind the title."""
    return __version__


def play_sequence(session: Session, arguments: list[str]) -> str:
    """Plays `b D4 w Q16 ...`, or nothing if one of the moves cannot be played."""
    played = 0
    try:
        for color, point in parse_moves(session, arguments):
            session.play(color, point)
            played += 1
    except KatachiError:
        session.undo(played)
        raise
    return ""


def setup(session: Session, arguments: list[str]) -> str:
    """Puts stones, `b D4 w Q16 ...`, on the board before the first move."""
    stones = parse_moves(session, arguments)
    session.game.place_setup(
        [point for color, point in stones if color == BLACK],
        [point for color, point in stones if color == WHITE],
    )
    return ""


def setup_player(session: Session, arguments: list[str]) -> str:
    """Says who moves first from the position that was set up."""
    color = color_argument(arguments)
    if session.game.moves:
        raise CommandError("the first player is set before the first move")
    session.game.first_to_play = color
    return ""


def game_id(_session: Session, _arguments: list[str]) -> str:
    """The game that is played here."""
    return "Go"


def board(session: Session, _arguments: list[str]) -> str:
    """The stones, row by row from the top."""
    from katachi.interfaces.gtp.kata import rows_of
    from katachi.rules.diagram import SYMBOLS

    cells = [SYMBOLS[color] for color in session.game.colors.tolist()]
    return "\n" + "\n".join(rows_of(session, cells))


def board_gfx(session: Session, _arguments: list[str]) -> str:
    """The stones as drawing commands."""
    position = session.game.board
    names = {BLACK: "BLACK", WHITE: "WHITE"}
    lines = [f"{names[c]} {session.vertices(position.points_of_color(c))}" for c in names]
    return "\n" + "\n".join(line.rstrip() for line in lines)


def board_size(session: Session, _arguments: list[str]) -> str:
    """The size of the board."""
    return str(session.game.size)


def legal_moves(session: Session, _arguments: list[str]) -> str:
    """All legal moves of whose turn it is, the pass last; none after the end."""
    game = session.game
    if game.is_over:
        return ""
    points = game.legal_moves(game.to_play).tolist()
    return session.vertices([*points, 0])


def side_to_move(session: Session, _arguments: list[str]) -> str:
    """Whose turn it is."""
    return COLOR_NAMES[session.game.to_play]


def final_result(session: Session, arguments: list[str]) -> str:
    """The result once two passes have ended the game, else nothing."""
    return final_score(session, arguments) if session.game.is_over else ""


def captured_count(session: Session, _arguments: list[str]) -> str:
    """How many stones Black and White have captured."""
    black, white = session.game.captures
    return f"{black} {white}"


COMMANDS: dict[str, Command] = {
    "gogui-analyze_commands": analyze_commands,
    "gogui-interrupt": interrupt,
    "gogui-title": title,
    "gogui-version": version,
    "gogui-play_sequence": play_sequence,
    "gogui-setup": setup,
    "gogui-setup_player": setup_player,
    "gogui-rules_game_id": game_id,
    "gogui-rules_board": board,
    "gogui-rules_board_gfx": board_gfx,
    "gogui-rules_board_size": board_size,
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": side_to_move,
    "gogui-rules_final_result": final_result,
    "gogui-rules_captured_count": captured_count,
}
