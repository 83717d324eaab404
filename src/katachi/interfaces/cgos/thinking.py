"""Our moves on the server: legal whatever the player answers, and in time whatever it does."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from katachi.interfaces.gtp.analysis_lines import cgos_line, shown_candidates, with_choice_first
from katachi.players.clock import (
    SHORTEST_THOUGHT,
    Clock,
    TimeSettings,
    TimeSystem,
    expected_moves_left,
)
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Analyst, Choice, Player, Timed
from katachi.rules.color import BLACK
from katachi.rules.errors import KatachiError
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.search.afterstates import sensible_moves

SHORTEST_WAIT = 0.01
"""Seconds a player always gets, even on a clock that shows nothing."""
LONGEST_ANALYSIS = 1.0
"""Seconds a move that is found waits for its analysis."""
FAILURES_IN_A_ROW = 3
_FIRST_WAIT = 90.0
"""Seconds a player may take to start, before any clock runs."""


@dataclass(frozen=True)
class Allowance:
    """Time for one move, in seconds."""

    budget: float
    """What the player is told to use."""
    deadline: float
    """When the move must be sent, with the player or without."""
    is_emergency: bool
    """Whether so little is left that a player who needs longer is not to blame."""


def allow_time(seconds: float, game: Game, lag: float, *, is_late: bool = False) -> Allowance:
    """How to use a clock that shows so many seconds, all that is left for the whole game.

    `lag` is kept back for the way to the server and for a busy machine. No move may take more than
    a third of the rest, so that a player who hangs can be replaced in time; once hardly more than
    the lag is left, none may take more than a tenth, and a fiftieth if the last one came late.
    """
    is_emergency = seconds < 2 * lag
    usable = seconds / 2 if is_emergency else seconds - lag
    share = 3 if not is_emergency else 25 if is_late else 5
    deadline = max(SHORTEST_WAIT, usable / share)
    clock = Clock(TimeSettings(TimeSystem.ABSOLUTE, usable))
    budget = clock.budget(BLACK, expected_moves_left(game.size, len(game.moves))) or 0.0
    return Allowance(max(SHORTEST_THOUGHT, budget), deadline, is_emergency)


def fallback_move(game: Game, color: int) -> int:
    """A legal move that fills no own eye, or PASS: what is played when the player fails."""
    moves = sensible_moves(game, color)
    return int(moves[len(moves) // 2]) if len(moves) else PASS


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


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


class Thinker:
    """Asks a player for moves; replaces the player when it hangs."""

    def __init__(
        self,
        make_player: Callable[[], Player],
        log: Callable[[str], None],
        lag: float = 0.5,
        *,
        with_analysis: bool = True,
    ) -> None:
        self._make_player = make_player
        self._log = log
        self._lag = lag
        self.player = make_player()
        self.gives_analysis = with_analysis and isinstance(self.player, Analyst)
        self.failures = 0
        """In a row, up to now."""
        self.main_seconds = 0.0
        """Main time of the game under way, for programs that keep a clock."""
        self._last: Thought | None = None
        self._is_late = False

    @property
    def is_broken(self) -> bool:
        """Whether the player has failed too often to go on."""
        return self.failures >= FAILURES_IN_A_ROW

    async def prepare(self) -> None:
        """Starts the player while no clock runs; raises KatachiError when it cannot play."""
        thought = self._last = Thought(self.player, _try_out)
        if not await thought.wait(_FIRST_WAIT):
            raise KatachiError(f"the player {self.player.name} does not start")
        if thought.error:
            raise KatachiError(thought.error)

    async def choose(self, game: Game, color: int, seconds: float) -> tuple[int | None, str]:
        """A legal move (None resigns) with its analysis, well before the clock runs out."""
        begin = time.monotonic()
        allowance = allow_time(seconds, game, self._lag, is_late=self._is_late)
        await self._free_player(allowance.deadline / 2)
        left = begin + allowance.deadline - time.monotonic()
        position = game.copy()
        clock = Clock(TimeSettings(TimeSystem.ABSOLUTE, self.main_seconds or seconds))
        clock.report(color, max(0.0, seconds - self._lag), 0)

        def work(thought: Thought) -> None:
            self._think(thought, position, color, clock, min(allowance.budget, max(0.0, left)))

        thought = self._last = Thought(self.player, work)
        if await thought.wait_for_choice(max(SHORTEST_WAIT, left)):
            left = begin + allowance.deadline - time.monotonic()
            await thought.wait(min(LONGEST_ANALYSIS, max(0.0, left)))
        self._is_late = thought.choice is None
        point, trouble = _checked(thought, game, color)
        if trouble:
            self._note(trouble, thought, is_excused=allowance.is_emergency and self._is_late)
            return fallback_move(game, color), ""
        self.failures = 0
        return point, thought.analysis

    def _note(self, trouble: str, thought: Thought, *, is_excused: bool) -> None:
        """Logs a failure; a player who still thinks is replaced."""
        self.failures += not is_excused
        self._log(f"{trouble}: another move is played")
        if thought.is_running:
            self._replace_player()

    def _think(
        self, thought: Thought, game: Game, color: int, clock: Clock, seconds: float
    ) -> None:
        player = thought.player
        if isinstance(player, Timed):
            player.tell_time(game, color, clock)
        begin = time.perf_counter()
        choice = player.choose(game.copy(), color, seconds)
        thought.choose(choice)
        took = time.perf_counter() - begin
        if self.gives_analysis and isinstance(player, Analyst) and choice.point is not None:
            comment = f"{player.name}, {took:.3f} s"
            thought.analysis = analysis_text(player, game, color, choice.point, comment)

    async def _free_player(self, seconds: float) -> None:
        """Waits for a thought nobody needs any more; a player lost in one is replaced."""
        if self._last is not None and not await self._last.wait(seconds):
            self._replace_player()

    def _replace_player(self) -> None:
        self._last = None
        old, self.player = self.player, self._make_player()
        # Closing may wait for a process to end.
        threading.Thread(target=old.close, daemon=True).start()

    def close(self) -> None:
        """Ends the player."""
        self.player.close()


def _checked(thought: Thought, game: Game, color: int) -> tuple[int | None, str]:
    """The player's answer, and why it cannot be sent: no text if it can."""
    choice = thought.choice
    if choice is None:
        return None, thought.error or f"the player {thought.player.name} gave no move in time"
    if choice.failure is not None:
        return None, str(choice.failure)
    if choice.point is not None and not game.is_legal(color, choice.point):
        return None, f"the player {thought.player.name} chose an illegal move"
    return choice.point, ""


def _try_out(thought: Thought) -> None:
    """Starts a program, or compiles what a player of ours needs."""
    player = thought.player
    if isinstance(player, ProgramPlayer):
        player.set_up(Game(9))
        return
    game = Game(9)
    choice = player.choose(game, BLACK, SHORTEST_THOUGHT)
    fallback_move(game, BLACK)
    if choice.failure is not None:
        raise choice.failure
    if isinstance(player, Analyst):
        player.analyse(game, BLACK)


def analysis_text(player: Analyst, game: Game, color: int, point: int, comment: str) -> str:
    """The line of JSON that goes with a move; every number is the mover's."""
    analysis = player.analyse(game, color)
    candidates = shown_candidates(with_choice_first(analysis.candidates, point))
    record = json.loads(cgos_line(analysis, candidates, lambda p: vertex_from_point(p, game.size)))
    record["comment"] = comment
    return json.dumps(record, separators=(",", ":"))
