# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
# mypy: disable-error-code="no-any-return,return-value,arg-type"
"""Alpha-beta search as one resumable kernel, without recursion.

`advance` runs until it must halt. At a frontier position, one ply from the horizon, it halts for
the values of all moves there at once: none of them need be played. So whatever judges moves drives
the search by a loop of its own,

    status = advance(search)
    while status == NEEDS_VALUES:
        judge(board, registers[MOVER], frontier, registers[MOVE_COUNT], values)
        status = advance(search)

in Python (`alphabeta.py`) or compiled. A node is worth the best of its moves to the player who is
to move. Who has a legal move that fills no own eye does not pass; two passes end the game, which is
then counted by area. Windows are open intervals of values that still matter, and a result outside
its window is a bound (fail-soft).
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.area import mark_area
from katachi.rules.color import BLACK
from katachi.rules.kernels import play_move, take_back_move
from katachi.rules.legality import LEGAL, judge_move
from katachi.rules.point import PASS
from katachi.rules.state import PASSES, TRACE, TRACE_WORDS, Words
from katachi.search.frames import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    BEYOND,
    BLACK_WINS_FROM,
    COUNT,
    DEPTH,
    DONE,
    ENTER,
    GENERATION,
    HAS_SCOUTS,
    HAS_TABLE,
    IS_SCOUT,
    JUDGE_REDUCED,
    KO_RULE,
    LARGEST,
    LARGEST_JUDGED,
    LEAVES,
    LEVEL,
    MARGIN,
    MOVE_COUNT,
    MOVER,
    NEEDS_VALUES,
    NESTED,
    NEXT_LOOK,
    NODES,
    PLAY_NEXT,
    REDUCTIONS,
    ROOT_DONE,
    ROOT_MOVE,
    RUNNING,
    SIDE,
    STAGE,
    SUICIDE,
    TAKE_RESULT,
    TAKE_VALUES,
    TRIED,
    VALUE,
    WHITE_WINS_TO,
    Numbers,
    Search,
)
from katachi.search.ordering import list_moves, note_refutation, rank_moves, take_best
from katachi.search.transpositions import Entry, find_entry, keep_entry, key_of

_REDUCED_PLIES = 2


@inlined
def _open_frame(search: Search, side: int, depth: int, alpha: int, beta: int, nested: int) -> None:
    level = search.registers[LEVEL] + 1
    search.registers[LEVEL] = level
    frame = search.frames[level]
    frame[SIDE] = side
    frame[DEPTH] = depth
    frame[ALPHA] = alpha
    frame[BETA] = beta
    frame[NESTED] = nested
    frame[STAGE] = ENTER


@inlined
def _leave(search: Search, value: int) -> None:
    search.registers[VALUE] = value
    search.registers[LEVEL] -= 1


@kernel
def begin_iteration(search: Search, side: int, depth: int) -> None:
    """Makes the position of `state`, with `side` to move, the root of a search of `depth` plies.

    The search must be fresh, or its last iteration DONE.
    """
    search.registers[LEVEL] = -1
    search.registers[LEAVES] = 0
    search.registers[ROOT_DONE] = 0
    _open_frame(search, side, depth, -BEYOND, BEYOND, 0)


@kernel
def advance(search: Search) -> int:
    """Goes on to the next halt; returns why it halted.

    NEEDS_VALUES: `values` must be filled for the moves of `frontier` before the next call.
    RUNNING: NEXT_LOOK nodes are reached; without a higher one the next call halts at once.
    DONE: the moves at the root, their values and lines are known.
    """
    registers = search.registers
    status = RUNNING
    while registers[LEVEL] >= 0 and status == RUNNING:
        frame = search.frames[registers[LEVEL]]
        stage = frame[STAGE]
        if stage == PLAY_NEXT:
            _play_next(search, frame)
        elif stage == TAKE_RESULT:
            _take_result(search, frame)
        elif stage == TAKE_VALUES:
            _take_values(search, frame)
        elif stage == JUDGE_REDUCED:
            _judge_reduced(search, frame)
        elif registers[NODES] >= registers[NEXT_LOOK]:
            return RUNNING
        else:
            status = _enter(search, frame)
    return DONE if registers[LEVEL] < 0 else status


@kernel
def _enter(search: Search, frame: Numbers) -> int:
    """First steps at a new position: the end, a known value, the frontier, or moves to try."""
    search.registers[NODES] += 1
    level = search.registers[LEVEL]
    search.lines[level, 0] = 0
    if level > 0 and search.state.words[PASSES] >= 2:
        _leave(search, _count_game(search, frame[SIDE]))
    elif level > 0 and _leave_if_known(search, frame):
        return RUNNING
    elif frame[DEPTH] == 1:
        search.registers[MOVER] = frame[SIDE]
        search.registers[MOVE_COUNT] = list_moves(search, frame[SIDE], search.frontier)
        frame[STAGE] = TAKE_VALUES
        return NEEDS_VALUES
    elif level > 0 and _may_reduce(search, frame):
        _search_reduced(search, frame)
    else:
        _begin_moves(search, frame)
    return RUNNING


@kernel
def _count_game(search: Search, side: int) -> int:
    """What a finished game is worth to `side`: won, lost or, at an even komi, drawn."""
    area = mark_area(search.state.words, search.scratch)
    options = search.options
    winner = int(area >= options[BLACK_WINS_FROM]) - int(area <= options[WHITE_WINS_TO])
    return np.int64(LARGEST * winner if side == BLACK else -LARGEST * winner)


@kernel
def _leave_if_known(search: Search, frame: Numbers) -> bool:
    """Leaves a position whose value the table knows well enough for the window."""
    key = key_of(search.state, frame[SIDE])
    entry = find_entry(search.table, key, search.options[GENERATION])
    if entry.depth != frame[DEPTH]:
        return False
    if entry.lower >= frame[BETA]:
        value = entry.lower
    elif entry.upper <= frame[ALPHA]:
        value = entry.upper
    elif entry.lower == entry.upper:
        value = entry.lower
        _begin_line(search, frame, entry.move)
    else:
        return False
    search.registers[LEAVES] += frame[DEPTH] == 1
    _leave(search, value)
    return True


@kernel
def _begin_line(search: Search, frame: Numbers, move: int) -> None:
    """Lets the best line go on with the table's move, unless superko forbids it here."""
    options = search.options
    is_suicide_legal = options[SUICIDE] != 0
    verdict = judge_move(search.state, move, frame[SIDE], options[KO_RULE], is_suicide_legal)
    if move != PASS and verdict == LEGAL:
        level = search.registers[LEVEL]
        search.lines[level, 0] = 1
        search.lines[level, 1] = move


@inlined
def _may_reduce(search: Search, frame: Numbers) -> bool:
    return (
        frame[NESTED] < search.options[REDUCTIONS]
        and frame[DEPTH] > _REDUCED_PLIES
        and frame[BETA] + search.options[MARGIN] <= LARGEST
    )


@kernel
def _search_reduced(search: Search, frame: Numbers) -> None:
    """Asks whether a search of two plies less already finds this position too good to matter."""
    frame[STAGE] = JUDGE_REDUCED
    beta = frame[BETA] + search.options[MARGIN]
    depth = frame[DEPTH] - _REDUCED_PLIES
    _open_frame(search, frame[SIDE], depth, beta - 1, beta, frame[NESTED] + 1)


@kernel
def _judge_reduced(search: Search, frame: Numbers) -> None:
    if search.registers[VALUE] >= frame[BETA] + search.options[MARGIN]:
        _leave(search, frame[BETA])
    else:
        _begin_moves(search, frame)


@kernel
def _begin_moves(search: Search, frame: Numbers) -> None:
    level = search.registers[LEVEL]
    frame[COUNT] = list_moves(search, frame[SIDE], search.moves[level])
    frame[TRIED] = 0
    frame[BEST] = -BEYOND
    frame[BEST_MOVE] = PASS
    frame[STAGE] = PLAY_NEXT
    first = search.registers[ROOT_MOVE]
    if level > 0:
        key = key_of(search.state, frame[SIDE])
        first = find_entry(search.table, key, search.options[GENERATION]).move
    rank_moves(search, first)


@kernel
def _play_next(search: Search, frame: Numbers) -> None:
    """Plays the next move. The first is searched for its value; of the others it is first asked
    only whether they are better."""
    level = search.registers[LEVEL]
    tried = frame[TRIED]
    move = take_best(search.moves[level], search.ranks[level], tried, frame[COUNT])
    frame[TRIED] = tried + 1
    play_move(search.state, move, frame[SIDE])
    for word in range(TRACE_WORDS):
        search.traces[level, word] = search.state.words[TRACE + word]
    is_wide = frame[BETA] - _floor(level, frame) > 1
    frame[IS_SCOUT] = tried > 0 and is_wide and search.options[HAS_SCOUTS] != 0
    _search_child(search, frame)


@inlined
def _floor(level: int, frame: Numbers) -> int:
    """What a move must surpass to matter. At the root a move as good as the best one matters too:
    which of them is played is left to chance."""
    return max(frame[ALPHA], frame[BEST] - int(level == 0))


@kernel
def _search_child(search: Search, frame: Numbers) -> None:
    floor = _floor(search.registers[LEVEL], frame)
    ceiling = floor + 1 if frame[IS_SCOUT] else frame[BETA]
    frame[STAGE] = TAKE_RESULT
    _open_frame(search, 3 - frame[SIDE], frame[DEPTH] - 1, -ceiling, -floor, frame[NESTED])


@kernel
def _take_result(search: Search, frame: Numbers) -> None:
    """Hears what the move just searched is worth; searches it again where the scout was wrong."""
    level = search.registers[LEVEL]
    value = -search.registers[VALUE]
    if frame[IS_SCOUT] and _floor(level, frame) < value < frame[BETA]:
        frame[IS_SCOUT] = 0
        _search_child(search, frame)
        return
    take_back_move(search.state, search.traces[level])
    move = np.int64(search.moves[level, frame[TRIED] - 1])
    if level == 0:
        _note_root_move(search, move, value)
    if value > frame[BEST]:
        frame[BEST] = value
        if value > frame[ALPHA]:
            frame[BEST_MOVE] = move
            _extend_line(search, search.lines[level], move)
    if value >= frame[BETA]:
        note_refutation(search, level, move)
    if value >= frame[BETA] or frame[TRIED] == frame[COUNT]:
        _finish(search, frame)
    else:
        frame[STAGE] = PLAY_NEXT


@kernel
def _extend_line(search: Search, line: Words, move: int) -> None:
    """Writes a move and the best line of the level below into `line`."""
    below = search.lines[search.registers[LEVEL] + 1]
    line[0] = below[0] + 1
    line[1] = move
    for index in range(below[0]):
        line[index + 2] = below[index + 1]


@kernel
def _note_root_move(search: Search, move: int, value: int) -> None:
    done = search.registers[ROOT_DONE]
    search.root_values[done] = value
    _extend_line(search, search.root_lines[done], move)
    search.registers[ROOT_DONE] = done + 1


@kernel
def _finish(search: Search, frame: Numbers) -> None:
    """Leaves a position whose moves were all tried, or one of them was enough."""
    best = frame[BEST]
    if search.registers[LEVEL] == 0:
        search.registers[ROOT_MOVE] = frame[BEST_MOVE]
    lower = best if best > frame[ALPHA] else -BEYOND
    upper = best if best < frame[BETA] else BEYOND
    _keep(search, frame, lower, upper, frame[BEST_MOVE])
    _leave(search, best)


@inlined
def _keep(search: Search, frame: Numbers, lower: int, upper: int, move: int) -> None:
    if search.options[HAS_TABLE] != 0:
        entry = Entry(frame[DEPTH], lower, upper, move)
        key = key_of(search.state, frame[SIDE])
        keep_entry(search.table, key, search.options[GENERATION], entry)


@kernel
def _take_values(search: Search, frame: Numbers) -> None:
    """Takes the best of the values that were asked for."""
    level = search.registers[LEVEL]
    count = search.registers[MOVE_COUNT]
    values = search.values
    is_end = search.frontier[0] == PASS and search.state.words[PASSES] >= 1
    search.registers[NODES] += count
    best = 0
    for index in range(count):
        values[index] = min(max(values[index], -LARGEST_JUDGED), LARGEST_JUDGED)
        if values[index] > values[best]:
            best = index
    if is_end:
        values[0] = _count_game(search, frame[SIDE])
    move = np.int64(search.frontier[best])
    search.lines[level, 0] = 1
    search.lines[level, 1] = move
    if level == 0:
        _note_root_values(search, move)
    if not is_end:
        search.registers[LEAVES] += 1
        _keep(search, frame, values[best], values[best], move)
    _leave(search, values[best])


@kernel
def _note_root_values(search: Search, best: int) -> None:
    """A root that is the frontier itself."""
    count = search.registers[MOVE_COUNT]
    search.registers[ROOT_DONE] = count
    search.registers[ROOT_MOVE] = best
    for index in range(count):
        search.moves[0, index] = search.frontier[index]
        search.root_values[index] = search.values[index]
        search.root_lines[index, 0] = 1
        search.root_lines[index, 1] = search.frontier[index]
