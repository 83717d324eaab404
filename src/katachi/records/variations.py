"""Games with their variations and comments: what a board to look at needs, in and out.

The main line is read and judged as everywhere (`records.sgf`). A variation is kept as far as its
moves can be played; what follows a move that cannot, or stones that are set up later, is left out
with a note.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sgfmill import sgf, sgf_grammar, sgf_properties

from katachi.errors import KatachiError
from katachi.records.conversion import game_from_record
from katachi.records.parse import NO_GAME, record_from_tree
from katachi.records.record import GameRecord, RecordError, Rejection, Source
from katachi.records.sgf import check_record, write_game
from katachi.records.tree import BrokenTree, MainLine, TreeBuffer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_row_col, row_col_from_point, vertex_from_point

LONGEST_COMMENT = 20_000
MOST_NOTES = 20
_TOKEN = re.compile(rb"\[(?>(?:[^\]\\]++|\\.)*)\]|;", re.DOTALL)
_COLORS = {"B": BLACK, "W": WHITE}
_SETUP = ("AB", "AW", "AE")


class Limits(NamedTuple):
    """How much of a file is read; one that holds more is refused."""

    games: int = 200
    nodes: int = 20_000
    """Of all games together."""


class TreeNode(NamedTuple):
    """A move of a tree."""

    parent: int
    """The node that it follows; -1 for the position before the first move."""
    color: int
    point: int
    comment: str = ""


class GameTree(NamedTuple):
    """A game with its variations; at each branch the first child is the main line."""

    record: GameRecord
    """Of the main line."""
    comment: str
    """What is said before the first move."""
    nodes: list[TreeNode]
    notes: list[str]
    """What was left out."""


def read_trees(
    text: bytes, limits: Limits | None = None, *, is_utf8: bool = False
) -> Iterator[GameTree | Rejection]:
    """The games of SGF bytes one after another, and why others cannot be read.

    `is_utf8` where the text is known to be UTF-8, whatever it says itself. Raises KatachiError as
    soon as there is more than the limits allow.
    """
    limits = limits or Limits()
    buffer = TreeBuffer(iter([text]), is_utf8=True if is_utf8 else None)
    count = nodes = 0
    while (tree := buffer.next_tree()) is not None:
        count += 1
        if count > limits.games:
            raise KatachiError(f"more than {limits.games} games: choose a smaller file")
        whole = buffer.utf8_of(buffer.data[buffer.begin : buffer.position])
        nodes += _count_nodes(whole) if isinstance(tree, MainLine) else 0
        if nodes > limits.nodes:
            raise KatachiError(f"more than {limits.nodes:,} moves and variations")
        yield _read(tree, whole, Source("", count))
    if count == 0:
        yield Rejection(Source("", 1), NO_GAME)


def _count_nodes(text: bytes) -> int:
    return sum(match[0] == b";" for match in _TOKEN.finditer(text))


def _read(tree: MainLine | BrokenTree, whole: bytes, source: Source) -> GameTree | Rejection:
    try:
        record = check_record(*record_from_tree(tree, source))
        return _Walk(replace(record, source=source)).through(sgf_grammar.parse_sgf_game(whole))
    except RecordError as error:
        return error.rejection
    except (ValueError, KatachiError) as error:
        return Rejection(source, str(error) or "not well formed")


class _Walk:
    """Goes through a tree in the order of the file, with a game that follows it."""

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        self.comment = ""
        self.nodes: list[TreeNode] = []
        self.notes: list[str] = []
        self._game: Game = game_from_record(record, 0)

    def through(self, root: Any) -> GameTree:
        """The tree that lies below sgfmill's."""
        start = len(self._game.moves)
        waiting: list[tuple[Any, int, int]] = [(root, -1, start)]
        while waiting:
            branch, parent, depth = waiting.pop()
            while len(self._game.moves) > depth:
                self._game.undo()
            end = self._follow(branch.sequence, parent)
            if end is not None:
                depth = len(self._game.moves)
                waiting += [(child, end, depth) for child in reversed(branch.children)]
        return GameTree(self.record, self.comment, self.nodes, self.notes)

    def _follow(self, sequence: list[dict[str, list[bytes]]], parent: int) -> int | None:
        """Plays the nodes of a sequence; the last one, or None where it does not go on."""
        for properties in sequence:
            if self.nodes and any(name in properties for name in _SETUP):
                self._leave_out("stones that are set up after a move")
                return None
            try:
                color, point = self._move(properties)
                if point is not None:
                    self._game.play(color, point)
            except (ValueError, KatachiError) as error:
                self._leave_out(str(error) or "a move off the board")
                return None
            if point is not None:
                self.nodes.append(TreeNode(parent, color, point))
                parent = len(self.nodes) - 1
            self._say(parent, properties)
        return parent

    def _move(self, properties: dict[str, list[bytes]]) -> tuple[int, int | None]:
        """(colour, point) of a node's move; no point where it has none. Raises ValueError."""
        found = next((name for name in _COLORS if name in properties), None)
        if found is None:
            return BLACK, None
        size = self.record.size
        place = sgf_properties.interpret_go_point(properties[found][0].strip(), size)
        if place is None:
            return _COLORS[found], PASS
        return _COLORS[found], point_from_row_col(size - 1 - place[0], place[1])

    def _leave_out(self, reason: str) -> None:
        if len(self.notes) < MOST_NOTES:
            number = len(self._game.moves) + 1
            self.notes.append(f"a variation is left out from move {number}: {reason}")

    def _say(self, node: int, properties: dict[str, list[bytes]]) -> None:
        """Adds a comment to what a node says already."""
        raw = properties.get("C", [b""])[0]
        text = sgf_grammar.text_value(raw).decode("utf-8", "replace").strip()
        if not text:
            return
        before = self.nodes[node].comment if node >= 0 else self.comment
        together = f"{before}\n{text}".strip()[:LONGEST_COMMENT]
        if node >= 0:
            self.nodes[node] = self.nodes[node]._replace(comment=together)
        else:
            self.comment = together


def write_tree(record: GameRecord, nodes: Sequence[TreeNode], comment: str = "") -> bytes:
    """A game with variations as SGF; the record's own moves are not written, its header is.

    Raises KatachiError for a node that does not follow one before it, or a move that cannot be
    played; RecordError as `write_game` does.
    """
    start = game_from_record(record, 0)
    check_nodes(start, nodes)
    header = replace(record, moves=record.moves[:0], colors=record.colors[:0], ownership=None)
    game = sgf.Sgf_game.from_bytes(write_game(header))
    root = game.get_root()
    if comment:
        root.set("C", comment)
    made: list[Any] = []
    for each in nodes:
        parent = root if each.parent < 0 else made[each.parent]
        node = parent.new_child()
        _write_node(node, each, record.size)
        made.append(node)
    return bytes(game.serialise())


def _write_node(node: Any, each: TreeNode, size: int) -> None:
    name = "B" if each.color == BLACK else "W"
    if each.point == PASS:
        node.set_raw(name, b"")
    else:
        row, col = row_col_from_point(each.point)
        node.set(name, (size - 1 - row, col))
    if each.comment:
        node.set("C", each.comment)


def check_nodes(start: Game, nodes: Sequence[TreeNode]) -> None:
    """Raises KatachiError unless every node follows one before it by a move that can be played."""
    children: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        if not -1 <= node.parent < number:
            raise KatachiError(f"node {number} follows node {node.parent}, which is not before it")
        children.setdefault(node.parent, []).append(number)
    game = start.copy()
    waiting = [(number, len(game.moves)) for number in children.get(-1, [])]
    while waiting:
        number, depth = waiting.pop()
        while len(game.moves) > depth:
            game.undo()
        node = nodes[number]
        try:
            game.play(node.color, node.point)
        except KatachiError as error:
            name = vertex_from_point(node.point, game.size)
            raise KatachiError(f"node {number}, {name}: {error}") from None
        waiting += [(child, depth + 1) for child in children.get(number, [])]
