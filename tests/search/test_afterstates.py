"""The positions one move away are those that playing the moves leads to."""

import numpy as np
import pytest
from hypothesis import given

from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.rules.state import state_of_game
from katachi.search.afterstates import afterstates, sensible_moves
from tests.oracle.games import oracle_for, point_of, random_games
from tests.oracle.go import is_eye
from tests.rules.meaning import assert_same_meaning, meaning_of


@pytest.mark.kernel
@given(random_games(max_size=7, longest=60))
def test_sensible_moves_are_the_legal_ones_that_fill_no_eye(game: Game) -> None:
    stones = oracle_for(game).stones
    eyes = {
        color: {
            point_of((row, col))
            for row in range(game.size)
            for col in range(game.size)
            if is_eye(stones, game.size, (row, col), color)
        }
        for color in (BLACK, WHITE)
    }
    for color in (BLACK, WHITE):
        expected = [p for p in game.legal_moves(color).tolist() if p not in eyes[color]]
        assert sensible_moves(game, color).tolist() == expected


@pytest.mark.kernel
@given(random_games(max_size=7, longest=60))
def test_afterstates_are_what_playing_leads_to(game: Game) -> None:
    for color in (BLACK, WHITE):
        points = game.legal_moves(color)
        after = afterstates(game, color, points)
        assert after.points.tolist() == points.tolist()
        for index, point in enumerate(points.tolist()):
            state = state_of_game(after.states, index)
            twin = game.copy()
            twin.play(color, point)
            played = meaning_of(twin.words)
            played["counters"][3] = 1  # An afterstate remembers one ply.
            assert_same_meaning(meaning_of(state.words), played)
            assert int(state.hashes[1]) == twin.hash


@given(random_games(max_size=9))
def test_looking_ahead_does_not_change_the_game(game: Game) -> None:
    before, words = game.hash, game.words.copy()
    afterstates(game, BLACK, sensible_moves(game, BLACK))
    assert game.hash == before
    assert np.array_equal(game.words, words)


def test_a_pass_is_an_afterstate_too() -> None:
    game = Game(5)
    after = afterstates(game, BLACK, np.array([PASS], np.uint16))
    assert after.states.words.shape[0] == 1
    assert not Board(after.states.words[0]).colors.any()


def test_no_own_eye_is_filled() -> None:
    board = Board.from_diagram(
        """
        . X . O
        X X O O
        . X O .
        X X O O
        """
    )
    game = Game(4)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    names = [vertex_from_point(int(p), 4) for p in sensible_moves(game, BLACK)]
    assert names == ["C4"]
