"""Ladders on the page: rankings, cross tables, and every game of a ladder's database."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from katachi.arena.database import Database, StoredGame
from katachi.arena.report import (
    Report,
    make_report,
    notes,
    points_of_pairs,
    read_report,
    result_text,
)
from katachi.arena.schema import check_file
from katachi.errors import KatachiError
from katachi.files.shipped_folders import LADDER_REPORTS
from katachi.interfaces.web.messages import Id
from katachi.interfaces.web.operations import (
    Answers,
    Context,
    Lane,
    Nothing,
    Request,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.records import LIMITS, game_entry
from katachi.interfaces.web.run_shelf import identity_of
from katachi.records.variations import GameTree, read_trees

LARGEST_REPORT = 16 << 20
MOST_FILES = 1000
"""Files of a folder that are looked at."""
LARGEST_NUMBER = (1 << 53) - 1

PlayerName = Annotated[str, Meta(max_length=300)]


class LadderRequest(Request):
    """Which ladder."""

    id: Id


class GamesRequest(Request):
    """Which games of a ladder."""

    id: Id
    black: PlayerName | None = None
    white: PlayerName | None = None
    offset: Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)] = 0
    count: Annotated[int, Meta(ge=1, le=200)] = 50


class GameRequest(Request):
    """Which game of a ladder."""

    id: Id
    number: Annotated[int, Meta(ge=1, le=LARGEST_NUMBER)]


class Ladder(NamedTuple):
    """A ladder that was found: its database, or a report alone."""

    path: Path
    report: Report
    has_games: bool


def find_ladders(folder: Path) -> Iterator[Ladder]:
    """Every ladder: databases of the folder, then reports of the folder and those beside the
    package. What cannot be read is left out."""
    for path in _files_in(folder):
        with suppress(KatachiError, OSError):
            check_file(path, must_exist=True)
            yield Ladder(path, _report_of_database(path, _stamp(path)), has_games=True)
    for place in dict.fromkeys((folder, folder / "results", LADDER_REPORTS)):
        for path in _files_in(place):
            if path.suffix == ".json" and path.name.startswith("ladder"):
                with suppress(KatachiError, OSError):
                    yield Ladder(path, _report_of_file(path, _stamp(path)), has_games=False)


def find_ladder(name: str, folder: Path) -> Ladder:
    """The ladder of a name; raises KatachiError."""
    for ladder in find_ladders(folder):
        if identity_of(ladder.path) == name:
            return ladder
    raise RequestError("id", "there is no such ladder any more")


def _files_in(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return []
    return found[:MOST_FILES]


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    if status.st_size > LARGEST_REPORT and path.suffix == ".json":
        raise KatachiError(f"{path} is too large for a ladder's report")
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _report_of_file(path: Path, _: tuple[int, int]) -> Report:
    return read_report(path)


@lru_cache(maxsize=16)
def _report_of_database(path: Path, _: tuple[int, int]) -> Report:
    with Database(path, must_exist=True) as database:
        return make_report(database)


@operation("ladders", Nothing, lane=Lane.QUICK)
def ladders(_: Nothing, context: Context) -> Answers:
    """All ladders in a few words: those with games first, then the smallest board."""
    found: list[dict[str, Any]] = []
    for ladder in find_ladders(context.folder):
        report = ladder.report
        found.append(
            {
                "id": identity_of(ladder.path),
                "title": report.name,
                "size": report.settings.get("size"),
                "players": len(_names(report)),
                "games": report.games,
                "has_games": ladder.has_games,
            }
        )
        yield None
    found.sort(key=lambda each: (not each["has_games"], _size_key(each["size"]), each["title"]))
    yield Result({"ladders": found})


def _size_key(size: object) -> int:
    return size if isinstance(size, int) else 0


@operation("ladder", LadderRequest, lane=Lane.QUICK)
def ladder(request: LadderRequest, context: Context) -> Answers:
    """The ranking of a ladder and who won against whom."""
    found = find_ladder(request.id, context.folder)
    report = found.report
    yield Result(
        {
            "title": report.name,
            "size": report.settings.get("size"),
            "komi": report.settings.get("komi"),
            "time": report.time,
            "ranking": _ranking(report),
            "cross": _cross(report),
            "has_games": found.has_games,
            "notes": _notes(report),
        }
    )


def _notes(report: Report) -> list[str]:
    """What a reader must know; nothing where a report of somebody else says it in another way."""
    try:
        return notes(report)
    except (ValueError, TypeError, KeyError, AttributeError):
        return []


def _names(report: Report) -> list[str]:
    """The players as they are ranked, the unrated ones last."""
    ranked = [player.name for player in report.current]
    return ranked + [name for group in report.unrated for name in group]


def _ranking(report: Report) -> list[dict[str, Any]]:
    rated: list[dict[str, Any]] = [
        {
            "name": player.name,
            "elo": player.elo,
            "low": player.low,
            "high": player.high,
            "is_anchor": player.is_anchor,
            "games": player.games,
            "share": player.score / player.games if player.games else None,
        }
        for player in report.current
    ]
    points = points_of_pairs(report.pairs)
    for name in _names(report)[len(rated) :]:
        games = [each for (mine, _), each in points.items() if mine == name]
        won, of = sum(each[0] for each in games), sum(each[1] for each in games)
        line: dict[str, Any] = {"name": name} | dict.fromkeys(("elo", "low", "high"))
        rated.append(line | {"is_anchor": False, "games": of, "share": won / of if of else None})
    return rated


def _cross(report: Report) -> list[list[dict[str, float] | None]]:
    """Points out of games of each player against each, colours together."""
    points, names = points_of_pairs(report.pairs), _names(report)

    def cell(mine: str, theirs: str) -> dict[str, float] | None:
        found = points.get((mine, theirs))
        return None if found is None else {"won": found[0], "of": found[1]}

    return [[cell(mine, theirs) for theirs in names] for mine in names]


def _open(request: GamesRequest | GameRequest, context: Context) -> Database:
    """The database of a ladder; raises KatachiError where only its report is there."""
    found = find_ladder(request.id, context.folder)
    if not found.has_games:
        raise RequestError("id", "the games of this ladder are not here: only its report is")
    return Database(found.path, must_exist=True)


@operation("ladder_games", GamesRequest, lane=Lane.QUICK)
def ladder_games(request: GamesRequest, context: Context) -> Answers:
    """Games of a ladder, the newest first."""
    with _open(request, context) as database:
        players = _players(request, database)
        total, games = database.page_of_games(players, request.offset, request.count)
    yield Result({"total": total, "games": [_game_line(each) for each in games]})


def _players(request: GamesRequest, database: Database) -> dict[str, str]:
    """Who is asked for, by colour; raises RequestError for one who is not there."""
    known = {name for player in database.players() for name in (player.name, player.label)}
    asked = {"black": request.black, "white": request.white}
    players = {color: name for color, name in asked.items() if name}
    for color, name in players.items():
        if name not in known:
            raise RequestError(color, f"no player {name!r} on this ladder")
    return players


def _game_line(game: StoredGame) -> dict[str, Any]:
    return {
        "number": game.id,
        "black": game.black,
        "white": game.white,
        "result": result_text(game),
        "moves_count": game.moves,
    }


@operation("ladder_game", GameRequest, lane=Lane.QUICK)
def ladder_game(request: GameRequest, context: Context) -> Answers:
    """One game of a ladder, as `sgf_read` sends games."""
    with _open(request, context) as database:
        try:
            stored = database.game(request.number)
        except KatachiError:
            raise RequestError("number", f"there is no game {request.number}") from None
    for found in read_trees(stored.sgf.encode(), LIMITS, is_utf8=True):
        if isinstance(found, GameTree):
            yield Result(game_entry(found))
            return
    raise RequestError("number", f"the record of game {request.number} cannot be read")
