"""Sources of games: who plays, with which colour, and what there is to learn from."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import Logits
from katachi.learning.loop import Trajectory
from katachi.learning.opponents import Opponent
from katachi.learning.shape_training import ShapeTrainer, SourceKind, TrainingSettings, terms_of
from katachi.learning.sources import (
    AgainstOpponent,
    GameTerms,
    Stream,
    choose_exploring,
    play_each_other,
)
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Choice, FailureKind, PlayerFailure
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import BoardState, colors_of
from katachi.search.afterstates import sensible_moves

TERMS = GameTerms(size=5, komi=0.5, epsilon=0.1, limit=75, seed=3)


class Scripted:
    """A player that answers the same in every game, move after move; a function makes it up."""

    name = "scripted"

    def __init__(self, answer: Callable[[Game, int], Choice]) -> None:
        self.answer = answer
        self.colors: list[int] = []

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The answer, after a note of the colour."""
        self.colors.append(color)
        return self.answer(game, color)

    def close(self) -> None:
        """Nothing to end."""


def model(sets: str = "1x1-2x2:LI", size: int = 5, seed: int = 1) -> LocalShape:
    """A model with random weights."""
    made = LocalShape(parse_sets(sets), size, bins=100)
    random = np.random.default_rng(seed)
    made.weights[:] = random.integers(-(2**22), 2**22, len(made.weights))
    return made


def play(answer: Callable[[Game, int], Choice], number: int) -> tuple[Trajectory, list[int]]:
    """(the agent's side of a game against a scripted player, the colours that one had)."""
    player = Scripted(answer)
    (trajectory,) = AgainstOpponent(model(), lambda _: player, TERMS).take(number)
    return trajectory, player.colors


def resign(_: Game, __: int) -> Choice:
    """Gives up."""
    return Choice(None)


def pass_always(_: Game, __: int) -> Choice:
    """Never plays a stone."""
    return Choice(PASS)


@pytest.mark.parametrize(("number", "positions"), [(0, 1), (1, 0), (8, 1), (9, 0)])
def test_the_agent_has_black_in_every_other_game_and_wins_when_the_other_resigns(
    number: int, positions: int
) -> None:
    trajectory, colors = play(resign, number)
    assert trajectory.agent == 0
    assert trajectory.outcome == 1.0
    assert len(trajectory.states.words) == positions
    assert colors == [WHITE if positions else BLACK]


@pytest.mark.parametrize("number", [0, 1])
def test_the_agent_plays_on_against_one_who_passes_and_its_own_passes_are_positions_too(
    number: int,
) -> None:
    trajectory, _ = play(pass_always, number)
    colors = colors_of(trajectory.states.words)
    own = BLACK if number == 0 else WHITE
    assert set(np.unique(colors)) == {0, own}
    stones = (colors == own).sum(axis=1)
    assert stones[0] == 1
    assert stones[-1] == stones[-2]  # the last move was a pass
    assert trajectory.outcome == 1.0


def test_every_position_is_seen_by_the_one_who_made_it() -> None:
    for agent, states, _ in play_each_other([model(), model(seed=2)], TERMS).take(0):
        sides = states.hashes[:, 0] & np.uint64(1)
        assert set(sides.tolist()) == {1 if agent == 0 else 0}  # Black's: White is to move


@pytest.mark.parametrize("komi", [-40.5, 0.0, 40.5])
def test_one_side_wins_what_the_other_loses(komi: float) -> None:
    terms = TERMS._replace(komi=komi)
    for number in range(4):
        first, second = play_each_other([model()], terms).take(number)
        assert first.outcome + second.outcome == 1.0
        if komi:
            assert first.outcome == float(komi < 0)


def test_a_game_without_an_end_stops_at_the_limit() -> None:
    first, second = play_each_other([model()], TERMS._replace(limit=9)).take(0)
    assert (len(first.states.words), len(second.states.words)) == (5, 4)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice(point_from_vertex("A1", 5)), r"^scripted: illegal move white A1: occupied$"),
        (Choice(None, failure=PlayerFailure(FailureKind.CRASH, "it fell over")), "it fell over"),
    ],
    ids=["illegal", "failure"],
)
def test_an_opponent_that_fails_is_one_clear_line(choice: Choice, words: str) -> None:
    class OnA1:
        """An agent that likes the corner."""

        def predict(self, states: BoardState) -> Logits:
            """More where there is a stone on A1."""
            return colors_of(states.words)[:, 20:21].astype(np.int64)

    source = AgainstOpponent(
        OnA1(), lambda _: Scripted(lambda _, __: choice), TERMS._replace(epsilon=0.0)
    )
    with pytest.raises(KatachiError, match=words):
        source.take(0)


def test_without_exploration_the_best_move_is_played_and_with_it_any() -> None:
    agent = model()
    game = Game(5)
    points = sensible_moves(game, BLACK)
    greedy = EvaluatingPlayer("greedy", agent)
    chosen = {choose_exploring(agent, game, BLACK, 0.0, Stream(1, n)) for n in range(60)}
    assert chosen == {greedy.choose(game, BLACK).point for _ in range(60)}
    assert len(chosen) in (1, 4, 8)  # mirror images of one move
    chosen = {choose_exploring(agent, game, BLACK, 1.0, Stream(1, n)) for n in range(400)}
    assert chosen == set(points.tolist())


def test_a_player_without_a_sensible_move_passes() -> None:
    game = Game(2)
    game.place_setup([point_from_vertex("A1", 2), point_from_vertex("B2", 2)], [])
    assert choose_exploring(model("1x1:LI", 2), game, BLACK, 0.5, Stream(1, 0)) == PASS


def settings_against() -> TrainingSettings:
    return TrainingSettings(sets="1x1-2x2:LI", source=SourceKind.SELF, alpha=1.0)


@pytest.mark.parametrize("name", ["alp", "random", "influence", "playouts:2"])
def test_games_against_a_player_depend_on_the_seed_alone(name: str) -> None:
    whole = ShapeTrainer(settings_against(), make_source=Opponent(name).source)
    whole.learn(6)
    parts = ShapeTrainer(settings_against(), make_source=Opponent(name).source)
    parts.learn(3)
    parts = ShapeTrainer(
        settings_against(), parts.agents, parts.games, make_source=Opponent(name).source
    )
    parts.learn(3)
    assert np.array_equal(whole.agents[0].weights, parts.agents[0].weights)
    assert whole.agents[0].weights.any()


def test_a_frozen_model_stays_as_it_is(tmp_path: Path) -> None:
    frozen = model()
    frozen.save(tmp_path / "frozen", "")
    before = frozen.weights.copy()
    opponent = Opponent.find(str(tmp_path / "frozen"))
    assert opponent.frozen is not None
    trainer = ShapeTrainer(settings_against(), make_source=opponent.source)
    trainer.learn(4)
    assert np.array_equal(opponent.frozen.weights, before)
    assert trainer.agents[0].weights.any()


def test_an_opponent_grows_with_the_board(tmp_path: Path) -> None:
    model().save(tmp_path / "frozen", "")
    opponent = Opponent.find(str(tmp_path / "frozen"))
    trainer = ShapeTrainer(settings_against(), make_source=opponent.source).grown(6)
    trainer.learn(2)
    assert trainer.games == 2
    assert trainer.settings.size == 6


def test_an_unknown_opponent_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match=r"^no player 'nobody'"):
        Opponent.find("nobody")


def test_an_agent_learns_against_an_external_program() -> None:
    opponent = Opponent(f"gtp:{sys.executable} -m katachi gtp --player random --size 5")
    trainer = ShapeTrainer(settings_against(), make_source=opponent.source)
    trainer.learn(2)
    player = opponent.play_anew(1)
    assert opponent.play_anew(2) is player
    opponent.close()
    assert trainer.agents[0].weights.any()


def test_the_terms_are_those_of_the_settings() -> None:
    settings = TrainingSettings(size=6, komi=3.5, epsilon=0.2, seed=9)
    assert terms_of(settings) == GameTerms(6, 3.5, 0.2, 108, 9)
