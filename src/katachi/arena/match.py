"""A match between two players, kept in a folder: interrupt it, run it again, nothing is lost."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from katachi import __version__
from katachi.arena.dead_passes import PassWatch
from katachi.arena.game import check_referee
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.roster import describe_player
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished, GameTask, play_tasks
from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.files.locking import Held, locked
from katachi.players.kinds import PROGRAM_PREFIX
from katachi.players.names import check_board, check_player_name
from katachi.records.sgf import write_game
from katachi.rules.color import BLACK, EMPTY
from katachi.statistics import SequentialTest, Tally, Verdict
from katachi.workers import Workers

FORMAT = 1
MOST_GAMES = 10_000_000
_FIRST_FILES = ("games", "lock")
"""What is written before `match.json`."""
Playing = dict[str, dict[str, Any]]
"""By "first", "second" and "referee": everything that decides how it plays or counts."""


@dataclass(frozen=True)
class MatchSettings:
    """Who plays whom, how often and how."""

    first: str
    second: str
    games: int
    game: GameSettings = field(default_factory=GameSettings)
    seed: int = 1
    test: SequentialTest | None = None
    """Stops the match as soon as this is decided."""

    def __post_init__(self) -> None:
        """Raises KatachiError for a number of games below 1 or too large."""
        if not 1 <= self.games <= MOST_GAMES:
            raise KatachiError(f"{self.games} games: use 1 to {MOST_GAMES:,}")

    def task(self, number: int) -> GameTask:
        """Game `number`, from 0: colours alternate, and each pair of games shares an opening."""
        players = (self.first, self.second)
        black, white = players if number % 2 == 0 else players[::-1]
        return GameTask(number, black, white, self.game, number // 2, self.seed)

    def describe(self) -> dict[str, object]:
        """What must be the same for a match to go on."""
        return {
            "format": FORMAT,
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "settings": self.game.describe(),
        }


@dataclass(frozen=True)
class MatchGame:
    """One line of the results: who won, and why."""

    number: int
    is_first_black: bool
    winner: str
    """first, second, or nobody."""
    ending: str
    margin: float | None
    reason: str
    moves: int
    seconds: tuple[float, float]
    """Thinking time of the first player and of the second."""
    file: str


class MatchFolder(Held):
    """The files of a match: match.json, results.jsonl and games/NUMBER.sgf.

    A game's file is written whole before its line in the results: whatever kills the match, every
    line stands for a whole game, and a line cut short is dropped and its game played again. One
    process at a time may have the folder open.
    """

    def __init__(self, folder: Path, settings: MatchSettings) -> None:
        """Opens or begins the match in a folder, until `close`.

        Raises KatachiError if another match or anything else lies there, if another process has it
        open, if a player or the referee cannot play or is not what it was when the match was begun.
        """
        self.folder = folder
        self.settings = settings
        self.games: dict[int, MatchGame] = {}
        self.tally = Tally()
        playing = describe_playing(settings)
        _check_free(folder)
        (folder / "games").mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(locked(folder / "lock", f"the match in {folder}"))
            self._claim(playing)
            self._read()
            self._open = stack.pop_all()

    def _claim(self, playing: Playing) -> None:
        path = self.folder / "match.json"
        wanted = self.settings.describe()
        found = _read_object(path) if path.exists() else {}
        for key, value in wanted.items() if found else ():
            if found.get(key) != json.loads(json.dumps(value)):
                raise KatachiError(
                    f"{self.folder} holds another match: its {key} is {found.get(key)!r}, "
                    f"not {value!r}; choose another folder"
                )
        # Matches of older versions do not say what played: it is noted when they are gone on with.
        known = found.get("playing", {})
        change = _first_change(known, playing)
        if change:
            raise KatachiError(f"{self.folder} holds a match of others: {change}; begin a new one")
        if known != playing:
            begun = found or wanted | {"versions": {"katachi": __version__}}
            text = json.dumps(begun | {"playing": playing}, indent=1)
            write_atomically(path, text.encode(), is_durable=True)

    def _read(self) -> None:
        path = self.folder / "results.jsonl"
        if not path.exists():
            return
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                game = MatchGame(**json.loads(line))
            except (ValueError, TypeError):
                raise KatachiError(f"{path} line {number} cannot be read") from None
            if game.number not in self.games:
                self._count(game)
        if len(whole) < len(data):  # a line cut short by a crash: its game is played again
            with path.open("r+b") as file:
                file.truncate(len(whole))

    def _count(self, game: MatchGame) -> None:
        self.games[game.number] = game
        if game.ending == Ending.LIMIT.value:
            self.tally.stopped += 1
        elif game.winner == "nobody":
            self.tally.draws += 1
        elif game.winner == "first":
            self.tally.wins += 1
        else:
            self.tally.losses += 1

    def keep(self, finished: Finished) -> MatchGame:
        """Saves a finished game and counts it."""
        task, outcome = finished
        name = f"games/{task.number + 1:06}.sgf"
        write_atomically(self.folder / name, write_game(outcome.record, outcome.evaluations))
        game = _match_game(task, outcome, name)
        line = json.dumps(game.__dict__).encode() + b"\n"
        with (self.folder / "results.jsonl").open("ab") as file:
            file.write(line)
        self._count(game)
        return game

    @property
    def verdict(self) -> Verdict:
        """What the sequential test says, if there is one."""
        test = self.settings.test
        return test.judge(self.tally) if test else Verdict.OPEN


def describe_playing(settings: MatchSettings) -> Playing:
    """What plays and counts the games: weights' digests and programs' versions. Every program is
    started once; raises KatachiError where one cannot do what it should."""
    playing = {"first": settings.first, "second": settings.second}
    for spec in playing.values():
        check_player_name(spec)
        check_board(spec, settings.game.size)
    found = {side: describe_player(spec) for side, spec in playing.items()}
    if settings.game.referee is not None:
        check_referee(settings.game)
        found["referee"] = describe_player(PROGRAM_PREFIX + settings.game.referee)
    plain: Playing = json.loads(json.dumps(found))
    return plain


def _check_free(folder: Path) -> None:
    """Raises KatachiError where a folder holds other things than a match."""
    if not folder.is_dir() or (folder / "match.json").exists():
        return
    others = sorted(file.name for file in folder.iterdir() if file.name not in _FIRST_FILES)
    if others:
        raise KatachiError(
            f"{folder} holds other files, such as {others[0]}: choose another folder for the match"
        )


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("playing", {}), dict):
        raise KatachiError(f"{path} cannot be read: move the folder away or fix it")
    return found


def _first_change(known: dict[str, Any], playing: Playing) -> str:
    """What is not as it was when the match was begun, as text; empty where nothing is known."""
    for side, now in playing.items():
        before = known.get(side, now)
        for key in now | before if isinstance(before, dict) else ():
            if before.get(key) != now.get(key):
                return f"{key} of {now['spec']!r} was {before.get(key)!r}, is {now.get(key)!r}"
    return ""


def _match_game(task: GameTask, outcome: Outcome, file: str) -> MatchGame:
    is_first_black = task.number % 2 == 0
    first = BLACK if is_first_black else 3 - BLACK
    winner = "nobody" if outcome.winner == EMPTY else "second"
    if outcome.winner == first:
        winner = "first"
    times = (outcome.seconds[first], outcome.seconds[3 - first])
    return MatchGame(
        number=task.number,
        is_first_black=is_first_black,
        winner=winner,
        ending=outcome.ending.value,
        margin=outcome.margin,
        reason=outcome.reason,
        moves=len(outcome.record.moves),
        seconds=(round(times[0], 3), round(times[1], 3)),
        file=file,
    )


def play_match(match: MatchFolder, workers: Workers = 1) -> Iterator[MatchGame]:
    """Plays what is missing, yielding games as they are saved, until all are played or the
    sequential test has decided.

    Raises KatachiError when a program can no longer be started: that is no result.
    """
    settings = match.settings
    missing = (settings.task(n) for n in range(settings.games) if n not in match.games)
    if _is_decided(match):
        return
    watch = PassWatch(settings.game)
    with closing(play_tasks(missing, workers)) as results:
        for finished in results:
            watch.look(finished)
            yield match.keep(finished)
            if _is_decided(match):
                return


def _is_decided(match: MatchFolder) -> bool:
    return match.verdict is not Verdict.OPEN


def folder_name(settings: MatchSettings) -> str:
    """A folder name for a match that was not given one."""
    name = f"{settings.first}-v-{settings.second}-{settings.game.size}-seed{settings.seed}"
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")[:120]
