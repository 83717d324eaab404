"""A small Computer Go Server: logins, rounds, games, ratings, an archive."""

import asyncio
import contextlib
import random
import sqlite3
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime

from katachi.errors import KatachiError
from katachi.interfaces.cgos.guests import Guest, Login, LoginError, Speech, Viewers
from katachi.interfaces.cgos.settings import (
    FIRST_RATING,
    Pairing,
    ServerSettings,
    Waiting,
    anchor,
    pair_players,
)
from katachi.interfaces.cgos.store import Store
from katachi.interfaces.cgos.table import Keeper, Table, Verdict
from katachi.interfaces.cgos.wire import LineStream, ProtocolError, Setup, keep_alive, shown
from katachi.rules.color import BLACK, EMPTY, WHITE, opponent

_IDLE_LINES = 100
"""Lines nobody asked for that a client may send between two moves."""
_POLLS_UNANSWERED = 100
"""Polls after which a silent client is taken for gone."""


@dataclass(eq=False)
class Seat:
    """A player who is logged in."""

    name: str
    stream: LineStream
    takes_analysis: bool
    is_waiting: bool = False
    """Whether the player wants to be paired."""
    is_asked: bool = False
    """Whether a move was asked for on this connection."""
    polls: int = 0
    """Polls not answered yet."""
    idle_lines: int = 0


class Server:
    """The server; `await start()`, then it runs until `await close()`."""

    def __init__(
        self,
        settings: ServerSettings,
        log: Callable[[str], None],
        chance: random.Random | None = None,
    ) -> None:
        """Opens the store; raises KatachiError when it cannot be used."""
        self.settings = settings
        self.log = log
        self.speech = Speech(settings.dialect)
        anchors = {name: anchor(elo) for name, elo in settings.anchors.items()}
        self.store = Store(settings.folder, anchors)
        self.seats: dict[str, Seat] = {}
        self.tables: dict[str, Table] = {}
        """The game each player is in, by name."""
        self._chance = chance or random.Random()
        self._viewers = Viewers(self.store)
        self._keeper = Keeper(self.store, settings.folder, log)
        self._conversations: set[asyncio.Task[None]] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._login = Login(self.store, self.mean_rating)
        self._listener: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port the server listens on."""
        if self._listener is None:
            raise AssertionError("the server is not started")
        return int(self._listener.sockets[0].getsockname()[1])

    @property
    def games(self) -> list[Table]:
        """The games under way, each once."""
        return list({id(table): table for table in self.tables.values()}.values())

    async def start(self) -> None:
        """Takes up the games of last time, then listens; raises KatachiError if it cannot."""
        settings = self.settings
        for table in self.store.unfinished_games(settings.gift):
            self._take_up(table)
        try:
            self._listener = await asyncio.start_server(
                self._meet, settings.host, settings.port, backlog=settings.connections
            )
        except OSError as error:
            self.store.close()
            where = f"{settings.host} port {settings.port}"
            raise KatachiError(f"cannot listen on {where}: {error.strerror or error}") from None
        self._repeat(settings.look_every, self._start_round, settings.first_look)
        self._repeat(settings.flag_every, self._look_at_clocks)
        self._repeat(settings.flag_every, self._keeper.try_again)
        self._repeat(settings.info_every, self._send_info)
        if self.speech.is_lite:
            self._repeat(settings.poll_every, self._poll)

    def _take_up(self, table: Table) -> None:
        if table.game.is_over:
            self._finish(table, table.count())
            return
        if self.store.has_later_game(table):
            self._finish(table, Verdict(EMPTY, "Abort", "its end was not kept"))
            return
        table.is_open = True
        self._seat(table)
        self._later(self.settings.absence, lambda: table.start_clock(time.monotonic()))

    def _seat(self, table: Table) -> None:
        for name in table.names.values():
            self.tables[name] = table

    def _repeat(self, seconds: float, work: Callable[[], None], first: float | None = None) -> None:
        async def chore() -> None:
            await asyncio.sleep(seconds if first is None else first)
            while True:
                try:
                    work()
                except (OSError, sqlite3.Error) as error:
                    self.log(f"not this time: {error}")
                await asyncio.sleep(seconds)

        self._keep(chore())

    def _later(self, seconds: float, work: Callable[[], None]) -> None:
        async def chore() -> None:
            await asyncio.sleep(seconds)
            work()

        self._keep(chore())

    def _keep(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: "asyncio.Task[None]") -> None:
        self._chores.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.log(f"a chore of the server failed: {task.exception()!r}")

    async def close(self) -> None:
        """Ends all connections; games under way are kept for the next start."""
        if self._listener is not None:
            self._listener.close()
        tasks = [*self._chores, *self._conversations]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._keeper.try_again()
        self.store.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from beginning to end; whatever it does stays between us."""
        task = asyncio.current_task()
        if task is not None:
            self._conversations.add(task)
            task.add_done_callback(self._conversations.discard)
        keep_alive(writer.get_extra_info("socket"))
        stream = LineStream(reader, writer)
        try:
            await self._converse(stream)
        except (LoginError, ProtocolError) as error:
            stream.send(f"Error: {error}")
        except (OSError, asyncio.CancelledError):
            pass
        except Exception as error:  # one conversation must not end the others
            self.log(f"a conversation failed: {error!r}")
        finally:
            self._leave(stream)
            stream.close()
            with contextlib.suppress(asyncio.CancelledError):
                await stream.wait_closed()

    async def _converse(self, stream: LineStream) -> None:
        if len(self._conversations) > self.settings.connections:
            raise LoginError("the server is full: try again later")
        try:
            async with asyncio.timeout(self.settings.login):
                guest = await self._login.welcome(stream)
        except TimeoutError:
            raise LoginError("no login in time") from None
        if guest is None:
            return
        if guest.is_viewer:
            await self._show(stream)
            return
        seat = self._enter(guest, stream)
        while (line := await stream.read_line()) is not None:
            if line == "quit" or not self._hear(seat, line):
                return

    async def _show(self, stream: LineStream) -> None:
        """Lets a viewer see the games until it leaves."""
        self._viewers.welcome(stream, self.games)
        while (line := await stream.read_line()) is not None:
            if not self._viewers.hear(stream, line, self.games):
                return

    def _leave(self, stream: LineStream) -> None:
        self._viewers.dismiss(stream)
        for name, seat in list(self.seats.items()):
            if seat.stream is stream:
                del self.seats[name]
                self.log(f"{name} has left")

    def _enter(self, guest: Guest, stream: LineStream) -> Seat:
        """A player is logged in: an older connection is closed, a game under way goes on."""
        old = self.seats.pop(guest.name, None)
        if old is not None:
            old.stream.send("Error: another connection has logged in under this name")
            old.stream.close()
        table = self.tables.get(guest.name)
        seat = Seat(guest.name, stream, guest.takes_analysis, is_waiting=table is None)
        self.seats[guest.name] = seat
        self.log(f"{guest.name} is here" + (" again" if table else ""))
        if table is not None:
            stream.send(self.speech.setup_line(table.resumed_setup()))
            if table.mover == seat.name and table.is_open:
                self._ask(table)
        return seat

    def mean_rating(self) -> float:
        """Where a new player starts: the mean of those who wait."""
        accounts = [self.store.account(name) for name in self._waiting()]
        ratings = [account.rating.elo for account in accounts if account is not None]
        return sum(ratings) / len(ratings) if ratings else FIRST_RATING

    def _waiting(self) -> list[str]:
        return [
            name for name, seat in self.seats.items() if seat.is_waiting and name not in self.tables
        ]

    def _hear(self, seat: Seat, line: str) -> bool:
        """What a player says; False when the connection is to be closed."""
        if self.seats.get(seat.name) is not seat:
            return False
        table = self.tables.get(seat.name)
        if seat.polls and line == seat.name:
            seat.polls -= 1
            seat.is_waiting = True
        elif table is not None and seat.is_asked and table.mover == seat.name:
            self._move(table, seat, line)
        elif table is None and line == "ready":
            seat.is_waiting = True
        else:
            seat.idle_lines += 1
            if seat.idle_lines > _IDLE_LINES:
                raise ProtocolError("nobody asked for all that")
        return True

    def _move(self, table: Table, seat: Seat, line: str) -> None:
        now = time.monotonic()
        seat.is_asked = False
        seat.idle_lines = 0
        count = len(table.moves)
        verdict = table.hear(line, now, takes_analysis=seat.takes_analysis)
        if len(table.moves) > count:
            self._pass_on(table, seat.name, now)
        if verdict is not None:
            self._finish(table, verdict)
        else:
            table.start_clock(now)
            self._ask(table)

    def _pass_on(self, table: Table, mover: str, now: float) -> None:
        """Keeps the last move and tells it to the opponent and to viewers."""
        move = table.moves[-1]
        try:
            self.store.add_moves(table)
        except sqlite3.Error as error:
            self.log(f"move {len(table.moves)} of {table.setup.game_id} is not kept: {error}")
        other = self.seats.get(table.names[opponent(table.color_of(mover))])
        if other is not None:
            other.stream.send(self.speech.play_line(table, move, now))
        self._viewers.play(table, move)

    def _ask(self, table: Table) -> None:
        """Asks for a move, if the player is here; the clock runs either way."""
        now = time.monotonic()
        table.start_clock(now)
        seat = self.seats.get(table.mover)
        if seat is not None and self.tables.get(seat.name) is table:
            seat.is_asked = True
            seat.stream.send(self.speech.genmove_line(table, now))

    def _finish(self, table: Table, verdict: Verdict) -> None:
        """Rates and archives a game and tells its players."""
        self._keeper.keep(table, verdict)
        names = table.names
        text = f"game {table.setup.game_id}: {names[BLACK]} (Black) - {names[WHITE]}"
        self.log(f"{text} {verdict.text} {verdict.reason}".rstrip())
        self._viewers.end(table, verdict)
        for name in names.values():
            # The player may sit at another table by now.
            if self.tables.get(name) is table:
                del self.tables[name]
                self._dismiss(name, verdict)

    def _dismiss(self, name: str, verdict: Verdict) -> None:
        seat = self.seats.get(name)
        if seat is None:
            return
        seat.is_asked = seat.is_waiting = False
        seat.idle_lines = 0
        line = self.speech.gameover_line(verdict, f"{datetime.now(UTC):%Y-%m-%d}")
        if line is not None:
            seat.stream.send(line)

    def _start_round(self) -> None:
        """Pairs those who wait, if no game is under way."""
        if self.tables:
            return
        accounts = [self.store.account(name) for name in self._waiting()]
        waiting = [Waiting(a.name, a.rating.elo, a.blacks, a.whites) for a in accounts if a]
        for pairing in pair_players(waiting, self._chance):
            self._start_game(pairing)

    def _start_game(self, pairing: Pairing) -> None:
        settings = self.settings
        started = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        milliseconds = round(1000 * settings.time)
        names = (self._titled(pairing.white), self._titled(pairing.black))
        setup = Setup("0", settings.size, settings.komi, milliseconds, *names)
        table = Table(self.store.add_game(setup, started), started, settings.gift)
        self._seat(table)
        self.log(f"game {table.setup.game_id}: {names[1]} (Black) - {names[0]} begins")
        for name in table.names.values():
            self.seats[name].is_waiting = False
            self.seats[name].stream.send(self.speech.setup_line(table.setup))
        self._viewers.begin(table)
        self._later(settings.pause, lambda: self._begin(table))

    def _titled(self, name: str) -> str:
        account = self.store.account(name)
        return f"{name}({account.rating})" if account else name

    def _begin(self, table: Table) -> None:
        """Asks for the first move."""
        table.is_open = True
        if self.tables.get(table.mover) is table:
            self._ask(table)

    def _look_at_clocks(self) -> None:
        now = time.monotonic()
        for table in self.games:
            if table.is_flag_down(now):
                self._finish(table, table.lose_on_time())

    def _send_info(self) -> None:
        text = f"info {len(self.seats)} players, {len(self.games)} games"
        for seat in self.seats.values():
            seat.stream.send(text)
        self._viewers.tell(text)

    def _poll(self) -> None:
        """Asks idle players for a sign of life."""
        for seat in self.seats.values():
            if seat.polls > _POLLS_UNANSWERED:
                seat.stream.abort()
            elif seat.name not in self.tables:
                seat.polls += 1
                seat.stream.send("username")


def describe(server: Server) -> str:
    """One line that says where and what is played."""
    settings = server.settings
    where = f"{settings.host} port {server.port}"
    kept = f"kept in {shown(str(settings.folder))}" if settings.folder else "nothing is kept"
    return (
        f"listening on {where}: {settings.size}x{settings.size}, komi {settings.komi:g}, "
        f"{settings.time:g} s each, {settings.dialect.value} dialect, {kept}"
    )
