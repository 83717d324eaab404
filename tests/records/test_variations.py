"""Games with their variations, in and out."""

import pytest

from katachi.errors import KatachiError
from katachi.records.record import GameRecord, Rejection
from katachi.records.variations import GameTree, Limits, TreeNode, read_trees, write_tree
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import PASS, vertex_from_point


def read_one(text: str) -> GameTree:
    (tree,) = read_trees(text.encode())
    assert isinstance(tree, GameTree)
    return tree


def shown(tree: GameTree) -> list[tuple[int, str]]:
    return [(each.parent, vertex_from_point(each.point, tree.record.size)) for each in tree.nodes]


def test_nodes_come_in_the_order_of_the_file() -> None:
    tree = read_one("(;SZ[5];B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ab];B[ba])(;W[]))")
    assert shown(tree) == [
        *((-1, "A5"), (0, "B4"), (1, "C3"), (2, "D2"), (2, "E1")),
        *((0, "A4"), (5, "B5"), (0, "pass")),
    ]
    assert tree.record.moves.tolist() == [tree.nodes[at].point for at in range(4)]


def test_comments_of_nodes_without_a_move_join_the_one_before() -> None:
    tree = read_one("(;SZ[5]C[a];C[b];B[aa]C[c];C[d\\]];W[bb])")
    assert tree.comment == "a\nb"
    assert [each.comment for each in tree.nodes] == ["c\nd]", ""]


def test_a_variation_ends_before_what_cannot_be_played() -> None:
    tree = read_one("(;SZ[5];B[aa](;W[bb])(;W[cc];B[aa];W[dd])(;AB[ee];W[ea])(;W[zz]))")
    assert shown(tree) == [(-1, "A5"), (0, "B4"), (0, "C3")]
    assert [note.partition(": ")[2] for note in tree.notes] == [
        "illegal move black A5: occupied",
        "stones that are set up after a move",
        "a move off the board",
    ]


def test_games_that_cannot_be_read_are_named() -> None:
    found = list(read_trees(b"(;SZ[5];B[aa])(;SZ[5];B[aa];W[aa])(;GM[2])"))
    assert isinstance(found[0], GameTree)
    assert [type(each) for each in found[1:]] == [Rejection, Rejection]
    assert [type(each) for each in read_trees(b"nothing")] == [Rejection]


def test_limits_hold_for_the_file() -> None:
    two = b"(;SZ[5];B[aa])(;SZ[5];B[aa])"
    assert len(list(read_trees(two, Limits(games=2, nodes=4)))) == 2
    with pytest.raises(KatachiError, match="more than 1 games"):
        list(read_trees(two, Limits(games=1)))
    with pytest.raises(KatachiError, match="more than 3 moves"):
        list(read_trees(two, Limits(nodes=3)))


def test_what_is_written_is_read_again() -> None:
    tree = read_one("(;SZ[5]KM[0.5]AB[ee];W[aa]C[x\\]](;B[bb];W[])(;B[cc]))")
    again = read_one(write_tree(tree.record, tree.nodes, tree.comment).decode())
    assert again.nodes == tree.nodes
    assert again.record.komi == 0.5
    assert again.record.setup_black.tolist() == tree.record.setup_black.tolist()


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([TreeNode(0, BLACK, PASS)], "not before it"),
        ([TreeNode(-2, BLACK, PASS)], "not before it"),
        ([TreeNode(-1, BLACK, 33), TreeNode(0, WHITE, 33)], "node 1, A5: illegal move"),
    ],
)
def test_wrong_nodes_are_not_written(nodes: list[TreeNode], words: str) -> None:
    with pytest.raises(KatachiError, match=words):
        write_tree(GameRecord(size=5), nodes)
