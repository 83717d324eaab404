"""What every evaluator and every player must do, whatever it thinks.

A new evaluator or player is tested first by one call:

    check_evaluator(MyEvaluator())
    check_player(lambda seed: MyPlayer(seed))
"""

import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import chances_of, with_komi
from katachi.evaluators.protocol import Evaluation, Evaluator
from katachi.players.protocol import Player
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import Colors
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.positions import positions_of
from katachi.rules.ruleset import Rules
from katachi.rules.size import MAX_SIZE, MIN_SIZE
from katachi.rules.state import BoardState
from katachi.rules.symmetry import INVERSE, INVERTED_COLORS, SYMMETRIES, index_tables
from katachi.search.afterstates import sensible_moves
from tests.oracle.games import play_random_move
from tests.rules.meaning import assert_same_meaning, meaning_of

EVERY_SIZE = range(MIN_SIZE, MAX_SIZE + 1)


def random_colors(size: int, count: int, seed: int) -> list[Colors]:
    """Positions of random games, the empty board first, the later the fuller."""
    source = random.Random(seed)
    positions = []
    for number in range(count):
        game = Game(size)
        for _ in range(2 * size * size * number // count):
            play_random_move(game, source)
        positions.append(game.colors)
    return positions


def states_from_colors(
    positions: Iterable[Colors], size: int, movers: npt.ArrayLike = WHITE
) -> BoardState:
    """A batch of these positions, without history; who moved last in them is White, or `movers`."""
    boards = [Board.from_colors(colors, size).words for colors in positions]
    return positions_of(np.stack(boards), movers)


def movers_of(positions: list[Colors]) -> npt.NDArray[np.uint8]:
    """Black and White in turn, so that both are tried."""
    return np.where(np.arange(len(positions)) % 2, BLACK, WHITE).astype(np.uint8)


class Twins(NamedTuple):
    """How the weights of an evaluator go along where the board is moved, if they have places or
    colours of their own."""

    turned: Callable[[int], Evaluator]
    """The one that sees a board moved by a symmetry as the evaluator itself sees the board."""
    inverted: Evaluator
    """The one that sees exchanged colours so."""


def check_evaluator(
    evaluator: Evaluator,
    sizes: Iterable[int] = EVERY_SIZE,
    *,
    tolerance: float = 1e-9,
    twins: Twins | None = None,
) -> None:
    """Checks an evaluator on random positions of each size: exchanged colours, komi aside, exchange
    its answer, and mirror images have one, its own or its twin's.

    `tolerance`: how far values that should be equal may lie apart.
    """
    twins = twins or Twins(lambda _: evaluator, evaluator)
    assert evaluator.name
    for size in sizes:
        positions = random_colors(size, 6, seed=size)
        evaluation = check_form(evaluator, positions, size)
        check_one_by_one(evaluator, positions, size, evaluation, tolerance)
        check_colors(twins.inverted, positions, size, evaluation, tolerance)
        check_symmetry(twins.turned, positions, size, evaluation, tolerance)


def assert_close(one: object, other: object, tolerance: float) -> None:
    """Fails, with the values, where two arrays lie apart."""
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=0, atol=tolerance)


def check_form(evaluator: Evaluator, positions: list[Colors], size: int) -> Evaluation:
    """Shapes, types and ranges are right, and the positions are left as they were."""
    states = states_from_colors(positions, size, movers_of(positions))
    words, hashes = states.words.copy(), states.hashes.copy()
    evaluation = evaluator.evaluate(states)
    assert np.array_equal(states.words, words)
    assert np.array_equal(states.hashes, hashes)
    value, ownership, logit = evaluation
    if logit is not None:
        assert logit.shape == value.shape
        assert logit.dtype == np.float64
        assert_close(chances_of(logit), value, 1e-12)
    assert value.shape == (len(positions),)
    assert value.dtype == np.float64
    assert ((value >= 0.0) & (value <= 1.0)).all()
    if ownership is not None:
        assert ownership.shape == (len(positions), size * size)
        assert ownership.dtype == np.float32
        assert ((ownership >= 0.0) & (ownership <= 1.0)).all()
    return evaluation


def check_one_by_one(
    evaluator: Evaluator,
    positions: list[Colors],
    size: int,
    evaluation: Evaluation,
    tolerance: float,
) -> None:
    """A position's value does not depend on the batch it is in."""
    movers = movers_of(positions)
    for index, colors in enumerate(positions):
        alone = evaluator.evaluate(states_from_colors([colors], size, movers[index]))
        assert_close(alone.value[0], evaluation.value[index], tolerance)
        assert (alone.ownership is None) == (evaluation.ownership is None)
        if evaluation.ownership is not None and alone.ownership is not None:
            assert_close(alone.ownership[0], evaluation.ownership[index], tolerance)


def check_colors(
    evaluator: Evaluator,
    positions: list[Colors],
    size: int,
    evaluation: Evaluation,
    tolerance: float,
) -> None:
    """With the colours exchanged, the mover's too, what was Black's is White's."""
    inverted = [INVERTED_COLORS[colors] for colors in positions]
    states = states_from_colors(inverted, size, 3 - movers_of(positions))
    turned, own = (with_komi(each, 0.0) for each in (evaluator.evaluate(states), evaluation))
    assert_close(turned.value, 1.0 - own.value, tolerance)
    if turned.logit is not None and own.logit is not None:
        np.testing.assert_allclose(turned.logit, -own.logit, rtol=1e-4, atol=1e-5)
    if evaluation.ownership is not None:
        assert_close(turned.ownership, 1.0 - evaluation.ownership, tolerance)


def check_symmetry(
    turned: Callable[[int], Evaluator],
    positions: list[Colors],
    size: int,
    evaluation: Evaluation,
    tolerance: float,
) -> None:
    """Mirror images have one value, and their ownership is the mirror image."""
    tables = index_tables(size)
    for symmetry in range(SYMMETRIES):
        moved = [colors[tables[symmetry]] for colors in positions]
        states = states_from_colors(moved, size, movers_of(positions))
        mirrored = turned(symmetry).evaluate(states)
        assert_close(mirrored.value, evaluation.value, tolerance)
        if evaluation.ownership is not None and mirrored.ownership is not None:
            back = mirrored.ownership[:, tables[INVERSE[symmetry]]]
            assert_close(back, evaluation.ownership, tolerance)


MakePlayer = Callable[[int], Player]
"""A fresh player for a seed."""


def check_player(
    make: MakePlayer, sizes: Iterable[int] = EVERY_SIZE, *, passes_early: bool = False
) -> None:
    """Checks a player in games against itself: whole games up to 5x5, openings on larger boards.

    `passes_early`: it may pass or resign although it has a move that fills no own eye.
    """
    for size in sizes:
        player = make(size)
        assert player.name
        game = check_game(player, size, passes_early=passes_early)
        player.close()
        player.close()
        again = make(size)
        assert check_game(again, size, passes_early=passes_early).moves == game.moves
        again.close()


def check_game(player: Player, size: int, *, passes_early: bool) -> Game:
    """One game of a player against itself in which each answer is legal, and changes nothing."""
    game = Game(size, rules=Rules())
    limit = 3 * size * size if size <= 5 else 5
    while not game.is_over and len(game.moves) < limit:
        color = game.to_play
        if len(game.moves) == 3:
            color = BLACK if color != BLACK else 3 - BLACK
        point = check_choice(player, game, color, passes_early=passes_early)
        if point is None:
            break
        game.play(color, point)
    return game


def check_choice(player: Player, game: Game, color: int, *, passes_early: bool) -> int | None:
    """The answer to "your move", legal and in form, with the game as it was before."""
    before = game.hash, list(game.moves), meaning_of(game.words)
    choice = player.choose(game, color)
    assert (game.hash, game.moves) == before[:2]
    assert_same_meaning(meaning_of(game.words), before[2])
    assert choice.win_rate is None or 0.0 <= choice.win_rate <= 1.0
    if choice.point is None or choice.point == PASS:
        assert passes_early or len(sensible_moves(game, color)) == 0
    else:
        assert type(choice.point) is int
        assert game.judge(color, choice.point) == "legal"
    return choice.point
