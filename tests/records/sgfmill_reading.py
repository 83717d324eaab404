"""What sgfmill alone makes of a game: the oracle for our readers and our replay."""

from dataclasses import dataclass, field

from sgfmill import boards, sgf, sgf_moves

from katachi.records.record import GameRecord
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import PASS, point_from_row_col, row_col_from_point

COLORS = {"b": BLACK, "w": WHITE, None: EMPTY}


@dataclass
class Reading:
    """A game in katachi's terms, read and replayed without katachi."""

    size: int
    setup: set[tuple[int, int]] = field(default_factory=set)
    moves: list[tuple[int, int]] = field(default_factory=list)
    colors: list[int] = field(default_factory=list)
    owners: list[int] | None = None


def read_with_sgfmill(text: bytes) -> Reading:
    """The main line of one game by sgfmill's own setup, moves, boards and marks."""
    game = sgf.Sgf_game.from_bytes(text)
    size = game.get_size()
    board, plays = sgf_moves.get_setup_and_moves(game)
    reading = Reading(size)
    reading.setup = {
        (COLORS[colour], point_of(place, size)) for colour, place in board.list_occupied_points()
    }
    for colour, place in plays:
        reading.moves.append((COLORS[colour], PASS if place is None else point_of(place, size)))
        if place is not None:
            board.play(place[0], place[1], colour)
    reading.colors = [
        COLORS[board.get(size - 1 - row, col)] for row in range(size) for col in range(size)
    ]
    reading.owners = owners_of(game.get_last_node(), board, size)
    return reading


def owners_of(node: sgf.Tree_node, board: boards.Board, size: int) -> list[int] | None:
    """Owners by the last node's marks, else by the stones; None without marks."""
    if not (node.has_property("TB") or node.has_property("TW")):
        return None
    black = node.get("TB") if node.has_property("TB") else set()
    white = node.get("TW") if node.has_property("TW") else set()
    owners = []
    for row in range(size):
        for col in range(size):
            place = size - 1 - row, col
            stone = {"b": 1, "w": -1, None: 0}[board.get(*place)]
            owners.append(1 if place in black else -1 if place in white else stone)
    return owners


def point_of(place: tuple[int, int], size: int) -> int:
    """katachi's point of sgfmill's place."""
    return point_from_row_col(size - 1 - place[0], place[1])


def reading_of(record: GameRecord, colors: list[int]) -> Reading:
    """A record and its last position in the same terms."""
    setup = {(BLACK, point) for point in record.setup_black.tolist()}
    setup |= {(WHITE, point) for point in record.setup_white.tolist()}
    moves = list(zip(record.colors.tolist(), record.moves.tolist(), strict=True))
    owners = None if record.ownership is None else record.ownership.tolist()
    return Reading(record.size, setup, moves, colors, owners)


def sgf_place(point: int) -> str:
    """The two letters of a point, or nothing for a pass."""
    if point == PASS:
        return ""
    row, col = row_col_from_point(point)
    return chr(ord("a") + col) + chr(ord("a") + row)
