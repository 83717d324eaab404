"""A rated player that follows the results of the person it plays with."""

import json
import logging
from pathlib import Path
from typing import NamedTuple

from katachi.evaluators.protocol import Evaluator
from katachi.files.atomic import write_atomically
from katachi.files.user_data import user_data_folder
from katachi.players.kinds import HIGHEST_RATING, LOWEST_RATING
from katachi.players.rated import RatedPlayer
from katachi.players.rating_table import strength_of
from katachi.search.tree_limits import TreeLimits

FIRST_RATING = 800.0
FIRST_STEP, LEAST_STEP = 200.0, 25.0
"""Points that a rating moves by after the first game, and after many."""
SHRINKING = 0.8
"""How much of a step is left in the next game."""


class Standing(NamedTuple):
    """Where a person stands."""

    rating: float = FIRST_RATING
    games: int = 0

    def after(self, *, is_won: bool) -> "Standing":
        """The same after one more game, won or lost by the player."""
        step = max(LEAST_STEP, FIRST_STEP * SHRINKING**self.games)
        moved = self.rating + (-step if is_won else step)
        return Standing(min(max(moved, LOWEST_RATING), HIGHEST_RATING), self.games + 1)


def standing_file() -> Path:
    """Where the standing is kept."""
    return user_data_folder() / "rated.json"


def read_standing() -> Standing:
    """The standing that was kept; the first one where there is none, or none that can be read."""
    try:
        found = json.loads(standing_file().read_bytes())
        rating, games = float(found["rating"]), int(found["games"])
    except (OSError, ValueError, TypeError, KeyError):
        return Standing()
    is_right = LOWEST_RATING <= rating <= HIGHEST_RATING and games >= 0
    return Standing(rating, games) if is_right else Standing()


class AutoRatedPlayer(RatedPlayer):
    """Plays at a rating that rises when it loses and falls when it wins."""

    def __init__(
        self, name: str, evaluator: Evaluator, seed: int = 0, limits: TreeLimits | None = None
    ) -> None:
        """A player at the standing that was kept."""
        self.standing = read_standing()
        super().__init__(name, evaluator, strength_of(self.standing.rating), seed, limits)

    def hear_result(self, *, is_won: bool) -> str:
        """Moves the rating after a game that it won or lost; returns this in words. Where the
        standing cannot be kept, the log says so and play goes on."""
        self.standing = self.standing.after(is_won=is_won)
        self.strength = strength_of(self.standing.rating)
        try:
            standing_file().parent.mkdir(parents=True, exist_ok=True)
            write_atomically(standing_file(), json.dumps(self.standing._asdict()).encode())
        except OSError as error:
            logging.getLogger(__name__).warning("the standing is not kept: %s", error)
        return f"{self.name} plays at {self.standing.rating:.0f} from now on"
