"""A tree joins the same positions, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.records.opening_tree import OpeningTree, key_of, position_keys
from katachi.records.openings import Opening, Style, all_symmetries
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from tests.opening_games import random_openings
from tests.oracle.games import stones_of
from tests.oracle.openings import images_of


def opening(text: str, number: int = 0, winner: int = 0, judgement: float | None = None) -> Opening:
    points = [point_from_vertex(vertex, 9) for vertex in text.split()]
    return Opening(
        size=9,
        moves=np.array(points, np.uint16),
        style=Style.MISC,
        game=number,
        winner=winner,
        judgement=judgement,
    )


def test_moves_in_another_order_lead_to_the_same_node() -> None:
    tree = OpeningTree(
        [
            opening("C3 G7 G3 C7", 0, BLACK, 1.0),
            opening("G3 G7 C3 C7", 1, WHITE, -1.0),
            opening("C3 G7 G3 C8", 2, BLACK, 1.0),
        ],
        is_joined=False,
    )
    assert tree.root.count == 3
    assert len(tree.root.children) == 2
    assert tree.transpositions == 1
    game = opening("C3 G7 G3").play()
    node = tree.node_of(game)
    assert node is not None
    assert (node.count, node.ply, node.black_wins, node.white_wins) == (3, 3, 2, 1)
    assert node.mean_judgement == pytest.approx(1 / 3)
    found = list(tree.moves_from(game))
    assert [(point, child.count) for point, child in found] == [
        (point_from_vertex("C7", 9), 2),
        (point_from_vertex("C8", 9), 1),
    ]
    assert sorted(found[0][1].openings) == [0, 1]
    assert tree.node_of(opening("E5").play()) is None
    assert list(tree.moves_from(opening("E5").play())) == []


def test_mirror_images_are_one_position_unless_they_are_to_be_kept_apart() -> None:
    copies = all_symmetries([opening("C3 G7 G4")])
    joined, apart = OpeningTree(copies), OpeningTree(copies, is_joined=False)
    assert [len(joined), joined.transpositions] == [4, 0]
    assert len(apart.root.children) == 4
    game = Game(9)
    for _ in range(3):
        ((point, node),) = joined.moves_from(game)
        assert node.count == 8
        game.play(game.to_play, point)


@pytest.mark.kernel
@settings(max_examples=10)
@given(st.integers(0, 10_000), st.booleans())
def test_the_nodes_are_the_oracles_positions(seed: int, is_joined: bool) -> None:
    openings = [each.cut(8) for each in random_openings(seed % 4 + 2, 10)]
    openings += all_symmetries(openings[:1])
    tree = OpeningTree(openings, is_joined=is_joined)
    seen: dict[object, int] = {}
    for each in openings:
        game = Game(5)
        for ply in range(len(each) + 1):
            images = images_of(stones_of(game), 5)
            key = (min(images, key=sorted) if is_joined else images[0], ply % 2)
            seen[key] = seen.get(key, 0) + 1
            node = tree.node_of(game)
            assert node is not None
            if ply < len(each):
                game.play(game.to_play, int(each.moves[ply]))
    assert len(tree) == len(seen)
    assert sorted(node.count for node in tree.nodes.values()) == sorted(seen.values())


@pytest.mark.parametrize("is_joined", [False, True])
def test_every_recorded_move_is_found_captures_and_passes_too(is_joined: bool) -> None:
    taking = opening("A2 A1 B1 E5 A1")
    passing = opening("C3 pass G7")
    tree = OpeningTree([taking, passing], is_joined=is_joined)
    for each in (taking, passing):
        game = Game(9)
        for point in each.moves.tolist():
            node = tree.node_of(game)
            assert node is not None
            found = list(tree.moves_from(game))
            assert {child.key for _, child in found} == set(node.children)
            for move, child in found:
                game.play(game.to_play, move)
                assert tree.node_of(game) is child
                game.undo()
            game.play(game.to_play, point)
    assert game.moves[1].point == PASS


def test_the_key_of_a_game_is_that_of_its_opening() -> None:
    each = random_openings(1, 20)[0]
    for is_joined in (False, True):
        keys = position_keys([each], is_joined=is_joined)[0]
        assert key_of(each.play(), is_joined=is_joined) == int(keys[-1])


def test_a_tree_needs_an_opening() -> None:
    with pytest.raises(KatachiError, match="no opening is left for a tree"):
        OpeningTree([])
