"""Our moves on the server: legal whatever the player answers, and in time whatever it does."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.interfaces.cgos import playing
from katachi.players.clock import (
    SHORTEST_THOUGHT,
    Clock,
    TimeSettings,
    TimeSystem,
    expected_moves_left,
)
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Analyst, Choice, FailureKind, Player, Timed
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.search.afterstates import sensible_moves

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
        again by then, so it is ended once more when the thread is through.
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


ENOUGH = 3
"""Moves in a row without a usable answer."""


class Form:
    """How a player has been doing, in the game under way and before.

    A player that is late is not asked again in the same game, for every wait costs the clock; if it
    gave moves in that game it is not to blame, and plays the next one. A player that fails in other
    ways, or that gives no move at all with time on the clock, is unfit to play on.
    """

    def __init__(self) -> None:
        self.complaint = ""
        """What it did wrong last."""
        self.is_unfit = False
        """Whether another game with it makes no sense."""
        self._game: int | None = None
        self._answers = 0
        self._lates = 0
        self._blamed = 0
        self._failures = 0

    def enter(self, game: int) -> None:
        """Notes which game is under way; a new one is a new chance for the late."""
        if game != self._game:
            self._game = game
            self._answers = self._lates = self._blamed = 0

    @property
    def is_benched(self) -> bool:
        """Whether the player is not to be asked in this game any more."""
        return self.is_unfit or max(self._lates, self._failures) >= ENOUGH

    def note_answer(self) -> None:
        """A move that can be played came in time."""
        self._answers += 1
        self._lates = self._blamed = self._failures = 0

    def note_failure(self, complaint: str) -> None:
        """An answer came that nobody can use."""
        self.complaint = complaint
        self._failures += 1
        self.is_unfit |= self._failures >= ENOUGH

    def note_lateness(self, complaint: str, *, is_fair: bool) -> None:
        """No answer came in time; `is_fair` if there was enough of it."""
        self.complaint = complaint
        self._lates += 1
        self._blamed += is_fair
        self.is_unfit |= self._blamed >= ENOUGH and not self._answers


SHORTEST_WAIT = 0.01
"""Seconds a player always gets, even on a clock that shows nothing."""
LONGEST_ANALYSIS = 1.0
"""Seconds a move that is found waits for its analysis."""
_FAIR_SHARE = 0.1
"""Of the main time: whoever needs more than that for a move cannot play this game."""
_FIRST_WAIT = 90.0
"""Seconds a player may take to start, before any clock runs."""


@dataclass(frozen=True)
class Allowance:
    """Time for one move, in seconds."""

    budget: float
    """What the player may use."""
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


class Question(NamedTuple):
    """What a player is asked."""

    game: Game
    color: int
    clock: Clock
    seconds: float
    """To think in."""


class Thinker:
    """Asks a player for moves; replaces the player when it hangs, and plays on without it.

    A player is used by one thread at a time: while one still thinks, the next move is another's.
    """

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
        self.gives_analysis = with_analysis and playing.can_comment(self.player)
        self._form = Form()
        self._commentator = playing.Commentator()
        self._main_seconds = 0.0
        self._last: Thought | None = None
        self._is_late = False

    @property
    def is_unfit(self) -> bool:
        """Whether the player has failed too often for another game."""
        return self._form.is_unfit

    @property
    def complaint(self) -> str:
        """What the player did wrong last, and how often."""
        return f"the player {self.player.name} keeps failing: {self._form.complaint}"

    async def prepare(self) -> None:
        """Starts the player while no clock runs; raises KatachiError when it cannot play."""
        thought = self._last = Thought(self.player, _try_out)
        if not await thought.wait(_FIRST_WAIT):
            raise KatachiError(f"the player {self.player.name} does not start")
        if thought.error:
            raise KatachiError(thought.error)

    def enter_game(self, number: int, main_seconds: float) -> None:
        """Notes which game is under way, and its main time."""
        self._form.enter(number)
        self._main_seconds = main_seconds

    async def choose(self, game: Game, color: int, seconds: float) -> tuple[int | None, str]:
        """A legal move (None resigns) with its analysis, well before the clock runs out."""
        if self._form.is_benched:
            return fallback_move(game, color), ""
        allowance = allow_time(seconds, game, self._lag, is_late=self._is_late)
        thought = await self._ask(game.copy(), color, seconds, allowance)
        self._is_late = thought.choice is None
        point, trouble = _checked(thought, game, color)
        if not trouble:
            self._form.note_answer()
            return point, thought.analysis
        self._note(trouble, thought, is_fair=self._is_fair(allowance))
        return fallback_move(game, color), ""

    async def _ask(self, game: Game, color: int, seconds: float, allowance: Allowance) -> Thought:
        """What the player has thought by the deadline."""
        begin = time.monotonic()
        await self._free_player(allowance.deadline / 2)
        left = max(0.0, begin + allowance.deadline - time.monotonic())
        clock = Clock(TimeSettings(TimeSystem.ABSOLUTE, self._main_seconds or seconds))
        clock.report(color, max(0.0, seconds - self._lag), 0)
        # A program hears of its clock, not of its budget: it may take what the clock allows.
        is_program = isinstance(self.player, ProgramPlayer)
        question = Question(game, color, clock, left if is_program else min(left, allowance.budget))
        thought = self._last = Thought(self.player, partial(self._think, question=question))
        if await thought.wait_for_choice(max(SHORTEST_WAIT, left)):
            # What the analysis takes comes out of this move's own time.
            left = begin + allowance.budget - time.monotonic()
            await thought.wait(min(LONGEST_ANALYSIS, max(0.0, left)))
        return thought

    def _is_fair(self, allowance: Allowance) -> bool:
        """Whether a player who needs longer than this has itself to blame, and not the clock."""
        return not allowance.is_emergency and allowance.deadline >= _FAIR_SHARE * self._main_seconds

    def _note(self, trouble: str, thought: Thought, *, is_fair: bool) -> None:
        """Logs a failure; a player who still thinks is replaced."""
        if _is_slow(thought):
            self._form.note_lateness(trouble, is_fair=is_fair)
        else:
            self._form.note_failure(trouble)
        rest = ", and so until the game is over" if self._form.is_benched else ""
        self._log(f"{trouble}: another move is played{rest}")
        if thought.is_running:
            self._replace_player()

    def _think(self, thought: Thought, question: Question) -> None:
        """A choice, then its analysis; runs in the thought's thread."""
        player, game, color = thought.player, question.game, question.color
        if isinstance(player, Timed):
            player.tell_time(game, color, question.clock)
        begin = time.perf_counter()
        choice = player.choose(game.copy(), color, question.seconds)
        took = time.perf_counter() - begin
        comment = f"{player.name}, {took:.3f} s"
        if self.gives_analysis:
            thought.analysis = playing.short_text(choice, game.size, comment)
        thought.choose(choice)
        if not self.gives_analysis or choice.point is None:
            return
        if self._commentator.can_afford(game.size, question.seconds - took):
            self._comment(thought, question, choice.point, comment)

    def _comment(self, thought: Thought, question: Question, point: int, comment: str) -> None:
        game = question.game
        speaker = playing.speaker_of(thought.player, game)
        if isinstance(speaker, Analyst):
            begin = time.perf_counter()
            thought.analysis = playing.analysis_text(speaker, game, question.color, point, comment)
            self._commentator.note(game.size, time.perf_counter() - begin)

    async def _free_player(self, seconds: float) -> None:
        """Waits for a thought nobody needs any more; a player lost in one is replaced."""
        if self._last is not None and not await self._last.wait(seconds):
            self._replace_player()

    def _replace_player(self) -> None:
        lost, self._last = self._last, None
        self.player = self._make_player()
        if lost is not None:
            _abandon(lost)

    def close(self) -> None:
        """Ends the player."""
        self.player.close()
        if self._last is not None and self._last.is_running:
            _abandon(self._last)


def _abandon(thought: Thought) -> None:
    # Closing may wait for a process to end.
    threading.Thread(target=thought.abandon, daemon=True).start()


def _is_slow(thought: Thought) -> bool:
    """Whether an answer is missing because it was not there in time, and for no other reason."""
    if thought.choice is None:
        return not thought.error
    failure = thought.choice.failure
    return failure is not None and failure.kind == FailureKind.HANG


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
        playing.analysis_text(player, game, BLACK, int(sensible_moves(game, BLACK)[0]), "")
