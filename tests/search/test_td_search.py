"""Search by temporal differences: it learns from the position at hand and leaves the model be."""

import time

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.players.roster import make_player
from katachi.players.searching import SearchingPlayer
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.errors import KatachiError
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import PLY
from katachi.search.td_search import TdSearch, TdSettings, position_to_begin
from tests.checks import check_player

FEW = TdSettings(games=20, depth=1)


def zero_model(size: int = 5, sets: str = "1x1-2x2:LI+LD") -> LocalShape:
    return LocalShape(parse_sets(sets), size)


@pytest.mark.parametrize("sets", ["1x1-2x2:LI+LD", "1x1-2x2:LI+LD,1x1:LI:liberty"])
def test_it_is_a_player_like_any_other(sets: str) -> None:
    searcher = TdSearch(zero_model(5, sets), FEW)
    check_player(lambda seed: SearchingPlayer("dyna", searcher, seed), (5,))


def test_a_colour_may_move_at_any_ply() -> None:
    game = Game(5)
    for moves in range(4):
        for color in (BLACK, WHITE):
            start = position_to_begin(game, color)
            assert int(start.words[PLY]) % 2 == color - BLACK
            assert start.hashes[int(start.words[PLY])] == game.hash
            assert abs(int(start.words[PLY]) - moves) <= 1
        game.play(game.to_play, point_from_vertex("ABCD"[moves] + "1", 5))


def test_a_model_that_knows_nothing_learns_enough_to_beat_random_play() -> None:
    searcher = TdSearch(zero_model(), TdSettings(games=200))
    won = 0
    for seed in range(10):
        players = [SearchingPlayer("dyna", searcher, seed), make_player("random", seed)]
        black, white = players if seed % 2 else players[::-1]
        outcome = play_game(black, white, GameSettings(5, opening_moves=0))
        won += outcome.winner == (BLACK if seed % 2 else WHITE)
    assert won >= 9


def test_the_model_stays_as_it_is_and_what_was_learned_lasts_a_game() -> None:
    model = zero_model()
    searcher = TdSearch(model, FEW)
    game = Game(5)
    color = BLACK
    searcher.search(game, color)
    assert not model.weights.any()
    assert not model.seen.any()
    first = searcher._weights
    assert first.any()
    game.play(color, point_from_vertex("C3", 5))
    game.play(opponent(color), point_from_vertex("B3", 5))
    searcher.search(game, color)
    assert searcher._weights is first
    searcher.search(Game(5), color)
    assert searcher._weights is not first


def test_equal_seeds_find_equal_moves() -> None:
    found = []
    for _ in range(2):
        searcher = TdSearch(zero_model(), FEW)
        random = np.random.default_rng(7)
        results = [searcher.search(Game(5), BLACK, random=random) for _ in range(3)]
        found.append([(each.move, each.logit) for each in results])
    assert found[0] == found[1]


def test_it_thinks_no_longer_than_it_is_told() -> None:
    searcher = TdSearch(zero_model(9, "1x1-3x3:LI+LD"))
    searcher.search(Game(9), BLACK, 0.05)
    for seconds in (0.05, 0.3):
        begin = time.perf_counter()
        searcher.search(Game(9), BLACK, seconds)
        assert time.perf_counter() - begin < seconds + 0.15
        assert searcher.learned > 0


def test_another_board_is_refused() -> None:
    with pytest.raises(KatachiError, match="5x5"):
        TdSearch(zero_model(), FEW).search(Game(9), BLACK)


def test_another_komi_or_set_up_is_another_game() -> None:
    """What was learned for one is not taken over, though the moves so far are the same."""
    searcher = TdSearch(zero_model(), FEW)
    fresh = TdSearch(zero_model(), FEW)
    plain, other = Game(5, komi=7.5), Game(5, komi=-7.5)
    random = np.random.default_rng
    searcher.search(plain, BLACK, random=random(1))
    found, expected = (each.search(other, BLACK, random=random(2)) for each in (searcher, fresh))
    assert (found.move, found.logit) == (expected.move, expected.logit)


def drawn_game() -> Game:
    """All of the board is Black's whatever is played, and komi is as much; White is to move."""
    game = Game(3, komi=9)
    for vertex in ("A2", "B2", "C2"):
        game.play(BLACK, point_from_vertex(vertex, 3))
        if vertex != "C2":
            game.play(WHITE, PASS)
    return game


def test_nothing_is_learned_from_draws_that_were_foreseen() -> None:
    """One half is what a draw is worth to both, and what a model that knows nothing says."""
    searcher = TdSearch(zero_model(3), TdSettings(games=30, depth=1))
    for color in (WHITE, BLACK):
        result = searcher.search(drawn_game(), color)
        assert result.value == 0.5
    assert not searcher._weights.any()
