"""The compiled search by local shape values moves as the evaluator does, whatever the rules."""

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.players.evaluating import EvaluatingPlayer
from katachi.rules.board import Board
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.ruleset import KoRule, Rules
from katachi.search.afterstates import sensible_moves
from katachi.search.alphabeta import AlphaBeta
from katachi.search.analysis import analyse, mover_logits
from katachi.search.frames import (
    BLACK_WINS_FROM,
    KO_RULE,
    NEXT_LOOK,
    OPTIONS,
    ROOT_DONE,
    SUICIDE,
    new_search,
)
from katachi.search.negamax import begin_iteration
from katachi.search.shape_search import ShapeDrive, ShapeSearcher
from katachi.search.transpositions import new_table
from tests.evaluators.shape_models import random_model
from tests.search.positions import positions

SETS = "1x1-2x2:LI+LD,3x2:LD,4x3:LI"
SUICIDAL = Rules(KoRule.SITUATIONAL, suicide=True)
"""Other ko rules forbid the suicide of one stone, which changes no stones."""


def game_with(diagram: str, rules: Rules, *, is_swapped: bool = False, komi: float = 7.5) -> Game:
    """A set-up position with Black to move, or with the colours exchanged and White to move."""
    board = Board.from_diagram(diagram)
    stones = [board.points_of_color(BLACK), board.points_of_color(WHITE)]
    game = Game(board.size, -komi if is_swapped else komi, rules)
    game.first_to_play = WHITE if is_swapped else BLACK
    game.place_setup(*(stones[::-1] if is_swapped else stones))
    return game


def values_at_depth_one(model: LocalShape, game: Game, color: int) -> dict[int, int]:
    """What the compiled search makes of each move of `color`, in units."""
    options = np.zeros(OPTIONS, np.int64)
    options[[KO_RULE, SUICIDE, BLACK_WINS_FROM]] = game.rules.ko.value, game.rules.suicide, 1
    search = new_search(game.state, options, new_table(1))
    search.registers[NEXT_LOOK] = 1 << 30
    begin_iteration(search, color, 1)
    ShapeDrive(model)(search)
    count = int(search.registers[ROOT_DONE])
    moves, values = search.moves[0, :count].tolist(), search.root_values[:count].tolist()
    return dict(zip(moves, values, strict=True))


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(
    ("diagram", "vertex"),
    [
        (". . . . .\n. . . . .\nO O . . .\n. O O O .\nX X . O .", "C1"),
        (". . . . .\n. . . . .\n. . . . .\nO O . . .\n. O . . .", "A1"),
        (". . O . .\n. O X O .\n. O . O .\n. O X O .\n. . O . .", "C3"),
        (". . . . .\nO O O . .\nX X O . .\nX O . . .\n. O . . .", "A1"),
    ],
    ids=["two stones", "one stone", "two blocks", "a bent block"],
)
def test_suicide_is_worth_what_it_leads_to(diagram: str, vertex: str, *, is_swapped: bool) -> None:
    game = game_with(diagram, SUICIDAL, is_swapped=is_swapped)
    color, model = game.to_play, random_model(SETS)
    found = values_at_depth_one(model, game, color)
    assert point_from_vertex(vertex, 5) in found
    points = np.array(list(found), np.uint16)
    assert list(found.values()) == (mover_logits(model, game, color, points) / UNIT).tolist()


def test_it_finds_what_a_search_by_the_evaluator_finds() -> None:
    """Under all rules, in positions with captures and suicides."""
    model = random_model(SETS)
    compiled, plain = ShapeSearcher(model), AlphaBeta(model)
    for game in positions(5, 30, seed=3, empties=20, rules=[SUICIDAL, Rules()]):
        for color in (BLACK, WHITE):
            one, other = (each.search(game, color, depth=2) for each in (compiled, plain))
            assert (one.move, one.logit, one.line) == (other.move, other.logit, other.line)


SIXTEEN = """
. . . . . . . . .
. X . X X . X X .
. . . . . . . . .
. X X . X . X . .
. . . . . . . . .
. X . X X . X X .
. . O . . O . . .
. X . . X . X . .
. . . . . . . . .
"""


def heavy_model() -> LocalShape:
    """Stones are worth so much that sixteen of them leave no doubt; shapes add a little."""
    model = LocalShape(parse_sets("1x1:LI,2x2:LI+LD,3x2:LD"), 9)
    source = np.random.default_rng(5)
    model.weights[:] = source.integers(-(2**20), 2**20, len(model.weights))
    model.weights[:3] = 0, 3 << 26, -3 << 26
    return model


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("color", [BLACK, WHITE], ids=[COLOR_NAMES[BLACK], COLOR_NAMES[WHITE]])
def test_where_all_is_decided_the_best_move_is_still_found(color: int, *, is_swapped: bool) -> None:
    """And it is the same one for either colour: that of the position as `color` to move has it."""
    game = game_with(SIXTEEN, Rules(), is_swapped=is_swapped)
    mover = 3 - color if is_swapped else color
    model = heavy_model()
    points = sensible_moves(game, mover)
    logits = mover_logits(model, game, mover, points)
    assert abs(logits).min() > 36.0
    best = int(points[logits.argmax()])
    assert (logits == logits.max()).sum() == 1
    searcher = ShapeSearcher(model)
    for seed in range(6):
        random = np.random.default_rng(seed)
        assert searcher.search(game, mover, depth=1, random=random).move == best
        assert AlphaBeta(model).search(game, mover, depth=1, random=random).move == best
        assert EvaluatingPlayer("shape", model, seed).choose(game, mover).point == best
    assert analyse(model, game, mover).candidates[0].point == best


def test_both_colours_find_the_same_move_where_all_is_decided() -> None:
    model = heavy_model()
    for color in (BLACK, WHITE):
        found = {
            ShapeSearcher(model).search(game, 3 - color if is_swapped else color, depth=2).move
            for is_swapped in (False, True)
            for game in [game_with(SIXTEEN, Rules(), is_swapped=is_swapped)]
        }
        assert len(found) == 1


def test_a_game_won_is_worth_more_than_any_judgement() -> None:
    """Black can only pass, which ends a game that is won; no weights can promise as much."""
    model = LocalShape(parse_sets("1x1:LI"), 3)
    model.weights[:3] = 0, 2**30, -(2**30)
    game = game_with(". X .\nX X X\n. X .", Rules(), komi=0.5)
    game.play(WHITE, 0)
    result = ShapeSearcher(model).search(game, BLACK, depth=1)
    judged = ShapeSearcher(model).search(Game(3), BLACK, depth=1)
    assert result.value == 1.0
    assert result.logit > 1e6 > judged.logit
