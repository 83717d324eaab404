"""What our server keeps from one start to the next, and who stands where."""

import fcntl
import hashlib
import hmac
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import quote

from katachi.errors import KatachiError
from katachi.interfaces.cgos.career import Outcome, outcome_of
from katachi.interfaces.cgos.settings import Rating, rate_game
from katachi.interfaces.cgos.table import PlayedMove, Table, Verdict
from katachi.interfaces.cgos.wire import Setup, bare_name
from katachi.rules.color import BLACK, WHITE

VERSION = 1
FILE_NAME = "server.sqlite"
APPLICATION = 0x6B63676F
"""Marks a database as ours."""
_SCHEMA = """
CREATE TABLE players (
    name TEXT PRIMARY KEY, salt BLOB NOT NULL, hash BLOB NOT NULL,
    elo REAL NOT NULL, k REAL NOT NULL, blacks INTEGER NOT NULL, whites INTEGER NOT NULL
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, komi REAL NOT NULL,
    milliseconds INTEGER NOT NULL, white TEXT NOT NULL, black TEXT NOT NULL,
    started TEXT NOT NULL, result TEXT, reason TEXT
);
CREATE TABLE moves (
    game INTEGER NOT NULL REFERENCES games(id), number INTEGER NOT NULL,
    vertex TEXT NOT NULL, milliseconds INTEGER NOT NULL, analysis TEXT NOT NULL,
    PRIMARY KEY (game, number)
);
CREATE INDEX unfinished ON games(id) WHERE result IS NULL;
"""


@dataclass(frozen=True)
class Account:
    """A player the server knows."""

    name: str
    rating: Rating
    blacks: int = 0
    """Finished games with Black."""
    whites: int = 0


def hash_password(password: str, salt: bytes) -> bytes:
    """What is stored instead of the password; takes some tens of milliseconds on purpose."""
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << 14, r=8, p=1)


class Store:
    """The server's database. Every change is one transaction: all of it is kept, or nothing."""

    def __init__(self, folder: Path | None, anchors: Mapping[str, Rating] | None = None) -> None:
        """Opens the database in a folder, or in memory for None; raises KatachiError when it
        cannot be used."""
        self._anchors = dict(anchors or {})
        self._lock: IO[bytes] | None = None
        path = ":memory:" if folder is None else str(folder / FILE_NAME)
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
                self._lock = _lock_folder(folder)
            self._database = sqlite3.connect(path, timeout=1.0, isolation_level=None)
            self._open(path)
        except sqlite3.Error as error:
            raise KatachiError(f"{path} cannot be used: {error}") from None
        except OSError as error:
            raise KatachiError(f"{folder}: {error.strerror}") from None

    def _open(self, path: str) -> None:
        try:
            self._prepare(path)
        except BaseException:
            self.close()
            raise

    def _prepare(self, path: str) -> None:
        database = self._database
        # Others may read while we write.
        database.execute("PRAGMA journal_mode = WAL")
        # A killed server loses nothing; a power cut may cost the last moves, never the file.
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN EXCLUSIVE")
        marks = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS]
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if marks == [0, 0] and not tables:
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        elif marks[0] != APPLICATION:
            raise KatachiError(f"{path} is not a database of this server")
        elif marks[1] != VERSION:
            raise KatachiError(f"{path} has version {marks[1]}; this server reads {VERSION}")
        database.execute("COMMIT")

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._database.execute(query, values).fetchall()

    def _row(self, query: str, *values: object) -> Any:
        """The first row; None where there is none."""
        return self._database.execute(query, values).fetchone()

    def _do(self, change: str, *values: object) -> int | None:
        """Changes something; the number of a new row."""
        with self._change() as database:
            return database.execute(change, values).lastrowid

    def account(self, name: str) -> Account | None:
        """The account of that name."""
        row = self._row("SELECT elo, k, blacks, whites FROM players WHERE name = ?", name)
        if row is None:
            return None
        rating = self._anchors.get(name) or Rating(row[0], row[1])
        return Account(name, rating, row[2], row[3])

    def secret(self, name: str) -> tuple[bytes, bytes] | None:
        """Salt and hash of a player's password."""
        row: tuple[bytes, bytes] | None
        row = self._row("SELECT salt, hash FROM players WHERE name = ?", name)
        return row

    def register(self, name: str, secret: tuple[bytes, bytes], elo: float) -> None:
        """Makes an account; one of that name is kept as it is."""
        rating = self._anchors.get(name) or Rating(elo)
        row = (name, *secret, rating.elo, rating.k)
        self._do("INSERT OR IGNORE INTO players VALUES (?, ?, ?, ?, ?, 0, 0)", *row)

    def change_secret(self, name: str, secret: tuple[bytes, bytes]) -> None:
        """Gives a player a new password."""
        self._do("UPDATE players SET salt = ?, hash = ? WHERE name = ?", *secret, name)

    def add_game(self, setup: Setup, started: str) -> Setup:
        """Notes a game that begins; the setup with its number."""
        columns = "size, komi, milliseconds, white, black, started"
        change = f"INSERT INTO games ({columns}) VALUES (?, ?, ?, ?, ?, ?)"
        return setup._replace(game_id=str(self._do(change, *setup[1:6], started)))

    def add_moves(self, table: Table) -> None:
        """Notes the moves of a game that are not noted yet: the last, and any that failed."""
        with self._change() as database:
            self._add_moves(database, table)

    def _add_moves(self, database: sqlite3.Connection, table: Table) -> None:
        game = int(table.setup.game_id)
        query = "SELECT count(*) FROM moves WHERE game = ?"
        known: int = database.execute(query, (game,)).fetchone()[0]
        rows = [
            (game, number, *vars(move).values())
            for number, move in enumerate(table.moves[known:], known + 1)
        ]
        database.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", rows)

    def finish_game(self, table: Table, verdict: Verdict) -> None:
        """Notes the result and both players' new ratings."""
        names = table.names
        accounts = {color: self.account(names[color]) for color in (BLACK, WHITE)}
        with self._change() as database:
            self._add_moves(database, table)
            database.execute(
                "UPDATE games SET result = ?, reason = ? WHERE id = ?",
                (verdict.text, verdict.reason, int(table.setup.game_id)),
            )
            black, white = accounts[BLACK], accounts[WHITE]
            if verdict.counts and black is not None and white is not None:
                self._save_rating(database, self._rated(black, white, verdict, BLACK))
                self._save_rating(database, self._rated(white, black, verdict, WHITE))

    def _rated(self, mine: Account, yours: Account, verdict: Verdict, color: int) -> Account:
        score = verdict.score_of(color)
        rating = rate_game(mine.rating, yours.rating, score, has_anchors=bool(self._anchors))
        blacks, whites = mine.blacks + (color == BLACK), mine.whites + (color == WHITE)
        return replace(mine, rating=rating, blacks=blacks, whites=whites)

    def _save_rating(self, database: sqlite3.Connection, account: Account) -> None:
        database.execute(
            "UPDATE players SET elo = ?, k = ?, blacks = ?, whites = ? WHERE name = ?",
            (account.rating.elo, account.rating.k, account.blacks, account.whites, account.name),
        )

    def unfinished_games(self, gift: float) -> list[Table]:
        """The games that were under way when the server ended."""
        rows = self._rows(f"SELECT {_GAME} FROM games WHERE result IS NULL ORDER BY id")
        return [self._table(row, gift) for row in rows]

    def has_later_game(self, table: Table) -> bool:
        """Whether one of the players has begun another game since: then this one was over."""
        rows = self._rows("SELECT white, black FROM games WHERE id > ?", int(table.setup.game_id))
        players = {bare_name(name) for row in rows for name in row}
        return not players.isdisjoint(table.names.values())

    def last_games(self, count: int) -> list[tuple[Setup, str, str]]:
        """The last finished games, the oldest first: setup, date and time, result."""
        query = f"SELECT {_GAME}, result FROM games WHERE result IS NOT NULL"
        rows = self._rows(f"{query} ORDER BY id DESC LIMIT ?", count)
        return [(Setup(str(row[0]), *row[1:6]), row[6], row[7]) for row in reversed(rows)]

    def finished_game(self, number: int) -> tuple[Table, str] | None:
        """A finished game and its result."""
        query = f"SELECT {_GAME}, result FROM games WHERE result IS NOT NULL AND id = ?"
        row = self._row(query, number)
        return None if row is None else (self._table(row[:7], 0.0), row[7])

    def _table(self, row: tuple[int, int, float, int, str, str, str], gift: float) -> Table:
        query = "SELECT vertex, milliseconds, analysis FROM moves WHERE game = ? ORDER BY number"
        moves = self._rows(query, row[0])
        setup = Setup(str(row[0]), *row[1:6])
        return Table(setup, row[6], gift, [PlayedMove(*move) for move in moves])

    def results(self) -> list[tuple[int, str, str, str]]:
        """(number, white, black, result) of every finished game, in order."""
        condition = "WHERE result IS NOT NULL ORDER BY id"
        return self._rows(f"SELECT id, white, black, result FROM games {condition}")

    def close(self) -> None:
        """Closes the database; safe to call twice."""
        self._database.close()
        if self._lock is not None:
            self._lock.close()


def _lock_folder(folder: Path) -> IO[bytes]:
    """The lock of a folder, held until it is closed: one server at a time, any number of readers.

    Raises KatachiError when another server has it.
    """
    lock = (folder / "server.lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise KatachiError(f"{folder} is locked: another server uses it") from None
    return lock


_GAME = "id, size, komi, milliseconds, white, black, started"
_MARKS = ("application_id", "user_version")


def new_secret(password: str) -> tuple[bytes, bytes]:
    """Salt and hash for a password."""
    salt = os.urandom(16)
    return salt, hash_password(password, salt)


def is_right_password(password: str, secret: tuple[bytes, bytes]) -> bool:
    """Whether the password is the one that was hashed."""
    return hmac.compare_digest(hash_password(password, secret[0]), secret[1])


_HEADER = ("", "name", "rating", "games", "won", "lost", "drawn")


class Place(NamedTuple):
    """A player and its results."""

    name: str
    rating: Rating
    won: int
    lost: int
    drawn: int

    @property
    def games(self) -> int:
        """Games with a result."""
        return self.won + self.lost + self.drawn


def read_standings(folder: Path) -> list[Place]:
    """All players, the best first; raises KatachiError where there is no server's database."""
    path = folder / FILE_NAME if folder.is_dir() else folder
    if not path.is_file():
        raise KatachiError(f"{path} is not there: give the --folder of a server")
    trouble = ""
    # In a folder where nothing may be written the log of changes cannot be opened.
    for options in ("mode=ro", "immutable=1"):
        try:
            return _read(path, options)
        except sqlite3.Error as error:
            trouble = str(error)
    raise KatachiError(f"{path} cannot be read: {trouble}")


def _read(path: Path, options: str) -> list[Place]:
    where = f"file:{quote(str(path.absolute()))}?{options}"
    with closing(sqlite3.connect(where, uri=True)) as database:
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise KatachiError(f"{path} is not a database of this server")
        database.execute("BEGIN")
        players = database.execute("SELECT name, elo, k FROM players").fetchall()
        games = database.execute(
            "SELECT white, black, result FROM games WHERE result IS NOT NULL"
        ).fetchall()
    counts = _count(games)
    places = [
        Place(name, Rating(elo, k), *(counts[name, how] for how in _COUNTED))
        for name, elo, k in players
    ]
    return sorted(places, key=lambda place: (-place.rating.elo, place.name))


_COUNTED = (Outcome.WON, Outcome.LOST, Outcome.DRAWN)


def _count(games: Sequence[tuple[str, str, str]]) -> "Counter[tuple[str, Outcome]]":
    counts: Counter[tuple[str, Outcome]] = Counter()
    for white, black, result in games:
        for name, color in ((white, WHITE), (black, BLACK)):
            counts[bare_name(name), outcome_of(result, color)] += 1
    return counts


def standings_text(places: Sequence[Place]) -> str:
    """A table, one line a player."""
    rows = [
        (str(number), place.name, str(place.rating), *map(str, (place.games, *place[2:])))
        for number, place in enumerate(places, 1)
    ]
    columns = list(zip(_HEADER, *rows, strict=True))
    widths = [max(map(len, column)) * (-1 if at == 1 else 1) for at, column in enumerate(columns)]
    form = "  ".join(f"%{width}s" for width in widths)
    return "\n".join((form % row).rstrip() for row in (_HEADER, *rows))
