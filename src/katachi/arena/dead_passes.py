"""Programs that pass too early for games in which every stone on the board counts as alive."""

import logging

from katachi.arena.outcome import Ending, Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished
from katachi.players.kinds import GNUGO, split_name
from katachi.players.names import is_program
from katachi.records.conversion import game_from_record
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.scoring import dead_stones
from katachi.rules.state import COLOR

_log = logging.getLogger(__name__)


class PassWatch:
    """Looks at finished games and warns, once for each program, where it passed beside stones of
    its opponent that playouts call dead: here they count as alive."""

    def __init__(self, settings: GameSettings) -> None:
        self._has_referee = settings.referee is not None
        self._warned: set[str] = set()

    def look(self, finished: Finished) -> None:
        """Warns, if there is reason to."""
        task, outcome = finished
        if self._has_referee or outcome.ending is not Ending.SCORE:
            return
        names = task.names or (task.black, task.white)
        for color, spec, name in zip((BLACK, WHITE), (task.black, task.white), names, strict=True):
            if spec in self._warned or not is_program(spec) or split_name(spec)[0] == GNUGO:
                continue
            count = stones_left(outcome, color)
            if count:
                self._warned.add(spec)
                stones = "1 stone looks" if count == 1 else f"{count} stones look"
                _log.warning(
                    "%s passed while %s dead: games here count all stones alive (use the player "
                    "gnugo, or a referee)",
                    name,
                    stones,
                )


def stones_left(outcome: Outcome, color: int) -> int:
    """How many stones of its opponent a player left on the board that playouts call dead."""
    words = game_from_record(outcome.record).words
    return sum(int(words[COLOR + point]) == opponent(color) for point in dead_stones(words))
