"""A search halts and goes on, keeps its time, and takes any judge of moves at its leaves."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.state import BoardState
from katachi.search.alphabeta import AlphaBeta, SearchSettings
from katachi.search.frames import NEXT_LOOK, NODES, Search
from tests.search.evaluators import LIBERTIES, Scrambler, drive_by_liberties
from tests.search.positions import game_from, positions, without_time
from tests.timing import SLACK


@pytest.mark.kernel
def test_a_search_that_halts_at_every_node_finds_the_same() -> None:
    halts = 0
    steady = AlphaBeta(AverageLiberties(), SearchSettings(table_bits=8))
    drive = steady._drive

    def halt_at_once(search: Search) -> int:
        nonlocal halts
        halts += 1
        search.registers[NEXT_LOOK] = search.registers[NODES] + 1
        return drive(search)

    halting = AlphaBeta(drive=halt_at_once, settings=SearchSettings(table_bits=8))
    for game in positions(3, 3, seed=13, empties=6):
        found = without_time(halting.search(game, BLACK, depth=3))
        assert found == without_time(steady.search(game, BLACK, depth=3))
    assert halts > 30


def test_a_compiled_drive_finds_the_same() -> None:
    compiled, slow = AlphaBeta(drive=drive_by_liberties), AlphaBeta(LIBERTIES.evaluator)
    for game in positions(6, 12, seed=14, empties=36):
        if game.rules.suicide:
            continue
        one, other = (s.search(game, game.to_play, depth=3) for s in (compiled, slow))
        assert one.logit == pytest.approx(other.logit, abs=1e-7)
        assert (one.move, one.nodes, one.line) == (other.move, other.nodes, other.line)


@pytest.mark.kernel
def test_the_compiled_drive_runs_everywhere() -> None:
    result = AlphaBeta(drive=drive_by_liberties).search(Game(3), BLACK, depth=2)
    assert result.depth == 2


MAKE_SEARCHES: dict[str, Callable[[], AlphaBeta]] = {
    "compiled": lambda: AlphaBeta(drive=drive_by_liberties),
    "influence": lambda: AlphaBeta(InfluenceEvaluator()),
    "scrambler": lambda: AlphaBeta(Scrambler(9)),
}


@pytest.mark.parametrize("name", MAKE_SEARCHES)
def test_a_search_lasts_no_longer_than_it_may(name: str) -> None:
    search = MAKE_SEARCHES[name]()
    for size, seconds in ((5, 0.05), (9, 0.3), (13, 0.2)):
        begin = time.perf_counter()
        result = search.search(Game(size), BLACK, seconds=seconds)
        took = time.perf_counter() - begin
        assert took < seconds + SLACK
        assert result.seconds <= took


FIRST_SEARCH = """
from katachi.evaluators.simple import AverageLiberties
from katachi.rules.game import Game
from katachi.search.alphabeta import AlphaBeta
searcher = AlphaBeta(AverageLiberties())
print(searcher.search(Game(13), 1, seconds=0.1).seconds)
"""


def test_the_first_search_of_a_process_lasts_no_longer_than_it_may() -> None:
    """Kernels are loaded, or even compiled, before the clock runs."""
    command = [sys.executable, "-c", FIRST_SEARCH]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(answer.stdout) < 0.1 + SLACK


@pytest.mark.usefixtures("own_time")
def test_a_search_uses_its_time() -> None:
    """It goes on until the next iteration seems too long."""
    result = AlphaBeta(drive=drive_by_liberties).search(Game(9), BLACK, seconds=0.5)
    assert result.depth >= 2
    assert result.seconds > 0.5 / 50


class Slow:
    """An evaluator that takes its time."""

    name = "slow"

    def evaluate(self, states: BoardState) -> Evaluation:
        time.sleep(0.01)
        return AverageLiberties().evaluate(states)


def test_a_slow_evaluator_is_stopped_between_two_positions() -> None:
    search = AlphaBeta(Slow())
    begin = time.perf_counter()
    result = search.search(Game(9), BLACK, seconds=0.2)
    assert time.perf_counter() - begin < 0.2 + SLACK
    assert result.depth == 1


def test_one_ply_is_searched_however_short_the_time() -> None:
    whole = AlphaBeta(AverageLiberties()).search(Game(9), BLACK, depth=1)
    hasty = AlphaBeta(AverageLiberties()).search(Game(9), BLACK, seconds=0.0)
    assert without_time(hasty) == without_time(whole)


def test_an_unfinished_iteration_in_no_order_is_not_trusted() -> None:
    settings = SearchSettings(has_order=False)
    result = AlphaBeta(InfluenceEvaluator(), settings).search(Game(13), BLACK, seconds=0.1)
    whole = AlphaBeta(InfluenceEvaluator()).search(Game(13), BLACK, depth=result.depth)
    assert (result.move, result.logit) == (whole.move, whole.logit)


def test_time_and_depth_may_both_be_given() -> None:
    search = AlphaBeta(drive=drive_by_liberties)
    assert search.search(Game(9), BLACK, seconds=60, depth=2).depth == 2
    assert search.search(Game(9), BLACK, seconds=0.05, depth=30).depth < 30


def test_the_only_move_is_not_thought_over() -> None:
    game = game_from("XX.\nX.X\n.XX", komi=0.5)
    game.play(WHITE, PASS)
    result = AlphaBeta(AverageLiberties()).search(game, BLACK, seconds=10)
    assert (result.move, result.depth) == (PASS, 1)


@pytest.mark.parametrize("depth", [0, -1, 41])
def test_a_senseless_depth_is_refused(depth: int) -> None:
    with pytest.raises(KatachiError, match="use 1 to 40"):
        AlphaBeta(ConstantEvaluator()).search(Game(5), BLACK, depth=depth)
    with pytest.raises(KatachiError, match="use 1 to 40"):
        SearchSettings(deepest=depth)


def test_a_senseless_table_is_refused() -> None:
    with pytest.raises(KatachiError, match="use 0 to 22 bits"):
        SearchSettings(table_bits=40)


def test_a_search_needs_something_that_judges() -> None:
    with pytest.raises(KatachiError, match="needs an evaluator"):
        AlphaBeta()


class OneSize:
    """An evaluator of 5x5 boards."""

    name = "one size"

    def evaluate(self, states: BoardState) -> Evaluation:
        if Board(states.words[0]).size != 5:
            raise KatachiError("knows 5x5 only")
        return ConstantEvaluator().evaluate(states)


def test_what_an_evaluator_refuses_the_search_refuses() -> None:
    search = AlphaBeta(OneSize())
    assert search.search(Game(5), BLACK, depth=1).logit == 0.0
    with pytest.raises(KatachiError, match="knows 5x5 only"):
        search.search(Game(9), BLACK, depth=1)


def test_a_large_board_is_searched_too() -> None:
    result = AlphaBeta(InfluenceEvaluator()).search(Game(25), BLACK, depth=1)
    assert result.nodes == 626
