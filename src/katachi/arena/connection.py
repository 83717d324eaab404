"""An open file of SQLite that holds a ladder: how it is opened, asked and written."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from katachi.arena.schema import (
    APPLICATION_ID,
    TABLES,
    VERSION,
    VERSION_WITH_EARLIER,
    check_file,
)
from katachi.errors import KatachiError

PATIENCE = 30.0
"""Seconds to wait while another process writes."""


class Connection:
    """An open ladder file; use it as a context manager.

    Raises KatachiError, and changes nothing, for a file that is not a ladder's, or one of another
    version; with `must_exist`, also for one that is not there.
    """

    def __init__(self, path: str | Path, *, must_exist: bool = False) -> None:
        self.path = Path(path)
        check_file(self.path, must_exist=must_exist)
        with self._clear_errors():
            self._connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
        try:
            self._make_tables()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; safe to call twice."""
        self._connection.close()

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Turns an error of SQLite into one clear line."""
        try:
            yield
        except sqlite3.Error as error:
            raise KatachiError(f"{self.path}: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of the block reaches the disk, or nothing of it."""
        with self._clear_errors():
            try:  # an interrupt may come as soon as the transaction has begun
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _query(self, query: str, *values: object) -> list[Any]:
        with self._clear_errors():
            return self._connection.execute(query, values).fetchall()

    def _version(self) -> int:
        """What the file says of its tables; 0 before it has any."""
        return int(self._query("PRAGMA user_version")[0][0])

    def _make_tables(self) -> None:
        """Makes the tables of a new file, in one transaction."""
        if self._version():
            return
        with self._transaction() as connection:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return  # another process was faster
            make_tables(connection, TABLES, VERSION)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _has_earlier(self) -> bool:
        """Whether results count whose games are not in the file."""
        return self._version() == VERSION_WITH_EARLIER


def make_tables(connection: sqlite3.Connection, tables: str, version: int) -> None:
    """Makes tables, with which the file has that version; within a transaction."""
    for statement in filter(str.strip, tables.split(";")):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")
