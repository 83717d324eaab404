"""Handicap stones."""

from katachi.interfaces.gtp.arguments import expect, parse_integer
from katachi.interfaces.gtp.errors import (
    BAD_VERTEX_LIST,
    BOARD_NOT_EMPTY,
    INVALID_HANDICAP,
    REPEATED_VERTEX,
    CommandError,
)
from katachi.interfaces.gtp.session import Command, Session
from katachi.rules.color import WHITE

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
    if not session.is_board_empty:
        raise CommandError(BOARD_NOT_EMPTY)


def _place_count(session: Session, arguments: list[str], most: int, *, is_fixed: bool) -> str:
    from katachi.rules.point import point_from_row_col

    _require_empty_board(session)
    expect(arguments, 1, error=INVALID_HANDICAP)
    count = parse_integer(arguments[0], INVALID_HANDICAP)
    if not 2 <= count <= most:
        raise CommandError(INVALID_HANDICAP)
    size = session.game.size
    places = fixed_places(size, count) if is_fixed else free_places(size, count)
    return _place_stones(session, [point_from_row_col(row, col) for row, col in places])


def fixed_handicap(session: Session, arguments: list[str]) -> str:
    """Places so many handicap stones where convention has them; the reply names them."""
    return _place_count(session, arguments, most_fixed(session.game.size), is_fixed=True)


def place_free_handicap(session: Session, arguments: list[str]) -> str:
    """Places so many handicap stones where the engine likes; the reply names them."""
    return _place_count(session, arguments, session.game.size**2 - 1, is_fixed=False)


def set_free_handicap(session: Session, arguments: list[str]) -> str:
    """Places handicap stones on these vertices."""
    _require_empty_board(session)
    points = [session.point(vertex, BAD_VERTEX_LIST) for vertex in arguments]
    if len(set(points)) != len(points):
        raise CommandError(REPEATED_VERTEX)
    if not 2 <= len(points) < session.game.size**2 or 0 in points:
        raise CommandError(BAD_VERTEX_LIST)
    _place_stones(session, points)
    return ""


COMMANDS: dict[str, Command] = {
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
}
