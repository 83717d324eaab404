"""Playing recorded games again, whole sets in one kernel call."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.records.columns import Columns
from katachi.records.stones import COLOR_UNIT, Codes, Colors, Rows, Starts
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.kernels import place_stone, play_move
from katachi.rules.legality import LEGAL, OCCUPIED, REASONS, SUICIDE, judge_move
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import PASS, STRIDE, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.size import MAX_SIZE, MIN_SIZE
from katachi.rules.state import (
    COLOR,
    EMPTY_COUNT,
    LIBERTIES,
    PAST,
    WORDS,
    BoardState,
    Hashes,
    Words,
    colors_of,
    empty_words,
    new_states,
    state_of_game,
)

SETUP = -1
"""Where `illegal_at` points when already the setup stones are no legal position."""
IDENTITY_MOVES = 50
"""Stones that tell two games apart: records that share so many are of one game."""


class GameArrays(NamedTuple):
    """N games as kernels read them."""

    sizes: npt.NDArray[np.uint8]
    suicide: npt.NDArray[np.uint8]
    """[N] whether the rules of the game allow suicide."""
    move_starts: Starts
    moves: Codes
    setup_starts: Starts
    setup: Codes


class Scratch(NamedTuple):
    """What a replay works on."""

    blank: Words
    """[MAX_SIZE + 1, WORDS]: the empty board of each size."""
    state: BoardState
    """One game."""


class Replay(NamedTuple):
    """How R games went."""

    verdicts: npt.NDArray[np.uint8]
    """[R] LEGAL, or the code of the rule that was broken (`katachi.rules.legality.REASONS`)."""
    illegal_at: npt.NDArray[np.int32]
    """[R] index of the illegal move, or SETUP; where all is legal, the number of moves."""
    hashes: Hashes
    """[R] hash of the last position reached."""


class Owners(NamedTuple):
    """Territory marks of N games, to be completed by the stones of the last position."""

    starts: Starts
    values: npt.NDArray[np.int8]


def arrays_of(columns: Columns) -> GameArrays:
    """The arrays of `columns` that a replay needs, without copying the moves."""
    return GameArrays(
        np.ascontiguousarray(columns.info["size"]),
        np.ascontiguousarray(columns.info["suicide"]),
        columns.moves.starts,
        columns.moves.values,
        columns.setup.starts,
        columns.setup.values,
    )


def new_scratch() -> Scratch:
    """Scratch for games of any size."""
    return Scratch(_blank_boards(), state_of_game(new_states(1, MAX_SIZE, LONGEST_GAME + 2), 0))


@cache
def _blank_boards() -> Words:
    blank = np.zeros((MAX_SIZE + 1, WORDS), np.uint16)
    for size in range(MIN_SIZE, MAX_SIZE + 1):
        blank[size] = empty_words(size)
    return blank


def replay_columns(columns: Columns, rows: Rows, rules: Rules | None = None) -> Replay:
    """Plays the games at `rows` again and judges every move.

    Without `rules` each game is held to simple ko, and to suicide as its own rules have it.
    """
    return _replay(columns, rows, rules, _no_owners(len(columns)))


def complete_owners(columns: Columns) -> Replay:
    """Replays all games and gives each unmarked point of marked games the owner of its stone.

    Writes into `columns.owners`.
    """
    owners = Owners(columns.owners.starts, columns.owners.values)
    return _replay(columns, np.arange(len(columns)), None, owners)


def _replay(columns: Columns, rows: Rows, rules: Rules | None, owners: Owners) -> Replay:
    arrays, ko = arrays_of(columns), KoRule.SIMPLE
    if rules is not None:
        ko = rules.ko
        arrays = arrays._replace(suicide=np.full(len(columns), rules.suicide, np.uint8))
    replay = Replay(
        np.zeros(len(rows), np.uint8), np.zeros(len(rows), np.int32), np.zeros(len(rows), np.uint64)
    )
    replay_rows(arrays, rows, int(ko), new_scratch(), owners, replay)
    return replay


def _no_owners(count: int) -> Owners:
    return Owners(np.zeros(count + 1, np.int64), np.empty(0, np.int8))


def final_colors(columns: Columns, row: int) -> Colors:
    """The colours of one game's last position, [size * size] row by row; the game must be legal."""
    scratch = new_scratch()
    games = arrays_of(columns)
    rows = np.array([row], np.int64)
    nothing = Replay(np.zeros(1, np.uint8), np.zeros(1, np.int32), np.zeros(1, np.uint64))
    replay_rows(games, rows, int(KoRule.SIMPLE), scratch, _no_owners(len(columns)), nothing)
    return colors_of(scratch.state.words)


def explain_illegal(columns: Columns, row: int, verdict: int, index: int) -> str:
    """One line on why a game was not played to its end: `move 57, white D4, is illegal: ko`."""
    if index == SETUP:
        return "setup stones without liberties"
    code = int(columns.moves.row(row)[index])
    color = "black" if code // COLOR_UNIT == BLACK else "white"
    vertex = vertex_from_point(code % COLOR_UNIT, int(columns.info["size"][row]))
    return f"move {index + 1}, {color} {vertex}, is illegal: {REASONS[verdict]}"


@kernel
def replay_rows(
    games: GameArrays, rows: Rows, ko_rule: int, scratch: Scratch, owners: Owners, replay: Replay
) -> None:
    """Plays the games at `rows` to their ends or first illegal moves, and notes how they went."""
    state = scratch.state
    for index in range(len(rows)):
        row = rows[index]
        replay.illegal_at[index] = SETUP
        replay.verdicts[index] = begin_game(games, row, scratch)
        if replay.verdicts[index] == LEGAL:
            _play_to_end(games, row, ko_rule, state, index, replay)
            _complete_marks(state.words, int(games.sizes[row]), owners, row)


@kernel
def _play_to_end(
    games: GameArrays, row: int, ko_rule: int, state: BoardState, index: int, replay: Replay
) -> None:
    start = games.move_starts[row]
    ply = 0
    for at in range(start, games.move_starts[row + 1]):
        code = games.moves[at]
        point, color = int(code) % COLOR_UNIT, int(code) // COLOR_UNIT
        verdict = judge_move(state, point, color, ko_rule, games.suicide[row] != 0)
        if verdict != LEGAL:
            replay.verdicts[index] = verdict
            break
        play_move(state, point, color)
        ply += 1
    replay.illegal_at[index] = ply
    replay.hashes[index] = state.hashes[ply]


@kernel
def begin_game(games: GameArrays, row: int, scratch: Scratch) -> int:
    """Sets the scratch board up for a game; LEGAL, or why its setup stones are no position."""
    words, hashes, keys = scratch.state
    for word in range(WORDS):
        words[word] = scratch.blank[games.sizes[row], word]
    hashes[0] = 0
    for at in range(games.setup_starts[row], games.setup_starts[row + 1]):
        code = games.setup[at]
        point, color = int(code) % COLOR_UNIT, int(code) // COLOR_UNIT
        if words[COLOR + point] != EMPTY:
            return OCCUPIED
        before = words[EMPTY_COUNT]
        root = place_stone(words, point, color)
        # Stones only take liberties from each other while none is captured, so any order of the
        # setup stones finds a block without liberties.
        if words[LIBERTIES + root] == 0 or words[EMPTY_COUNT] != before - 1:
            return SUICIDE
        words[PAST + point] |= color
        hashes[0] ^= keys[color, point]
    return LEGAL


@kernel
def _complete_marks(words: Words, size: int, owners: Owners, row: int) -> None:
    start = owners.starts[row]
    for at in range(start, owners.starts[row + 1]):
        if owners.values[at] == 0:
            point = ((at - start) // size + 1) * STRIDE + (at - start) % size + 1
            color = words[COLOR + point]
            if color != EMPTY:
                owners.values[at] = 1 if color == BLACK else -1


def identities_of(columns: Columns) -> Hashes:
    """[N] a number for each game, the same for all its records.

    It looks at the setup and the first `IDENTITY_MOVES` stones only, so the opening of a game and
    the whole of it are one game; and it is the same for a game turned or mirrored.
    """
    identities = np.zeros(len(columns), np.uint64)
    scratch = new_scratch()
    identify_games(arrays_of(columns), scratch.state.keys, np.zeros(8, np.uint64), identities)
    return identities


@kernel
def identify_games(games: GameArrays, keys: Hashes, hashes: Hashes, identities: Hashes) -> None:
    """Writes the identity of every game; `hashes` [8] is scratch."""
    for row in range(len(identities)):
        size = int(games.sizes[row])
        for symmetry in range(8):
            hashes[symmetry] = size
        for at in range(games.setup_starts[row], games.setup_starts[row + 1]):
            _mix_stone(games.setup[at], size, keys, hashes, 0)
        stones = 0
        for at in range(games.move_starts[row], games.move_starts[row + 1]):
            if int(games.moves[at]) % COLOR_UNIT != PASS and stones < IDENTITY_MOVES:
                _mix_stone(games.moves[at], size, keys, hashes, 1)
                stones += 1
        identities[row] = hashes[0]
        for symmetry in range(1, 8):
            identities[row] = min(identities[row], hashes[symmetry])


@kernel
def _mix_stone(code: int, size: int, keys: Hashes, hashes: Hashes, turn: int) -> None:
    """Adds a stone to the eight hashes, turning their bits by `turn` first so that order counts."""
    point, color = int(code) % COLOR_UNIT, int(code) // COLOR_UNIT
    row, col = point // STRIDE, point % STRIDE
    for symmetry in range(8):
        across = size + 1 - col if symmetry & 1 else col
        down = size + 1 - row if symmetry & 2 else row
        image = across * STRIDE + down if symmetry & 4 else down * STRIDE + across
        turned = hashes[symmetry]
        if turn:
            turned = (turned << np.uint64(1)) | (turned >> np.uint64(63))
        hashes[symmetry] = turned ^ keys[color, image]
