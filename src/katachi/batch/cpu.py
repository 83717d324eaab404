"""Random games on CPU threads. Kernels release the interpreter's lock, so threads scale."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from katachi._jit import kernel
from katachi.batch.random_games import RandomGames, new_games, play_one, start_of
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK
from katachi.rules.point import CELLS
from katachi.rules.random_play import (
    copy_board,
    play_random_moves,
    play_random_moves_exactly,
    random_states,
)
from katachi.rules.ruleset import KoRule
from katachi.rules.state import Words


@kernel
def _play_range(games: RandomGames, start: Words, ko_rule: int, first: int, last: int) -> None:
    for index in range(first, last):
        play_one(games, start, ko_rule, index)


def play_games(
    size: int, count: int, seed: int, ko_rule: KoRule = KoRule.POSITIONAL, threads: int = 1
) -> RandomGames:
    """Plays `count` recorded random games; the result does not depend on `threads`."""
    games = new_games(size, count, seed)
    bounds = np.linspace(0, count, threads + 1).astype(int)
    start = start_of(size)
    with ThreadPoolExecutor(threads) as pool:
        list(
            pool.map(
                lambda first, last: _play_range(games, start, ko_rule.value, first, last),
                bounds[:-1].tolist(),
                bounds[1:].tolist(),
            )
        )
    return games


def play_recorded(size: int, count: int, seed: int, chunk: int = 64) -> int:
    """Plays as `play_games` on one thread, in the memory of `chunk` games; returns the moves."""
    games = new_games(size, min(chunk, count), seed)
    start = start_of(size)
    total = 0
    for first in range(0, count, chunk):
        games.randoms[:] = random_states(seed, first, len(games.randoms))
        last = min(chunk, count - first)
        _play_range(games, start, KoRule.POSITIONAL.value, 0, last)
        total += int(games.lengths[:last].sum())
    return total


@kernel
def _play_light(
    board: Words, start: Words, count: int, limit: int, random: np.uint64
) -> tuple[int, int]:
    """(moves, Black's area less White's), both summed over the games."""
    total = 0
    balance = 0
    for _ in range(count):
        copy_board(start, board)
        moves, random = play_random_moves(board, BLACK, limit, random)
        total += moves
        balance += count_filled_area(board)
    return total, balance


@kernel
def _play_exact(
    board: Words, start: Words, exact: Words, count: int, limit: int, random: np.uint64
) -> int:
    total = 0
    for _ in range(count):
        copy_board(start, board)
        moves, random = play_random_moves_exactly(board, BLACK, limit, random, exact)
        total += moves
    return total


def play_unrecorded(size: int, count: int, seed: int, threads: int = 1) -> int:
    """Plays and scores random games under simple ko; returns the number of moves made."""
    start = start_of(size)
    shares = np.diff(np.linspace(0, count, threads + 1).astype(int)).tolist()

    def work(share: int, random: np.uint64) -> int:
        return int(_play_light(start.copy(), start, share, 3 * size * size, random)[0])

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, shares, random_states(seed, 0, threads)))


def play_exactly(size: int, count: int, seed: int) -> int:
    """As `play_unrecorded`, with the exact liberties of every block known after every move."""
    start = start_of(size)
    exact = np.zeros(CELLS, np.uint16)
    random = random_states(seed, 0, 1)[0]
    return int(_play_exact(start.copy(), start, exact, count, 3 * size * size, random))
