"""Who will own what before a move, after it and after a pass, and what the move changes."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.rules.state import PLY, BoardState
from katachi.search.afterstates import afterstates
from katachi.search.analysis import black_ownership

CONTINUATIONS = 4096
"""Random continuations for an evaluator that knows no ownership: enough that the difference of two
positions is off by a percent or so."""

Chances = npt.NDArray[np.float64]


class TerritoryView(NamedTuple):
    """A position and the chance that Black will own each of its points, or the difference of two
    such chances."""

    title: str
    game: Game
    chances: Chances
    """[size * size], row by row."""
    is_difference: bool = False

    @property
    def points(self) -> float:
        """The points that Black is expected to own, or to own more."""
        return float(self.chances.sum())

    @property
    def leanings(self) -> Chances:
        """[size * size] from -1, White's, to 1, Black's; of a difference in parts of the
        largest."""
        if not self.is_difference:
            return np.asarray(2.0 * self.chances - 1.0)
        return np.asarray(self.chances / (np.abs(self.chances).max() or 1.0))

    @property
    def summary(self) -> str:
        """The points in words."""
        if self.is_difference:
            largest = np.abs(self.chances).max()
            return f"Black's points {self.points:+.1f}; at most {largest:.0%} at a point"
        white = len(self.chances) - self.points
        return f"Black {self.points:.1f}, White {white:.1f} and {self.game.komi:g}: {self.score}"

    @property
    def score(self) -> str:
        """Who is ahead, komi counted: `B+3.5`."""
        lead = 2.0 * self.points - len(self.chances) - self.game.komi
        return f"{'B' if lead >= 0 else 'W'}+{abs(lead):.1f}"


class TerritoryReading(NamedTuple):
    """What a move does to the territory, always as Black's."""

    now: TerritoryView
    after_move: TerritoryView
    after_pass: TerritoryView
    difference: TerritoryView
    """After the move less after a pass."""
    is_known: bool
    """Whether the evaluator knows ownership; else it is that of random continuations."""

    @property
    def views(self) -> tuple[TerritoryView, ...]:
        """Now, after the move, after a pass, and the difference, in this order."""
        return self.now, self.after_move, self.after_pass, self.difference


def source_line(player: str, reading: TerritoryReading, continuations: int = CONTINUATIONS) -> str:
    """Whose opinion a reading is."""
    if reading.is_known:
        return f"as {player} sees it"
    return (
        f"{player} knows no ownership: the mean owner over {continuations:,} random continuations"
    )


def read_territory(
    evaluator: Evaluator, game: Game, color: int, point: int, continuations: int = CONTINUATIONS
) -> TerritoryReading:
    """What a legal move of `color` does to the territory; the game is not changed."""
    states = _three_states(game, color, point)
    evaluation = evaluator.evaluate(states)
    chances = black_ownership(states, evaluation, continuations)
    return reading_of(game, color, point, chances, is_known=evaluation.ownership is not None)


def reading_of(
    game: Game, color: int, point: int, chances: Chances, *, is_known: bool = True
) -> TerritoryReading:
    """A reading of chances [3, size * size]: now, after the move and after a pass."""
    now, moved, passed = chances
    after_move, after_pass = game.copy(), game.copy()
    after_move.play(color, point)
    after_pass.play(color, PASS)
    name = f"{COLOR_NAMES[color].capitalize()} {vertex_from_point(point, game.size)}"
    return TerritoryReading(
        TerritoryView("now", game, now),
        TerritoryView(f"after {name}", after_move, moved),
        TerritoryView("after a pass", after_pass, passed),
        TerritoryView(
            f"difference: {name} less pass", after_move, moved - passed, is_difference=True
        ),
        is_known,
    )


def _three_states(game: Game, color: int, point: int) -> BoardState:
    """The position now, after the move and after a pass."""
    after = afterstates(game, color, np.array([point, PASS], np.uint16)).states
    words = np.concatenate([game.words[None], after.words])
    words[0, PLY] = 0
    present = np.array([[game.hash, 0]], np.uint64)
    return BoardState(words, np.concatenate([present, after.hashes]), after.keys)
