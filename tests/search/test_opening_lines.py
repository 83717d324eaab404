"""Forward minimax takes the best recorded move of whoever is to play."""

import numpy as np

from katachi.evaluators.protocol import Evaluation
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Opening, Style, all_symmetries
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.state import BoardState, colors_of
from katachi.search.opening_lines import best_line, replay_line


class Rightmost:
    """Likes black stones, and dislikes white ones, the more the further right they are."""

    name = "rightmost"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words).reshape(-1, 9, 9)
        signs = (colors == BLACK).astype(float) - (colors == WHITE)
        return Evaluation(0.5 + (signs * np.arange(9)).sum(axis=(1, 2)) / 1000)


def opening(text: str, number: int) -> Opening:
    points = [point_from_vertex(vertex, 9) for vertex in text.split()]
    moves = np.array(points, np.uint16)
    return Opening(size=9, moves=moves, style=Style.MISC, game=number)


OPENINGS = [opening(text, i) for i, text in enumerate(("G4 C6 E5", "G4 H6 C2", "C3 J9 G7"))]


def test_each_side_takes_what_it_likes_among_the_recorded_moves() -> None:
    line = best_line(OpeningTree(OPENINGS, is_joined=False), Rightmost())
    assert [vertex_from_point(step.point, 9) for step in line.steps] == ["G4", "H6", "C2"]
    assert [step.choices for step in line.steps] == [2, 2, 1]
    assert [step.color for step in line.steps] == [BLACK, WHITE, BLACK]
    assert np.allclose([line.first, line.steps[0].value], [0.0, 2 * 6 / 1000])
    assert line.openings == [1]
    assert len(replay_line(line, 9, 2).moves) == 2
    assert replay_line(line, 9).hash == OPENINGS[1].play().hash


def test_a_joined_tree_is_walked_on_one_board() -> None:
    tree = OpeningTree(all_symmetries(OPENINGS))
    line = best_line(tree, Rightmost(), seed=3)
    assert len(line.steps) == 3
    assert {number // 8 for number in line.openings} <= {0, 1, 2}
    assert tree.node_of(replay_line(line, 9)) is not None
