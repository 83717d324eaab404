"""A game between two players on our server, and finished games as SGF files."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgfmill import sgf

from katachi.errors import IllegalMove, KatachiError
from katachi.files.atomic import write_atomically
from katachi.interfaces.cgos.wire import Setup, TimedMove, bare_name
from katachi.records.conversion import record_from_game, text_from_rules
from katachi.records.record import GameTexts
from katachi.records.result import Ending, Result
from katachi.records.sgf import write_game
from katachi.rules.color import BLACK, EMPTY, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.ruleset import Rules

LONGEST_ANALYSIS = 1 << 16

if TYPE_CHECKING:
    from katachi.interfaces.cgos.store import Store


class Verdict(NamedTuple):
    """The end of a game."""

    winner: int
    """BLACK, WHITE, or EMPTY for a draw or a game without a result."""
    text: str
    """As the server tells it: `B+3.5`, `W+Resign`, `Draw`, `Abort` ..."""
    reason: str = ""

    @property
    def counts(self) -> bool:
        """Whether the game changes ratings."""
        return self.text != "Abort"

    def score_of(self, color: int) -> float:
        """1 if `color` won, 0 if it lost, one half for a draw."""
        return 0.5 if self.winner == EMPTY else float(self.winner == color)


@dataclass
class PlayedMove:
    """A move with what its player had left and had to say."""

    vertex: str
    milliseconds: int
    analysis: str = ""
    """One line of JSON, or nothing."""


@dataclass
class Table:
    """A game under way. Times are in seconds of whatever clock `now` is read from."""

    setup: Setup
    started: str
    """Date and time, for the record."""
    gift: float = 0.25
    """Seconds of every move that cost nothing."""
    moves: list[PlayedMove] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The board after the moves that are known."""
        setup = self.setup
        self.game = Game(setup.size, setup.komi, Rules())
        self.left: dict[int, float] = dict.fromkeys((BLACK, WHITE), setup.milliseconds / 1000)
        self.clock_began: float | None = None
        """When the clock of whose turn it is was started; None while it stands."""
        self.is_open = bool(self.moves)
        """Whether moves may be asked for: the pause after the setup is over."""
        for move in self.moves:
            self.left[self.game.to_play] = move.milliseconds / 1000
            self.game.play(self.game.to_play, point_from_vertex(move.vertex, setup.size))

    @property
    def names(self) -> dict[int, str]:
        """Who plays which colour."""
        return {BLACK: bare_name(self.setup.black), WHITE: bare_name(self.setup.white)}

    @property
    def mover(self) -> str:
        """Whose turn it is."""
        return self.names[self.game.to_play]

    def color_of(self, name: str) -> int:
        """The colour a player has."""
        return BLACK if self.names[BLACK] == name else WHITE

    def start_clock(self, now: float) -> None:
        """Starts the clock of whose turn it is, unless it runs already."""
        if self.clock_began is None:
            self.clock_began = now

    def milliseconds(self, color: int, now: float) -> int:
        """What a clock shows."""
        left = self.left[color]
        if color == self.game.to_play and self.clock_began is not None:
            left -= max(0.0, now - self.clock_began)
        return max(0, round(1000 * left))

    def resumed_setup(self) -> Setup:
        """The setup line for a player who comes back."""
        moves = (TimedMove(move.vertex, move.milliseconds) for move in self.moves)
        return self.setup._replace(moves=tuple(moves))

    def is_flag_down(self, now: float) -> bool:
        """Whether the player to move has used up all time."""
        if self.clock_began is None:
            return False
        return now - self.clock_began - self.gift > self.left[self.game.to_play]

    def lose_on_time(self) -> Verdict:
        """The player to move has lost."""
        return self._lose("Time", "")

    def _lose(self, how: str, reason: str) -> Verdict:
        winner = opponent(self.game.to_play)
        return Verdict(winner, f"{'B' if winner == BLACK else 'W'}+{how}", reason)

    def hear(self, line: str, now: float, *, takes_analysis: bool) -> Verdict | None:
        """Takes the answer of the player to move: a verdict if it ends the game.

        A stone or pass that stands is then the last of `moves`.
        """
        if self.is_flag_down(now):
            return self.lose_on_time()
        word, _, rest = line.strip().partition(" ")
        if word.lower() == "resign":
            return self._lose("Resign", "")
        color = self.game.to_play
        if len(self.game.moves) >= LONGEST_GAME:
            return Verdict(EMPTY, "Abort", "the game does not end")
        try:
            point = point_from_vertex(word[:20], self.setup.size)
            self.game.play(color, point)
        except IllegalMove as error:
            return self._lose("Illegal", error.reason)
        except KatachiError:
            return self._lose("Illegal", "no point of the board")
        self._stop_clock(color, now)
        vertex = vertex_from_point(point, self.setup.size)
        analysis = checked_analysis(rest) if takes_analysis else ""
        self.moves.append(PlayedMove(vertex, round(1000 * self.left[color]), analysis))
        return self.count() if self.game.is_over else None

    def _stop_clock(self, color: int, now: float) -> None:
        used = 0.0 if self.clock_began is None else now - self.clock_began - self.gift
        self.left[color] = max(0.0, self.left[color] - max(0.0, used))
        self.clock_began = None

    def count(self) -> Verdict:
        """The result by area, all stones alive."""
        score = self.game.area_score()
        if score == 0:
            return Verdict(EMPTY, "Draw")
        winner = BLACK if score > 0 else WHITE
        return Verdict(winner, f"{'B' if winner == BLACK else 'W'}+{abs(score):.1f}")


def checked_analysis(text: str) -> str:
    """The analysis of a move as one line of JSON; empty if it is none."""
    if not text or len(text) > LONGEST_ANALYSIS:
        return ""
    try:
        record = json.loads(text)
        return json.dumps(record, allow_nan=False) if isinstance(record, dict) else ""
    except (ValueError, RecursionError):
        return ""


def comment_of(analysis: str) -> str:
    """What a program said in words about its move."""
    comment = json.loads(analysis).get("comment") if analysis else None
    # Half of a surrogate pair passes as JSON and cannot be written.
    return comment.encode("utf-8", "replace").decode() if isinstance(comment, str) else ""


_ENDINGS = {"Resign": Ending.RESIGN, "Time": Ending.TIME, "Illegal": Ending.FORFEIT}


def sgf_from_table(table: Table, verdict: Verdict) -> bytes:
    """The game as SGF: each move with the time left (BL, WL), its analysis (CC) and comment (C)."""
    setup = table.setup
    texts = GameTexts(
        black=bare_name(setup.black),
        black_rank=_rank(setup.black),
        white=bare_name(setup.white),
        white_rank=_rank(setup.white),
        date=table.started[:10],
        rules=text_from_rules(Rules()),
        event=f"game {setup.game_id}",
    )
    data = write_game(record_from_game(table.game, texts, _result(verdict)))
    game = sgf.Sgf_game.from_bytes(data)
    game.get_root().set("TM", setup.milliseconds / 1000)
    if verdict.reason:
        game.get_root().set("C", f"{verdict.text}: {verdict.reason}")
    for node, played in zip(game.get_main_sequence()[1:], table.moves, strict=True):
        color, _ = node.get_move()
        node.set("BL" if color == "b" else "WL", played.milliseconds / 1000)
        if played.analysis:
            node.set("CC", played.analysis)
        if comment := comment_of(played.analysis):
            node.set("C", comment)
    return bytes(game.serialise())


def _rank(player: str) -> str:
    """The rating of `name(rating)`."""
    return player.partition("(")[2].rstrip(")")


def _result(verdict: Verdict) -> Result:
    if verdict.winner == EMPTY:
        return Result(EMPTY, Ending.VOID if not verdict.counts else Ending.COUNT, 0.0)
    how = verdict.text.partition("+")[2]
    if how in _ENDINGS:
        return Result(verdict.winner, _ENDINGS[how])
    return Result(verdict.winner, Ending.COUNT, float(how))


def archive_path(folder: Path, table: Table) -> Path:
    """Where a game belongs: a folder for each day."""
    number = table.setup.game_id
    return folder / "sgf" / table.started[:10] / f"{number}.sgf"


def write_archive(path: Path, data: bytes) -> None:
    """Writes the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data, is_durable=True)


class Keeper:
    """Keeps the games that are over; those that could not be kept wait for another try."""

    def __init__(self, store: "Store", folder: Path | None, log: Callable[[str], None]) -> None:
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
