"""Commands that count a finished game, and games from and to SGF files."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.interfaces.gtp import wire
from katachi.interfaces.gtp.session import Command, Session
from katachi.records.result import Ending, Result, result_from_score
from katachi.rules.color import BLACK, COLOR_NAMES, EMPTY, WHITE, opponent

if TYPE_CHECKING:
    from katachi.records.record import GameRecord
    from katachi.rules.game import Game
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
    wire.require(arguments, "missing status")
    status = arguments[0].lower()
    wire.require(status in _STATUSES, "invalid status")
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


MAX_FILE_BYTES = 2 << 20
"""Far more than any game needs; a small limit keeps memory flat whatever a client names."""
_GZIP_MAGIC = b"\x1f\x8b"


def load_sgf(session: Session, arguments: list[str]) -> str:
    """Loads the first game of a file up to its end, or to before that move; replies who moves."""
    wire.require(arguments, "missing filename")
    until = None
    if len(arguments) > 1 and wire.is_integer(arguments[-1]):
        until = max(0, wire.parse_integer(arguments.pop()) - 1)
    record = _read_record(" ".join(arguments))
    session.replace_game(_game_from_record(session, record, until), record.handicap)
    session.names = {BLACK: record.texts.black, WHITE: record.texts.white}
    return COLOR_NAMES[session.game.to_play]


def _read_record(name: str) -> GameRecord:
    from katachi.records.record import RecordError
    from katachi.records.sgf import read_games

    try:
        return next(iter(read_games(_read_bytes(name))))
    except RecordError as error:
        reason = error.rejection.reason
    except StopIteration:
        reason = "no game found"
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    raise wire.CommandError(f"{wire.CANNOT_LOAD_FILE}: {reason}")


def _read_bytes(name: str) -> bytes:
    """The content of a plain file, unpacked; raises ValueError for what is no plain file or too
    long, so that a device, a pipe or a bomb of zeros does no harm."""
    if not stat.S_ISREG(os.stat(name).st_mode):
        raise ValueError("not a file")
    with Path(name).open("rb") as file:
        is_compressed = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        stream = gzip.GzipFile(fileobj=file) if is_compressed else file
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"longer than {MAX_FILE_BYTES >> 20} MiB")
    return data


def _game_from_record(session: Session, record: GameRecord, until: int | None) -> Game:
    """The recorded position; the game goes on with the session's rules."""
    from katachi.records.conversion import game_from_record

    old = session.game
    last = len(record.moves) if until is None else min(until, len(record.moves))
    try:
        game = game_from_record(record, last)
    except KatachiError as error:
        raise wire.CommandError(f"{wire.CANNOT_LOAD_FILE}: {error}") from None
    game.komi = old.komi if record.komi is None else record.komi
    game.rules = old.rules
    return game


def print_sgf(session: Session, arguments: list[str]) -> str:
    """The game as SGF, or nothing but a file of it where one is named."""
    from katachi.records.sgf import write_game

    data = write_game(_record_from_session(session))
    if not arguments:
        return data.decode("utf-8")
    name = " ".join(arguments)
    try:
        _write_file(Path(name), data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        shown = reason.removeprefix(f"cannot write {Path(name)}: ")
        raise wire.CommandError(f"cannot write file: {shown}") from None
    return ""


def _record_from_session(session: Session) -> GameRecord:
    """The game with the day, the players as far as known, the rules, and how it ended if it has."""
    from katachi.records.conversion import record_from_game, text_from_rules
    from katachi.records.record import GameTexts

    texts = GameTexts(
        black=session.names.get(BLACK, ""),
        white=session.names.get(WHITE, ""),
        date=date.today().isoformat(),
        rules=text_from_rules(session.game.rules),
    )
    return record_from_game(session.game, texts, _result(session), session.handicap)


def _result(session: Session) -> Result:
    """By resignation, by count after two passes, or not known."""
    if session.resigned is not None:
        return Result(opponent(session.resigned), Ending.RESIGN)
    return counted_result(session) if session.game.is_over else Result()


def _write_file(path: Path, data: bytes) -> None:
    """Writes the whole file or leaves what was there."""
    if path.exists() and not path.is_file():
        raise ValueError("not a file")
    write_atomically(path, data)


COMMANDS: dict[str, Command] = {
    "final_score": final_score,
    "final_status_list": final_status_list,
    "loadsgf": load_sgf,
    "printsgf": print_sgf,
}
