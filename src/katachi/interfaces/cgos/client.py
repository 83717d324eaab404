"""A player on the Computer Go Server: connections, and what to do when they break."""

import asyncio
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from katachi.errors import KatachiError
from katachi.interfaces.cgos import wire
from katachi.interfaces.cgos.career import UNKNOWN, Career, Patience
from katachi.interfaces.cgos.session import ClientSession, Identity, LoginRefused, Reaction
from katachi.interfaces.cgos.thinking import Thinker
from katachi.players.protocol import Player


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
        if not wire.is_name(self.name):
            raise KatachiError(
                f"{wire.shown(self.name, 40)!r} is no name for the server: use 3 to 18 of letters, "
                "digits, _ . and -, not beginning with a digit"
            )
        if not wire.is_one_word(self.password):
            raise KatachiError("the password must not be empty, nor hold blanks or controls")
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
        """Connections in a row that came to nothing."""
        self._hurried = 0
        """The same, made in a hurry because a clock was running."""
        self._last_play = 0.0
        """When a game was last under way on a connection."""
        self._conversation: Conversation | None = None
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
            if self._conversation is not None:
                self._conversation.wake()

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
            if thinker.is_unfit:
                raise KatachiError(f"ended after the game: {thinker.complaint}")
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
        except (OSError, wire.ProtocolError) as error:
            is_lie = isinstance(error, wire.ProtocolError)
            where = f"{self.settings.host} port {self.settings.port}"
            trouble = self._identity.redact(f"{where}: {_words(error)}")
        except LoginRefused as error:
            raise LoginRefused(self._identity.redact(str(error))) from None
        finally:
            talk, self._conversation = self._conversation, None
        has_played = talk is not None and talk.has_begun
        if has_played:
            self._last_play = time.monotonic()
        is_long = time.monotonic() - begin > self.settings.patience.steady
        # A server that lies in every game must not be asked for ever.
        if self.career.played > played or is_long or (has_played and not is_lie):
            self._failures = self._hurried = 0
        await self._back_off(trouble, is_lie=is_lie)

    async def _back_off(self, trouble: str, *, is_lie: bool) -> None:
        """Waits before the next try: not for long while the clock of a game may be running."""
        patience = self.settings.patience
        if self.career.is_done:
            return
        is_hurried = self._is_hurried()
        if is_hurried and not is_lie:
            self._hurried += 1
        else:
            self._failures += 1
        if self._failures >= patience.tries:
            raise KatachiError(f"given up after {self._failures} tries: {trouble}")
        count = self._failures + self._hurried
        delay = patience.retry_delay(count, self._random.random(), is_hurried=is_hurried)
        self.log(f"{trouble}; connecting again in {delay:.1f} s")
        await asyncio.sleep(delay)

    def _is_hurried(self) -> bool:
        """Whether our game may still be under way: no clock runs longer than the main time."""
        setup = self.career.setup
        if setup is None or not self.career.is_playing:
            return False
        longest = min(setup.milliseconds / 1000, self.settings.patience.hurry)
        return time.monotonic() - self._last_play < longest

    async def _converse(self, thinker: Thinker) -> None:
        settings = self.settings
        try:
            async with asyncio.timeout(settings.patience.connect):
                stream = await wire.open_stream(settings.host, settings.port)
        except TimeoutError:
            raise ConnectionError("no connection in time") from None
        self.log(f"connected to {settings.host} port {settings.port} as {settings.name}")
        identity = replace(self._identity, gives_analysis=thinker.gives_analysis)
        session = ClientSession(identity, self.career, self.log)
        self._conversation = Conversation(stream, session, thinker, settings.patience)
        try:
            await self._conversation.run()
        finally:
            stream.close()
            await stream.wait_closed()


def _words(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # The words of a failed look-up have negative numbers, and are not the system's.
    if number is not None and number > 0:
        return os.strerror(number)
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error) or type(error).__name__


ENOUGH_LINES = 5000
"""Lines in ten seconds that no server has to say."""
_WINDOW = 10.0


class Conversation:
    """One connection: reading goes on while the player thinks."""

    def __init__(
        self, stream: wire.LineStream, session: ClientSession, thinker: Thinker, patience: Patience
    ) -> None:
        """A conversation that has just begun; call it from a running event loop."""
        self._stream = stream
        self._session = session
        self._thinker = thinker
        self._patience = patience
        self._thinking: asyncio.Task[tuple[int | None, str]] | None = None
        self._waker = _new_waker()
        self._began = self._spoke = time.monotonic()
        self._lines = 0
        self._window_began = 0.0
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        """Whether a game was set up on this connection."""
        return self._session.has_begun

    def wake(self) -> None:
        """Lets a conversation that waits think again how long it wants to."""
        if not self._waker.done():
            self._waker.set_result(None)

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
        """Waits for a line, our own move or a call of `wake`; whether it was a line."""
        tasks: set[asyncio.Future[Any]] = {reading, self._waker}
        if self._thinking is not None:
            tasks.add(self._thinking)
        # While we think, the server waits for us.
        timeout = None if self._thinking is not None else self._time_left()
        done, _ = await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if self._waker.done():
            self._waker = _new_waker()
        if reading not in done and self._thinking is None and self._time_left() <= 0:
            self._mind_silence()
        return reading in done

    def _time_left(self) -> float:
        """Seconds for which we still wait for a line."""
        patience = self._patience
        if self._lines == 0:
            deadline = self._began + patience.login
        elif self._awaits_return():
            deadline = self._began + patience.resume
        elif self._expects_news():
            deadline = self._spoke + patience.silence
        else:
            deadline = self._spoke + patience.long_silence
        return max(0.0, deadline - time.monotonic())

    def _expects_news(self) -> bool:
        """Whether a server is expected to send news of the games."""
        session = self._session
        return session.career.is_playing and session.has_begun and not session.is_polled

    def _awaits_return(self) -> bool:
        """Whether nothing but the game under way keeps us, and it has not come back yet."""
        return self._session.career.is_closing and not self.has_begun

    def _mind_silence(self) -> None:
        if self._lines and self._awaits_return():
            self._session.log("the server has forgotten the game")
            self._session.career.finish(UNKNOWN)
            self._is_over = True
            return
        raise ConnectionError("the server is silent")

    def _react(self, line: str | None) -> None:
        since, self._spoke = self._spoke, time.monotonic()
        if line is None:
            is_prompt = self._spoke - since < self._patience.verdict and not self._stream.is_lost
            raise self._session.explain_close(is_prompt=is_prompt)
        self._count_line()
        self._carry_out(self._session.receive(line))

    def _count_line(self) -> None:
        now = time.monotonic()
        if self._lines == 0 or now - self._window_began > _WINDOW:
            self._window_began, self._lines = now, 0
        self._lines += 1
        if self._lines > ENOUGH_LINES:
            raise wire.ProtocolError("the server talks without end")

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
        self._thinker.enter_game(career.played, career.setup.milliseconds / 1000)
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
        self._spoke = time.monotonic()
        self._stream.send(self._session.answer(point, analysis))
        # Nobody is served by another game of a player that cannot play.
        self._session.career.is_helpless |= self._thinker.is_unfit


def _new_waker() -> "asyncio.Future[None]":
    return asyncio.get_running_loop().create_future()
