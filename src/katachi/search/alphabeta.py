"""Full-width alpha-beta search, one ply deeper at a time, with any evaluator at the leaves.

The search itself is `negamax.advance`; here it is given a position, a clock and something that
judges moves. An evaluator does so in Python. What can judge moves in compiled code brings a `drive`
of its own instead, the loop that `negamax` shows, and nothing else changes.
"""

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.chances import black_logits, chances_of, with_komi
from katachi.evaluators.protocol import Evaluation, Evaluator
from katachi.rules.checking import check_color
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.state import EMPTY_COUNT, WORDS, BoardState
from katachi.search.afterstates import expand_moves
from katachi.search.analysis import MOVES_AT_ONCE
from katachi.search.frames import (
    BLACK_WINS_FROM,
    DEEPEST,
    DONE,
    GENERATION,
    HAS_ORDER,
    HAS_SCOUTS,
    HAS_TABLE,
    KO_RULE,
    LARGEST_JUDGED,
    LEAVES,
    MARGIN,
    MOVE_COUNT,
    MOVER,
    NEEDS_VALUES,
    NEXT_LOOK,
    NODES,
    OPTIONS,
    REDUCTIONS,
    ROOT_DONE,
    SORTED_FROM,
    SUICIDE,
    UNIT,
    WHITE_WINS_TO,
    Numbers,
    Search,
    komi_of,
    new_search,
)
from katachi.search.negamax import advance, begin_iteration
from katachi.search.stopping import look_for_stop
from katachi.search.transpositions import LARGEST_BITS, new_table

DEFAULT_SECONDS = 1.0
"""How long a search lasts that is given neither a time nor a depth."""
SECONDS_BETWEEN_LOOKS = 0.004
_FIRST_NODES = 100
_MOST_NODES = 1 << 20

Drive = Callable[[Search], int]
"""Takes a search on, giving it values whenever it needs them, until it halts for another reason;
returns that: RUNNING or DONE."""


@dataclass(frozen=True)
class SearchSettings:
    """How to search; the defaults are those of RLGO 2.5 but for the reduction, which is inexact."""

    deepest: int = DEEPEST
    """Plies at which a search by time ends in any case."""
    table_bits: int = 20
    """The table of known positions has 2 ** table_bits entries; 0 for no table."""
    has_order: bool = True
    """Whether moves are tried in a good order rather than that of the board."""
    has_scouts: bool = True
    """Whether later moves are first searched with an empty window."""
    sorted_from: int = 3
    """Fewest plies to go at which moves are sorted by their history of refutations."""
    reductions: int = 0
    """How many reduced searches may lie within each other: 3 in RLGO, 0 for an exact search."""
    margin: float = 0.20
    """Logits by which a search of two plies less must surpass a window for the node to be cut."""
    growth: float = 0.25
    """An iteration is expected to take (empty points) ** growth times as long as the last one."""

    def __post_init__(self) -> None:
        if not 1 <= self.deepest <= DEEPEST:
            raise KatachiError(f"cannot search {self.deepest} plies: use 1 to {DEEPEST}")
        if not 0 <= self.table_bits <= LARGEST_BITS:
            raise KatachiError(f"no table of 2**{self.table_bits}: use 0 to {LARGEST_BITS} bits")


class SearchResult(NamedTuple):
    """What a search found, from the side of the player who moves."""

    move: int
    """A point, or PASS where there is nothing sensible to play."""
    value: float
    """Chance of winning."""
    logit: float
    """Of that chance; beyond all that evaluators can say where the game was read to its end."""
    depth: int
    """Plies of the last iteration that was completed."""
    nodes: int
    """Positions reached, and moves judged without being played."""
    line: tuple[int, ...]
    """The principal variation, `move` first. It may be shorter than `depth`, where the table knew
    the rest, or longer by one, where an iteration that was not completed found the move."""
    seconds: float


class Searcher(Protocol):
    """Anything that looks ahead."""

    def search(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,
        depth: int | None = None,
        random: np.random.Generator | None = None,
    ) -> SearchResult:
        """The best move of `color` by a search that ends at a time, a depth or whichever comes
        first; `random` decides among moves of one value. The game is not changed."""
        ...


class _Finding(NamedTuple):
    """The best moves of an iteration, perhaps an unfinished one."""

    value: int
    lines: list[tuple[int, ...]]
    """One for each of the best moves, in the order of the board."""


class AlphaBeta:
    """Searches with one evaluator, one position at a time.

    Two searches of one position to one depth are the same: what an earlier search found, perhaps
    with another komi or before the evaluator learned, is not used.
    """

    def __init__(
        self,
        evaluator: Evaluator | None = None,
        settings: SearchSettings | None = None,
        drive: Drive | None = None,
    ) -> None:
        """A searcher; `drive` takes the evaluator's place. Raises KatachiError with neither.

        Kernels are compiled or loaded here, not while a clock runs.
        """
        if drive is None:
            if evaluator is None:
                raise KatachiError("a search needs an evaluator, or a drive in its place")
            drive = _EvaluatorDrive(evaluator)
        self.settings = settings or SearchSettings()
        self._drive = drive
        self._table = new_table(self.settings.table_bits)
        self._generation = 0
        _compile()
        with contextlib.suppress(KatachiError):  # an evaluator may know another board size only
            self.search(Game(9), BLACK, depth=1)

    def search(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,
        depth: int | None = None,
        random: np.random.Generator | None = None,
    ) -> SearchResult:
        """The best move of `color`. One ply is always searched in full, whatever the clock says;
        a move that is the only one is not thought over unless a depth is asked for. Without
        `random` the first of the best moves is taken."""
        begin = time.perf_counter()
        check_color(color)
        if depth is not None and not 1 <= depth <= DEEPEST:
            raise KatachiError(f"cannot search {depth} plies: use 1 to {DEEPEST}")
        if seconds is None:
            seconds = DEFAULT_SECONDS if depth is None else math.inf
        search = self._set_up(game)
        finding, plies = self._deepen(search, color, depth, begin, seconds)
        lines = finding.lines
        line = lines[int(random.integers(len(lines))) if random else 0]
        logit = finding.value / UNIT
        took = time.perf_counter() - begin
        value = float(chances_of(np.array(logit)))
        return SearchResult(line[0], value, logit, plies, int(search.registers[NODES]), line, took)

    def _set_up(self, game: Game) -> Search:
        self._generation += 1
        settings = self.settings
        options = np.zeros(OPTIONS, np.int64)
        options[KO_RULE] = game.rules.ko.value
        options[SUICIDE] = game.rules.suicide
        options[BLACK_WINS_FROM] = math.floor(game.komi) + 1
        options[WHITE_WINS_TO] = math.ceil(game.komi) - 1
        options[GENERATION] = self._generation
        options[HAS_TABLE] = settings.table_bits > 0
        options[HAS_ORDER] = settings.has_order
        options[HAS_SCOUTS] = settings.has_scouts
        options[REDUCTIONS] = settings.reductions
        options[MARGIN] = round(settings.margin * UNIT)
        options[SORTED_FROM] = settings.sorted_from
        return new_search(game.state, options, self._table)

    def _deepen(
        self, search: Search, color: int, depth: int | None, begin: float, seconds: float
    ) -> tuple[_Finding, int]:
        """(the best moves, plies of the last complete iteration)."""
        growth = float(search.state.words[EMPTY_COUNT]) ** self.settings.growth
        end = begin + seconds
        finding, completed, now = _Finding(0, []), 0, begin
        while completed < (depth or self.settings.deepest):
            begin_iteration(search, color, completed + 1)
            is_done = self._run(search, end if completed > 0 else math.inf)
            # Without an order the first moves of an unfinished iteration may be any.
            if is_done or self.settings.has_order:
                finding = _collect(search) or finding
            if not is_done:
                break
            completed += 1
            is_forced = depth is None and search.registers[ROOT_DONE] == 1
            last, now = now, time.perf_counter()
            if is_forced or search.registers[LEAVES] == 0 or now + (now - last) * growth > end:
                break
        return finding, completed

    def _run(self, search: Search, end: float) -> bool:
        """Whether the iteration was done before the time was up."""
        nodes = _FIRST_NODES
        before = time.perf_counter()
        while True:
            search.registers[NEXT_LOOK] = search.registers[NODES] + nodes
            if self._drive(search) == DONE:
                return True
            look_for_stop()
            now = time.perf_counter()
            if now >= end:
                return False
            fitting = int(nodes * SECONDS_BETWEEN_LOOKS / max(now - before, 1e-9))
            nodes = min(max(1, fitting), 2 * nodes, _MOST_NODES)
            before = now


def _collect(search: Search) -> _Finding | None:
    """The best of the moves at the root whose values are known, if there are any."""
    done = int(search.registers[ROOT_DONE])
    if done == 0:
        return None
    values = search.root_values[:done]
    best = int(values.max())
    rows = search.root_lines[:done][values == best]
    lines = [tuple(row[1 : row[0] + 1].tolist()) for row in rows]
    return _Finding(best, sorted(lines))


def units_of(evaluation: Evaluation) -> Numbers:
    """Black's chances of winning as the search's fixed-point logits, clipped."""
    units = np.rint(black_logits(evaluation) * UNIT)
    return np.clip(units, -LARGEST_JUDGED, LARGEST_JUDGED).astype(np.int64)


class _EvaluatorDrive:
    """Sets up the positions after each move of a frontier and has them evaluated."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._words = np.zeros((MOVES_AT_ONCE, WORDS), np.uint16)
        self._hashes = np.zeros((MOVES_AT_ONCE, 2), np.uint64)

    def __call__(self, search: Search) -> int:
        status = advance(search)
        while status == NEEDS_VALUES:
            count = int(search.registers[MOVE_COUNT])
            for first in range(0, count, MOVES_AT_ONCE):
                self._judge(search, first, min(first + MOVES_AT_ONCE, count))
            status = advance(search)
        return status

    def _judge(self, search: Search, first: int, last: int) -> None:
        color = int(search.registers[MOVER])
        count = last - first
        after = BoardState(self._words[:count], self._hashes[:count], search.state.keys)
        expand_moves(search.state, color, search.frontier[first:last], after)
        values = units_of(with_komi(self.evaluator.evaluate(after), komi_of(search.options)))
        search.values[first:last] = values if color == BLACK else -values


@cache
def _compile() -> None:
    """Searches a tiny board with all moves worth the same, so that every kernel is compiled."""
    options = np.zeros(OPTIONS, np.int64)
    options[[KO_RULE, HAS_TABLE, HAS_ORDER, HAS_SCOUTS, REDUCTIONS, GENERATION]] = 1
    search = new_search(Game(2).state, options, new_table(1))
    search.registers[NEXT_LOOK] = 1 << 30
    begin_iteration(search, BLACK, 4)
    while advance(search) == NEEDS_VALUES:
        pass
