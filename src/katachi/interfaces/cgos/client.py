"""A player on the Computer Go Server: connections, and what to do when they break."""

import asyncio
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from katachi.errors import KatachiError
from katachi.interfaces.cgos.career import Career
from katachi.interfaces.cgos.conversation import Conversation
from katachi.interfaces.cgos.patience import Patience
from katachi.interfaces.cgos.session import ClientSession, Identity, LoginRefused
from katachi.interfaces.cgos.thinking import Thinker
from katachi.interfaces.cgos.wire import (
    ProtocolError,
    is_name,
    is_one_word,
    open_stream,
    shown,
)
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
        if not is_name(self.name):
            raise KatachiError(
                f"{shown(self.name, 40)!r} is no name for the server: use 3 to 18 of letters, "
                "digits, _ . and -, not beginning with a digit"
            )
        if not is_one_word(self.password):
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
        except (OSError, ProtocolError) as error:
            is_lie = isinstance(error, ProtocolError)
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
                stream = await open_stream(settings.host, settings.port)
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
