"""One move being thought about."""

import asyncio
import contextlib
import threading
from collections.abc import Callable

from katachi.errors import KatachiError
from katachi.players.protocol import Choice, Player

_LONGEST_FAREWELL = 60.0
"""Seconds after which a thread that thinks on is left to itself."""


class Thought:
    """One move being thought about in a thread of its own, which nobody need wait for."""

    def __init__(self, player: Player, work: Callable[["Thought"], None]) -> None:
        self.player = player
        self.choice: Choice | None = None
        self.analysis = ""
        self.error = ""
        self._work = work
        self._chosen = asyncio.Event()
        self._done = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work(self)
        except KatachiError as error:
            self.error = str(error)
        except Exception as error:  # a player's mistake must not lose the game
            self.error = f"{type(error).__name__}: {error}"
        self._tell(self._chosen)
        self._tell(self._done)

    def _tell(self, event: asyncio.Event) -> None:
        # The client may have ended meanwhile.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(event.set)

    def choose(self, choice: Choice) -> None:
        """Takes the choice, from the thread; an analysis may follow."""
        self.choice = choice
        self._tell(self._chosen)

    async def wait_for_choice(self, seconds: float) -> bool:
        """Whether there is a choice, or an error, within so many seconds."""
        return await _happens(self._chosen, seconds)

    async def wait(self, seconds: float) -> bool:
        """Whether the thought is complete within so many seconds."""
        return await _happens(self._done, seconds)

    @property
    def is_running(self) -> bool:
        """Whether the thread still works."""
        return not self._done.is_set()

    def abandon(self) -> None:
        """Ends the player, for good, without waiting for its thread.

        A program is ended at once, for that is what wakes the thread; it might have started it
        anew by then, so it is ended once more when the thread is through.
        """
        self.player.close()
        self._thread.join(_LONGEST_FAREWELL)
        self.player.close()


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
