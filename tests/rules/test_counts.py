"""Known counts: legal positions of small boards, and sequences of moves from the empty board.

Sizes begin at 2, so the one legal position of a 1x1 board is the oracle's alone to find.
"""

from itertools import product

import numpy as np
import pytest

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.point import PASS, points_of
from katachi.rules.state import CAPTURED, LIBERTIES, TRACE, TRACE_WORDS, Words, empty_words
from tests.oracle.go import OracleGame, Spot, is_position_legal, spots_of


def count_positions_by_oracle(size: int) -> int:
    spots = spots_of(size)
    boards = product((0, 1, 2), repeat=len(spots))
    stones = ({s: c for s, c in zip(spots, board, strict=True) if c} for board in boards)
    return sum(is_position_legal(position, size) for position in stones)


def is_accepted(colors: tuple[int, ...], size: int) -> bool:
    try:
        Board.from_colors(np.array(colors, np.uint8), size)
    except KatachiError:
        return False
    return True


@kernel
def count_positions(board: Words, points: Words, choice: Words, traces: Words) -> int:
    """Counts the legal positions by setting each point in turn to empty, Black and White.

    `choice` [P + 1] and `traces` [P + 1, TRACE_WORDS] are scratch, `choice` zeroed. As soon as a
    block has no liberties no further stone can give it one, so that branch is left.
    """
    total = 0
    depth = 0
    while True:
        if depth == len(points):
            total += 1
            depth -= 1
        elif choice[depth] < 3:
            color = choice[depth]
            choice[depth] += 1
            if color == 0:
                depth += 1
                choice[depth] = 0
                continue
            root = place_stone(board, points[depth], color)
            for word in range(TRACE_WORDS):
                traces[depth, word] = board[TRACE + word]
            taken = board[CAPTURED + 1] + board[CAPTURED + 2]
            if taken == 0 and board[LIBERTIES + root] > 0:
                depth += 1
                choice[depth] = 0
                continue
        else:
            depth -= 1
        if depth < 0:
            return total
        if choice[depth] > 1:
            for word in range(TRACE_WORDS):
                board[TRACE + word] = traces[depth, word]
            lift_stone(board)


def count_positions_by_kernel(size: int) -> int:
    points = points_of(size)
    choice = np.zeros(len(points) + 1, np.uint16)
    traces = np.zeros((len(points) + 1, TRACE_WORDS), np.uint16)
    return int(count_positions(empty_words(size), points, choice, traces))


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12_675)])
def test_oracle_counts_the_legal_positions(size: int, count: int) -> None:
    assert count_positions_by_oracle(size) == count


@pytest.mark.kernel
@pytest.mark.parametrize(("size", "count"), [(2, 57), (3, 12_675)])
def test_boards_accept_the_known_number_of_positions(size: int, count: int) -> None:
    boards = product((0, 1, 2), repeat=size * size)
    assert sum(is_accepted(colors, size) for colors in boards) == count


@pytest.mark.kernel
@pytest.mark.parametrize(("size", "count"), [(2, 57), (3, 12_675)])
def test_placing_and_lifting_stones_visits_every_legal_position(size: int, count: int) -> None:
    assert count_positions_by_kernel(size) == count


@pytest.mark.slow
def test_4x4_has_24_318_165_legal_positions() -> None:
    assert count_positions_by_kernel(4) == 24_318_165


def count_sequences(game: Game, depth: int) -> int:
    """Sequences of exactly `depth` plies from here, passes included; two passes end the game."""
    if depth == 0:
        return 1
    if game.is_over:
        return 0
    color = game.to_play
    moves = game.legal_moves(color).tolist()
    if depth == 1:
        return len(moves) + 1
    total = 0
    for point in [*moves, PASS]:
        game.play(color, point)
        total += count_sequences(game, depth - 1)
        game.undo()
    return total


KNOWN_SEQUENCES = [
    (2, 12, 23_560),
    (3, 6, 179_712),
    (4, 4, 57_984),
    (5, 3, 15_650),
    (9, 2, 6_643),
]


@pytest.mark.parametrize(("size", "depth", "count"), KNOWN_SEQUENCES)
def test_sequences_of_moves_are_as_many_as_known(size: int, depth: int, count: int) -> None:
    assert count_sequences(Game(size), depth) == count


def count_sequences_by_oracle(size: int, moves: list[tuple[int, Spot | None]], depth: int) -> int:
    """The same by replaying every sequence from the start."""
    game = OracleGame(size)
    for color, spot in moves:
        game.play(color, spot)
    if depth == 0 or game.is_over:
        return int(depth == 0)
    color = BLACK if len(moves) % 2 == 0 else WHITE
    following: list[Spot | None] = [*game.legal_spots(color), None]
    return sum(count_sequences_by_oracle(size, [*moves, (color, s)], depth - 1) for s in following)


@pytest.mark.kernel
@pytest.mark.parametrize(("size", "depth"), [(2, 8), (3, 3), (5, 2)])
def test_sequences_are_as_many_as_the_oracle_finds(size: int, depth: int) -> None:
    assert count_sequences(Game(size), depth) == count_sequences_by_oracle(size, [], depth)
