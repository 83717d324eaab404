"""Who comes to our server: logins, viewers, and the lines they get, in either dialect."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.interfaces.cgos import wire
from katachi.interfaces.cgos.settings import Dialect
from katachi.interfaces.cgos.store import Store, is_right_password, new_secret
from katachi.interfaces.cgos.table import PlayedMove, Table, Verdict
from katachi.rules.color import BLACK, WHITE, opponent

LONGEST_GREETING = 1000
"""Bytes of a line before the login."""
_HASHES_AT_ONCE = 2


class LoginError(KatachiError):
    """A login that is refused; the text is sent to the client."""


@dataclass(frozen=True)
class Guest:
    """Who has logged in."""

    name: str
    takes_analysis: bool = False
    is_viewer: bool = False


class Login:
    """Greets, registers and recognises players."""

    def __init__(self, store: Store, first_rating: Callable[[], float]) -> None:
        """`first_rating` is where a new player starts."""
        self._store = store
        self._first_rating = first_rating
        # Hashing is slow on purpose; a crowd at the door must not take all processors.
        self._turns = asyncio.Semaphore(_HASHES_AT_ONCE)

    async def welcome(self, stream: wire.LineStream) -> Guest | None:
        """Who it is, or None for one who left; raises LoginError for one who may not enter."""
        stream.longest = LONGEST_GREETING
        answers: list[str] = []
        for question in (f"protocol {wire.ANALYSIS}", "username", "password"):
            stream.send(question)
            line = await stream.read_line()
            if line is None or line == "quit":
                return None
            answers.append(line)
            _check_answer(question, line)
            if len(answers) == 1 and line.startswith("v1"):
                return Guest("", is_viewer=True)
        await self._recognise(answers[1], answers[2].split())
        stream.longest = wire.LONGEST_LINE
        return Guest(answers[1], wire.ANALYSIS in answers[0].split())

    async def _recognise(self, name: str, passwords: list[str]) -> None:
        """Registers a new name; otherwise checks the password, and changes it if there are two."""
        async with self._turns:
            secret = self._store.secret(name)
            if secret is None:
                made = await asyncio.to_thread(new_secret, passwords[-1])
                self._store.register(name, made, self._first_rating())
                secret = self._store.secret(name)
                if secret == made:
                    return
            if secret is None or not await asyncio.to_thread(
                is_right_password, passwords[0], secret
            ):
                raise LoginError("the password does not match")
            if len(passwords) == 2:
                made = await asyncio.to_thread(new_secret, passwords[1])
                self._store.change_secret(name, made)


def _check_answer(question: str, line: str) -> None:
    if question.startswith("protocol"):
        if not line.startswith(("e1", "v1")):
            raise LoginError("only e1 (engines) and v1 (viewers) are known here")
    elif question == "username":
        if not wire.is_name(line):
            raise LoginError(
                "a name is 3 to 18 of letters, digits, _ . and -, not beginning with a digit"
            )
    elif not 1 <= len(line.split()) <= 2 or not all(map(wire.is_password, line.split())):
        raise LoginError("a password is 3 to 16 of letters, digits, _ . and -")


GAMES_SHOWN = 40
"""Finished games that are listed for a new viewer."""
_LONGEST_NUMBER = 15
_UNDER_WAY = "- -"
"""Instead of date and time."""


class Viewers:
    """Everybody who watches."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._streams: set[wire.LineStream] = set()
        self._observers: dict[str, set[wire.LineStream]] = {}

    def welcome(self, stream: wire.LineStream, tables: list[Table]) -> None:
        """Tells someone new of the last games and of those under way."""
        self._streams.add(stream)
        for setup, started, result in self._store.last_games(GAMES_SHOWN):
            stream.send(match_line(setup, started[:16], result))
        for table in tables:
            stream.send(match_line(table.setup))

    def dismiss(self, stream: wire.LineStream) -> None:
        """Forgets one who has left."""
        self._streams.discard(stream)
        for watching in self._observers.values():
            watching.discard(stream)

    def hear(self, stream: wire.LineStream, line: str, tables: list[Table]) -> bool:
        """Answers what a viewer says; False when it wants to leave."""
        words = line.split()
        if words[:1] == ["observe"] and len(words) == 2:
            self._show(stream, words[1], tables)
        return words[:1] != ["quit"]

    def _show(self, stream: wire.LineStream, number: str, tables: list[Table]) -> None:
        """Sends the moves of a game; those of one under way will follow."""
        table = next((table for table in tables if table.setup.game_id == number), None)
        if table is not None:
            self._observers.setdefault(number, set()).add(stream)
            stream.send(setup_line(table, _UNDER_WAY))
            return
        is_number = number.isdecimal() and len(number) <= _LONGEST_NUMBER
        kept = self._store.finished_game(int(number)) if is_number else None
        if kept is None:
            stream.send(f"setup {number[:_LONGEST_NUMBER]} ?")
        else:
            stream.send(f"{setup_line(kept[0], kept[0].started[:16])} {kept[1]}")

    def tell(self, line: str) -> None:
        """Tells everybody."""
        for stream in self._streams:
            stream.send(line)

    def begin(self, table: Table) -> None:
        """A game begins."""
        self.tell(match_line(table.setup))

    def update(self, table: Table, text: str) -> None:
        """Tells those who observe a game what happened in it."""
        for stream in self._observers.get(table.setup.game_id, ()):
            stream.send(f"update {table.setup.game_id} {text}")

    def play(self, table: Table, move: PlayedMove) -> None:
        """A move was made."""
        self.update(table, f"{move.vertex} {move.milliseconds}")

    def end(self, table: Table, verdict: Verdict) -> None:
        """A game is over."""
        main = table.setup.milliseconds
        if verdict.text.endswith("Resign"):
            self.update(table, f"resign {round(1000 * table.left[table.game.to_play])}")
        white, black = (main - round(1000 * table.left[color]) for color in (WHITE, BLACK))
        self.tell(f"gameover {table.setup.game_id} {verdict.text} {white} {black}")
        self.update(table, verdict.text)
        self._observers.pop(table.setup.game_id, None)


def match_line(setup: wire.Setup, when: str = _UNDER_WAY, result: str = "-") -> str:
    """A game in the list of games."""
    game = f"{setup.game_id} {when} {setup.size} {setup.komi:g}"
    return f"match {game} {setup.white} {setup.black} {result}"


def setup_line(table: Table, when: str) -> str:
    """A game with its moves so far."""
    setup = table.setup
    game = f"{setup.game_id} {when} {setup.size} {setup.komi:g}"
    moves = "".join(f" {move.vertex} {move.milliseconds}" for move in table.moves)
    return f"setup {game} {setup.white} {setup.black} {setup.milliseconds}{moves}"


_LETTERS = {True: "b", False: "w"}


class Speech(NamedTuple):
    """How a dialect puts things."""

    dialect: Dialect

    @property
    def is_lite(self) -> bool:
        """Whether this is the dialect that polls."""
        return self.dialect is Dialect.LITE

    def setup_line(self, setup: wire.Setup) -> str:
        """A game begins or goes on."""
        if self.is_lite:
            setup = setup._replace(
                game_id="0",
                white=wire.bare_name(setup.white),
                black=wire.bare_name(setup.black),
                moves=tuple(wire.TimedMove(m.vertex.upper(), m.milliseconds) for m in setup.moves),
            )
        return f"setup {setup}"

    def play_line(self, table: Table, move: PlayedMove, now: float) -> str:
        """The move just made, for the opponent."""
        mover = opponent(table.game.to_play)
        letter = _LETTERS[mover == BLACK]
        if self.is_lite:
            milliseconds = table.milliseconds(opponent(mover), now)
            return f"play {letter} {move.vertex.upper()} {milliseconds}"
        return f"play {letter} {move.vertex} {move.milliseconds}"

    def genmove_line(self, table: Table, now: float) -> str:
        """Asks the player to move for a move."""
        color = table.game.to_play
        return f"genmove {_LETTERS[color == BLACK]} {table.milliseconds(color, now)}"

    def gameover_line(self, verdict: Verdict, date: str) -> str | None:
        """Tells the end of a game, where the dialect does."""
        if self.is_lite:
            return None
        return f"gameover {date} {verdict.text} {verdict.reason}".rstrip()
