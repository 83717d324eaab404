"""Opening trees to look at: as lines of text, as data for a web page, as a picture."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from katachi.pictures.boards import draw_stone
from katachi.pictures.drawing import FAINT_INK, INK, Drawing, Label, Line
from katachi.records.opening_tree import Node, OpeningTree
from katachi.rules.color import BLACK, COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point

STEP, ROW, RADIUS = 118.0, 22.0, 6.0
LEFT, TOP = 24.0, 100.0
RIGHT, BOTTOM = 36.0, 20.0
"""Room beyond the last way: the width of words is only guessed."""
MOST_ROWS = 2000
JUDGED_LEGEND = "judged: the mean judgement of the openings, +1 is good for Black, -1 for White"
JUDGED_WORDS = "(openings), then the mean judgement: +1 Black's, -1 White's"


class Branch(NamedTuple):
    """A move of a tree and what follows it; the root has none."""

    color: int
    vertex: str
    node: Node
    openings: int
    """That went this way."""
    branches: list["Branch"]


def grow_branches(tree: OpeningTree, depth: int, least: int) -> Branch:
    """The tree down to so many moves, ways that fewer than `least` openings went left out."""
    return Branch(0, "", tree.root, tree.root.count, _grow(tree, Game(tree.size), depth, least))


def _grow(tree: OpeningTree, game: Game, depth: int, least: int) -> list[Branch]:
    node = tree.node_of(game)
    if depth == 0 or node is None or max(node.children.values(), default=0) < least:
        return []
    found = []
    color = game.to_play
    for point, following in list(tree.moves_from(game)):
        count = node.children[following.key]
        if count >= least:
            game.play(color, point)
            branches = _grow(tree, game, depth - 1, least)
            game.undo()
            vertex = vertex_from_point(point, game.size)
            found.append(Branch(color, vertex, following, count, branches))
    return found


def describe_way(branch: Branch) -> str:
    """How many openings went this way, of all that come to its position, and what is known of
    that."""
    words = describe_node(branch.node)
    is_only = branch.openings == branch.node.count
    return words if is_only else f"{branch.openings:,} of {words}"


def describe_node(node: Node) -> str:
    """Counts, results and judgements of a position in words."""
    parts = [f"{node.count:,} opening{'' if node.count == 1 else 's'}"]
    decided = node.black_wins + node.white_wins
    if decided:
        parts.append(f"Black won {node.black_wins / decided:.0%} of {decided:,}")
    if node.mean_judgement is not None:
        parts.append(f"judged {node.mean_judgement:+.2f}")
    return ", ".join(parts)


def tree_lines(branch: Branch, depth: int = 0) -> Iterator[str]:
    """A line a move, deeper ones further in."""
    if branch.vertex:
        symbol = "X" if branch.color == BLACK else "O"
        name = f"{'  ' * (depth - 1)}{symbol} {branch.vertex}"
        yield f"{name:<28}{describe_way(branch)}"
    for each in branch.branches:
        yield from tree_lines(each, depth + 1)


def node_data(node: Node) -> dict[str, Any]:
    """A position as plain data."""
    return {
        "openings": node.count,
        "black_wins": node.black_wins,
        "white_wins": node.white_wins,
        "judged": node.judged,
        "mean_judgement": node.mean_judgement,
        "ply": node.ply,
        "key": f"{node.key:016x}",
    }


def tree_data(branch: Branch) -> dict[str, Any]:
    """The tree as plain data: `move`, `color`, what is known of the node, and `children`."""
    data: dict[str, Any] = {}
    if branch.vertex:
        data = {"move": branch.vertex, "color": COLOR_NAMES[branch.color], "count": branch.openings}
    return data | node_data(branch.node) | {"children": list(map(tree_data, branch.branches))}


def picture_of_tree(branch: Branch, title: str, text: str) -> Drawing:
    """The tree from left to right; the more openings, the thicker a way."""
    drawing = Drawing(title)
    drawing.add_heading(LEFT, 30, text, *([JUDGED_WORDS] if branch.node.judged else []))
    _draw_branch(drawing, branch, (LEFT, TOP), branch.openings)
    drawing.width += RIGHT
    drawing.height += BOTTOM
    return drawing


def _draw_branch(drawing: Drawing, branch: Branch, place: tuple[float, float], whole: int) -> float:
    """Draws what follows a node at `place`; returns where the next row is."""
    x, y = place
    below = y
    for each in branch.branches:
        thickness = 0.8 + 6.0 * each.openings / whole
        drawing.add(
            Line(x, y, x + 20, below, FAINT_INK, thickness),
            Line(x + 20, below, x + STEP, below, FAINT_INK, thickness),
        )
        following = _draw_branch(drawing, each, (x + STEP, below), whole)
        draw_stone(drawing, (x + STEP, below), RADIUS, is_black=each.color == BLACK)
        drawing.add(Label(x + 26, below - 5, f"{each.vertex} ({each.openings:,})", 11, INK))
        if each.node.mean_judgement is not None and not each.branches:
            judged = f"{each.node.mean_judgement:+.2f}"
            drawing.add(Label(x + STEP + 10, below + 4, judged, 11, FAINT_INK))
        below = max(following, below + ROW)
    return max(below, y)


def count_rows(branch: Branch) -> int:
    """Moves that are shown."""
    return len(branch.branches) + sum(map(count_rows, branch.branches))
