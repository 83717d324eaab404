"""Random games with their whole record, the same on every device.

`play_one` is the body that both launchers run for each game number; the launchers (`cpu`, `cuda`)
hold index arithmetic and memory, nothing else.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.rules.area import SCRATCH, mark_area
from katachi.rules.color import BLACK
from katachi.rules.random_play import RandomStates, copy_board, play_random_game, random_states
from katachi.rules.state import BoardState, Words, empty_words, new_states


class RandomGames(NamedTuple):
    """G games and all the memory they are played in; the game axis comes first."""

    states: BoardState
    randoms: RandomStates
    """[G]: each game's random state, derived from (seed, game number)."""
    records: Words
    """[G, limit]: the points played, PASS among them, as far as `lengths` says."""
    lengths: npt.NDArray[np.int32]
    """[G]"""
    margins: npt.NDArray[np.int32]
    """[G]: Black's area minus White's at the end, komi left out."""
    scratch: Words
    """[G, SCRATCH]"""


def new_games(size: int, count: int, seed: int, first: int = 0, limit: int = 0) -> RandomGames:
    """Memory for games `first` .. `first + count` of a run, at most `limit` moves each (by default
    three times the points of the board)."""
    limit = limit or 3 * size * size
    return RandomGames(
        new_states(count, size, limit + 1),
        random_states(seed, first, count),
        np.zeros((count, limit), np.uint16),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
        np.zeros((count, SCRATCH), np.uint16),
    )


@kernel
def play_one(games: RandomGames, start: Words, ko_rule: int, index: int) -> None:
    """Plays game `index` from the position `start`, Black first, and scores it."""
    state = BoardState(games.states.words[index], games.states.hashes[index], games.states.keys)
    copy_board(start, state.words)
    record = games.records[index]
    length, random = play_random_game(state, BLACK, ko_rule, record, games.randoms[index])
    games.randoms[index] = random
    games.lengths[index] = length
    games.margins[index] = mark_area(state.words, games.scratch[index])


def start_of(size: int) -> Words:
    """The words that every game of this size starts from."""
    return empty_words(size)
