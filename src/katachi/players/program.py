"""Any GTP program as a player."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from katachi.errors import KatachiError
from katachi.players.clock import Clock, TimeSettings
from katachi.players.gtp_program import GtpProgram
from katachi.players.names import command_of
from katachi.players.protocol import Choice, FailureKind, PlayerFailure
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game, Move
from katachi.rules.point import point_from_vertex, vertex_from_point

Setting = tuple[int, float, tuple[Move, ...]]
"""Size, komi and stones set up: what a program is sent before the moves of a game."""
_SIGNS = {"B": 1, "W": -1}
GRACE = 5.0
"""Seconds beyond its thinking time after which a program counts as hung."""


def _setting_of(game: Game) -> Setting:
    return game.size, game.komi, tuple(game.setup)


class ProgramPlayer:
    """Plays what an external program answers. It is started at its first move, sent only what is
    new since its last one, and started again after a failure."""

    def __init__(self, command: str, patience: float = 60.0, name: str | None = None) -> None:
        """A player for a command line such as "gnugo --mode gtp --level 1"."""
        self.command = command
        self.patience = patience
        self.name = name or command
        self._program: GtpProgram | None = None
        self._setting: Setting | None = None
        self._moves: list[Move] = []
        self._keeps_time: bool | None = None
        self._sent: TimeSettings | None = None
        self._until_flag = 0.0
        self._failure: PlayerFailure | None = None

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The program's move; a failure, also one since the last move, ends the program and is sent
        in the choice."""
        earlier, self._failure = self._failure, None
        if earlier is not None:
            return Choice(None, failure=earlier)
        try:
            return self._ask(game, color, seconds)
        except PlayerFailure as failure:
            self.close()
            return Choice(None, failure=failure)

    def start(self, game: Game) -> None:
        """Starts the program, if it is not running, and waits until it knows board and komi."""
        if self._program is None:
            with self._failing_later():
                self._restart(_setting_of(game))

    @contextmanager
    def _failing_later(self) -> Iterator[None]:
        """A failure ends the program and is kept for the choice that follows."""
        try:
            yield
        except PlayerFailure as failure:
            self.close()
            self._failure = failure

    @property
    def program(self) -> GtpProgram:
        """The running program; started if need be, raises PlayerFailure if that fails."""
        if self._program is None:
            self._program = GtpProgram(self.command, self.patience)
        return self._program

    def _ask(self, game: Game, color: int, seconds: float | None) -> Choice:
        self.set_up(game)
        patience = self.patience if seconds is None else max(seconds, self._until_flag) + GRACE
        answer = self.program.send(f"genmove {COLOR_NAMES[color]}", patience).lower()
        if answer == "resign":
            self._setting = None
            return Choice(None)
        move = Move(color, self._point(game, answer))
        if not game.is_legal(*move):
            text = f"played {answer} for {COLOR_NAMES[color]}: {game.judge(*move)}"
            raise self.program.failure(FailureKind.ILLEGAL, text)
        self._moves.append(move)
        return Choice(move.point)

    def _point(self, game: Game, answer: str) -> int:
        try:
            return point_from_vertex(answer, game.size)
        except KatachiError as error:
            raise self.program.failure(FailureKind.GARBAGE, f"answered: {error}") from None

    def set_up(self, game: Game) -> None:
        """Brings the program's board to the game's position with as few commands as can be."""
        setting = _setting_of(game)
        if setting != self._setting or game.moves[: len(self._moves)] != self._moves:
            self._restart(setting)
        for move in game.moves[len(self._moves) :]:
            self._send_play(game.size, move)
            self._moves.append(move)

    def _restart(self, setting: Setting) -> None:
        size, komi, setup = setting
        for command in (f"boardsize {size}", "clear_board", f"komi {komi:g}"):
            self.program.send(command)
        self._moves = []
        self._setting = setting
        for stone in setup:
            self._send_play(size, stone)

    def _send_play(self, size: int, move: Move) -> None:
        vertex = vertex_from_point(move.point, size)
        self.program.send(f"play {COLOR_NAMES[move.color]} {vertex}")

    def tell_time(self, game: Game, color: int, clock: Clock) -> None:
        """Sends the time left, in whole seconds as the protocol has it, if the program listens."""
        if self._failure is not None:
            return
        # Whoever has time left may think as long, however much of it a move should take.
        self._until_flag = clock.seconds_until_flag(color)
        with self._failing_later():
            self.set_up(game)
            if self._keeps_time is None:
                known = ("time_settings", "time_left")
                self._keeps_time = all(self.program.knows(command) for command in known)
            if self._keeps_time:
                self._send_time(color, clock)

    def _send_time(self, color: int, clock: Clock) -> None:
        settings, left = clock.settings, clock.left(color)
        if self._sent != settings:
            period, count = math.floor(settings.period), settings.count
            self.program.send(f"time_settings {math.floor(settings.main)} {period} {count}")
            self._sent = settings
        in_overtime = left.main <= 0 and left.count > 0
        seconds = math.floor(left.period if in_overtime else left.main)
        count = left.count if in_overtime else 0
        self.program.send(f"time_left {COLOR_NAMES[color]} {seconds} {count}")

    def final_score(self) -> float:
        """Black's score less White's as the program counts the position it was set up with."""
        answer = self.program.send("final_score")
        letter, _, margin = answer.strip().upper().partition("+")
        try:
            return 0.0 if letter in ("0", "DRAW", "JIGO") else _SIGNS[letter] * float(margin)
        except (KeyError, ValueError):
            text = f"answered final_score with {answer[:40]!r}"
            raise self.program.failure(FailureKind.GARBAGE, text) from None

    def dead_stones(self, game: Game) -> list[int]:
        """The points of the stones that the program calls dead in the position it was set up
        with, which is the game's."""
        answer = self.program.send("final_status_list dead")
        return [self._point(game, vertex) for vertex in answer.lower().split()]

    def close(self) -> None:
        """Ends the program."""
        program = self._program
        if program is not None:
            program.close()
        self._program = None
        self._setting = None
        self._moves = []
        self._sent = None
        self._until_flag = 0.0
        self._failure = None


SEEDS = 1 << 31
"""GNU Go reads seeds of fewer bits than ours."""


class GnuGoPlayer(ProgramPlayer):
    """GNU Go with the flags that fit area counting; equal seeds play equal games."""

    def __init__(self, name: str, seed: int = 0) -> None:
        """The player of a name such as `gnugo:5`."""
        super().__init__(command_of(name), name=name)
        self.seed = seed

    def reseed(self, seed: int) -> None:
        """Plays the next game by another seed."""
        self.seed = seed
        self._setting = None

    def _restart(self, setting: Setting) -> None:
        super()._restart(setting)
        # GNU Go begins each move with the seed it was given last.
        self.program.send(f"set_random_seed {self.seed % SEEDS}")
