"""Positions that no alternate play from the empty board leads to, and the longest game."""

import random
from collections.abc import Callable
from functools import cache

from katachi.errors import KatachiError
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import PASS, points_of
from katachi.rules.ruleset import KoRule, Rules


def empty(size: int) -> Game:
    """Nothing has happened."""
    return Game(size)


def _set_up(size: int, to_play: int) -> Game:
    """Stones on half of the points, as far as they have liberties, and no move."""
    source, game = random.Random(size), Game(size)
    for point in source.sample(points_of(size).tolist(), size * size // 2):
        stones = [[], [point]] if source.random() < 0.5 else [[point], []]
        try:
            game.place_setup(*stones)
        except KatachiError:
            continue
    game.first_to_play = to_play
    return game


def problem_for_black(size: int) -> Game:
    """Set up, Black to move."""
    return _set_up(size, BLACK)


def problem_for_white(size: int) -> Game:
    """Set up, White to move."""
    return _set_up(size, WHITE)


def handicap(size: int) -> Game:
    """Black stones in two corners, then White's first move."""
    points = points_of(size).reshape(size, size)
    game = Game(size, 0.5)
    game.place_setup([int(points[0, 0]), int(points[0, -1])], [])
    game.first_to_play = WHITE
    game.play(WHITE, int(points[-1, size // 2]))
    return game


def out_of_turn(size: int) -> Game:
    """Two moves of one colour, a pass, two of the other."""
    points = points_of(size).tolist()
    game = Game(size)
    game.play(BLACK, points[0])
    game.play(BLACK, points[1])
    game.play(BLACK, PASS)
    game.play(WHITE, points[-1])
    if size > 2:
        game.play(WHITE, points[-2])
    return game


def nearly_full(size: int) -> Game:
    """After three times as many random moves as there are points."""
    source, game = random.Random(size), Game(size)
    for _ in range(3 * size * size):
        color = game.to_play
        moves = game.legal_moves(color).tolist()
        if not moves:
            break
        game.play(color, source.choice(moves))
    return game


def one_color(size: int) -> Game:
    """White's stones all over the board, but for one point."""
    game = Game(size)
    for point in points_of(size).tolist()[1:]:
        game.play(WHITE, point)
    return game


@cache
def _endless(size: int) -> Game:
    source, game = random.Random(size), Game(size, 7.5, Rules(KoRule.SIMPLE, suicide=True))
    while len(game.moves) < LONGEST_GAME:
        color = game.to_play
        moves = game.legal_moves(color).tolist()
        # Two passes would end it.
        game.play(color, source.choice(moves) if moves else PASS)
        if game.is_over:
            game.undo()
            game.play(opponent(color), PASS)
    return game


def endless(size: int) -> Game:
    """As many moves as a game can have."""
    return _endless(size).copy()


EVERY_POSITION: tuple[Callable[[int], Game], ...] = (
    empty,
    problem_for_black,
    problem_for_white,
    handicap,
    out_of_turn,
    nearly_full,
    one_color,
)
