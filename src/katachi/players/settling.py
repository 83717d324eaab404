"""A position taken as finished: who is ahead beyond doubt, and whether anything is left to gain.

Who owns a point is the mean of two opinions, random continuations and, on the board that it has
learned, the shipped territory net. Blocks that live or die whatever happens (`rules.benson`) need
no opinion. Everything is Black's point of view unless a colour is named.
"""

from typing import NamedTuple

import numpy as np

from katachi.evaluators.shipped import TERRITORY, load_territory
from katachi.players.finish_settings import Counting
from katachi.rules.color import BLACK, EMPTY, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.scoring import Chances, FinalStatus, status_by_chances
from katachi.rules.state import new_states
from katachi.search.afterstates import sensible_moves
from katachi.search.counting import even_playouts, two_views

NET_SIZE = 9
"""The board that the territory net has learned."""
DOUBT, DOUBT_OF_PLAYOUTS = 0.5, 0.2
"""How far from even, of 1, a block's ownership must be to be beyond doubt: by both opinions, and by
random continuations alone, which are seldom as sure."""
POINT_DOUBT = 0.25
"""The same of a single empty point."""
OPEN_MARGIN = 0.25
"""Points of a lead that each point in doubt asks for."""


class Settlement(NamedTuple):
    """A position as it would be counted now."""

    status: FinalStatus
    """The likeliest reading."""
    worst: dict[int, FinalStatus]
    """The worst reasonable reading for each colour."""
    chances: Chances


def owner_chances(game: Game) -> Chances:
    """[size * size], -1 (White) to 1 (Black): the mean owner of each point, by the rule of this
    module.

    Only the stones count, not how they came there, and exchanging the colours changes nothing but
    the sign: the position is judged as it is and with its colours exchanged.
    """
    views = new_states(2, game.size, 1)
    views.words[:] = two_views(game.colors, game.size)
    chances = even_playouts(views.words, game.size)
    if game.size != NET_SIZE:
        return chances
    owned = load_territory(TERRITORY).evaluate(views).ownership
    assert owned is not None  # of the shipped net that has learned owners
    return np.asarray((chances + owned[0] - owned[1]) / 2.0)


def settle(game: Game) -> Settlement:
    """The readings of a position; the game is not changed."""
    chances = owner_chances(game)
    words, doubt = game.words, _doubt(game)
    worst = {color: status_by_chances(words, chances, color, doubt) for color in (BLACK, WHITE)}
    return Settlement(status_by_chances(words, chances), worst, chances)


def _doubt(game: Game) -> float:
    return DOUBT if game.size == NET_SIZE else DOUBT_OF_PLAYOUTS


def count_score(game: Game, status: FinalStatus, counting: Counting) -> float:
    """Black's points minus White's and komi when the position is counted in that way.

    Points inside a seki count as territory here even under Japanese rules.
    """
    if counting is Counting.ALL_ALIVE:
        return game.area_score()
    if counting is Counting.AGREED:
        return status.balance - game.komi
    return _territory_balance(game, status) - game.komi


def _territory_balance(game: Game, status: FinalStatus) -> int:
    """Black's territory and prisoners minus White's: of each point owned, those without an own
    stone, and the stones taken during the game and at its end."""
    colors = game.colors
    dead = np.isin(points_of(game.size), status.dead)
    counts = dict(zip((BLACK, WHITE), game.captures, strict=True))
    for color in counts:
        free = (status.owners == color) & (dead | (colors != color))
        counts[color] += int(free.sum()) + int((dead & (colors == opponent(color))).sum())
    return counts[BLACK] - counts[WHITE]


def lead_of(game: Game, status: FinalStatus, counting: Counting, color: int) -> float:
    """The points by which `color` is ahead in a reading."""
    return count_score(game, status, counting) * (1 if color == BLACK else -1)


def is_surely_ahead(game: Game, settled: Settlement, counting: Counting, color: int) -> bool:
    """Whether `color` would win if the position were counted now, even in the worst reasonable
    reading; while something is open, by a margin that grows with the points in doubt."""
    readings = (settled.status, settled.worst[color])
    lead = min(lead_of(game, status, counting, color) for status in readings)
    doubtful = np.abs(settled.chances) < _doubt(game)
    margin = 0.0 if is_settled(game, settled) else OPEN_MARGIN * float(doubtful.sum())
    return lead > margin


def is_settled(game: Game, settled: Settlement) -> bool:
    """Whether life and death and every point of territory are beyond doubt. Points that are
    nobody's may still be open."""
    black, white = settled.worst[BLACK], settled.worst[WHITE]
    if black.dead != white.dead or black.dead != settled.status.dead:
        return False
    signs = np.where(settled.status.owners == BLACK, 1, -1) * (settled.status.owners != EMPTY)
    if (signs * settled.chances < POINT_DOUBT)[signs != 0].any():
        return False
    return not _is_in_atari(game, set(settled.status.dead))


def _is_in_atari(game: Game, dead: set[int]) -> bool:
    """Whether a living block has one liberty left."""
    board = game.board
    blocks = board.blocks(BLACK) + board.blocks(WHITE)
    return any(b[0] not in dead and board.liberties_at(b[0]) == 1 for b in blocks)


def neutral_moves(game: Game, settled: Settlement, color: int) -> list[int]:
    """The points of nobody where `color` may play without putting its own stones in atari."""
    points = points_of(game.size)[settled.status.owners == EMPTY].tolist()
    sensible = set(sensible_moves(game, color).tolist())
    return [point for point in points if point in sensible and _is_safe(game, color, point)]


def _is_safe(game: Game, color: int, point: int) -> bool:
    after = game.copy()
    after.play(color, point)
    return after.board.liberties_at(point) > 1


def dead_stones_of(game: Game, settled: Settlement, color: int) -> set[int]:
    """The dead stones of one colour."""
    board = game.board
    return {point for point in settled.status.dead if board.color_at(point) == color}
