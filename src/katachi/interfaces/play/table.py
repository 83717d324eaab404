"""A game at the table, and the file that keeps it."""

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np

from katachi.errors import IllegalMove, KatachiError
from katachi.files.atomic import write_atomically
from katachi.interfaces.gtp.core import free_places
from katachi.players.finishing import Finisher
from katachi.players.protocol import Choice, Following, Player, Started
from katachi.records.conversion import game_from_record, record_from_game, text_from_rules
from katachi.records.record import GameRecord, GameTexts
from katachi.records.result import Ending, Result, result_from_score
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_row_col, point_from_vertex, vertex_from_point
from katachi.rules.ruleset import Rules, check_komi
from katachi.rules.scoring import FinalStatus, final_status
from katachi.search.afterstates import sensible_moves

KOMI, HANDICAP_KOMI = 7.5, 0.5
PERSON = "human"
"""The person's name in a record."""


class Table:
    """One game; it changes by the moves of both sides, and talks to nobody."""

    def __init__(
        self, player: Player, game: Game, person: int, seconds: float, handicap: int = 0
    ) -> None:
        """A game from its present position; `person` is the colour of the person."""
        self.player = player
        self.game = game
        self.person = person
        self.seconds = seconds
        self.handicap = handicap
        self.resigned: int | None = None
        self.finisher = Finisher()
        """Who passes and resigns for the player; it remembers how the game has gone for it."""
        self.win_rate: float | None = None
        """The player's opinion of its chances after its last move, where it has one."""

    @property
    def is_over(self) -> bool:
        """Whether both passed or one resigned."""
        return self.resigned is not None or self.game.is_over

    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is to move; nobody is once the game is over."""
        return not self.is_over and self.game.to_play == self.person

    def play(self, vertex: str) -> None:
        """The person's move or pass; raises KatachiError for one that cannot be played."""
        point = point_from_vertex(vertex, self.game.size)
        self._require_running()
        self.game.play(self.person, point)

    def answer(self) -> str:
        """Plays the player's move; returns its name, "pass" or "resign". Raises PlayerFailure."""
        color = opponent(self.person)
        choice = self._choose(color)
        if choice.failure is not None:
            raise choice.failure
        self.win_rate = choice.win_rate
        if choice.point is None:
            self.resigned = color
            return "resign"
        self.game.play(color, choice.point)
        return vertex_from_point(choice.point, self.game.size)

    def _choose(self, color: int) -> Choice:
        """A choice that can be played under the game's rules, and under superko."""
        strict = self.game.copy()
        strict.rules = Rules()
        if isinstance(self.player, Started):
            self.player.start(strict)
        choice = self.finisher.choose(self.player, strict, color, self.seconds)
        if choice.point is None or strict.is_legal(color, choice.point):
            return choice
        moves = sensible_moves(strict, color)
        return Choice(int(moves[0]) if len(moves) else PASS)

    def undo(self) -> None:
        """Takes back the person's last move and what came after it; raises KatachiError where the
        person has made none."""
        if self.resigned == self.person:
            self.resigned = None
            return
        if all(move.color != self.person for move in self.game.moves):
            raise KatachiError("there is no move of yours to take back")
        self.resigned = None
        while self.game.undo().color != self.person:
            pass

    def resign(self) -> None:
        """The person gives the game up; raises KatachiError where it is over already."""
        self._require_running()
        self.resigned = self.person

    def _require_running(self) -> None:
        if self.is_over:
            raise KatachiError("the game is over: undo goes on with it, quit ends it")

    def status(self) -> FinalStatus | None:
        """Owners and dead stones of a game that both sides passed to its end; else None."""
        is_counted = self.game.is_over and self.resigned is None
        return final_status(self.game.words) if is_counted else None

    @property
    def result(self) -> Result:
        """How the game ended; unknown while it goes on."""
        if self.resigned is not None:
            return Result(opponent(self.resigned), Ending.RESIGN)
        status = self.status()
        return Result() if status is None else result_from_score(status.balance - self.game.komi)

    def name_of(self, color: int) -> str:
        """Who plays a colour."""
        return PERSON if color == self.person else self.player.name

    def record(self) -> GameRecord:
        """The game as it stands, with owners once it is counted."""
        texts = GameTexts(
            black=self.name_of(BLACK),
            white=self.name_of(WHITE),
            date=date.today().isoformat(),
            rules=text_from_rules(self.game.rules),
        )
        record = record_from_game(self.game, texts, self.result, self.handicap)
        status = self.status()
        if status is None:
            return record
        owners = np.array([0, 1, -1], np.int8)[status.owners]
        return replace(record, ownership=owners)


def report_result(table: Table) -> list[str]:
    """What a player that follows its results makes of a game that is won or lost, in words; nothing
    of any other."""
    winner = table.result.winner
    if not isinstance(table.player, Following) or winner not in (BLACK, WHITE):
        return []
    return [table.player.hear_result(is_won=winner != table.person)]


def result_text(table: Table) -> str:
    """How a finished game ended, in a sentence."""
    game, status = table.game, table.status()
    if table.resigned is not None:
        loser = COLOR_NAMES[table.resigned].capitalize()
        return f"{loser} resigns: {COLOR_NAMES[opponent(table.resigned)].capitalize()} wins"
    return "the game goes on" if status is None else status_text(game, status)


def status_text(game: Game, status: FinalStatus) -> str:
    """The count of a finished position, in a sentence."""
    black, white = (int((status.owners == color).sum()) for color in (BLACK, WHITE))
    lead = black - white - game.komi
    areas = f"area {black} to {white}, komi {game.komi:g}"
    if lead == 0:
        return f"A draw ({areas})"
    winner = COLOR_NAMES[BLACK if lead > 0 else WHITE].capitalize()
    return f"{winner} wins by {abs(lead):g} points ({areas})"


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
            is_complete = reason.startswith("cannot write")
            raise KatachiError(
                reason if is_complete else f"cannot write {chosen}: {reason}"
            ) from None
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


def new_game(size: int, komi: float | None, handicap: int) -> Game:
    """A new game with its handicap stones on the board; raises KatachiError for too many."""
    most = size * size // 4
    if handicap and not 2 <= handicap <= most:
        raise KatachiError(f"--handicap {handicap}: use 0, or 2 to {most} stones on this board")
    usual = HANDICAP_KOMI if handicap else KOMI
    game = Game(size, check_komi(usual if komi is None else komi))
    if handicap:
        game.place_setup([point_from_row_col(*p) for p in free_places(size, handicap)], [])
        game.first_to_play = WHITE
    return game


def file_of(out: Path | None, resume: Path | None) -> Path | None:
    """Where a game is kept; None to choose a name later."""
    if out is None:
        return resume if resume and holds_only_a_game(resume) else None
    if out != resume:
        require_new(out)
    return out


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
