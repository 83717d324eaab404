"""A player that looks ahead keeps the contract, the time, and beats one that does not."""

import time

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.simple import AverageLiberties, InfluenceEvaluator
from katachi.players.clock import TimeSettings, TimeSystem
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.searching import SearchingPlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.search.alphabeta import AlphaBeta, SearchSettings
from tests.checks import check_player
from tests.search.evaluators import Scrambler, drive_by_liberties
from tests.timing import SLACK

SMALL = SearchSettings(table_bits=12)


@pytest.mark.parametrize("depth", [1, 2])
def test_it_is_a_player_like_any_other(depth: int) -> None:
    searcher = AlphaBeta(AverageLiberties(), SMALL)
    sizes = (2, 3, 4, 5, 9, 19, 25) if depth == 1 else (2, 3, 5, 9)
    check_player(lambda seed: SearchingPlayer("search", searcher, seed, depth), sizes)


def test_it_never_breaks_superko() -> None:
    """Whole games among a scrambler's moves, which repeat whatever they may."""
    searcher = AlphaBeta(Scrambler(50), SMALL)
    check_player(lambda seed: SearchingPlayer("search", searcher, seed, 3), (2, 3, 4))


@pytest.mark.kernel
def test_it_keeps_the_contract_on_tiny_boards() -> None:
    searcher = AlphaBeta(InfluenceEvaluator(), SearchSettings(table_bits=6))
    check_player(lambda seed: SearchingPlayer("search", searcher, seed, 2), (2,))


def test_different_seeds_give_different_games() -> None:
    searcher = AlphaBeta(AverageLiberties(), SMALL)
    firsts = {
        SearchingPlayer("s", searcher, seed, 1).choose(Game(5), BLACK).point for seed in range(30)
    }
    assert len(firsts) > 3


@pytest.mark.slow
def test_looking_ahead_beats_the_same_evaluator_without() -> None:
    """40 games, colours in turn: 27 wins are two standard deviations above an even match."""
    settings = GameSettings(5, opening_moves=0)
    searcher = AlphaBeta(InfluenceEvaluator(), SMALL)
    won = 0
    for seed in range(40):
        deep = SearchingPlayer("deep", searcher, seed, depth=3)
        flat = EvaluatingPlayer("flat", InfluenceEvaluator(), seed)
        black, white = (deep, flat) if seed % 2 else (flat, deep)
        outcome = play_game(black, white, settings)
        won += outcome.winner == (BLACK if seed % 2 else WHITE)
        assert all(rate is None or 0 <= rate <= 1 for rate in outcome.evaluations)
    assert won >= 27


def test_it_thinks_no_longer_than_it_may() -> None:
    player = SearchingPlayer("search", AlphaBeta(drive=drive_by_liberties))
    for seconds in (0.02, 0.2):
        begin = time.perf_counter()
        player.choose(Game(9), BLACK, seconds)
        assert time.perf_counter() - begin < seconds + SLACK


def test_without_a_clock_or_depth_it_takes_about_a_second() -> None:
    player = SearchingPlayer("search", AlphaBeta(drive=drive_by_liberties))
    begin = time.perf_counter()
    player.choose(Game(9), BLACK)
    assert time.perf_counter() - begin < 1 + SLACK


@pytest.mark.usefixtures("own_time")
def test_it_does_not_lose_on_time() -> None:
    clock = TimeSettings(TimeSystem.FISCHER, main=0.5, increment=0.02)
    settings = GameSettings(7, opening_moves=0, time=clock)
    players = [
        SearchingPlayer(name, AlphaBeta(drive=drive_by_liberties, settings=SMALL), seed)
        for seed, name in enumerate(("one", "other"))
    ]
    assert play_game(players[0], players[1], settings).ending is Ending.SCORE


def test_what_it_thinks_is_the_line_that_it_found() -> None:
    game = Game(5)
    searcher = AlphaBeta(AverageLiberties(), SMALL)
    player = SearchingPlayer("search", searcher, 1, 3)
    choice = player.choose(game, BLACK)
    (best,) = player.analyse(game, BLACK).candidates
    assert (best.point, best.win_rate, best.lead) == (choice.point, choice.win_rate, None)
    assert len(best.line) == 2
    for color, point in zip((BLACK, WHITE, BLACK), (best.point, *best.line), strict=True):
        game.play(color, point)
    assert player.analyse(game, WHITE).candidates[0].point != best.point


def test_a_search_cannot_leave_out_its_best_move() -> None:
    player = SearchingPlayer("search", AlphaBeta(AverageLiberties(), SMALL), 1, 1)
    best = player.choose(Game(5), BLACK).point
    other = next(point for point in Game(5).legal_moves(BLACK) if point != best)
    with pytest.raises(KatachiError, match="searches all moves or none"):
        player.analyse(Game(5), BLACK, np.array([other], np.uint16))
