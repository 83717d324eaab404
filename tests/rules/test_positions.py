"""Boards become positions together with who moved last."""

import numpy as np

from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.positions import last_movers, positions_of
from katachi.rules.state import empty_words


def test_a_position_keeps_who_moved_last() -> None:
    words = np.tile(empty_words(5), (3, 1))
    movers = [BLACK, WHITE, BLACK]
    assert last_movers(positions_of(words, movers)).tolist() == movers
    assert last_movers(positions_of(words, BLACK)).tolist() == [BLACK] * 3


def test_the_mover_of_a_game_is_who_made_its_last_move() -> None:
    game = Game(5)
    assert last_movers(game.states).tolist() == [WHITE]
    for color in (BLACK, WHITE, BLACK):
        game.play(color, int(game.legal_moves(color)[0]))
        assert last_movers(game.states).tolist() == [color]
