"""One game between two players: moves, clocks, legality, result."""

import time
from collections.abc import Sequence

from katachi.arena.outcome import Ending, Outcome, recorded_result
from katachi.arena.settings import GameSettings
from katachi.errors import IllegalMove, KatachiError
from katachi.files.plain_text import LONGEST_REASON, shorten
from katachi.files.plugins import PluginFailure
from katachi.players.clock import SHORTEST_THOUGHT, Clock, TimeSystem, expected_moves_left
from katachi.players.plugins import failed_choice
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import (
    Choice,
    FailureKind,
    Player,
    PlayerFailure,
    Started,
    Timed,
)
from katachi.records.conversion import record_from_game, text_from_rules
from katachi.records.record import GameTexts
from katachi.rules.color import BLACK, EMPTY, WHITE, opponent
from katachi.rules.game import Game, Move
from katachi.rules.point import PASS

COUNTED_BY_AREA = "counted by area, for the referee failed"
LONGEST_OUTCOME = 2 * LONGEST_REASON
"""Characters of an outcome's reason: a failure with who it was and what came of it."""


class Table:
    """A game being played: the board, the clocks and who sits where."""

    def __init__(
        self, black: Player, white: Player, settings: GameSettings, opening: Sequence[Move] = ()
    ) -> None:
        self.players = {BLACK: black, WHITE: white}
        self.settings = settings
        self.game = Game(settings.size, settings.komi, settings.rules)
        self.clock = Clock(settings.time)
        self.evaluations: list[float | None] = []
        self.seconds = {BLACK: 0.0, WHITE: 0.0}
        self.has_clock = settings.time.system is not TimeSystem.NONE
        for move in opening:
            self.game.play(*move)
            self.evaluations.append(None)

    def play(self) -> Outcome:
        """Plays to the end; whatever goes wrong is an outcome with its reason."""
        game, limit = self.game, self.settings.longest
        while not game.is_over:
            if len(game.moves) >= limit:
                return self.finish(EMPTY, Ending.LIMIT, reason=f"stopped after {limit} moves")
            outcome = self._turn(game.to_play)
            if outcome is not None:
                return outcome
        return self._count()

    def _turn(self, color: int) -> Outcome | None:
        """One move; an outcome if it ends the game at once."""
        player = self.players[color]
        choice, took = self._ask(player, color)
        self.seconds[color] += took
        if self.has_clock and not _is_missing(choice):
            self.clock.spend(color, took)
            if self.clock.left(color).is_expired:
                return self._lose(color, Ending.TIME, f"{player.name} overstepped the time")
        if choice.point is None:
            return self._gave_up(color, choice)
        try:
            self.game.play(color, choice.point)
        except IllegalMove as error:
            return self._lose(color, Ending.ILLEGAL, f"{player.name}: {error}")
        self.evaluations.append(_black_rate(choice, color))
        return None

    def _ask(self, player: Player, color: int) -> tuple[Choice, float]:
        """The player's answer and the seconds it took: all it did but to start."""
        if isinstance(player, Started):
            player.start(self.game)
        begin = time.perf_counter()
        budget = self._budget(player, color) if self.has_clock else None
        if budget is not None:
            budget = max(SHORTEST_THOUGHT, budget - (time.perf_counter() - begin))
        try:
            choice = player.choose(self.game, color, budget)
        except PluginFailure as failure:  # of code inside a player of ours
            choice = failed_choice(failure)
        return choice, time.perf_counter() - begin

    def _budget(self, player: Player, color: int) -> float | None:
        if isinstance(player, Timed):
            player.tell_time(self.game, color, self.clock)
        moves_left = expected_moves_left(self.game.size, len(self.game.moves))
        return self.clock.budget(color, moves_left)

    def _gave_up(self, color: int, choice: Choice) -> Outcome:
        failure = choice.failure
        if failure is None:
            return self._lose(color, Ending.RESIGN, "")
        return self._lose(color, Ending(failure.kind.value), str(failure))

    def _lose(self, color: int, ending: Ending, reason: str) -> Outcome:
        return self.finish(opponent(color), ending, reason=reason)

    def _count(self) -> Outcome:
        score = self.game.area_score()
        reason = ""
        if self.settings.referee is not None:
            try:
                score = ask_referee(self.settings.referee, self.game)
            except PlayerFailure as failure:
                if failure.kind is FailureKind.MISSING:
                    return self.finish(EMPTY, Ending.MISSING, reason=f"the referee {failure}")
                reason = f"{COUNTED_BY_AREA}: {failure}"
        winner = EMPTY if score == 0 else BLACK if score > 0 else WHITE
        return self.finish(winner, Ending.SCORE, abs(score), reason)

    def finish(
        self, winner: int, ending: Ending, margin: float | None = None, reason: str = ""
    ) -> Outcome:
        """The outcome of the game as it stands."""
        texts = GameTexts(
            black=self.players[BLACK].name,
            white=self.players[WHITE].name,
            rules=text_from_rules(self.settings.rules),
        )
        record = record_from_game(self.game, texts, recorded_result(winner, ending, margin))
        rates = tuple(self.evaluations)
        reason = shorten(reason, LONGEST_OUTCOME)
        return Outcome(winner, ending, margin, reason, record, rates, self.seconds)


def _is_missing(choice: Choice) -> bool:
    return choice.failure is not None and choice.failure.kind is FailureKind.MISSING


def _black_rate(choice: Choice, color: int) -> float | None:
    if choice.win_rate is None:
        return None
    return choice.win_rate if color == BLACK else 1.0 - choice.win_rate


def play_game(
    black: Player, white: Player, settings: GameSettings, opening: Sequence[Move] = ()
) -> Outcome:
    """Plays one game after an opening; the players are not closed."""
    return Table(black, white, settings, opening).play()


def ask_referee(command: str, game: Game) -> float:
    """Black's score less White's by a GTP program; raises PlayerFailure if it cannot tell."""
    referee = ProgramPlayer(command)
    try:
        referee.set_up(game)
        return referee.final_score()
    finally:
        referee.close()


def check_referee(settings: GameSettings) -> None:
    """Lets the referee, if there is one, count an empty board after two passes; raises KatachiError
    where it does not start, or can neither do that nor knows `final_score`."""
    if settings.referee is None:
        return
    game = Game(settings.size, settings.komi, settings.rules)
    game.play(BLACK, PASS)
    game.play(WHITE, PASS)
    referee = ProgramPlayer(settings.referee)
    try:
        referee.set_up(game)
        _try_count(referee)
    except PlayerFailure as failure:
        raise KatachiError(f"the referee {failure}") from None
    finally:
        referee.close()


def _try_count(referee: ProgramPlayer) -> None:
    try:
        referee.final_score()
    except PlayerFailure as failure:  # some count no board without stones
        if failure.kind is not FailureKind.GARBAGE or not referee.program.knows("final_score"):
            raise
