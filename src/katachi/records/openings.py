"""Openings: the first moves of games, their styles, and their eight mirror images.

Styles are known by Black's first stones, whichever way the board lies. The first rule that fits
wins; lines are counted from the nearest edge, the board has 19.

| style | rule |
|---|---|
| three-star | two neighbouring 4-4 points and the star between, among the first four stones |
| chinese | a 4-4 point, a 3-4 point in a neighbouring corner that lies on the fourth line of their common side, and the ninth point of that side from the 3-4 corner, on its third or fourth line; among the first four |
| shusaku | the first three on 3-4 points of three corners, all turned the same way |
| two-star | the first two on neighbouring 4-4 points |
| misc | any other |
"""  # noqa: E501

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

import numpy as np

from katachi.errors import KatachiError
from katachi.records.dataset import GameSet, common_size
from katachi.records.record import GameRecord
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, point_from_row_col
from katachi.rules.state import BoardState
from katachi.rules.symmetry import SYMMETRIES, point_tables

STYLED_SIZE = 19
"""Openings on other boards have no style of their own."""
STYLE_STONES = 4
"""Of Black's, that tell a style."""
LONGEST_OPENING = 200
"""Moves after which nobody speaks of an opening."""


class Style(StrEnum):
    """How Black begins."""

    TWO_STAR = "two-star"
    THREE_STAR = "three-star"
    CHINESE = "chinese"
    SHUSAKU = "shusaku"
    MISC = "misc"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Opening:
    """The first moves of a game, Black's and White's in turn. Arrays are not to be written to."""

    size: int
    moves: Points
    """[N] points in the order played; a pass is PASS."""
    style: Style
    game: int = 0
    """The number of the game in its set, from 0."""
    symmetry: int = 0
    """How the game was turned (`katachi.rules.symmetry`)."""
    komi: float | None = None
    winner: int = EMPTY
    """Of the whole game: BLACK, WHITE, or EMPTY for nobody or not known."""
    judgement: float | None = None
    """z: +1 where the opening is good for Black, -1 for White, 0 where it is even, or between."""

    def __len__(self) -> int:
        """The number of moves."""
        return len(self.moves)

    def turned(self, symmetry: int) -> "Opening":
        """The same opening on a board moved by a symmetry; only of one that is not turned yet."""
        if self.symmetry:
            raise ValueError("an opening is turned once")
        moves = point_tables(self.size)[symmetry, self.moves]
        return replace(self, moves=moves, symmetry=symmetry)

    def cut(self, length: int) -> "Opening":
        """Its first so many moves, not judged; raises KatachiError where it has fewer."""
        _check_length(length, len(self.moves), f"opening {self.game + 1}")
        return replace(self, moves=self.moves[:length], judgement=None)

    def judged(self, judgement: float) -> "Opening":
        """The same with what it is worth to Black."""
        return replace(self, judgement=judgement)

    def play(self) -> Game:
        """The opening as a game."""
        game = Game(self.size)
        for ply, point in enumerate(self.moves.tolist()):
            game.play(BLACK if ply % 2 == 0 else WHITE, point)
        return game

    def states(self) -> BoardState:
        """All its positions, the empty board first, [N + 1]; their history holds nothing but
        themselves."""
        game = Game(self.size)
        parts = [game.words.copy()]
        for ply, point in enumerate(self.moves.tolist()):
            game.play(BLACK if ply % 2 == 0 else WHITE, point)
            parts.append(game.words.copy())
        hashes = np.repeat(game.state.hashes[: len(parts), None], len(self.moves) + 2, axis=1)
        return BoardState(np.stack(parts), hashes, game.state.keys)


def openings_of(games: GameSet, length: int) -> list[Opening]:
    """The first `length` moves of every game, in the order of the set.

    Raises KatachiError, naming the first one, for a game that has fewer moves, begins with setup
    stones, in which the colours do not alternate from Black on or both pass, and where there is no
    game.
    """
    if not 1 <= length <= LONGEST_OPENING:
        raise KatachiError(f"an opening of {length} moves: use 1 to {LONGEST_OPENING}")
    openings = [_opening_of(record, number, length) for number, record in enumerate(games)]
    if not openings:
        raise KatachiError("no games are left to take openings from: name others, or filter less")
    common_size(games)
    return openings


def _opening_of(record: GameRecord, number: int, length: int) -> Opening:
    _check_length(length, len(record.moves), str(record.source))
    if len(record.setup_black) or len(record.setup_white):
        raise KatachiError(
            f"{record.source} begins with setup stones: openings need an empty board"
        )
    colors = record.colors[:length]
    if np.any(colors != np.where(np.arange(length) % 2 == 0, BLACK, WHITE)):
        raise KatachiError(f"{record.source}: Black and White do not move in turn, Black first")
    moves = np.array(record.moves[:length], np.uint16)
    if np.any((moves[1:] == PASS) & (moves[:-1] == PASS)):
        # The empty board after two passes would be a node that leads to itself.
        raise KatachiError(f"{record.source} has two passes in a row: an opening goes on")
    return Opening(
        size=record.size,
        moves=moves,
        style=style_of(moves, record.size),
        game=number,
        komi=record.komi,
        winner=record.result.winner,
    )


def _check_length(length: int, moves: int, name: str) -> None:
    if moves < length:
        raise KatachiError(
            f"{name} has {moves} moves, an opening of {length} needs {length}: ask for shorter ones"
        )


def all_symmetries(openings: Iterable[Opening]) -> list[Opening]:
    """The eight mirror images of each opening, one after another."""
    return [opening.turned(symmetry) for opening in openings for symmetry in range(SYMMETRIES)]


def judge_by_result(openings: Iterable[Opening]) -> list[Opening]:
    """The openings of games that somebody won, judged by who did."""
    value = {BLACK: 1.0, WHITE: -1.0}
    return [each.judged(value[each.winner]) for each in openings if each.winner != EMPTY]


@cache
def _images(*places: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """Where the eight symmetries carry points given as (line from the left, from the bottom)."""
    points = [point_from_row_col(STYLED_SIZE - line, col - 1) for col, line in places]
    tables = point_tables(STYLED_SIZE)
    return tuple(tuple(int(table[point]) for point in points) for table in tables)


def _has_all(stones: set[int], *places: tuple[int, int]) -> bool:
    """Whether stones stand on all of these places, in any orientation."""
    return any(stones.issuperset(image) for image in _images(*places))


def style_of(moves: Points, size: int) -> Style:
    """How Black begins, by the rules that the head of this file states."""
    stones = [int(point) for point in moves[: 2 * STYLE_STONES : 2]]
    if size != STYLED_SIZE:
        return Style.MISC
    first = set(stones)
    if _has_all(first, (16, 4), (16, 10), (16, 16)):
        return Style.THREE_STAR
    if any(_has_all(first, (16, 16), (16, 3), (line, 9)) for line in (17, 16)):
        return Style.CHINESE
    wheel = _images((16, 3), (17, 16), (4, 17), (3, 4))
    if len(set(stones[:3])) == 3 and any(set(stones[:3]) <= set(image) for image in wheel):
        return Style.SHUSAKU
    if _has_all(set(stones[:2]), (16, 4), (16, 16)):
        return Style.TWO_STAR
    return Style.MISC
