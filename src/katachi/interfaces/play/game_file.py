"""Where a game is kept while it is played."""

from datetime import datetime
from pathlib import Path

from katachi.errors import IllegalMove, KatachiError
from katachi.files.atomic import write_atomically
from katachi.interfaces.play.table import PERSON, Table
from katachi.records.conversion import game_from_record
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.ruleset import Rules


class GameFile:
    """The file of a game: written after every move where one was named, else when it is left."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._is_named = path is not None

    def keep(self, table: Table) -> None:
        """Writes the game after a move, where a file was named."""
        if self._is_named:
            self.save(table)

    def save(self, table: Table, path: Path | None = None) -> Path:
        """Writes the game, whole or not at all, and returns where; raises KatachiError.

        A path that is given here holds the game from now on.
        """
        chosen = path or self.path or _free_path()
        if chosen.exists() and not chosen.is_file():
            raise KatachiError(f"cannot write {chosen}: it is not a file")
        if chosen.exists() and chosen != self.path:
            raise KatachiError(f"{chosen} is there already: choose another file")
        try:
            write_atomically(chosen, write_game(table.record()))
        except OSError as error:
            reason = str(error.strerror or error)
            is_told = reason.startswith("cannot write")
            raise KatachiError(reason if is_told else f"cannot write {chosen}: {reason}") from None
        self.path, self._is_named = chosen, True
        return chosen


def _free_path() -> Path:
    """A file of this second that is not there yet."""
    stem = f"katachi-{datetime.now():%Y%m%d-%H%M%S}"
    names = (f"{stem}{'' if n == 1 else f'-{n}'}.sgf" for n in range(1, 1000))
    return next(path for path in map(Path, names) if not path.exists())


def require_new(path: Path) -> None:
    """Raises KatachiError where a game would be written over."""
    if path.exists():
        raise KatachiError(
            f"{path} is there already: choose another file, or go on with --resume {path}"
        )


def read_record(path: Path) -> GameRecord:
    """The first game of a file; raises KatachiError."""
    return next(iter(read_games(path)))


def resumed_game(record: GameRecord) -> Game:
    """A recorded game to go on with: under positional superko, unless it broke that already."""
    try:
        return game_from_record(record, rules=Rules())
    except IllegalMove:
        return game_from_record(record)


def person_in(record: GameRecord) -> int:
    """The colour that a person had in a game of ours; else Black."""
    texts = record.texts
    return WHITE if texts.white == PERSON and texts.black != PERSON else BLACK


def holds_only_a_game(path: Path) -> bool:
    """Whether a file can be written over without a loss: one game, no variations, no comments."""
    data = path.read_bytes()
    return data.count(b"(;") == 1 and b"C[" not in data
