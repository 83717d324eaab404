"""The first players keep the contract, and play as the oracle would."""

import random

import pytest
from hypothesis import given

from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Analyst, Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, row_col_from_point
from katachi.search.afterstates import sensible_moves
from tests.checks import check_player
from tests.oracle.games import play_random_move, random_games, stones_of
from tests.oracle.players import best_average_liberties_spots

NAMES = ["random", "alp", "influence"]


@pytest.mark.parametrize("name", NAMES)
def test_player_keeps_the_contract(name: str) -> None:
    check_player(lambda seed: make_player(name, seed))


@pytest.mark.kernel
@pytest.mark.parametrize("name", NAMES)
def test_player_keeps_the_contract_on_tiny_boards(name: str) -> None:
    check_player(lambda seed: make_player(name, seed), (2, 3))


@pytest.mark.parametrize("name", NAMES)
def test_player_says_what_it_thinks(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, Analyst)
    assert len(player.analyse(Game(5), BLACK).candidates) == 25


@given(random_games(max_size=7, longest=60))
def test_alp_plays_a_move_of_the_best_score(game: Game) -> None:
    color = game.to_play
    legal = [row_col_from_point(int(point)) for point in game.legal_moves(color)]
    best = best_average_liberties_spots(stones_of(game), game.size, color, legal)
    point = EvaluatingPlayer("alp", AverageLiberties()).choose(game, color).point
    assert point is not None
    assert row_col_from_point(point) in best if best else point == PASS


def test_alp_draws_from_all_moves_of_the_best_score() -> None:
    game, source = Game(5), random.Random(4)
    for _ in range(6):
        play_random_move(game, source)
    color = game.to_play
    legal = [row_col_from_point(int(point)) for point in game.legal_moves(color)]
    best = best_average_liberties_spots(stones_of(game), 5, color, legal)
    player = EvaluatingPlayer("alp", AverageLiberties())
    points = [player.choose(game, color).point for _ in range(60 * len(best))]
    assert {row_col_from_point(p) for p in points if p is not None} == set(best)


def test_random_plays_every_sensible_move() -> None:
    game, source = Game(4), random.Random(2)
    for _ in range(8):
        play_random_move(game, source)
    player = EvaluatingPlayer("random", ConstantEvaluator(), seed=1)
    points = {player.choose(game, BLACK).point for _ in range(600)}
    assert points == set(sensible_moves(game, BLACK).tolist())


def test_different_seeds_give_different_games() -> None:
    openings = set()
    for seed in range(20):
        player, game = make_player("random", seed), Game(9)
        for _ in range(4):
            point = player.choose(game, game.to_play).point
            assert point is not None
            game.play(game.to_play, point)
        openings.add(tuple(game.moves))
    assert len(openings) == 20


def winner(black: Player, white: Player, size: int) -> int:
    """Who wins a game, at most three moves a point long."""
    game = Game(size)
    players = {BLACK: black, WHITE: white}
    while not game.is_over and len(game.moves) < 3 * size * size:
        point = players[game.to_play].choose(game, game.to_play).point
        assert point is not None
        game.play(game.to_play, point)
    return BLACK if game.area_score() > 0 else WHITE


def lower_bound(wins: int, games: int, deviations: float) -> float:
    """Wilson's lower bound of a share of wins."""
    share, z2 = wins / games, deviations**2
    middle = share + z2 / (2 * games)
    width = deviations * ((share * (1 - share) + z2 / (4 * games)) / games) ** 0.5
    return float((middle - width) / (1 + z2 / games))


def upper_bound(wins: int, games: int, deviations: float) -> float:
    """Wilson's upper bound of a share of wins."""
    return 1.0 - lower_bound(games - wins, games, deviations)


def test_alp_beats_random_nearly_always() -> None:
    """60 games at 9x9, colours in turn: 99 % is not contradicted, and 90 % is surpassed."""
    alp, rival = make_player("alp", 1), make_player("random", 2)
    games = 60
    wins = sum(
        winner(alp, rival, 9) == BLACK if number % 2 else winner(rival, alp, 9) == WHITE
        for number in range(games)
    )
    assert upper_bound(wins, games, 2.0) >= 0.99
    assert lower_bound(wins, games, 2.0) >= 0.90


def test_influence_beats_random_nearly_always() -> None:
    influence, rival = make_player("influence", 1), make_player("random", 2)
    wins = sum(winner(influence, rival, 7) == BLACK for _ in range(20))
    assert lower_bound(wins, 20, 2.0) >= 0.7
