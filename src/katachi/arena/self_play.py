"""A GTP program plays itself: sets of records to learn from, counted by the program.

One process of the program plays both colours of a game and is started again for the next, so that
a game depends on its opening and its seed alone: a set that was interrupted goes on to be the same,
if the program takes its random numbers from the seed it is given. Interrupt it, run it again,
nothing is lost: finished games wait in a journal beside the file, in whatever order they end. When
the last is there they are written in the order of their numbers, one game a line, and the journal
goes. A finished set can go on to be a larger one: its games stay as they are.

The file is compressed SGF that says how it was made: the settings are the comment of its header
(RFC 1952), where every reader passes over them.
"""

import dataclasses
import gzip
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Ending, Outcome, recorded_result
from katachi.arena.roster import LONGEST_TEXT
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished, GameTask, play_tasks
from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.files.locking import Held, locked
from katachi.players.gtp_program import GtpProgram
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import FailureKind, PlayerFailure
from katachi.records.conversion import game_from_record
from katachi.records.record import GameRecord, GameTexts, Ownership
from katachi.records.sgf import write_game
from katachi.rules.area import area_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.workers import Workers

SEED_WORD = "{seed}"
"""Stands in a command where the program takes the seed of a game."""


def name_program(command: str) -> str:
    """What a program calls itself, with its version.

    Raises KatachiError, saying what it answered, for a command that does not speak GTP.
    """
    try:
        program = GtpProgram(command.replace(SEED_WORD, "1"), patience=20.0)
        try:
            texts = [program.send(word)[:LONGEST_TEXT] for word in ("name", "version")]
        finally:
            program.close()
    except PlayerFailure as failure:
        if failure.kind is FailureKind.MISSING:
            raise
        raise KatachiError(f"{failure}; a program that speaks GTP is needed") from None
    return " ".join(texts).strip()


class SelfPlayRunner:
    """Both players of a game, one program that is started for each game."""

    def __init__(self) -> None:
        self._player: ProgramPlayer | None = None

    def work(self, task: GameTask) -> Outcome:
        """Plays one task; raises KatachiError where the program fails."""
        opening = sample_opening(task.settings, task.seed, task.opening)
        command = task.black.replace(SEED_WORD, str(task.seed + task.number))
        player = ProgramPlayer(command, name=task.names[0] if task.names else command)
        self._player = player
        try:
            outcome = play_game(player, player, task.settings, opening)
            if outcome.ending is Ending.SCORE:
                return _counted(player, outcome)
            if outcome.ending not in (Ending.RESIGN, Ending.LIMIT):
                raise KatachiError(f"game {task.number + 1}: {outcome.reason}")
            return outcome
        finally:
            self.close()

    def close(self) -> None:
        """Ends the program of the present game."""
        player = self._player  # another thread may do the same
        if player is not None:
            player.close()
        self._player = None


def _counted(player: ProgramPlayer, outcome: Outcome) -> Outcome:
    """A finished game as its player counts it, with the owners of all points where they agree."""
    game = game_from_record(outcome.record)
    player.set_up(game)
    score = player.final_score()
    winner = EMPTY if score == 0 else BLACK if score > 0 else WHITE
    result = recorded_result(winner, Ending.SCORE, abs(score))
    record = dataclasses.replace(
        outcome.record,
        result=result,
        texts=_with_result(outcome.record, str(result)),
        ownership=_owners(player, game, score),
    )
    return dataclasses.replace(outcome, winner=winner, margin=abs(score), record=record)


def _with_result(record: GameRecord, text: str) -> GameTexts:
    return dataclasses.replace(record.texts, result=text)


def _owners(player: ProgramPlayer, game: Game, score: float) -> Ownership | None:
    """The owners when the stones that the program calls dead are lifted; None where they do not
    count to its score, or it knows no dead stones."""
    try:
        dead = player.dead_stones(game)
    except PlayerFailure:
        return None
    colors = game.colors
    colors[np.isin(points_of(game.size), dead)] = EMPTY
    owners = area_owners(Board.from_colors(colors, game.size).words)
    signed = np.asarray((owners == BLACK).astype(np.int8) - (owners == WHITE), np.int8)
    return signed if math.isclose(int(signed.sum()) - game.komi, score, abs_tol=1e-6) else None


_MAGIC = b"\x1f\x8b\x08"
_HAS_COMMENT = 0x10
_HEADER = 10
"""Bytes before the comment; no time among them, so that equal sets are equal bytes."""


def write_set(path: Path, heading: dict[str, Any], lines: list[str]) -> None:
    """Writes games, each a line of SGF, whole or not at all; raises OSError."""
    data = "".join(f"{line}\n" for line in lines).encode()
    header = _MAGIC + bytes([_HAS_COMMENT]) + bytes(4) + b"\x02\xff"
    deflate = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = deflate.compress(data) + deflate.flush()
    ends = zlib.crc32(data).to_bytes(4, "little") + (len(data) % 2**32).to_bytes(4, "little")
    comment = json.dumps(heading).encode("ascii") + b"\0"
    write_atomically(path, header + comment + packed + ends, is_durable=True)


def read_set(path: Path) -> tuple[dict[str, Any], list[str]]:
    """(how it was made, its games) of a finished set; raises KatachiError for any other file."""
    data = path.read_bytes()
    try:
        if not data.startswith(_MAGIC + bytes([_HAS_COMMENT])):
            raise ValueError("no comment")
        heading = json.loads(data[_HEADER : data.index(b"\0", _HEADER)])
        lines = gzip.decompress(data).decode().splitlines()
        if not isinstance(heading, dict):
            raise TypeError("no heading")
    except (ValueError, TypeError, OSError, EOFError, zlib.error):
        raise KatachiError(
            f"{path} is there already and does not say how it was made: choose another file"
        ) from None
    return heading, lines


FORMAT = 1
ENDING = ".sgf.gz"
MOST_GAMES = 10_000_000


@dataclass(frozen=True)
class SelfPlaySettings:
    """Which program plays itself, how often and how."""

    engine: str
    """A GTP command; `{seed}` in it stands for the seed of the game."""
    games: int
    game: GameSettings = field(default_factory=GameSettings)
    seed: int = 1

    def __post_init__(self) -> None:
        """Raises KatachiError for a number of games below 1 or too large."""
        if not 1 <= self.games <= MOST_GAMES:
            raise KatachiError(f"{self.games} games: use 1 to {MOST_GAMES:,}")

    def task(self, number: int, name: str) -> GameTask:
        """Game `number`, from 0; each has an opening of its own."""
        engine = self.engine
        return GameTask(number, engine, engine, self.game, number, self.seed, (name, name))

    def describe(self) -> dict[str, object]:
        """What must be the same for a set to go on; it may become larger."""
        return {
            "format": FORMAT,
            "engine": self.engine,
            "seed": self.seed,
            "settings": self.game.describe(),
        }


class SelfPlaySet(Held):
    """The games of a set that are there so far."""

    def __init__(self, path: Path, settings: SelfPlaySettings) -> None:
        """Opens or begins the set; raises KatachiError where the file or the journal is of another
        or larger set, or of another version of the program, where another process has it open, and
        for a program that does not speak GTP."""
        if not path.name.endswith(ENDING):
            raise KatachiError(f"{path}: a set of games ends in {ENDING}")
        self.path = path
        self.settings = settings
        self.journal = path.with_name(path.name + ".part")
        self._lock = path.with_name(path.name + ".lock")
        self.lines: dict[int, str] = {}
        """SGF of each finished game, by its number from 0."""
        if path.exists():
            read_set(path)  # any other file is refused before a program is started
        self.name = name_program(settings.engine)
        self._heading = json.loads(json.dumps(settings.describe() | {"program": self.name}))
        path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(locked(self._lock, f"the set {path}"))
            self._open_finished()
            self._open_journal()
            self._open = stack.pop_all()

    @property
    def is_whole(self) -> bool:
        """Whether no game is missing."""
        return len(self.lines) == self.settings.games

    def _open_finished(self) -> None:
        """Takes the games of the file, where there is one."""
        if self.path.exists():
            heading, lines = read_set(self.path)
            self._check_same(self.path, heading)
            self.lines = dict(enumerate(lines))
            self._check_most(self.path)

    def _check_same(self, path: Path, heading: dict[str, Any]) -> None:
        try:
            different = _first_difference(heading, self._heading)
        except (KeyError, TypeError, AttributeError):
            raise KatachiError(f"{path} cannot be read: move it away") from None
        if different:
            raise KatachiError(f"{path} is of another set: its {different}; choose another file")

    def _check_most(self, path: Path) -> None:
        most = max(self.lines, default=-1) + 1
        if most > self.settings.games:  # a smaller set would throw games away
            raise KatachiError(f"{path} holds game {most} already: ask for as many")

    def _open_journal(self) -> None:
        wanted = self._heading
        if not self.journal.exists():
            if self.is_whole:
                return
            write_atomically(self.journal, _line(wanted), is_durable=True)
            return
        data = self.journal.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            heading, *lines = (json.loads(line) for line in whole.splitlines())
            for line in lines:  # a game that is there twice counts once
                self.lines.setdefault(line["number"], line["sgf"])
            is_old = "program" not in heading
            # Journals of older versions do not say which program played.
            heading = {"program": self.name} | heading
        except (ValueError, KeyError, TypeError, AttributeError):
            raise KatachiError(f"{self.journal} cannot be read: move it away") from None
        self._check_same(self.journal, heading)
        self._check_most(self.journal)
        if is_old or len(whole) < len(data):  # a line cut short by a crash is played again
            games = whole.partition(b"\n")[2]
            write_atomically(self.journal, _line(wanted) + games, is_durable=True)

    def keep(self, finished: Finished) -> GameRecord:
        """Saves a finished game."""
        record = finished.outcome.record
        number = finished.task.number
        sgf = line_of(record)
        with self.journal.open("ab") as file:
            file.write(_line({"number": number, "sgf": sgf}))
        self.lines[number] = sgf
        return record

    def play(self, workers: Workers = 1) -> Iterator[GameRecord]:
        """Plays what is missing, yielding games as they are saved."""
        numbers = (n for n in range(self.settings.games) if n not in self.lines)
        tasks = (self.settings.task(number, self.name) for number in numbers)
        with closing(play_tasks(tasks, workers, SelfPlayRunner)) as results:
            for finished in results:
                yield self.keep(finished)

    def finish(self) -> Path:
        """Writes the file, whole or not at all, and drops the journal when it is on the disk."""
        lines = [self.lines[number] for number in range(self.settings.games)]
        write_set(self.path, self._heading, lines)
        self.journal.unlink(missing_ok=True)
        # Whoever waits for this lock finds the set finished, so nobody can miss it.
        self._lock.unlink(missing_ok=True)
        return self.path


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _first_difference(heading: dict[str, Any], wanted: dict[str, Any]) -> str:
    """In which setting two sets differ, as text; empty where they do not."""
    theirs, ours = (each | each["settings"] for each in (heading, wanted))
    for key, value in ours.items():
        if key != "settings" and theirs.get(key) != value:
            return f"{key} is {theirs.get(key)!r}, not {value!r}"
    return ""


def line_of(record: GameRecord) -> str:
    """A game as one line of SGF."""
    return "".join(write_game(record).decode().splitlines())
