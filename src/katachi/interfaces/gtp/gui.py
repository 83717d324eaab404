"""Commands of Go clients: GoGui's menu, referee and setup; KataGo's rules and parameters."""

from __future__ import annotations

import json
from dataclasses import replace

from katachi import __version__
from katachi.errors import KatachiError
from katachi.interfaces.gtp import formats, wire
from katachi.interfaces.gtp.core import parse_moves
from katachi.interfaces.gtp.game_files import final_score
from katachi.interfaces.gtp.session import LONGEST_SECONDS, Command, Session
from katachi.players.finish_settings import counting_of_rules
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.ruleset import Rules
from katachi.search.tree_limits import MOST_VISITS, check_visits

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


def interrupt(_session: Session, _arguments: list[str]) -> None:
    """Nothing: any line ends an analysis."""


def title(session: Session, _arguments: list[str]) -> str:
    """The title of the window."""
    return f"katachi {session.options.player}"


def version(_session: Session, _arguments: list[str]) -> str:
    """The version behind the title."""
    return __version__


def play_sequence(session: Session, arguments: list[str]) -> None:
    """Plays `b D4 w Q16 ...`, or nothing if one of the moves cannot be played."""
    played = 0
    try:
        for color, point in parse_moves(session, arguments):
            session.play(color, point)
            played += 1
    except KatachiError:
        session.undo(played)
        raise


def setup(session: Session, arguments: list[str]) -> None:
    """Puts stones, `b D4 w Q16 ...`, on the board before the first move."""
    stones = parse_moves(session, arguments)
    session.game.place_setup(
        [point for color, point in stones if color == BLACK],
        [point for color, point in stones if color == WHITE],
    )


def setup_player(session: Session, arguments: list[str]) -> None:
    """Says who moves first from the position that was set up."""
    color = wire.color_argument(arguments)
    wire.require(not session.game.moves, "the first player is set before the first move")
    session.game.first_to_play = color


def game_id(_session: Session, _arguments: list[str]) -> str:
    """The game that is played here."""
    return "Go"


def board(session: Session, _arguments: list[str]) -> str:
    """The stones, row by row from the top."""
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


_SYMMETRIES = 8


def parse_rules(text: str) -> Rules:
    """The rules of a name or of a JSON object in KataGo's words."""
    if not text.startswith("{"):
        return formats.rules_from_name(text)
    try:
        wanted = json.loads(text)
    except (ValueError, RecursionError):
        raise wire.CommandError(wire.SYNTAX_ERROR) from None
    return formats.rules_from_object(wanted)


def get_rules(session: Session, _arguments: list[str]) -> str:
    """The rules as a JSON object."""
    return json.dumps(formats.describe_rules(session.game.rules), separators=(",", ":"))


def set_rules(session: Session, arguments: list[str]) -> None:
    """Sets the rules by name or as a JSON object; refuses what cannot be played. A name also says
    how games are counted: under cgos and tromp-taylor all stones are alive."""
    text = " ".join(arguments)
    session.game.rules = parse_rules(text)
    if not text.startswith("{"):
        session.finish = replace(session.finish, counting=counting_of_rules(text))


def set_rule(session: Session, arguments: list[str]) -> None:
    """Changes one rule."""
    wire.expect(arguments, 2)
    session.game.rules = formats.change_rule(session.game.rules, *arguments)


def _parameters(session: Session) -> dict[str, str]:
    from katachi.search.analysis import PSEUDO_VISITS

    time, search = {"maxTime": f"{session.seconds:g}"}, session.search
    if not search.is_tree:
        return time | {"maxVisits": str(PSEUDO_VISITS)}
    visits = MOST_VISITS if search.visits is None else search.visits
    return time | {"maxVisits": str(visits), "numSearchThreads": str(search.limits.threads)}


def list_params(session: Session, _arguments: list[str]) -> str:
    """The names of the parameters."""
    return " ".join(_parameters(session))


def get_param(session: Session, arguments: list[str]) -> str:
    """The value of a parameter."""
    wire.expect(arguments, 1)
    parameters = _parameters(session)
    wire.require(arguments[0] in parameters, f"no parameter {arguments[0][:40]!r}")
    return parameters[arguments[0]]


def get_params(session: Session, _arguments: list[str]) -> str:
    """All parameters as a JSON object."""
    return json.dumps(_parameters(session), separators=(",", ":"))


def parse_seconds(text: str) -> float:
    """A thinking time; raises CommandError unless it is a sensible number of seconds."""
    seconds = wire.parse_number(text)
    wire.require(0 < seconds <= LONGEST_SECONDS)
    return seconds


def _change_param(session: Session, name: str, value: str) -> None:
    if name == "maxTime":
        session.seconds = parse_seconds(value)
    elif name == "maxVisits" and not session.search.is_tree:
        wire.parse_integer(value)  # Accepted because clients set it: nothing is searched.
    elif name == "maxVisits":
        refusal = f"cannot search {value[:20]} visits: use 1 to {MOST_VISITS}"
        visits = check_visits(wire.parse_integer(value, refusal))
        session.change_search(session.search._replace(visits=visits))
    elif name == "numSearchThreads" and session.search.is_tree:
        limits = replace(session.search.limits, threads=wire.parse_integer(value))
        session.change_search(session.search._replace(limits=limits))
    else:
        raise wire.CommandError(f"no parameter {name[:40]!r}")


def set_param(session: Session, arguments: list[str]) -> None:
    """Sets maxTime, the seconds for a move without a clock; of a tree player also maxVisits, of a
    position, and numSearchThreads. Of others maxVisits has no effect."""
    wire.expect(arguments, 2)
    _change_param(session, *arguments)


def set_params(session: Session, arguments: list[str]) -> None:
    """Sets several parameters, given as a JSON object."""
    try:
        wanted = json.loads(" ".join(arguments))
    except (ValueError, RecursionError):
        raise wire.CommandError(wire.SYNTAX_ERROR) from None
    if not isinstance(wanted, dict):
        raise wire.CommandError(wire.SYNTAX_ERROR)
    for name, value in wanted.items():
        _change_param(session, name, str(value))


def raw_evaluation(session: Session, arguments: list[str]) -> str:
    """The evaluation of the position: `kata-raw-nn [colour] 0..7|all`; no symmetry changes it."""
    color, rest = session.color_to_move(arguments)
    wanted = rest[0].lower() if rest else "0"
    first, last = (0, _SYMMETRIES - 1) if wanted == "all" else (wire.parse_integer(wanted),) * 2
    wire.require(0 <= first <= last < _SYMMETRIES)
    body = _raw_body(session, color)
    return "".join(f"symmetry {number}\n{body}\n" for number in range(first, last + 1))


def _raw_body(session: Session, color: int) -> str:
    analysis = session.analyse(color)
    rate = analysis.win_rate if color == WHITE else 1 - analysis.win_rate
    leads = []
    if analysis.lead is not None:
        lead = analysis.lead if color == WHITE else -analysis.lead
        leads = [f"whiteLead {lead:.3f}", f"whiteScoreSelfplay {lead:.3f}"]
    owned = formats.ownership_texts(analysis, 1 if color == WHITE else -1)
    priors = analysis.policy
    lines = [
        f"whiteWin {rate:.6f}",
        f"whiteLoss {1 - rate:.6f}",
        "noResult 0.000000",
        *leads,
        "policy",
        *rows_of(session, _policy(session, priors)),
        f"policyPass {priors.get(0, 0.0):.6f}",
        "whiteOwnership",
        *rows_of(session, owned),
    ]
    return "\n".join(lines)


def _policy(session: Session, priors: dict[int, float]) -> list[str]:
    from katachi.rules.point import points_of

    points = points_of(session.game.size).tolist()
    return [f"{priors[point]:.6f}" if point in priors else "NAN" for point in points]


def rows_of(session: Session, cells: list[str]) -> list[str]:
    """Texts of all points, row by row, as the lines of a board."""
    size = session.game.size
    return [" ".join(cells[start : start + size]) for start in range(0, size * size, size)]


def clear_cache(_session: Session, _arguments: list[str]) -> None:
    """Nothing: no evaluations are kept."""


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
    "kata-get-rules": get_rules,
    "kata-set-rules": set_rules,
    "kata-set-rule": set_rule,
    "kata-list-params": list_params,
    "kata-get-param": get_param,
    "kata-get-params": get_params,
    "kata-set-param": set_param,
    "kata-set-params": set_params,
    "kata-raw-nn": raw_evaluation,
    "clear_cache": clear_cache,
}
