"""A player on the Computer Go Server: connections, and what to do when they break."""

import asyncio
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from katachi.interfaces.cgos.session import (
    UNKNOWN,
    Career,
    ClientSession,
    Identity,
    LoginRefused,
    Reaction,
)
from katachi.interfaces.cgos.thinking import Thinker
from katachi.interfaces.cgos.wire import (
    LineStream,
    ProtocolError,
    is_name,
    is_password,
    open_stream,
    shown,
)
from katachi.players.protocol import Player
from katachi.rules.errors import KatachiError

ENOUGH_LINES = 5000
"""Lines in ten seconds that no server has to say."""
_WINDOW = 10.0


@dataclass(frozen=True)
class Patience:
    """How long a client waits, in seconds."""

    first_retry: float = 1.0
    longest_retry: float = 60.0
    """Each wait before connecting again is twice the last one, up to this."""
    tries: int = 30
    """Failed connections in a row after which the client gives up."""
    connect: float = 20.0
    login: float = 30.0
    """For the first line of the server."""
    silence: float = 300.0
    """Servers say something about once a minute; after this the connection counts as lost."""
    resume: float = 15.0
    """For the game under way to come back, when an end was asked for."""
    steady: float = 60.0
    """A connection that held so long was a good one."""

    def retry_delay(self, failures: int, chance: float) -> float:
        """The wait after so many failures in a row; `chance` between 0 and 1 spreads it."""
        delay = self.first_retry * 2.0 ** min(max(failures, 1) - 1, 30)
        return min(self.longest_retry, delay) * (0.5 + chance / 2)


@dataclass(frozen=True)
class ClientSettings:
    """Where to play, as whom, and how often."""

    host: str
    port: int
    name: str
    password: str = field(repr=False)
    games: int | None = None
    with_analysis: bool = True
    lag: float = 0.5
    """Seconds of the clock kept back for the network."""
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        """Raises KatachiError for what no server would take."""
        if not is_name(self.name):
            raise KatachiError(
                f"{shown(self.name, 40)!r} is no name for the server: use 3 to 18 of letters, "
                "digits, _ . and -, not beginning with a digit"
            )
        if not is_password(self.password):
            raise KatachiError("the password must be 3 to 16 of letters, digits, _ . and -")
        if not 1 <= self.port <= 65535:
            raise KatachiError(f"{self.port} is no port: use 1 to 65535")
        if self.games is not None and self.games < 1:
            raise KatachiError(f"{self.games} games: use 1 or more")
        if not 0 <= self.lag <= 3600:
            raise KatachiError(f"a lag of {self.lag:g} seconds: use 0 to 3600")


class Client:
    """Plays until enough games are played or an end is asked for."""

    def __init__(
        self,
        settings: ClientSettings,
        make_player: Callable[[], Player],
        log: Callable[[str], None],
    ) -> None:
        self.settings = settings
        self.career = Career(settings.games)
        self._identity = Identity(settings.name, settings.password)
        self._write = log
        self._make_player = make_player
        self._random = random.Random()
        self._failures = 0
        self._is_halted = False
        self._task: asyncio.Task[object] | None = None

    def log(self, text: str) -> None:
        """Logs one line; the password is never in it, whatever the server says."""
        self._write(self._identity.redact(text))

    def request_end(self) -> None:
        """Ends after the game under way; asked twice, or between games, at once."""
        is_second = self.career.is_ending
        self.career.is_ending = True
        if is_second or self.career.is_done:
            self._is_halted = True
            if self._task is not None:
                self._task.cancel()
        else:
            self.log("ending after this game; interrupt again to end at once")

    async def run(self) -> Career:
        """Connects and plays; raises KatachiError when there is no use in going on."""
        self._task = asyncio.current_task()
        thinker = Thinker(
            self._make_player,
            self.log,
            self.settings.lag,
            with_analysis=self.settings.with_analysis,
        )
        try:
            await thinker.prepare()
            while not self.career.is_done:
                await self._connect(thinker)
        except asyncio.CancelledError:
            if not self._is_halted or self._task is None:
                raise
            self._task.uncancel()
        finally:
            self._task = None
            thinker.close()
        return self.career

    async def _connect(self, thinker: Thinker) -> None:
        """One connection, and the wait after one that failed."""
        begin, played = time.monotonic(), self.career.played
        try:
            await self._converse(thinker)
            return
        except (OSError, ProtocolError) as error:
            where = f"{self.settings.host} port {self.settings.port}"
            trouble = self._identity.redact(f"{where}: {_words(error)}")
        except LoginRefused as error:
            raise LoginRefused(self._identity.redact(str(error))) from None
        if self.career.played > played or time.monotonic() - begin > self.settings.patience.steady:
            self._failures = 0
        self._failures += 1
        await self._back_off(trouble)

    async def _back_off(self, trouble: str) -> None:
        patience = self.settings.patience
        if self.career.is_done:
            return
        if self._failures >= patience.tries:
            raise KatachiError(f"given up after {self._failures} tries: {trouble}")
        delay = patience.retry_delay(self._failures, self._random.random())
        self.log(f"{trouble}; connecting again in {delay:.1f} s")
        await asyncio.sleep(delay)

    async def _converse(self, thinker: Thinker) -> None:
        settings = self.settings
        try:
            async with asyncio.timeout(settings.patience.connect):
                stream = await open_stream(settings.host, settings.port)
        except TimeoutError:
            raise ConnectionError("no connection in time") from None
        self.log(f"connected to {settings.host} port {settings.port} as {settings.name}")
        identity = replace(self._identity, gives_analysis=thinker.gives_analysis)
        session = ClientSession(identity, self.career, self.log)
        try:
            await Conversation(stream, session, thinker, settings.patience).run()
        finally:
            stream.close()
            await stream.wait_closed()


class Conversation:
    """One connection: reading goes on while the player thinks."""

    def __init__(
        self, stream: LineStream, session: ClientSession, thinker: Thinker, patience: Patience
    ) -> None:
        self._stream = stream
        self._session = session
        self._thinker = thinker
        self._patience = patience
        self._thinking: asyncio.Task[tuple[int | None, str]] | None = None
        self._lines = 0
        self._window_began = 0.0
        self._is_over = False

    async def run(self) -> None:
        """Returns when we have played enough; raises OSError or ProtocolError otherwise."""
        reading = asyncio.create_task(self._stream.read_line())
        try:
            while not self._is_over:
                if await self._wait(reading):
                    self._react(reading.result())
                    reading = asyncio.create_task(self._stream.read_line())
                self._send_move()
        finally:
            reading.cancel()
            self._drop_thought()

    async def _wait(self, reading: "asyncio.Task[str | None]") -> bool:
        """Waits for a line or our own move; whether it was a line."""
        tasks = {reading, self._thinking} if self._thinking else {reading}
        done, _ = await asyncio.wait(
            tasks, timeout=self._longest_wait(), return_when=asyncio.FIRST_COMPLETED
        )
        if not done and self._thinking is None:
            self._mind_silence()
        return reading in done

    def _longest_wait(self) -> float:
        career = self._session.career
        if self._lines == 0:
            return self._patience.login
        if career.is_ending and not self._session.has_begun:
            return self._patience.resume
        return self._patience.silence

    def _mind_silence(self) -> None:
        career = self._session.career
        if self._lines and career.is_ending and not self._session.has_begun:
            career.finish(UNKNOWN)
            self._is_over = True
            return
        raise ConnectionError("the server is silent")

    def _react(self, line: str | None) -> None:
        if line is None:
            raise ConnectionError("the server closed the connection")
        self._count_line()
        self._carry_out(self._session.receive(line))

    def _count_line(self) -> None:
        now = time.monotonic()
        if self._lines == 0 or now - self._window_began > _WINDOW:
            self._window_began, self._lines = now, 0
        self._lines += 1
        if self._lines > ENOUGH_LINES:
            raise ProtocolError("the server talks without end")

    def _carry_out(self, reaction: Reaction) -> None:
        if self._session.turn is None:
            self._drop_thought()
        if reaction.reply is not None:
            self._stream.send(reaction.reply)
        if reaction.turn is not None:
            self._start_thinking()
        self._is_over = reaction.is_last

    def _start_thinking(self) -> None:
        career, turn = self._session.career, self._session.turn
        if career.game is None or career.setup is None or turn is None:
            raise AssertionError("a turn without a game")
        self._thinker.main_seconds = career.setup.milliseconds / 1000
        self._thinking = asyncio.create_task(
            self._thinker.choose(career.game, turn.color, turn.milliseconds / 1000)
        )

    def _drop_thought(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    def _send_move(self) -> None:
        """Sends our move, if it is found and still wanted."""
        if self._thinking is None or not self._thinking.done():
            return
        point, analysis = self._thinking.result()
        self._thinking = None
        if self._thinker.is_broken:
            self._stream.send(self._session.answer(None))
            raise KatachiError(f"the player {self._thinker.player.name} keeps failing: resigned")
        self._stream.send(self._session.answer(point, analysis))


def _words(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # The words of a failed look-up have negative numbers, and are not the system's.
    if number is not None and number > 0:
        return os.strerror(number)
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error) or type(error).__name__
