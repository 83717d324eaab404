"""Keeping finished games: in the database, and as SGF files."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from katachi.interfaces.cgos.archive import archive_path, sgf_from_table, write_archive
from katachi.interfaces.cgos.store import Store
from katachi.interfaces.cgos.table import Table, Verdict


class Keeper:
    """Keeps the games that are over; those that could not be kept wait for another try."""

    def __init__(self, store: Store, folder: Path | None, log: Callable[[str], None]) -> None:
        self._store = store
        self._folder = folder
        self._log = log
        self._waiting: list[tuple[Table, Verdict]] = []

    def keep(self, table: Table, verdict: Verdict) -> None:
        """Rates and archives a game, now or as soon as that is possible."""
        if error := self._try(table, verdict):
            number = table.setup.game_id
            self._log(f"game {number} could not be kept: {error}; it will be tried again")
            self._waiting.append((table, verdict))

    def try_again(self) -> None:
        """Keeps what could not be kept before, in the order of the games."""
        while self._waiting and not self._try(*self._waiting[0]):
            table, _ = self._waiting.pop(0)
            self._log(f"game {table.setup.game_id} is kept now")

    def _try(self, table: Table, verdict: Verdict) -> str:
        """Why it did not work; nothing if it did."""
        try:
            if self._folder is not None:
                path = archive_path(self._folder, table)
                write_archive(path, sgf_from_table(table, verdict))
            self._store.finish_game(table, verdict)
        except (OSError, sqlite3.Error) as error:
            return str(error)
        return ""
