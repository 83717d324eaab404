"""Commands that count a finished game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from katachi.interfaces.gtp.errors import INVALID_STATUS, CommandError
from katachi.interfaces.gtp.session import Command, Session
from katachi.records.result import Result, result_from_score
from katachi.rules.color import BLACK, EMPTY, WHITE

if TYPE_CHECKING:
    from katachi.rules.scoring import FinalStatus

_STATUSES = ("alive", "dead", "seki", "black_territory", "white_territory", "dame")


def final_position(session: Session) -> FinalStatus:
    """Who owns what, dead stones lifted: what the decision to pass goes by."""
    from katachi.players.settling import settle

    return settle(session.game).status


def counted_result(session: Session) -> Result:
    """The result of the position as games are counted here, `agreed` by default."""
    from katachi.players.settling import count_score

    counting = session.finish.counting
    return result_from_score(count_score(session.game, final_position(session), counting))


def final_score(session: Session, _arguments: list[str]) -> str:
    """The result: `B+3.5`, `W+0.5` or `0`. By area, dead stones lifted, unless the parameter
    `counting` or the rules say otherwise."""
    return str(counted_result(session))


def final_status_list(session: Session, arguments: list[str]) -> str:
    """The stones of a status (alive, dead, seki), a block a line, or the points of
    black_territory, white_territory or dame. No block is ever called seki: it is alive or dead."""
    if not arguments:
        raise CommandError("missing status")
    status = arguments[0].lower()
    if status not in _STATUSES:
        raise CommandError(INVALID_STATUS)
    if status in ("alive", "dead"):
        blocks = blocks_by_life(session, is_alive=status == "alive")
        return "\n".join(session.vertices(block) for block in blocks)
    if status == "seki":
        return ""
    owner = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}[status]
    return session.vertices(_territory(session, owner))


def blocks_by_life(session: Session, *, is_alive: bool) -> list[list[int]]:
    """All living or all dead blocks, Black's first."""
    dead = set(final_position(session).dead)
    board = session.game.board
    blocks = board.blocks(BLACK) + board.blocks(WHITE)
    return [block for block in blocks if (block[0] not in dead) == is_alive]


def _territory(session: Session, owner: int) -> list[int]:
    """The points of a player that no living stone stands on, or those of nobody."""
    from katachi.rules.point import points_of

    status = final_position(session)
    owners, dead = status.owners.tolist(), set(status.dead)
    points = points_of(session.game.size).tolist()
    board = session.game.board
    free = (point in dead or board.color_at(point) == EMPTY for point in points)
    return [
        p for p, own, is_free in zip(points, owners, free, strict=True) if own == owner and is_free
    ]


COMMANDS: dict[str, Command] = {
    "final_score": final_score,
    "final_status_list": final_status_list,
}
