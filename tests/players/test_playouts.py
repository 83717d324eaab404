import time

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.players.playouts import PlayoutPlayer
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.random_play import random_states
from katachi.search.playouts import add_playouts
from tests.checks import check_player
from tests.timing import SLACK


def test_it_is_a_player_like_any_other() -> None:
    check_player(lambda seed: PlayoutPlayer("playouts:2", seed, playouts=2))


def test_it_beats_a_random_player() -> None:
    settings = GameSettings(5, opening_moves=0)
    won = 0
    for seed in range(10):
        strong, weak = make_player("playouts:32", seed), make_player("random", seed)
        black, white = (strong, weak) if seed % 2 else (weak, strong)
        outcome = play_game(black, white, settings)
        won += outcome.winner == (BLACK if seed % 2 else WHITE)
        assert all(rate is None or 0 <= rate <= 1 for rate in outcome.evaluations)
    assert won >= 9


def test_playouts_count_blacks_wins_twice() -> None:
    """With a komi beyond reach nobody or everybody wins."""
    boards = np.concatenate([Game(5).states.words] * 3)
    for komi, won in ((1000.0, 0), (-1000.0, 14)):
        wins = np.zeros(2, np.int64)
        add_playouts(boards, BLACK, komi, 7, random_states(1, 0, 1)[0], wins)
        assert wins.tolist() == [won, won]


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_drawn_playout_is_half_a_win_for_either_side(color: int) -> None:
    """All of the board is Black's whatever is played, and komi is as much."""
    game = Game(3, komi=9)
    game.place_setup([point_from_vertex(vertex, 3) for vertex in ("A2", "B2", "C2")], [])
    assert make_player("playouts:5", 1).choose(game, color).win_rate == 0.5


def test_it_thinks_until_it_is_stopped_and_no_longer() -> None:
    player = make_player("playouts", 1)
    player.choose(Game(9), BLACK, 0.05)
    begin = time.perf_counter()
    player.choose(Game(9), BLACK, 0.3)
    assert 0.3 <= time.perf_counter() - begin < 0.3 + SLACK


@pytest.mark.parametrize("name", ["playouts:0", "playouts:many", "alp:3", "playouts:-1"])
def test_a_senseless_number_is_refused(name: str) -> None:
    with pytest.raises(KatachiError, match="no player"):
        make_player(name)
