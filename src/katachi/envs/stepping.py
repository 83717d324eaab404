# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Kernels of the environments: which actions are legal, and a step of many games at once.

An action is the number of a point, row by row from the top left, or size * size for the pass.

Every legal action is asked for at every step, and superko would search the history of a game for
nearly each of them. So a game keeps one bit for each position that it has had, by a part of the
position's hash: where the bit of a new position is 0, it has not been there before.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.observation import Planes, write_planes
from katachi.rules.area import mark_area
from katachi.rules.color import BLACK
from katachi.rules.kernels import play_move
from katachi.rules.legality import (
    LEGAL,
    captures_any,
    hash_after,
    is_retake,
    judge_move,
    repeats_position,
    survives_inside,
)
from katachi.rules.point import PASS, STRIDE
from katachi.rules.random_play import RandomStates, copy_board, index_from_random, next_random
from katachi.rules.ruleset import KoRule
from katachi.rules.state import (
    CAPTURED,
    EMPTIES,
    EMPTY_COUNT,
    LIBERTIES,
    PASSES,
    PAST,
    PLY,
    SIZE,
    BoardState,
    Hashes,
    Words,
)

SEEN_WORDS = 64
"""Of 64 bits each, for the positions that a game has had."""
_SIMPLE = int(KoRule.SIMPLE)

Mask = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]


class Terms(NamedTuple):
    """What all games of a batch are played by."""

    komi: float
    limit: int
    """Moves after which a game ends."""
    ko_rule: int
    suicide: bool


class Memory(NamedTuple):
    """G games; the game axis comes first."""

    states: BoardState
    seen: Hashes
    """[G, SEEN_WORDS]: one bit for each position that a game has had."""
    start: Words
    """[WORDS]: where each game begins."""
    scratch: Words
    """[SCRATCH], used by one game after another."""


class Step(NamedTuple):
    """What a step of G games answers, in arrays of its own. Where a game ended, what is seen is
    the first position of the next one."""

    observations: Planes
    """[G, 6, size, size]: `features.observation.PLANES` as the player to move sees them."""
    masks: Mask
    """[G, size * size + 1]: 1 where an action is legal."""
    rewards: npt.NDArray[np.float32]
    """[G]: of the player who has just moved; the opponent's is the opposite."""
    ended: npt.NDArray[np.bool_]
    """[G]: whether the move ended its game."""
    illegal: npt.NDArray[np.bool_]
    """[G]: whether the rules forbid the move, which lost the game."""
    margins: npt.NDArray[np.float32]
    """[G]: Black's area less White's and komi where a game was counted, else 0."""
    to_play: npt.NDArray[np.uint8]
    """[G]: BLACK or WHITE, whose turn it is."""


@inlined
def color_to_play(state: BoardState) -> int:
    """Who moves next, as the position's hash says."""
    return 1 + np.int64(state.hashes[state.words[PLY]] & np.uint64(1))


@inlined
def point_of_action(action: int, size: int) -> int:
    """The point of an action that is not out of range, or PASS."""
    if action == size * size:
        return PASS
    return (action // size + 1) * STRIDE + action % size + 1


@inlined
def _note_position(state: BoardState, seen: Hashes) -> None:
    """Sets the bit of the present position."""
    stones = state.hashes[state.words[PLY]] >> np.uint64(1)
    seen[np.int64(stones % np.uint64(SEEN_WORDS))] |= np.uint64(1) << (stones >> np.uint64(58))


@inlined
def _may_have_been(seen: Hashes, position: np.uint64) -> bool:
    """Whether a position's bit is set."""
    stones = position >> np.uint64(1)
    word = seen[np.int64(stones % np.uint64(SEEN_WORDS))]
    return (word >> (stones >> np.uint64(58))) & np.uint64(1) != np.uint64(0)


@inlined
def _repeats(state: BoardState, seen: Hashes, point: int, color: int, ko_rule: int) -> bool:
    """As `repeats_position` of a move that is no suicide where stones of its colour have stood,
    with the history searched only where it must be."""
    if captures_any(state.words, point, color):
        after = hash_after(state, point, color)
    else:
        after = state.hashes[state.words[PLY]] ^ state.keys[color, point]
    return _may_have_been(seen, after) and repeats_position(state, point, color, ko_rule)


@kernel
def write_mask(state: BoardState, seen: Hashes, color: int, terms: Terms, mask: Mask) -> None:
    """Writes mask [size * size + 1], all zeros before: 1 where `color` may play; it may always
    pass."""
    board = state.words
    size = np.int64(board[SIZE])
    captured = board[CAPTURED + 1] + board[CAPTURED + 2]
    searched = color * int(terms.ko_rule != _SIMPLE and captured > 0)
    for index in range(board[EMPTY_COUNT]):
        point = np.int64(board[EMPTIES + index])
        legal = True
        if board[LIBERTIES + point] == 0 and not survives_inside(board, point, color):
            legal = judge_move(state, point, color, terms.ko_rule, terms.suicide) == LEGAL
        elif is_retake(board, point, color):
            legal = False
        elif board[PAST + point] & searched != 0:
            legal = not _repeats(state, seen, point, color, terms.ko_rule)
        mask[(point // STRIDE - 1) * size + point % STRIDE - 1] = legal
    mask[size * size] = 1


@inlined
def _is_allowed(state: BoardState, action: int, color: int, terms: Terms) -> bool:
    """Whether an action, of any number, is a legal move."""
    size = np.int64(state.words[SIZE])
    if action < 0 or action > size * size:
        return False
    point = point_of_action(action, size)
    return judge_move(state, point, color, terms.ko_rule, terms.suicide) == LEGAL


@inlined
def _end_game(memory: Memory, state: BoardState, color: int, komi: float) -> tuple[float, float]:
    """(reward of `color`, Black's margin) of a board as it stands."""
    margin = mark_area(state.words, memory.scratch) - komi
    own = margin if color == BLACK else -margin
    return np.float64(int(own > 0) - int(own < 0)), margin


@inlined
def _begin_game(memory: Memory, state: BoardState, seen: Hashes) -> None:
    copy_board(memory.start, state.words)
    state.hashes[0] = np.uint64(0)
    for word in range(SEEN_WORDS):
        seen[word] = np.uint64(0)
    _note_position(state, seen)


@inlined
def _show_game(state: BoardState, seen: Hashes, terms: Terms, out: Step, index: int) -> None:
    """Writes what the player to move sees and may do."""
    color = color_to_play(state)
    out.to_play[index] = color
    write_planes(state.words, color, out.observations[index])
    write_mask(state, seen, color, terms, out.masks[index])


@kernel
def reset_games(memory: Memory, terms: Terms, out: Step) -> None:
    """Begins every game, and writes what is seen."""
    states = memory.states
    for index in range(len(states.words)):
        state = BoardState(states.words[index], states.hashes[index], states.keys)
        _begin_game(memory, state, memory.seen[index])
        _show_game(state, memory.seen[index], terms, out, index)


@kernel
def step_games(memory: Memory, actions: Actions, terms: Terms, out: Step) -> None:
    """Plays actions [G], one in each game; a game that ends begins again. Rewards and margins are
    those of the move; what is seen is what comes after it."""
    states = memory.states
    for index in range(len(actions)):
        state = BoardState(states.words[index], states.hashes[index], states.keys)
        seen = memory.seen[index]
        color = color_to_play(state)
        action = actions[index]
        allowed = _is_allowed(state, action, color, terms)
        reward, margin = -1.0, 0.0
        ended = not allowed
        if allowed:
            play_move(state, point_of_action(action, np.int64(state.words[SIZE])), color)
            _note_position(state, seen)
            ended = state.words[PASSES] >= 2 or state.words[PLY] >= terms.limit
            reward = 0.0
            if ended:
                reward, margin = _end_game(memory, state, color, terms.komi)
        if ended:
            _begin_game(memory, state, seen)
        out.rewards[index] = reward
        out.margins[index] = margin
        out.ended[index] = ended
        out.illegal[index] = not allowed
        _show_game(state, seen, terms, out, index)


@kernel
def sample_legal(masks: Mask, randoms: RandomStates, actions: Actions) -> None:
    """Writes a legal action for each of masks [G, A], all equally likely, into actions [G]."""
    for index in range(len(actions)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[index, action]
        randoms[index] = next_random(randoms[index])
        left = index_from_random(randoms[index], count)
        for action in range(masks.shape[1]):
            if masks[index, action] != 0:
                if left == 0:
                    actions[index] = action
                left -= 1
