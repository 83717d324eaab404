"""Eyes, liberties and weak enemies of blocks are the oracle's."""

import pytest
from hypothesis import given

from katachi.features.block_strength import BlockStrength, measure_blocks, new_strength
from katachi.rules.board import Board
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.state import Words
from tests.oracle.games import point_of, random_games, stones_of
from tests.oracle.territory import (
    all_blocks,
    count_true_eyes,
    liberty_orders,
    strength_of,
    weakest_enemies,
)


def measured(words: Words) -> BlockStrength:
    strength = new_strength()
    measure_blocks(words, strength)
    return strength


def check_blocks(game: Game) -> None:
    stones, size = stones_of(game), game.size
    strength = measured(game.words)
    blocks = all_blocks(stones, size)
    assert strength.blocks[0] == len(blocks)
    numbered = {int(strength.number[point_of(min(block))]): block for block in blocks}
    assert sorted(numbered) == list(range(1, len(blocks) + 1))
    for number, block in numbered.items():
        assert {int(strength.number[point_of(spot)]) for spot in block} == {number}
        assert strength.eyes[number] == count_true_eyes(stones, size, block)
        assert strength.liberties[:, number].tolist() == liberty_orders(stones, size, block)
        found = [numbered[int(each)] for each in strength.weakest[number] if each]
        expected = weakest_enemies(stones, size, block)[:2]
        assert [strength_of(stones, size, e) for e in found] == [
            strength_of(stones, size, e) for e in expected
        ]


@pytest.mark.kernel
@given(random_games(max_size=7, longest=60))
def test_small_boards_are_the_oracles(game: Game) -> None:
    check_blocks(game)


@given(random_games(max_size=25, longest=250))
def test_blocks_are_the_oracles(game: Game) -> None:
    check_blocks(game)


TWO_EYES = Board.from_diagram(
    """
    . X . X O
    X X X X O
    O O O O .
    . . . . .
    O . . . .
    """
)


def test_a_block_counts_its_true_eyes_and_the_enemies_around_it() -> None:
    strength = measured(TWO_EYES.words)
    black = strength.number[point_from_vertex("B4", 5)]
    assert strength.eyes[black] == 2
    assert strength.liberties[:, black].tolist() == [2, 0, 0, 0]
    corner = strength.number[point_from_vertex("E5", 5)]
    wall = strength.number[point_from_vertex("A3", 5)]
    assert strength.weakest[black].tolist() == [corner, wall]


def test_memory_of_an_earlier_position_does_not_show() -> None:
    strength = new_strength()
    measure_blocks(TWO_EYES.words, strength)
    measure_blocks(Game(5).words, strength)
    assert strength.blocks[0] == 0
    assert not strength.number.any()
