"""One connection of a client: reading goes on while the player thinks."""

import asyncio
import time
from typing import Any

from katachi.interfaces.cgos.career import UNKNOWN
from katachi.interfaces.cgos.patience import Patience
from katachi.interfaces.cgos.session import ClientSession, Reaction
from katachi.interfaces.cgos.thinking import Thinker
from katachi.interfaces.cgos.wire import LineStream, ProtocolError

ENOUGH_LINES = 5000
"""Lines in ten seconds that no server has to say."""
_WINDOW = 10.0


class Conversation:
    """One connection: reading goes on while the player thinks."""

    def __init__(
        self, stream: LineStream, session: ClientSession, thinker: Thinker, patience: Patience
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
        elif self._is_told():
            deadline = self._spoke + patience.silence
        else:
            deadline = self._spoke + patience.long_silence
        return max(0.0, deadline - time.monotonic())

    def _is_told(self) -> bool:
        """Whether this is when servers tell how the games get on."""
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
