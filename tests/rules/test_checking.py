"""No public function hands a kernel an index outside its arrays."""

from collections.abc import Callable

import numpy as np
import pytest

from katachi.errors import IllegalMove, KatachiError
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.simple import AverageLiberties
from katachi.features.board_channels import STONES, channels_of
from katachi.features.opening_inputs import RAW, OpeningInputs, encode_states, unit_scales
from katachi.features.propensity import blank_table
from katachi.features.shape_sets import parse_sets
from katachi.features.templates import template_map
from katachi.features.territory_inputs import InputSettings, plan_inputs, planes_of
from katachi.features.window_map import codes_of
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EDGE, WHITE
from katachi.rules.game import Game
from katachi.rules.point import CELLS, PASS, point_from_vertex
from katachi.rules.state import PLY, BoardState, new_states
from katachi.search.afterstates import afterstates
from katachi.search.alphabeta import AlphaBeta
from katachi.search.analysis import evaluate_moves
from katachi.search.td_search import TdSearch, TdSettings

C3 = point_from_vertex("C3", 5)
OFF = [-1, -CELLS, 31, 38, CELLS - 1, CELLS, CELLS + 70, 40_000, 2**31]


@pytest.mark.parametrize("point", OFF)
def test_a_move_off_the_board_is_illegal(point: int) -> None:
    game = Game(5)
    with pytest.raises(IllegalMove):
        game.play(BLACK, point)
    with pytest.raises(KatachiError):
        game.place_setup([], [point])
    assert not game.is_legal(BLACK, point)
    assert not game.colors.any()


@pytest.mark.parametrize("color", [-1, 0, 3, 7, 1000])
def test_a_colour_of_nobody_is_refused(color: int) -> None:
    game, points = Game(5), np.array([C3], np.uint16)
    model = LocalShape(parse_sets("1x1:LI"), 5)
    ways: list[Callable[[], object]] = [
        lambda: game.play(color, C3),
        lambda: game.judge(color, C3),
        lambda: game.legal_moves(color),
        lambda: afterstates(game, color, points),
        lambda: AlphaBeta(AverageLiberties()).search(game, color, depth=1),
        lambda: TdSearch(model, TdSettings(games=1)).search(game, color),
        lambda: Linear([template_map(2)], 5).logit_moves(game.words, color, points),
    ]
    for way in ways:
        with pytest.raises(KatachiError, match="no player's colour"):
            way()


@pytest.mark.parametrize("point", [31, 38, CELLS - 1, CELLS, 65_535, C3])
def test_moves_where_no_stone_can_be_placed_are_refused(point: int) -> None:
    game = Game(5)
    game.play(BLACK, C3)
    points = np.array([PASS, C3 + 1, point], np.uint16)
    linear = Linear([template_map(2)], 5)
    ways: list[Callable[[], object]] = [
        lambda: afterstates(game, WHITE, points),
        lambda: evaluate_moves(AverageLiberties(), game, WHITE, points),
        lambda: evaluate_moves(linear, game, WHITE, points),
        lambda: linear.logit_moves(game.words, WHITE, points),
    ]
    for way in ways:
        with pytest.raises(KatachiError, match=f"point {point} is not an empty point"):
            way()


@pytest.mark.parametrize("colors", [np.zeros(24), np.zeros(26), np.full(25, 3), np.full(25, -1)])
def test_a_board_of_other_than_colours_is_refused(colors: np.ndarray) -> None:
    with pytest.raises(KatachiError, match="needs 25 colours"):
        Board.from_colors(colors, 5)


@pytest.mark.parametrize("point", OFF)
def test_off_the_board_is_edge(point: int) -> None:
    board = Game(5).board
    assert board.color_at(point) == EDGE
    assert board.block_at(point) == []
    assert board.liberties_at(point) == 0
    assert not board.is_eye(point, BLACK)


def mixed() -> BoardState:
    """Two boards of different sizes."""
    states = new_states(2, 5, 2)
    states.words[1] = new_states(1, 19, 2).words[0]
    return states


def without_history() -> BoardState:
    """A position after a move whose hash is not there."""
    states = new_states(1, 5, 1)
    states.words[0, PLY] = 1
    return states


@pytest.mark.parametrize("states_of", [mixed, without_history])
def test_positions_that_are_not_whole_are_refused(states_of: Callable[[], BoardState]) -> None:
    states = states_of()
    count = len(states.words)
    shape, linear = LocalShape(parse_sets("1x1:LI"), 5), Linear([template_map(2)], 5)
    inputs = OpeningInputs(RAW, 5)
    ways: list[Callable[[], object]] = [
        lambda: shape.evaluate(states),
        lambda: shape.nudge(states, np.zeros((count, 1), np.int64)),
        lambda: linear.evaluate(states),
        lambda: linear.nudge(states, np.zeros((count, 1), np.int64)),
        lambda: encode_states(inputs, unit_scales(inputs), states),
    ]
    for way in ways:
        with pytest.raises(KatachiError, match="these "):
            way()


def test_boards_of_several_sizes_are_refused() -> None:
    plan = plan_inputs(InputSettings(("stones", "recent:2")), 5)
    ways: list[Callable[[], object]] = [
        lambda: planes_of(mixed(), plan),
        lambda: codes_of(mixed(), 3),
        lambda: channels_of(mixed(), (STONES,)),
    ]
    for way in ways:
        with pytest.raises(KatachiError, match="not positions of one board size"):
            way()


@pytest.mark.parametrize("recent", [np.full((1, 8), CELLS), np.zeros((2, 8))])
def test_last_moves_off_the_board_are_refused(recent: np.ndarray) -> None:
    plan = plan_inputs(InputSettings(("stones", "recent:2")), 5)
    with pytest.raises(KatachiError, match="the last moves of 1 positions"):
        planes_of(Game(5).states, plan, recent.astype(np.uint16))


def test_fewer_viewers_than_positions_are_refused() -> None:
    viewers = np.array([BLACK], np.uint8)
    for way in (
        lambda: codes_of(new_states(2, 5, 1), 3, viewers),
        lambda: channels_of(new_states(2, 5, 1), (STONES,), viewers),
    ):
        with pytest.raises(KatachiError, match="1 viewers of 2 positions"):
            way()


def test_fewer_steps_than_positions_are_refused() -> None:
    states = new_states(2, 5, 1)
    for model in (LocalShape(parse_sets("1x1:LI"), 5), Linear([template_map(2)], 5)):
        with pytest.raises(KatachiError, match="1 steps for each position"):
            model.nudge(states, np.zeros((1, 1), np.int64))


def test_a_plan_of_inputs_for_another_board_is_refused() -> None:
    plan = plan_inputs(InputSettings(("stones", "propensity")), 9, blank_table())
    planes_of(Game(9).states, plan)
    with pytest.raises(KatachiError, match="planned for other boards than 5x5"):
        planes_of(Game(5).states, plan)
