"""Players that draw their moves keep the contract, and draw by the Gibbs policy."""

import random
from pathlib import Path

import numpy as np
import pytest

from katachi.evaluators.protocol import Abilities, Evaluation
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.players.evaluating import EvaluatingPlayer, GibbsPlayer
from katachi.players.kinds import split_temperature
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.players.searching import SearchingPlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.state import BoardState
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import mover_values
from katachi.search.policy import GibbsPolicy
from tests.checks import check_player
from tests.evaluators.territory_models import random_territory
from tests.oracle.games import play_random_move

NAMES = ["gibbs:alp", "gibbs:0.1:influence", "gibbs:100:alp"]


class Tempered(AverageLiberties):
    """Average liberties with a temperature for each size."""

    abilities = Abilities(temperature=lambda size: 1e-6 if size == 5 else None)


@pytest.fixture(scope="module")
def territory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny model."""
    folder = tmp_path_factory.mktemp("territory") / "model"
    model = random_territory()
    model.temperatures = {5: 0.25, 9: 0.5}
    model.save(folder, "")
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_player_keeps_the_contract(name: str) -> None:
    check_player(lambda seed: make_player(name, seed), (2, 3, 5, 9, 19, 25))


def test_territory_keeps_the_contract_in_every_way_of_choosing(territory: Path) -> None:
    for before in ("", "gibbs:", "gibbs:2:"):
        name = f"{before}territory:{territory}"
        check_player(lambda seed, name=name: make_player(name, seed), (2, 4, 9))  # type: ignore[misc]


def test_two_plies_of_territory_are_the_minimax_of_its_opinion(territory: Path) -> None:
    player = make_player(f"search:2:territory:{territory}", seed=1)
    assert isinstance(player, SearchingPlayer)
    check_player(lambda seed: make_player(f"search:2:territory:{territory}", seed), (3, 4))
    evaluator = random_territory()
    game, source = Game(4), random.Random(3)
    for _ in range(5):
        play_random_move(game, source)
    color = game.to_play
    worst = {}
    for point in sensible_moves(game, color).tolist():
        game.play(color, point)
        answers = sensible_moves(game, 3 - color)
        worst[point] = 1 - float(mover_values(evaluator, game, 3 - color, answers).max())
        game.undo()
    chosen = player.choose(game, color).point
    assert chosen is not None
    assert worst[chosen] == pytest.approx(max(worst.values()), abs=1e-6)


def test_moves_are_sampled_as_often_as_the_policy_says() -> None:
    game, source = Game(4), random.Random(2)
    for _ in range(8):
        play_random_move(game, source)
    points = sensible_moves(game, WHITE)
    expected = GibbsPolicy(AverageLiberties(), 0.05).chances(game, WHITE, points).chances
    player = GibbsPlayer("gibbs", AverageLiberties(), seed=1, temperature=0.05)
    drawn = [player.choose(game, WHITE).point for _ in range(2000)]
    found = np.array([drawn.count(int(point)) for point in points]) / 2000
    assert found.sum() == 1.0
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 2000)
    assert expected.max() > 2 * expected.min()


def test_cold_it_plays_the_best_move_and_hot_it_plays_any() -> None:
    game, source = Game(5), random.Random(4)
    for _ in range(6):
        play_random_move(game, source)
    color = game.to_play
    values = mover_values(AverageLiberties(), game, color, sensible_moves(game, color))
    best = set(sensible_moves(game, color)[values == values.max()].tolist())
    cold = GibbsPlayer("cold", AverageLiberties(), temperature=1e-6)
    assert {cold.choose(game, color).point for _ in range(40)} <= best
    hot = GibbsPlayer("hot", AverageLiberties(), temperature=1e6)
    assert len({hot.choose(game, color).point for _ in range(400)}) == len(values)


def test_the_temperature_is_the_models_own_by_default(territory: Path) -> None:
    own = make_player(f"gibbs:territory:{territory}")
    given = make_player(f"gibbs:2.5:territory:{territory}")
    assert isinstance(own, GibbsPlayer)
    assert isinstance(given, GibbsPlayer)
    assert [own.temperature_on(size) for size in (5, 6, 19)] == [0.25, 0.25, 0.5]
    assert given.temperature_on(5) == 2.5
    assert GibbsPlayer("gibbs", AverageLiberties()).temperature_on(9) == 1.0
    tempered = GibbsPlayer("gibbs", Tempered())
    assert (tempered.temperature_on(5), tempered.temperature_on(9)) == (1e-6, 1.0)


def test_of_a_net_that_predicts_moves_it_tells_no_win_rate() -> None:
    choice = GibbsPlayer("gibbs", random_territory(outputs=3), seed=1).choose(Game(5), BLACK)
    assert choice.point != PASS
    assert choice.win_rate is None


def test_it_passes_only_where_no_move_is_left() -> None:
    game = Game(2)
    player = GibbsPlayer("gibbs", ConstantEvaluator())
    for color, expected in ((BLACK, False), (WHITE, False)):
        assert (player.choose(game, color).point == PASS) is expected
    stones = sensible_moves(Game(2), BLACK).tolist()
    game.place_setup([stones[0], stones[3]], [])
    assert player.choose(game, WHITE).point == PASS  # suicide
    assert player.choose(game, BLACK).point == PASS  # eyes


def test_it_says_what_it_thinks() -> None:
    player = make_player("gibbs:alp")
    assert isinstance(player, Analyst)
    plain = EvaluatingPlayer("alp", AverageLiberties())
    assert player.analyse(Game(5), BLACK).candidates == plain.analyse(Game(5), BLACK).candidates
    choice = player.choose(Game(5), WHITE)
    assert choice.point is not None
    points = np.array([choice.point], np.uint16)
    assert choice.win_rate == mover_values(AverageLiberties(), Game(5), WHITE, points)[0]


class Sure:
    """Gives Black every board: scores lie as far apart as they can."""

    name = "sure"

    def evaluate(self, states: BoardState) -> Evaluation:
        count = len(states.words)
        return Evaluation(np.linspace(0, 1, count) if count > 1 else np.ones(1))


def test_scores_at_the_ends_neither_overflow_nor_warn() -> None:
    for temperature in (1e-6, 1.0, 1e6):
        player = GibbsPlayer("sure", Sure(), temperature=temperature)
        for color in (BLACK, WHITE):
            assert player.choose(Game(5), color).point != PASS


def test_different_seeds_give_different_games() -> None:
    firsts = {make_player("gibbs:alp", seed).choose(Game(9), BLACK).point for seed in range(30)}
    assert len(firsts) > 5


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("alp", (None, "alp")),
        ("0.5:alp", (0.5, "alp")),
        ("2:shape:shape9", (2.0, "shape:shape9")),
        ("1e-3:alp", (0.001, "alp")),
        ("shape:3:model", (None, "shape:3:model")),
        ("-1:alp", (None, "-1:alp")),
    ],
)
def test_a_temperature_stands_before_the_player(
    setting: str, expected: tuple[float | None, str]
) -> None:
    assert split_temperature(setting) == expected
