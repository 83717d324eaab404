"""Requests that hold a game, the game in them, and positions as they are sent."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from katachi.errors import KatachiError
from katachi.interfaces.web.operations import Request, RequestError
from katachi.rules.color import BLACK, COLOR_NAMES, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, points_of, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules

SMALLEST, LARGEST = 2, 19
SIZES = range(5, LARGEST + 1)
"""Boards that are played on; records may have smaller ones."""
MOST_MOVES = 2000
MOST_POINTS = LARGEST * LARGEST
LARGEST_KOMI = 1000.0
RECORD_RULES = Rules(KoRule.SIMPLE, suicide=True)
"""What all records share."""

Vertex = Annotated[str, Meta(max_length=8)]
Vertices = Annotated[list[Vertex], Meta(max_length=MOST_POINTS)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Id = Annotated[str, Meta(max_length=64)]
"""Of a run, a ladder or a model: made by the server, and only ever looked up."""
Size = Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]
ColorName = Literal["black", "white"]
COLORS = {name: color for color, name in COLOR_NAMES.items()}


class GameMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A game from its setup stones to its last move."""

    size: Size
    komi: Annotated[float, Meta(ge=-LARGEST_KOMI, le=LARGEST_KOMI)] = 7.0
    black: Vertices = []
    white: Vertices = []
    first: ColorName = "black"
    moves: Annotated[list[Vertex], Meta(max_length=MOST_MOVES)] = []
    handicap: Annotated[int, Meta(ge=0, le=MOST_POINTS)] = 0
    record: bool = False
    """A recorded game is held only to the rules that all records share; else the last move is held
    to those of play here."""


class GameRequest(Request):
    """A request about a game."""

    game: GameMessage


def game_from_message(message: GameMessage) -> Game:
    """The game that a message tells; raises RequestError, naming the field, where it cannot be."""
    game = Game(message.size, message.komi, RECORD_RULES)
    stones = [
        [_point(vertex, message.size, f"game.{name}") for vertex in vertices]
        for name, vertices in (("black", message.black), ("white", message.white))
    ]
    try:
        game.place_setup(*stones)
    except KatachiError as error:
        raise RequestError("game.black", error) from None
    game.first_to_play = COLORS[message.first]
    for number, text in enumerate(message.moves, 1):
        if number == len(message.moves) and not message.record:
            game.rules = Rules()
        _play(game, number, text)
    game.rules = RECORD_RULES if message.record else Rules()
    return game


def _play(game: Game, number: int, text: str) -> None:
    """Plays a move such as "D4", by whose turn it is, or "b:D4"."""
    named, _, vertex = text.rpartition(":")
    color = {"": game.to_play, "b": BLACK, "w": WHITE}.get(named)
    if color is None:
        raise RequestError("game.moves", f"move {number}: {text!r} is no move: write D4 or b:D4")
    try:
        game.play(color, point_from_vertex(vertex, game.size))
    except KatachiError as error:
        raise RequestError("game.moves", f"move {number}: {error}") from None


def _point(vertex: str, size: int, field: str) -> int:
    try:
        point = point_from_vertex(vertex, size)
    except KatachiError as error:
        raise RequestError(field, error) from None
    if not point:
        raise RequestError(field, "a pass is no point of the board")
    return point


def point_to_play(game: Game, vertex: str, field: str = "vertex") -> int:
    """The point, or pass, of a move that the side to move may make; raises RequestError."""
    try:
        point = point_from_vertex(vertex, game.size)
    except KatachiError as error:
        raise RequestError(field, error) from None
    if not game.is_legal(game.to_play, point):
        word = game.judge(game.to_play, point)
        raise RequestError(field, f"{COLOR_NAMES[game.to_play]} {vertex} is illegal: {word}")
    return point


def points_from_vertices(vertices: list[str], size: int, field: str) -> list[int]:
    """The points that vertices name, passes not allowed; raises RequestError."""
    return [_point(vertex, size, field) for vertex in vertices]


def vertices_of(points: Any, size: int) -> list[str]:
    """The names of points."""
    return [vertex_from_point(int(point), size) for point in points]


def matrix(values: Any, size: int) -> list[list[Any]]:
    """Values of the points, row by row, as rows from the top."""
    rows: list[list[Any]] = np.asarray(values).reshape(size, size).tolist()
    return rows


def position_of(game: Game) -> dict[str, Any]:
    """The present position as it is sent."""
    legal = game.legal_moves(game.to_play)
    black, white = game.captures
    moves = game.moves
    return {
        "size": game.size,
        "stones": matrix(game.colors, game.size),
        "to_play": COLOR_NAMES[game.to_play],
        "legal": vertices_of(legal, game.size),
        "captures": {"black": black, "white": white},
        "last": vertex_from_point(moves[-1].point, game.size) if moves else None,
        "number": len(moves),
        "is_over": game.is_over,
        "ko": _ko(game, set(legal.tolist())),
    }


def _ko(game: Game, legal: set[int]) -> str | None:
    """Where the side to move may not play because of a ko that was just taken."""
    empty = points_of(game.size)[game.colors == EMPTY].tolist()
    forbidden = (point for point in empty if point not in legal)
    found = (point for point in forbidden if game.judge(game.to_play, point) == "ko")
    return next((vertex_from_point(point, game.size) for point in found), None)
