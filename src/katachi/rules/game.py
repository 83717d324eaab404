"""A game: a position with its history, its rules and its komi."""

from typing import Any, NamedTuple, Self

import numpy as np

from katachi.errors import IllegalMove, KatachiError
from katachi.rules.area import area_difference
from katachi.rules.board import Board
from katachi.rules.checking import check_color
from katachi.rules.color import BLACK, COLOR_NAMES, EMPTY, WHITE, opponent
from katachi.rules.diagram import Colors
from katachi.rules.kernels import take_back_move
from katachi.rules.legality import (
    LEGAL,
    OFF_BOARD,
    REASONS,
    judge_move,
    list_legal_moves,
    try_move,
)
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import (
    CELLS,
    PASS,
    Points,
    is_on_board,
    row_col_from_point,
    vertex_from_point,
)
from katachi.rules.ruleset import Rules
from katachi.rules.size import check_size
from katachi.rules.state import (
    CAPTURED,
    PASSES,
    PLY,
    TRACE_WORDS,
    BoardState,
    Words,
    colors_of,
    new_states,
    state_of_game,
)
from katachi.rules.zobrist import SIDE_BIT

_FIRST_ROOM = 512


class Move(NamedTuple):
    """A stone or pass by one player."""

    color: int
    point: int


class Game:
    """One game of Go, from its setup stones to its last move.

    Colours need not alternate: `play` asks only whether that colour may play there. Every value is
    Black's. The game mutates in place; `copy` makes an independent one.
    """

    def __init__(self, size: int = 9, komi: float = 7.5, rules: Rules | None = None) -> None:
        """An empty board; raises KatachiError for a size that cannot be played on."""
        self.size = check_size(size)
        self.komi = komi
        self.rules = rules or Rules()
        self.clear()

    _traces: Words
    """[room, TRACE_WORDS]: what taking back each ply needs."""

    def _room(self, states: BoardState) -> None:
        self.states = states
        self.state = state_of_game(states, 0)

    @property
    def words(self) -> Words:
        """The present position, laid out as `state.py` says."""
        return self.state.words

    @property
    def board(self) -> Board:
        """The present position as an object; it is a copy."""
        return Board(self.words.copy())

    @property
    def to_play(self) -> int:
        """The colour that moves next: the other one after a move, else as set up."""
        return opponent(self.moves[-1].color) if self.moves else self.first_to_play

    @property
    def first_to_play(self) -> int:
        """The colour that moves first, as the first position's hash says."""
        return WHITE if int(self.state.hashes[0]) & SIDE_BIT else BLACK

    @first_to_play.setter
    def first_to_play(self, color: int) -> None:
        stones = self.state.hashes[0] & ~np.uint64(SIDE_BIT)
        self.state.hashes[0] = stones | np.uint64(SIDE_BIT * (color == WHITE))

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return bool(self.words[PASSES] >= 2)

    @property
    def last_point(self) -> int | None:
        """Where the last stone was played; None after a pass or at the start."""
        point = self.moves[-1].point if self.moves else PASS
        return None if point == PASS else point

    @property
    def colors(self) -> Colors:
        """Colours row by row from the top left, [size * size]."""
        return colors_of(self.words)

    @property
    def hash(self) -> int:
        """Hash of the stones and the side to move."""
        return int(self.state.hashes[self.words[PLY]])

    @property
    def captures(self) -> tuple[int, int]:
        """(stones Black has captured, stones White has captured)."""
        return int(self.words[CAPTURED + WHITE]), int(self.words[CAPTURED + BLACK])

    def judge(self, color: int, point: int) -> str:
        """The word "legal", or the word for the rule that the move would break."""
        if not self._is_cell(color, point):
            return REASONS[OFF_BOARD]
        verdict = judge_move(self.state, point, color, self.rules.ko.value, self.rules.suicide)
        return REASONS[verdict]

    def _is_cell(self, color: int, point: int) -> bool:
        """Whether kernels may be asked about this point at all."""
        check_color(color)
        return 0 <= point < CELLS

    def is_legal(self, color: int, point: int) -> bool:
        """Whether `color` may play at `point` (PASS always may)."""
        return self.judge(color, point) == REASONS[LEGAL]

    def legal_moves(self, color: int) -> Points:
        """The points where `color` may play, row by row; passing is not listed."""
        check_color(color)
        moves = np.zeros(self.size * self.size, np.uint16)
        rules = self.rules
        count = list_legal_moves(self.state, color, rules.ko.value, rules.suicide, moves)
        return moves[:count]

    def play(self, color: int, point: int) -> None:
        """Plays a stone or PASS; raises IllegalMove and changes nothing if the rules forbid it."""
        if len(self.moves) >= LONGEST_GAME:
            raise KatachiError(f"the game already has {LONGEST_GAME:,} moves: start a new one")
        if len(self.moves) + 1 >= len(self._traces):
            self._grow()
        verdict = OFF_BOARD
        if self._is_cell(color, point):
            rules = self.rules
            ko, suicide = rules.ko.value, rules.suicide
            verdict = try_move(self.state, point, color, ko, suicide, self._traces)
        if verdict != LEGAL:
            is_named = verdict != OFF_BOARD
            name = vertex_from_point(point, self.size) if is_named else f"point {point}"
            raise IllegalMove(REASONS[verdict], f"{COLOR_NAMES[color]} {name}")
        self.moves.append(Move(color, point))

    def _grow(self) -> None:
        old = self.states
        hashes = np.zeros((1, 2 * old.hashes.shape[1]), np.uint64)
        hashes[:, : old.hashes.shape[1]] = old.hashes
        self._room(BoardState(old.words, hashes, old.keys))
        self._traces = np.concatenate([self._traces, np.zeros_like(self._traces)])

    def undo(self) -> Move:
        """Takes back the last move and returns it; raises KatachiError when there is none."""
        if not self.moves:
            raise KatachiError("cannot undo: no move has been played")
        take_back_move(self.state, self._traces[int(self.words[PLY]) - 1])
        return self.moves.pop()

    def place_setup(self, black: list[int], white: list[int]) -> None:
        """Puts setup stones (handicap, problems) on empty points before the first move.

        Raises KatachiError, with nothing placed, when a point is taken or off the board or a block
        would have no liberties.
        """
        if self.moves:
            raise KatachiError("setup stones come before the first move")
        colors = self.colors
        for color, points in ((BLACK, black), (WHITE, white)):
            for point in points:
                index = self._free_index(colors, point)
                colors[index] = color
        self._start_from(Board.from_colors(colors, self.size))
        self.setup += [Move(BLACK, point) for point in black]
        self.setup += [Move(WHITE, point) for point in white]

    def _free_index(self, colors: Colors, point: int) -> int:
        if not is_on_board(point, self.size):
            raise KatachiError(f"setup stone off the {self.size}x{self.size} board")
        row, col = row_col_from_point(point)
        index = row * self.size + col
        if colors[index] != EMPTY:
            name = vertex_from_point(point, self.size)
            raise KatachiError(f"two setup stones on {name}")
        return index

    def _start_from(self, board: Board) -> None:
        """Makes `board` the first position of the game; who moves first stays."""
        color = self.first_to_play
        self.words[:] = board.words
        self.state.hashes[0] = board.hash
        self.first_to_play = color

    def clear(self) -> None:
        """Back to the empty board, same size, komi and rules."""
        self.moves: list[Move] = []
        self.setup: list[Move] = []
        """The stones that stood on the board before the first move."""
        self._room(new_states(1, self.size, _FIRST_ROOM))
        self._traces = np.zeros((_FIRST_ROOM, TRACE_WORDS), np.uint16)
        self.first_to_play = BLACK

    def area_score(self) -> float:
        """Black's area minus White's minus komi, all stones alive (Tromp-Taylor)."""
        return area_difference(self.words) - self.komi

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Of a pickle or a deep copy: the present position is a view of the states again."""
        self.__dict__.update(kept)
        self._room(self.states)

    def copy(self) -> Self:
        """An independent game with the same history."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.moves = list(self.moves)
        twin.setup = list(self.setup)
        states = BoardState(self.states.words.copy(), self.states.hashes.copy(), self.states.keys)
        twin._room(states)
        twin._traces = self._traces.copy()
        return twin
