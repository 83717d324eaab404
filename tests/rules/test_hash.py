"""The hash kept move by move is the hash of the stones and the side to move."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from katachi.errors import KatachiError
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.legality import hash_after
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.ruleset import Rules
from katachi.rules.zobrist import HASH_KEYS, SIDE_BIT
from tests.oracle.games import EVERY_RULES, RULES_IDS, play_random_move, random_games

KEY_OF_BLACK_TOP_LEFT = 0xA0F0656B9A62A976
XOR_OF_ALL_KEYS = 0xA6290520D3BEA990


@given(random_games(max_size=25, longest=300))
def test_incremental_hash_equals_hash_from_scratch(game: Game) -> None:
    side = SIDE_BIT if game.to_play == WHITE else 0
    assert game.hash == game.board.hash | side


@pytest.mark.kernel
@pytest.mark.parametrize("rules", EVERY_RULES, ids=RULES_IDS)
def test_predicted_hash_is_the_hash_after_the_move(rules: Rules) -> None:
    source = random.Random(3)
    game = Game(5, rules=rules)
    for _ in range(60):
        color = source.choice((BLACK, WHITE))
        for point in game.legal_moves(color).tolist():
            predicted = int(hash_after(game.state, point, color))
            game.play(color, point)
            assert game.hash == predicted
            game.undo()
        play_random_move(game, source)


def test_an_empty_board_hashes_to_zero() -> None:
    assert Game(9).hash == 0


def test_a_pass_changes_only_the_side_bit() -> None:
    game = Game(9)
    game.play(BLACK, point_from_vertex("E5", 9))
    before = game.hash
    game.play(WHITE, PASS)
    assert game.hash == before ^ SIDE_BIT


def test_moves_in_another_order_give_the_same_hash() -> None:
    hashes = set()
    for order in (("A1", "B2", "C3"), ("C3", "A1", "B2")):
        game = Game(9)
        for vertex in order:
            game.play(BLACK, point_from_vertex(vertex, 9))
        hashes.add(game.hash)
    assert len(hashes) == 1


@pytest.mark.slow
def test_all_legal_positions_of_3x3_hash_differently() -> None:
    hashes = set()
    legal = 0
    for colors in product((0, 1, 2), repeat=9):
        try:
            hashes.add(Board.from_colors(np.array(colors, np.uint8), 3).hash)
        except KatachiError:
            continue
        legal += 1
    assert legal == len(hashes) == 12_675


def test_all_keys_differ_and_leave_the_side_bit_alone() -> None:
    keys = HASH_KEYS[1:].reshape(-1)
    assert len(np.unique(keys)) == len(keys)
    assert not (keys & np.uint64(SIDE_BIT)).any()


def test_keys_are_the_same_for_ever() -> None:
    assert int(HASH_KEYS[BLACK, 33]) == KEY_OF_BLACK_TOP_LEFT
    assert int(np.bitwise_xor.reduce(HASH_KEYS.reshape(-1))) == XOR_OF_ALL_KEYS
