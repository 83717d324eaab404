"""Players of a wanted strength: what they draw, what they never play, and whom they follow."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from katachi.arena.roster import describe_player
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Abilities, Evaluation, Floats
from katachi.interfaces.gtp import EngineOptions
from katachi.players import rated_auto
from katachi.players.kinds import HIGHEST_RATING, LOWEST_RATING
from katachi.players.rated import ANY_LOSS, RatedPlayer, Strength, draw_order
from katachi.players.rated_auto import AutoRatedPlayer, Standing, read_standing, standing_file
from katachi.players.rating_table import rungs, strength_of
from katachi.players.roster import files_of, make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import index_of_points, point_from_vertex
from katachi.rules.state import BoardState, colors_of
from tests.checks import check_player
from tests.interfaces.gtp.conversation import talk

BEST, BLUNDER = "B2", "C3"
SIZE = 5


class Seer:
    """Likes two points alike; a stone on the second gives the board to the other side."""

    name = "seer"

    def __init__(self) -> None:
        points = np.array([point_from_vertex(each, SIZE) for each in (BEST, BLUNDER)], np.uint16)
        self.best, self.blunder = index_of_points(points, SIZE)

    @property
    def abilities(self) -> Abilities:
        return Abilities(True, None, self.look)

    def look(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], Floats]:
        scores = np.full((len(states.words), SIZE * SIZE), -100.0)
        scores[:, [self.best, self.blunder]] = [0.1, 0.0]
        stones = colors_of(states.words)[:, self.blunder]
        owner = np.where(stones == BLACK, 0.0, np.where(stones == WHITE, 1.0, 0.5))
        return np.repeat(owner[:, None], SIZE * SIZE, axis=1).astype(np.float32), scores

    def evaluate(self, states: BoardState) -> Evaluation:
        return Evaluation(np.full(len(states.words), 0.5))


def moves_at(strength: Strength, color: int) -> set[int | None]:
    player = RatedPlayer("seer", Seer(), strength, 1)
    return {player.choose(Game(SIZE), color).point for _ in range(30)}


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_move_that_loses_too_much_at_once_is_not_drawn(color: int) -> None:
    best, blunder = (point_from_vertex(each, SIZE) for each in (BEST, BLUNDER))
    assert moves_at(Strength(1.0, ANY_LOSS), color) == {best, blunder}
    assert moves_at(Strength(1.0, 26.0), color) == {best, blunder}
    assert moves_at(Strength(1.0, 24.0), color) == {best}
    assert moves_at(Strength(0.001, ANY_LOSS), color) == {best}


def test_moves_are_drawn_by_their_chances_and_none_twice() -> None:
    random = np.random.default_rng(1)
    orders = [draw_order(np.log([0.7, 0.2, 0.1]), random) for _ in range(2000)]
    assert all(sorted(order) == [0, 1, 2] for order in orders)
    firsts = np.bincount([order[0] for order in orders]) / len(orders)
    assert firsts == pytest.approx([0.7, 0.2, 0.1], abs=0.04)


def test_a_rated_player_is_a_player() -> None:
    check_player(lambda seed: make_player("rated:900", seed), (3, 5, 9, 13))


def test_the_strongest_search() -> None:
    player = make_player(f"rated:{HIGHEST_RATING}", 1)
    assert isinstance(player, RatedPlayer)
    assert player.strength.searched > 0
    assert player.choose(Game(SIZE), BLACK).point
    player.close()


def test_the_table_rises_and_holds_every_rating() -> None:
    ratings = [rung.rating for rung in rungs()]
    assert ratings == sorted(set(ratings))
    assert ratings[0] <= LOWEST_RATING
    assert ratings[-1] >= HIGHEST_RATING
    strengths = [strength_of(rating) for rating in range(LOWEST_RATING, HIGHEST_RATING + 1, 50)]
    for weak, strong in pairwise(strengths):
        assert strong.temperature <= weak.temperature
        assert strong.loss <= weak.loss
        assert (strong.searched, strong.visits) >= (weak.searched, 0)
    assert strength_of(ratings[2]) == pytest.approx(rungs()[2].strength)
    assert strength_of(-1000) == rungs()[0].strength
    assert strength_of(9000) == rungs()[-1].strength


@pytest.mark.parametrize("name", ["rated", "rated:-1", "rated:9999", "rated:x", "rated:²"])
def test_other_ratings_are_one_line(name: str) -> None:
    with pytest.raises(KatachiError, match=r"R must be a whole number from 0 to .* auto") as line:
        make_player(name)
    assert "\n" not in str(line.value)


def test_another_table_is_another_player() -> None:
    assert "rated9.json" in [file.name for file in files_of("rated:800")]
    assert "weights" in describe_player("rated:800")


def test_a_standing_moves_less_and_less_and_stays_in_range() -> None:
    one = Standing(800.0, 0).after(is_won=False)
    two = one.after(is_won=True)
    assert (one.rating, one.games) == (1000.0, 1)
    assert two == (840.0, 2)
    assert Standing(800.0, 1000).after(is_won=True).rating == 800.0 - rated_auto.LEAST_STEP
    assert Standing(LOWEST_RATING, 5).after(is_won=True).rating == LOWEST_RATING
    assert Standing(HIGHEST_RATING, 5).after(is_won=False).rating == HIGHEST_RATING


@pytest.fixture
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.mark.usefixtures("_own_data")
def test_the_standing_is_kept() -> None:
    player = make_player("rated:auto", 1)
    assert isinstance(player, AutoRatedPlayer)
    assert player.standing == Standing()
    assert player.hear_result(is_won=False) == "rated:auto plays at 1000 from now on"
    assert player.strength == strength_of(1000)
    again = make_player("rated:auto", 1)
    assert isinstance(again, AutoRatedPlayer)
    assert again.standing == (1000.0, 1)
    for text in ("{", "[]", '{"rating": 1e9, "games": 1}', '{"rating": "nan", "games": 1}'):
        standing_file().write_text(text)
        assert read_standing() == Standing()


@pytest.mark.usefixtures("_own_data")
def test_in_gtp_it_follows_finished_games() -> None:
    options = EngineOptions(player="rated:auto", seed=1, size=SIZE)
    lines = [
        *("genmove w", "clear_board"),  # a game that nobody has won
        *("genmove w", "play b resign", "clear_board"),
        *("genmove b", "play b resign", "boardsize 5", "clear_board"),
        *("play b c3", "play w pass", "genmove b", "genmove w", "clear_board"),  # both by itself
        *("genmove b", "play w resign", "quit"),
    ]
    said = talk("\n".join(lines) + "\n", options)
    assert [each for each in said.log if "from now on" in each] == [
        "rated:auto plays at 600 from now on",
        "rated:auto plays at 760 from now on",
        "rated:auto plays at 632 from now on",
    ]


def test_where_games_must_be_repeatable_it_does_not_play() -> None:
    with pytest.raises(KatachiError, match="rated:auto follows a person's results: here name a"):
        describe_player("rated:auto")
