"""Positions of recorded games with every position that a legal move leads to, many at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet
from katachi.records.header import allows_suicide
from katachi.records.record import GameRecord
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import PLY, WORDS, BoardState, empty_words
from katachi.rules.zobrist import HASH_KEYS
from katachi.search.afterstates import expand_moves

BOARDS_AT_ONCE = 1024
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MoveRange:
    """Which moves of a game, counted from 1, both ends included; without `last` to its end."""

    first: int = 1
    last: int | None = None

    def __post_init__(self) -> None:
        """Raises KatachiError for a range that holds no move."""
        if self.first < 1 or (self.last is not None and self.last < self.first):
            raise KatachiError(f"moves {self}: they count from 1, the smaller number first")

    def __str__(self) -> str:
        """`18-22`, or `18-` to the end."""
        return f"{self.first}-{'' if self.last is None else self.last}"

    def numbers(self, length: int) -> range:
        """The moves of a game of so many moves."""
        return range(self.first, (length if self.last is None else min(self.last, length)) + 1)


class RecordedPositions(NamedTuple):
    """P positions of one board size, each before a recorded move, K of them before a stone.

    Positions are without history. The legal moves of a position are those of simple ko, suicide as
    the game's own rules have it; the pass is none of them.
    """

    games: Numbers
    """[P] index of the game in the set."""
    moves: Numbers
    """[P] number of the recorded move, from 1."""
    lengths: Numbers
    """[P] moves of the whole game."""
    colors: Numbers
    """[P] who made the recorded move."""
    before: BoardState
    """The P positions."""
    rows: Numbers
    """[K] which of the positions have a stone played."""
    starts: Numbers
    """[K + 1] where in `after` the legal moves of each of these begin and end."""
    played: Numbers
    """[K] where in `after` the played moves are."""
    after: BoardState
    """The positions after each legal move."""


def recorded_positions(
    games: GameSet, wanted: MoveRange, *, has_moves: bool = True
) -> Iterator[RecordedPositions]:
    """The positions before the wanted moves of all games, which must be of one board size, about
    `BOARDS_AT_ONCE` boards in a group. A group is good until the next is asked for. Without
    `has_moves` legal moves are not looked for, and K is 0."""
    group: _Group | None = None
    for index, record in enumerate(games):
        group = group or _Group(record.size, has_moves=has_moves)
        game = game_from_record(record, 0, _rules_of(record))
        numbers = wanted.numbers(len(record.moves))
        moves = zip(record.moves.tolist(), record.colors.tolist(), strict=True)
        for number, (point, color) in enumerate(moves, 1):
            if number >= numbers.stop:
                break
            if number in numbers:
                if group.is_full:
                    yield group.gathered()
                    group.clear()
                group.add(game, point, color, (index, number, len(record.moves)))
            game.play(color, point)
    if group is not None and group.count:
        yield group.gathered()


def _rules_of(record: GameRecord) -> Rules:
    return Rules(KoRule.SIMPLE, suicide=allows_suicide(record.texts.rules))


class _Group:
    """Memory for a group; the boards in it are written over by the next one."""

    def __init__(self, size: int, *, has_moves: bool) -> None:
        self.has_moves = has_moves
        self.room = max(BOARDS_AT_ONCE, 2 * size * size)
        self.most_moves = size * size
        self.boards = np.tile(empty_words(size), (self.room, 1))
        self.hashes = np.zeros((self.room, 2), np.uint64)
        self.clear()

    def clear(self) -> None:
        self.places: list[tuple[int, int, int]] = []
        self.colors: list[int] = []
        self.words: list[npt.NDArray[np.uint16]] = []
        self.present: list[int] = []
        self.rows: list[int] = []
        self.starts = [0]
        self.played: list[int] = []

    @property
    def count(self) -> int:
        return len(self.places)

    @property
    def is_full(self) -> bool:
        return self.starts[-1] + self.most_moves > self.room or self.count >= self.room

    def add(self, game: Game, point: int, color: int, place: tuple[int, int, int]) -> None:
        self.places.append(place)
        self.colors.append(color)
        self.words.append(game.words.copy())
        self.present.append(game.hash)
        if point != PASS and self.has_moves:
            self.rows.append(self.count - 1)
            self._add_moves(game, game.legal_moves(color), point, color)

    def _add_moves(self, game: Game, moves: Points, point: int, color: int) -> None:
        first = self.starts[-1]
        end = first + len(moves)
        after = BoardState(self.boards[first:end], self.hashes[first:end], HASH_KEYS)
        expand_moves(game.state, color, moves, after)
        self.starts.append(end)
        self.played.append(first + int(np.flatnonzero(moves == point)[0]))

    def gathered(self) -> RecordedPositions:
        games, moves, lengths = np.array(self.places, np.int64).T
        words = np.array(self.words, np.uint16).reshape(-1, WORDS)
        words[:, PLY] = 0
        hashes = np.array(self.present, np.uint64)[:, None]
        end = self.starts[-1]
        return RecordedPositions(
            games,
            moves,
            lengths,
            np.array(self.colors, np.int64),
            BoardState(words, hashes, HASH_KEYS),
            np.array(self.rows, np.int64),
            np.array(self.starts, np.int64),
            np.array(self.played, np.int64),
            BoardState(self.boards[:end], self.hashes[:end], HASH_KEYS),
        )
