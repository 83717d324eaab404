"""Commands of every GTP engine: who it is, the board, moves, handicap stones, the clocks."""

import math

from katachi import __version__
from katachi.interfaces.gtp import wire
from katachi.interfaces.gtp.readiness import make_ready
from katachi.interfaces.gtp.session import Command, Compat, Session
from katachi.players.clock import TimeSettings, TimeSystem
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


def quit_engine(session: Session, _arguments: list[str]) -> None:
    """Ends the engine."""
    session.is_done = True


def boardsize(session: Session, arguments: list[str]) -> None:
    """Starts a game on a board of that size; a second number must be the same."""
    wire.expect(arguments, 1, 2, error=_NOT_A_SIZE)
    wire.require(
        all(text.isascii() and text.lstrip("+-").isdigit() for text in arguments), _NOT_A_SIZE
    )
    sizes = {wire.parse_integer(text, wire.UNACCEPTABLE_SIZE) for text in arguments}
    wire.require(len(sizes) == 1, wire.UNACCEPTABLE_SIZE)
    session.start_game(sizes.pop())


def clear_board(session: Session, _arguments: list[str]) -> None:
    """Starts a game on an empty board of the same size."""
    session.start_game()


def set_komi(session: Session, arguments: list[str]) -> None:
    """Sets komi, the points that White is given."""
    wire.expect(arguments, 1, error=_NOT_A_KOMI)
    komi = wire.parse_number(arguments[0], _NOT_A_KOMI)
    wire.require(abs(komi) <= LARGEST_KOMI, f"unacceptable komi: at most {LARGEST_KOMI:.0f}")
    session.game.komi = komi


def get_komi(session: Session, _arguments: list[str]) -> str:
    """The present komi."""
    return f"{session.game.komi:g}"


def play(session: Session, arguments: list[str]) -> None:
    """Plays a stone or pass of that colour, whoever's turn it is, or notes that it resigns."""
    error = wire.INVALID_COLOR_OR_COORDINATE
    wire.expect(arguments, 2, error=error)
    color = wire.parse_color(arguments[0], error)
    if arguments[1].lower() == "resign":
        session.resigned = color
    else:
        session.play(color, session.point(arguments[1], error))


def parse_moves(session: Session, arguments: list[str]) -> list[tuple[int, int]]:
    """(colour, point) of `b D4 w Q16 ...`; raises CommandError where it is anything else."""
    wire.require(len(arguments) % 2 == 0)
    error = wire.INVALID_COLOR_OR_COORDINATE
    return [
        (wire.parse_color(color, error), session.point(vertex, error))
        for color, vertex in zip(arguments[::2], arguments[1::2], strict=True)
    ]


def genmove(session: Session, arguments: list[str]) -> str:
    """Chooses and plays a move of that colour."""
    color = wire.color_argument(arguments)
    return session.play_choice(color, session.choose_move(color))


def reg_genmove(session: Session, arguments: list[str]) -> str:
    """Chooses a move of that colour without playing it."""
    return session.vertex(session.choose_move(wire.color_argument(arguments)).point)


def undo(session: Session, _arguments: list[str]) -> None:
    """Takes back the last move."""
    session.undo()


def undo_moves(session: Session, arguments: list[str]) -> None:
    """Takes back so many moves (one if no number is given), or none if there are fewer."""
    wire.expect(arguments, 0, 1, error=wire.CANNOT_UNDO)
    session.undo(wire.parse_integer(arguments[0], wire.CANNOT_UNDO) if arguments else 1)


def set_position(session: Session, arguments: list[str]) -> None:
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


Place = tuple[int, int]
"""(row from the top, column)."""


def most_fixed(size: int) -> int:
    """The largest handicap that has fixed places on a board of this size."""
    if size < 7:
        return 0
    return 9 if size % 2 and size > 7 else 4


def fixed_places(size: int, count: int) -> list[Place]:
    """Where `count` stones (2 to `most_fixed`) go by convention: corners, sides, centre."""
    low = 3 if size >= 13 else 2
    high, middle = size - 1 - low, size // 2
    corners = [(high, low), (low, high), (low, low), (high, high)]
    sides = [(middle, low), (middle, high), (high, middle), (low, middle)]
    center = [(middle, middle)] if count in (5, 7, 9) else []
    return corners[: min(count, 4)] + sides[: max(0, count - 4 - len(center))] + center


def free_places(size: int, count: int) -> list[Place]:
    """Places for `count` stones: the fixed ones, then the points farthest from any stone."""
    places = fixed_places(size, min(count, most_fixed(size))) if most_fixed(size) else []
    points = [(row, col) for row in range(size) for col in range(size)]
    room = {place: _distance_to_edge(place, size) for place in points}
    for place in places:
        _take_room(room, place)
    while len(places) < count:
        place = max(room, key=room.__getitem__)
        places.append(place)
        _take_room(room, place)
    return places


def _distance_to_edge(place: Place, size: int) -> int:
    row, col = place
    return (2 * min(row + 1, col + 1, size - row, size - col)) ** 2


def _take_room(room: dict[Place, int], taken: Place) -> None:
    """Lowers each point's squared distance to the nearest stone or edge; the point itself goes."""
    del room[taken]
    for place, distance in room.items():
        nearer = (place[0] - taken[0]) ** 2 + (place[1] - taken[1]) ** 2
        if nearer < distance:
            room[place] = nearer


def _place_stones(session: Session, points: list[int]) -> str:
    session.game.place_setup(points, [])
    session.game.first_to_play = WHITE
    session.handicap = len(points)
    return session.vertices(points)


def _require_empty_board(session: Session) -> None:
    wire.require(session.is_board_empty, "board not empty")


def _place_count(session: Session, arguments: list[str], most: int, *, is_fixed: bool) -> str:
    from katachi.rules.point import point_from_row_col

    _require_empty_board(session)
    wire.expect(arguments, 1, error=wire.INVALID_HANDICAP)
    count = wire.parse_integer(arguments[0], wire.INVALID_HANDICAP)
    wire.require(2 <= count <= most, wire.INVALID_HANDICAP)
    size = session.game.size
    places = fixed_places(size, count) if is_fixed else free_places(size, count)
    return _place_stones(session, [point_from_row_col(row, col) for row, col in places])


def fixed_handicap(session: Session, arguments: list[str]) -> str:
    """Places so many handicap stones where convention has them; the reply names them."""
    return _place_count(session, arguments, most_fixed(session.game.size), is_fixed=True)


def place_free_handicap(session: Session, arguments: list[str]) -> str:
    """Places so many handicap stones where the engine likes; the reply names them."""
    return _place_count(session, arguments, session.game.size**2 - 1, is_fixed=False)


def set_free_handicap(session: Session, arguments: list[str]) -> None:
    """Places handicap stones on these vertices."""
    _require_empty_board(session)
    points = [session.point(vertex, wire.BAD_VERTEX_LIST) for vertex in arguments]
    wire.require(len(set(points)) == len(points), "repeated vertex")
    wire.require(2 <= len(points) < session.game.size**2 and 0 not in points, wire.BAD_VERTEX_LIST)
    _place_stones(session, points)


LONGEST_SECONDS = 1e8
_NOT_NUMBERS = "not three integers"
_NOT_TIME_LEFT = "time and stones not two integers"
_FISCHER_CAPPED = "fischer-capped"
_COUNTS = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3, "fischer": 2, _FISCHER_CAPPED: 4}


def _seconds(text: str, error: str = wire.SYNTAX_ERROR) -> float:
    seconds = wire.parse_number(text, error)
    wire.require(0 <= seconds <= LONGEST_SECONDS, error)
    return seconds


def _count(text: str, error: str = wire.SYNTAX_ERROR) -> int:
    count = wire.parse_integer(text, error)
    wire.require(count >= 0, error)
    return count


def time_settings(session: Session, arguments: list[str]) -> None:
    """Main time, then a period for so many stones (a period for 0 stones: no time limit)."""
    wire.expect(arguments, 3, error=_NOT_NUMBERS)
    main, period = (_seconds(text, _NOT_NUMBERS) for text in arguments[:2])
    stones = _count(arguments[2], _NOT_NUMBERS)
    if period > 0 and stones == 0:
        settings = TimeSettings()
    elif period == 0:
        settings = TimeSettings(TimeSystem.ABSOLUTE, main)
    else:
        settings = TimeSettings(TimeSystem.CANADIAN, main, period, stones)
    _set_clock(session, settings)


def _set_clock(session: Session, settings: TimeSettings) -> None:
    session.clock.configure(settings)
    if settings.system != TimeSystem.NONE:
        make_ready(session)


def time_left(session: Session, arguments: list[str]) -> None:
    """What is left on the clock of a colour: seconds, and stones or periods (0 in main time)."""
    wire.require(arguments, wire.INVALID_COLOR)
    color = wire.parse_color(arguments[0])
    wire.expect(arguments, 3, error=_NOT_TIME_LEFT)
    # A clock that has run out may be reported as less than nothing.
    seconds = min(max(wire.parse_number(arguments[1], _NOT_TIME_LEFT), 0.0), LONGEST_SECONDS)
    session.clock.report(color, seconds, _count(arguments[2], _NOT_TIME_LEFT))
    make_ready(session)


def parse_time_system(arguments: list[str]) -> TimeSettings:
    """The settings of `none`, `absolute M`, `byoyomi M T N`, `canadian M T N`, `fischer M I` or
    `fischer-capped M I CAP LONGEST` (where -1 is no limit)."""
    name = arguments[0].lower() if arguments else ""
    wire.require(name in _COUNTS and len(arguments) == 1 + _COUNTS[name])
    numbers = arguments[1:]
    if name == _FISCHER_CAPPED:
        main, increment = (_seconds(text) for text in numbers[:2])
        cap, longest = (_limit(text) for text in numbers[2:])
        fischer = TimeSystem.FISCHER
        return TimeSettings(fischer, main, increment=increment, cap=cap, longest_move=longest)
    system = TimeSystem(name)
    if system == TimeSystem.FISCHER:
        return TimeSettings(system, _seconds(numbers[0]), increment=_seconds(numbers[1]))
    main, period = ([_seconds(text) for text in numbers[:2]] + [0.0, 0.0])[:2]
    count = _count(numbers[2]) if len(numbers) > 2 else 0
    if len(numbers) > 2 and (count == 0 or period == 0):
        system = TimeSystem.ABSOLUTE
    return TimeSettings(system, main, period, count)


def _limit(text: str) -> float:
    return math.inf if wire.parse_number(text) < 0 else _seconds(text)


def set_time_system(session: Session, arguments: list[str]) -> None:
    """Sets a time system by its name and numbers."""
    _set_clock(session, parse_time_system(arguments))


def list_time_systems(_session: Session, _arguments: list[str]) -> str:
    """The time systems that can be set."""
    return " ".join(_COUNTS)


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
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
    "time_settings": time_settings,
    "time_left": time_left,
    "kgs-time_settings": set_time_system,
    "kata-time_settings": set_time_system,
    "kata-list_time_settings": list_time_systems,
}
