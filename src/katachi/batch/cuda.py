# pyright: reportCallIssue=false, reportIndexIssue=false, reportAttributeAccessIssue=false
"""Random games on a CUDA GPU: one thread a game, the same kernels as on the CPU."""

import numpy as np
from numba import cuda

from katachi.batch.random_games import RandomGames, new_games, play_one, start_of
from katachi.errors import KatachiError
from katachi.rules.ruleset import KoRule
from katachi.rules.state import BoardState, Words

THREADS_A_BLOCK = 64


@cuda.jit
def _play_grid(games: RandomGames, start: Words, ko_rule: int) -> None:
    index = cuda.grid(1)
    if index < games.lengths.shape[0]:
        play_one(games, start, ko_rule, index)


def to_device(games: RandomGames) -> RandomGames:
    """The same record of arrays, on the GPU."""
    states = BoardState(*[cuda.to_device(np.ascontiguousarray(a)) for a in games.states])
    return RandomGames(states, *[cuda.to_device(array) for array in games[1:]])


def launch(games: RandomGames, start: Words, ko_rule: KoRule) -> None:
    """Plays all games of a record that lies on the GPU; returns when they are finished."""
    blocks = -(-games.lengths.shape[0] // THREADS_A_BLOCK)
    _play_grid[blocks, THREADS_A_BLOCK](games, start, ko_rule.value)
    cuda.synchronize()


def play_games(
    size: int, count: int, seed: int, ko_rule: KoRule = KoRule.POSITIONAL
) -> RandomGames:
    """As `katachi.batch.cpu.play_games`, move for move; the result is copied back."""
    if not cuda.is_available():
        raise KatachiError("no CUDA GPU that Numba can use: run `katachi doctor` for details")
    games = to_device(new_games(size, count, seed))
    launch(games, cuda.to_device(start_of(size)), ko_rule)
    states = BoardState(*[array.copy_to_host() for array in games.states])
    return RandomGames(states, *[array.copy_to_host() for array in games[1:]])
