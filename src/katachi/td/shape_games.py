# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Whole games of local shape followers, played inside a kernel.

Weights do not change during a game, so values are followed move by move and never computed anew.
Where somebody learns, each shape is noted that stood from one ply to another.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi._jit.lanes import lane_count, lane_number, meet, on_cpu, place_among_lanes, sum_lanes
from katachi.evaluators.shape_moves import (
    follow_stone,
    gain_of_capture,
    lifted_change,
    stone_change,
)
from katachi.features.liberty_gains import liberty_gain
from katachi.features.liberty_moves import keep_staged, stage_move, use_changed
from katachi.features.liberty_tracker import (
    CHANGED,
    first_liberty_slot,
    read_liberties,
    use_liberties,
)
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import (
    ROW,
    SINCE,
    USED,
    add_growth,
    change_hashed,
    change_point,
    change_slot,
    digit_of,
    gain_of_stone,
    index_of,
    is_stale,
    keep_gain,
    mark_stale,
    reset_view,
    shared_gain,
    sum_sets,
)
from katachi.features.units import Sums, Weights
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.kernels import play_move
from katachi.rules.legality import captures_any
from katachi.rules.point import PASS, STRIDE
from katachi.rules.random_play import (
    copy_part,
    index_from_random,
    is_exploring,
    list_sensible_moves,
    next_random,
    sample_best,
)
from katachi.rules.state import (
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    PASSES,
    PLY,
    SIZE,
)
from katachi.td.shape_memory import (
    ENTRY,
    FIRST_INDEX,
    STOOD,
    UNTIL,
    GameSettings,
    ShapeGame,
)

_CAPTURES, _STALE = np.iinfo(np.int64).min, np.iinfo(np.int64).min + 1
"""Values of moves that are still to be weighed."""


@kernel
def _add_liberty_gains(
    game: ShapeGame, tables: ShapeTables, theta: Weights, color: int, count: int
) -> None:
    """Adds what liberty shapes gain by each of the moves to its value."""
    board = game.state.words
    for index in range(count):
        game.move[0] = game.moves[index]
        game.move[1] = color
        game.values[index] += liberty_gain(
            board, tables, game.liberty, color - BLACK, theta, game.move
        )


@inlined
def _weigh_moves(
    game: ShapeGame, tables: ShapeTables, theta: Weights, color: int, count: int
) -> None:
    """Writes what shapes gain by each of the moves into `game.values`. Lanes share the moves; what
    captures, which changes the tracker for a while, or has many hashed windows, several lanes weigh
    together afterwards."""
    board, tracker, view = game.state.words, game.tracker, color - BLACK
    is_slow = lane_count() > 1 and len(tables.hashed.window) > 0
    for index in range(lane_number(), count, lane_count()):
        point = np.int64(game.moves[index])
        if captures_any(board, point, color):
            game.values[index] = _CAPTURES
            if lane_count() == 1:
                game.values[index] = _weigh_capture(game, tables, theta, point, color)
        elif is_slow and is_stale(tracker, view, point):
            game.values[index] = _STALE
        else:
            game.values[index] = gain_of_stone(tables, tracker, view, theta, point)
    meet()
    for index in range(count if lane_count() > 1 else 0):
        point = np.int64(game.moves[index])
        if game.values[index] == _CAPTURES:
            game.values[index] = _weigh_capture(game, tables, theta, point, color)
        elif game.values[index] == _STALE:
            gain = shared_gain(tables, tracker, view, theta, point)
            game.values[index] = keep_gain(tracker, view, point, gain)


@inlined
def _weigh_capture(
    game: ShapeGame, tables: ShapeTables, theta: Weights, point: int, color: int
) -> int:
    """What shapes gain by a move that captures."""
    game.move[0] = point
    game.move[1] = color
    board, tracker = game.state.words, game.tracker
    return gain_of_capture(board, tables, tracker, color - BLACK, theta, game.move)


@inlined
def choose_move(
    game: ShapeGame,
    tables: ShapeTables,
    theta: Weights,
    settings: GameSettings,
    color: int,
    random: np.uint64,
) -> tuple[int, np.uint64]:
    """(an epsilon-greedy move of `color` or PASS, new random state)."""
    count = list_sensible_moves(game.state, color, settings.ko_rule, game.moves)
    if count == 0:
        return np.uint16(PASS), random
    random = next_random(random)
    explores = is_exploring(random, settings.epsilon)
    random = next_random(random)
    if explores:
        return game.moves[index_from_random(random, count)], random
    _weigh_moves(game, tables, theta, color, count)
    if on_cpu(len(tables.liberty.window) > 0):
        _add_liberty_gains(game, tables, theta, color, count)
    return game.moves[sample_best(game.values, count, random)], random


@inlined
def stood_since(ply: int, number: int) -> int:
    """A ply and the number of a shape's set in one word, as SINCE of a slot's row has them."""
    return ply << 16 | number


@inlined
def log_slot(game: ShapeGame, slot: int, ply: int, place: int) -> None:
    """Notes the shape of a slot, which ends at this ply, in a place of the log. Of one that was
    never part of a position, as it began at this ply, nothing will be learned."""
    rows, log, entry = game.tracker.rows, game.log, index_of(place)
    row = ROW * np.int64(slot)
    stood = index_of(rows[row + SINCE])
    log[entry + STOOD] = stood
    log[entry + UNTIL] = ply
    log[entry + FIRST_INDEX] = rows[row + USED]
    log[entry + FIRST_INDEX + 1] = rows[row + USED + 1]
    rows[row + SINCE] = stood_since(ply, stood & 0xFFFF)


@kernel
def _follow_hashed(
    game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums, point: int, change: int
) -> None:
    """As `_follow_point`, in the hashed windows."""
    hashed = tables.hashed
    ply = np.int64(game.state.words[PLY])
    before = len(tables.exact.slot)
    logged = game.logged[0]
    end = np.int64(hashed.start[point + 1])
    for first in range(hashed.start[point], end, lane_count()):
        window = hashed.touch[min(first + lane_number(), end - 1), 0]  # type: ignore[index]
        slots = np.int64(hashed.window[window, 1] - hashed.window[window, 0])
        count = slots * np.int64(first + lane_number() < end)
        place, places = place_among_lanes(count)
        for number in range(count):
            slot = before + np.int64(hashed.window[window, 0]) + number
            log_slot(game, slot, ply, logged + ENTRY * (place + number))
        logged += ENTRY * places
    for view in range(2):
        digits = 3 * digit_of(view, change // 3) + digit_of(view, change % 3)
        theta = weights[owners[view]]
        growth = change_hashed(tables, game.tracker, view, theta, point, digits)
        add_growth(game.tracker, view, sum_lanes(growth))
    game.logged[0] = logged


@inlined
def _follow_point(
    game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums, point: int, change: int
) -> None:
    """Lets both views follow the change of a point, and notes the shapes that it ends."""
    exact = tables.exact
    ply = np.int64(game.state.words[PLY])
    first, second = weights[owners[0]], weights[owners[1]]
    step = digit_of(0, change % 3) - digit_of(0, change // 3)
    other_step = digit_of(1, change % 3) - digit_of(1, change // 3)
    mark_stale(tables, game.tracker, 3, point)
    growth = 0
    other_growth = 0
    logged = game.logged[0]
    start, end = np.int64(exact.start[point]), np.int64(exact.start[point + 1]) - 1
    for k in range(start + lane_number(), end, lane_count()):
        slot = exact.touch[k, 0]
        power = np.int64(exact.touch[k, 1])
        log_slot(game, slot, ply, logged + ENTRY * (k - start))
        growth += change_slot(tables, game.tracker, 0, first, slot, step * power)
        other_growth += change_slot(tables, game.tracker, 1, second, slot, other_step * power)
    add_growth(game.tracker, 0, sum_lanes(growth))
    add_growth(game.tracker, 1, sum_lanes(other_growth))
    game.logged[0] = logged + ENTRY * (end - start)
    if len(tables.hashed.window) > 0:
        _follow_hashed(game, tables, weights, owners, point, change)


@inlined
def _follow_and_log(game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums) -> None:
    """Lets both views follow the move in `game.move`, just made, noting the shapes it ends."""
    board = game.state.words
    color = game.move[1]
    _follow_point(game, tables, weights, owners, game.move[0], stone_change(color))
    for index in range(game.move[2] - 1, board[EMPTY_COUNT]):
        stone = board[EMPTIES + index]
        _follow_point(game, tables, weights, owners, stone, lifted_change(3 - color))


@kernel
def _follow_liberties(game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums) -> None:
    """As `_follow_and_log`, in the liberty windows that the move, staged and made, changes."""
    keep_staged(game.state.words, tables.liberty, game.liberty)
    if owners[2] != 0:
        ply = np.int64(game.state.words[PLY])
        before = first_liberty_slot(tables)
        logged = game.logged[0]
        for number in range(game.liberty.counts[CHANGED]):
            window = tables.liberty.window[game.liberty.changed[number, 0]]
            for slot in range(window[0], window[1]):
                log_slot(game, before + slot, ply, logged)
                logged += ENTRY
        game.logged[0] = logged
    for view in range(2):
        if owners[view] >= 0:
            use_changed(tables, game.liberty, view, weights[owners[view]])


@kernel
def _begin_liberties(game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums) -> None:
    read_liberties(game.state.words, tables.liberty, game.liberty)
    for view in range(2):
        if owners[view] >= 0:
            use_liberties(tables, game.liberty, view, weights[owners[view]])


@inlined
def make_move(
    game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums, point: int, color: int
) -> None:
    """Plays a move and lets the views that have an owner follow it."""
    board = game.state.words
    meet()  # all lanes have read the last move that was weighed
    game.move[0] = point
    game.move[1] = color
    game.move[2] = board[EMPTY_COUNT]
    if on_cpu(len(tables.liberty.window) > 0) and point != PASS:
        stage_move(board, tables.liberty, game.liberty, game.move[0], game.move[1])
    meet()
    if lane_number() == 0:
        play_move(game.state, point, color)
    meet()
    if point == PASS:
        return
    if on_cpu(len(tables.liberty.window) > 0):
        _follow_liberties(game, tables, weights, owners)
    if owners[2] != 0:
        _follow_and_log(game, tables, weights, owners)
    else:
        for view in range(2):
            if owners[view] >= 0:
                theta = weights[owners[view]]
                follow_stone(board, tables, game.tracker, view, theta, game.move)


@kernel
def _follow_start(game: ShapeGame, tables: ShapeTables, theta: Weights, view: int) -> None:
    """Lets a view that stands at the empty board follow to the position where the game begins."""
    board = game.state.words
    size = np.int64(board[SIZE])
    if board[EMPTY_COUNT] == size * size:
        return
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            color = np.int64(board[COLOR + point])
            if color != EMPTY:
                change_point(tables, game.tracker, view, theta, point, color)


@inlined
def begin_game(game: ShapeGame, tables: ShapeTables, weights: Weights, owners: Sums) -> None:
    """Sets up the board. owners = [player of Black, of White, whether any learns]: a row of
    `weights`, or -1 for somebody who follows no shapes."""
    meet()
    copy_part(game.start.words, game.state.words, lane_number(), lane_count())
    start = np.int64(game.start.words[PLY])
    for ply in range(lane_number(), start + 1, lane_count()):
        game.state.hashes[ply] = game.start.hashes[ply]
    for view in range(2):
        if owners[view] >= 0:
            reset_view(tables, game.tracker, view, weights[owners[view]])
            _follow_start(game, tables, weights[owners[view]], view)
    if on_cpu(len(tables.liberty.window) > 0):
        _begin_liberties(game, tables, weights, owners)
    if owners[2] != 0:
        game.logged[0] = 0
        for slot in range(lane_number(), len(tables.slot_set), lane_count()):
            number = np.int64(tables.slot_set[slot])
            game.tracker.rows[ROW * slot + SINCE] = stood_since(start + 1, number)
    meet()


@inlined
def _note_logits(game: ShapeGame, tables: ShapeTables, view: int, own_moves: int) -> None:
    """Keeps the mover's sum of each set, or of all where nobody asks for more."""
    if lane_number() != 0:
        return
    if game.logits.shape[2] == 1:
        game.logits[view, own_moves, 0] = game.tracker.totals[view]
    else:
        sum_sets(tables, game.tracker, view, game.logits[view, own_moves])


@inlined
def play_shape_game(
    game: ShapeGame,
    tables: ShapeTables,
    weights: Weights,
    owners: Sums,
    settings: GameSettings,
    random: np.uint64,
) -> tuple[int, float]:
    """Plays a game between rows of weights; returns (plies, Black's margin after komi)."""
    begin_game(game, tables, weights, owners)
    board = game.state.words
    ply = np.int64(board[PLY])
    while board[PASSES] < 2 and ply < len(game.record):
        color = BLACK + ply % 2
        theta = weights[owners[color - BLACK]]
        point, random = choose_move(game, tables, theta, settings, color, random)
        make_move(game, tables, weights, owners, point, color)
        _note_logits(game, tables, color - BLACK, ply // 2)
        game.record[ply] = point
        ply += 1
    return ply, count_filled_area(board) - settings.komi
