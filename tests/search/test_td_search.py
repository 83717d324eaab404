"""Search by temporal differences: it learns from the position at hand and leaves the model be."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.players.roster import make_player
from katachi.players.searching import SearchingPlayer
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import PLY, BoardState, new_states, state_of_game
from katachi.search.td_search import TdSearch, TdSettings, position_to_begin
from katachi.td.shape_games import begin_game
from katachi.td.shape_memory import new_game
from tests.checks import check_player
from tests.timing import SLACK

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


def game_with_handicap() -> Game:
    game = Game(5, 0.5)
    game.place_setup([point_from_vertex(name, 5) for name in ("B2", "D2", "B4", "D4")], [])
    game.first_to_play = WHITE
    game.play(WHITE, point_from_vertex("C3", 5))
    return game


def game_set_up() -> Game:
    game = Game(5)
    black = [point_from_vertex(name, 5) for name in ("A2", "B1")]
    white = [point_from_vertex(name, 5) for name in ("C1", "B2", "A3", "D4")]
    game.place_setup(black, white)
    return game


def game_out_of_turn() -> Game:
    game = Game(5)
    game.play(BLACK, point_from_vertex("C3", 5))
    return game


@pytest.mark.parametrize("sets", ["1x1-2x2:LI+LD", "1x1-2x2:LI+LD,4x4:LI,1x1:LI:liberty"])
@pytest.mark.parametrize("game_of", [game_with_handicap, game_set_up, game_out_of_turn])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_games_begin_with_the_stones_that_are_there(
    game_of: Callable[[], Game], color: int, sets: str
) -> None:
    model = LocalShape(parse_sets(sets), 5, 1000)
    model.weights[:] = np.random.default_rng(1).integers(-1000, 1000, len(model.weights))
    game = game_of()
    for start in (position_to_begin(game, color), bare_position(game)):
        memory = new_game(model.tables, 5, 1000, start)
        begin_game(memory, model.tables, model.weights[None], np.zeros(3, np.int64))
        for view in range(2):
            assert memory.tracker.totals[view] == logit_of(model, game, view)


def bare_position(game: Game) -> BoardState:
    """A game's position as the first of a game."""
    start = state_of_game(new_states(1, game.size, 1), 0)
    start.words[:] = game.words
    start.words[PLY] = 0
    return start


def logit_of(model: LocalShape, game: Game, view: int) -> int:
    """What a colour thinks of the position as its last mover."""
    states = new_states(1, game.size, 1)
    states.words[0] = game.words
    states.words[0, PLY] = 0
    states.hashes[0, 0] = np.uint64(view == 0)
    return int(model.predict(states).sum())


@pytest.mark.parametrize("game_of", [game_with_handicap, game_set_up, game_out_of_turn])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_it_searches_positions_that_no_alternate_play_leads_to(
    game_of: Callable[[], Game], color: int
) -> None:
    game = game_of()
    result = TdSearch(zero_model(), FEW).search(game, color)
    assert game.is_legal(color, result.move)


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


@pytest.mark.usefixtures("own_time")
def test_it_thinks_no_longer_than_it_may() -> None:
    searcher = TdSearch(zero_model(9, "1x1-3x3:LI+LD"))
    searcher.search(Game(9), BLACK, 0.05)
    for seconds in (0.05, 0.3):
        begin = time.perf_counter()
        searcher.search(Game(9), BLACK, seconds)
        assert time.perf_counter() - begin < seconds + SLACK
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


@pytest.mark.slow
def test_nothing_is_learned_from_draws_that_were_foreseen() -> None:
    """One half is what a draw is worth to both, and what a model that knows nothing says."""
    searcher = TdSearch(zero_model(3), TdSettings(games=30, depth=1))
    for color in (WHITE, BLACK):
        result = searcher.search(drawn_game(), color)
        assert result.value == 0.5
    assert not searcher._weights.any()
