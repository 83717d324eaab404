"""Who stands where on our server, read from its database while it serves or afterwards."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from katachi.errors import KatachiError
from katachi.interfaces.cgos.outcome import Outcome, outcome_of
from katachi.interfaces.cgos.rating import Rating
from katachi.interfaces.cgos.store import APPLICATION, FILE_NAME
from katachi.interfaces.cgos.wire import bare_name
from katachi.rules.color import BLACK, WHITE

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
    rows = [_HEADER] + [
        (str(number), place.name, str(place.rating), *map(str, (place.games, *place[2:])))
        for number, place in enumerate(places, 1)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        text.ljust(width) if column == 1 else text.rjust(width)
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
