"""Games from and to SGF files."""

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
from katachi.interfaces.gtp.arguments import is_integer, parse_integer
from katachi.interfaces.gtp.errors import CANNOT_LOAD_FILE, CANNOT_WRITE_FILE, CommandError
from katachi.interfaces.gtp.scoring import counted_result
from katachi.interfaces.gtp.session import Command, Session
from katachi.records.result import Ending, Result
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE, opponent

if TYPE_CHECKING:
    from katachi.records.record import GameRecord
    from katachi.rules.game import Game

MAX_FILE_BYTES = 2 << 20
"""Far more than any game needs; a small limit keeps memory flat whatever a client names."""
_GZIP_MAGIC = b"\x1f\x8b"


def load_sgf(session: Session, arguments: list[str]) -> str:
    """Loads the first game of a file up to its end, or to before that move; replies who moves."""
    if not arguments:
        raise CommandError("missing filename")
    until = None
    if len(arguments) > 1 and is_integer(arguments[-1]):
        until = max(0, parse_integer(arguments.pop()) - 1)
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
    raise CommandError(f"{CANNOT_LOAD_FILE}: {reason}")


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
        raise CommandError(f"{CANNOT_LOAD_FILE}: {error}") from None
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
        told = reason.removeprefix(f"cannot write {Path(name)}: ")
        raise CommandError(f"{CANNOT_WRITE_FILE}: {told}") from None
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
    "loadsgf": load_sgf,
    "printsgf": print_sgf,
}
