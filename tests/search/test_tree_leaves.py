"""What is said of leaves is what the evaluator says of them."""

import random

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import AverageLiberties
from katachi.features.shape_sets import parse_sets
from katachi.players.rated import RatedPlayer
from katachi.players.roster import make_evaluator, make_player
from katachi.players.tree import TreePlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import index_of_points
from katachi.rules.state import BoardState, Words
from katachi.search.analysis import mover_logits
from katachi.search.shape_guide import shipped_guide
from katachi.search.tree import CERTAIN, Floats, Numbers, node_moves
from katachi.search.tree_leaves import (
    LARGE_PLAYOUT_SHARE,
    NET_PLAYOUT_SHARE,
    NO_SCORE,
    PLAYOUT_EVIDENCE,
    PLAYOUTS,
    PRIOR_TEMPERATURE,
    Comparing,
    Owners,
    RandomGames,
    judge_by_random_games,
    judge_for_play,
    judge_of,
    value_of_owners,
    with_evidence,
)
from tests.oracle.games import play_random_move


def games(size: int, count: int) -> list[Game]:
    source = random.Random(count)
    found = []
    for number in range(count):
        game = Game(size)
        for _ in range(size * size * number // count):
            play_random_move(game, source)
        found.append(game)
    return found


def shape_model(sets: str) -> LocalShape:
    model = LocalShape(parse_sets(sets), 5)
    source = np.random.default_rng(1)
    model.weights[:] = source.integers(-(1 << 24), 1 << 24, len(model.weights))
    return model


@pytest.mark.parametrize(
    "evaluator",
    [AverageLiberties(), shape_model("1x1-3x3:LI+LD"), shape_model("1x1:LI:liberty")],
    ids=["alp", "shape", "liberty"],
)
def test_scores_are_the_values_of_what_moves_lead_to(evaluator: Evaluator) -> None:
    judge = Comparing(evaluator, 7.5, playouts=0)
    for game in games(5, 12):
        for color in (BLACK, WHITE):
            points = node_moves(game.state, color)
            points = points[[game.is_legal(color, int(point)) for point in points]]
            said = judge(game.states, np.array([color]))
            assert said.values == pytest.approx(evaluator.evaluate(game.states).value)
            assert said.owned.shape == (1, 0)
            if len(points) == 0:
                continue
            places = index_of_points(points, 5)
            expected = mover_logits(evaluator, game, color, points) / PRIOR_TEMPERATURE
            np.testing.assert_allclose(said.scores[0, places], expected)
            empty = np.delete(said.scores[0], index_of_points(node_moves(game.state, color), 5))
            assert (empty == NO_SCORE).all()


def test_random_games_from_a_finished_board_all_end_as_it_stands() -> None:
    from tests.search.positions import game_from

    game = game_from(".X.XO\nXXXXO\nXXXOO\nXXOO.\nOOO.O", 0.5)
    said = Comparing(AverageLiberties(), 0.5, 1, playouts=8, share=1.0)(
        game.states, np.array([WHITE])
    )
    lead = float(said.leads[0])
    assert lead == pytest.approx(game.area_score(), abs=3.0)
    assert said.values[0] in (0.0, 1.0)


def test_random_games_alone_say_what_they_say_beside_an_evaluator() -> None:
    alone = judge_by_random_games(7.5, 3)
    beside = Comparing(AverageLiberties(), 7.5, 3, share=1.0)
    for game in games(5, 4):
        found, expected = (judge(game.states, np.array([BLACK])) for judge in (alone, beside))
        assert found.values == expected.values
        assert found.leads == expected.leads
        np.testing.assert_array_equal(found.owned, expected.owned)
        assert not found.scores.any()


def test_random_games_may_be_played_elsewhere() -> None:
    asked = []

    def play(words: Words, sides: Numbers, count: int, komi: float) -> tuple[Floats, Owners]:
        asked.append((len(words), sides.tolist(), count, komi))
        return np.ones(len(sides)), np.full((len(sides), 25), 0.75, np.float32)

    judge = Comparing(AverageLiberties(), 2.5, playouts=6, share=1.0, play=play)
    said = judge(Game(5).states, np.array([WHITE]))
    assert asked == [(1, [WHITE], 6, 2.5)]
    assert said.values[0] == 1.0
    assert said.leads[0] == pytest.approx(12.5 - 2.5)


def test_owners_make_value_and_lead() -> None:
    judge = judge_of(make_evaluator("territory"), 7.5)
    said = judge(Game(9).states, np.array([BLACK]))
    assert said.owned.shape == (1, 81)
    lead = 2.0 * said.owned.sum() / CERTAIN - 81 - 7.5
    assert said.leads[0] == pytest.approx(lead, abs=0.5)
    even = np.full((1, 81), 0.5, np.float32)
    assert value_of_owners(even, np.zeros(1))[0] == 0.5


def test_for_play_a_nets_values_are_mixed_with_random_games_on_small_boards() -> None:
    net = make_evaluator("territory:selfplay9")
    positions = games(9, 4)
    words = np.concatenate([game.states.words for game in positions])
    some = BoardState(words, np.zeros((len(words), 1), np.uint64), positions[0].states.keys)
    for color in (BLACK, WHITE):
        sides = np.full(len(positions), color)
        plain = judge_of(net, 7.5)(some, sides)
        mixed = judge_for_play(net, 7.5, 3)(some, sides)
        wins, _ = RandomGames(3, shipped_guide())(words, sides, PLAYOUTS, 7.5)
        share = NET_PLAYOUT_SHARE
        assert mixed.values == pytest.approx((1 - share) * plain.values + share * wins)
        assert np.array_equal(plain.leads, mixed.leads)
        assert np.array_equal(plain.scores, mixed.scores)


def test_for_play_random_games_are_evidence_on_large_boards() -> None:
    net, sides = make_evaluator("territory:owners19"), np.array([WHITE])
    states = games(13, 1)[0].states
    plain, joined = (make(net, 7.5, 3)(states, sides) for make in (judge_of, judge_for_play))
    wins, _ = RandomGames(3, shipped_guide())(states.words, sides, PLAYOUTS, 7.5)
    odds = plain.values / (1 - plain.values) * np.exp(PLAYOUT_EVIDENCE * (wins - 0.5))
    share = LARGE_PLAYOUT_SHARE
    assert joined.values == pytest.approx((1 - share) * odds / (1 + odds) + share * wins)
    assert np.array_equal(plain.leads, joined.leads)


def test_evidence_speaks_for_who_won_more_random_games_however_sure_the_net_is() -> None:
    values = np.array([0.5, 0.5, 0.9, 0.0, 1.0])
    joined = with_evidence(values, np.array([0.5, 1.0, 0.0, 1.0, 0.0]))
    assert joined[0] == 0.5
    assert joined[1] > 0.85
    assert 0.3 < joined[2] < 0.5
    assert joined[3:] == pytest.approx([LARGE_PLAYOUT_SHARE, 1 - LARGE_PLAYOUT_SHARE])


def test_for_play_others_judge_as_ever() -> None:
    game, sides = games(5, 4)[-1], np.array([WHITE])
    one, other = (make(AverageLiberties(), 7.5, 5) for make in (judge_of, judge_for_play))
    assert one(game.states, sides).values == other(game.states, sides).values


def test_players_search_by_the_judge_for_play() -> None:
    player = make_player("tree:8:selfplay")
    assert isinstance(player, TreePlayer)
    assert player.searcher._make_judge is judge_for_play
    player.close()


def test_players_of_a_rating_search_without_random_games_as_they_were_rated() -> None:
    player = make_player("rated:2000")
    assert isinstance(player, RatedPlayer)
    assert player._searcher().searcher._make_judge is judge_of
    player.close()
