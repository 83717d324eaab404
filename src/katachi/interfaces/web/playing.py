"""Operations of a game that is played: first facts, positions, moves and the final count."""

from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from katachi import __version__
from katachi.interfaces.gtp.core import fixed_places, most_fixed
from katachi.interfaces.play.table import Table, result_text, status_text
from katachi.interfaces.web.messages import (
    SIZES,
    GameMessage,
    GameRequest,
    Name,
    Size,
    Vertices,
    game_from_message,
    matrix,
    points_from_vertices,
    position_of,
    vertices_of,
)
from katachi.interfaces.web.offers import (
    evaluators_offered,
    lane_of_player,
    players_offered,
    seat_of,
)
from katachi.interfaces.web.operations import (
    Answers,
    AsyncAnswers,
    Context,
    Lane,
    Nothing,
    Request,
    RequestError,
    Result,
    operation,
)
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.settling import settle
from katachi.records.result import result_from_score
from katachi.rules.area import area_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import point_from_row_col, points_of
from katachi.rules.scoring import FinalStatus

LONGEST_THOUGHT = 10.0
API = 1


def first_facts() -> dict[str, Any]:
    """What the page needs first, but for what is being compiled."""
    return {
        "version": __version__,
        "api": API,
        "sizes": list(SIZES),
        "default_player": DEFAULT_PLAYER,
        "players": players_offered(),
        "evaluators": evaluators_offered(),
    }


@operation("hello", Nothing)
async def hello(_request: Nothing, context: Context) -> AsyncAnswers:
    """What the page needs first."""
    yield Result({**context.shared["first facts"], **_compiling(context)})


@operation("status", Nothing)
async def status(_request: Nothing, context: Context) -> AsyncAnswers:
    """What is being compiled."""
    yield Result(_compiling(context))


def _compiling(context: Context) -> dict[str, Any]:
    return {"compiling": context.shared["warming"].compiling}


@operation("position", GameRequest, lane=Lane.QUICK)
def position(request: GameRequest, _context: Context) -> Answers:
    """The position of a game, and where the next move may be."""
    yield Result({"position": position_of(game_from_message(request.game))})


class HandicapRequest(Request):
    """How many stones on which board."""

    size: Size
    count: Annotated[int, Meta(ge=2, le=9)]


@operation("handicap", HandicapRequest, lane=Lane.QUICK)
def handicap(request: HandicapRequest, _context: Context) -> Answers:
    """The fixed places of handicap stones."""
    most = most_fixed(request.size)
    if request.count > most:
        board = f"{request.size}x{request.size}"
        words = f"at most {most} handicap stones" if most else "no handicap stones"
        raise RequestError("count", f"{words} have fixed places on {board}")
    points = [point_from_row_col(*place) for place in fixed_places(request.size, request.count)]
    yield Result({"stones": vertices_of(points, request.size)})


class MoveRequest(GameRequest):
    """A game, and who moves next."""

    player: Name
    seconds: Annotated[float, Meta(ge=0.0, le=LONGEST_THOUGHT)] = 1.0


@operation("move", MoveRequest, lane=lambda request: lane_of_player(request.player))
def move(request: MoveRequest, context: Context) -> Answers:
    """A player's move, as in `katachi play`: it passes and resigns there and here alike."""
    game = _game_to_play(request.game)
    seat = seat_of(request.player, context)
    yield None  # loading a model was a step
    person = opponent(game.to_play)
    table = Table(seat.player, game, person, request.seconds, request.game.handicap)
    table.finisher = seat.finisher
    vertex = table.answer()
    rate = table.win_rate
    yield Result(
        {
            "vertex": vertex,
            "win_rate": rate if rate is None or person == WHITE else 1.0 - rate,
            "position": position_of(game),
            "result": _end_of(table),
        }
    )


def _game_to_play(message: GameMessage) -> Game:
    """The game of a message that goes on; raises RequestError."""
    if message.size not in SIZES:
        raise RequestError("game.size", f"boards of {SIZES[0]} to {SIZES[-1]} are played on")
    game = game_from_message(message)
    if game.is_over:
        raise RequestError("game.moves", "the game is over: both have passed")
    return game


def _end_of(table: Table) -> dict[str, Any] | None:
    """How a game ended; None while it goes on."""
    if table.resigned is not None:
        known: dict[str, Any] = {
            "dead": [],
            "owners": None,
            "black": None,
            "white": None,
            "lead": None,
        }
        komi, text = table.game.komi, result_text(table)
        return {**known, "komi": komi, "result": str(table.result), "text": text}
    return _counted(table.game, settle(table.game).status) if table.game.is_over else None


class ScoreRequest(GameRequest):
    """A finished game, and the stones that are dead."""

    dead: Vertices | None = None


@operation("score", ScoreRequest)
def score(request: ScoreRequest, _context: Context) -> Answers:
    """The count of a game: dead stones as named, or as the server sees them."""
    game = game_from_message(request.game)
    if request.dead is None:
        yield Result(_counted(game, settle(game).status))
    else:
        dead = points_from_vertices(request.dead, game.size, "dead")
        yield Result(_counted(game, status_without(game, dead)))


def status_without(game: Game, dead: list[int]) -> FinalStatus:
    """The count with the blocks of these stones taken off; raises RequestError for a point that
    holds none."""
    board = game.board
    blocks = [board.block_at(point) for point in dead]
    for point, block in zip(dead, blocks, strict=True):
        if not block:
            name = vertices_of([point], game.size)[0]
            raise RequestError("dead", f"there is no stone on {name}")
    gone = sorted({point for block in blocks for point in block})
    left = np.where(np.isin(points_of(game.size), gone), EMPTY, game.colors).astype(np.uint8)
    return FinalStatus(area_owners(Board.from_colors(left, game.size).words), gone)


def _counted(game: Game, status: FinalStatus) -> dict[str, Any]:
    black, white = (int((status.owners == color).sum()) for color in (BLACK, WHITE))
    lead = black - white - game.komi
    return {
        "dead": vertices_of(status.dead, game.size),
        "owners": matrix(status.owners, game.size),
        "black": black,
        "white": white,
        "komi": game.komi,
        "lead": lead,
        "result": str(result_from_score(lead)),
        "text": status_text(game, status),
    }
