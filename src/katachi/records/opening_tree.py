"""Openings joined into one tree by position: moves in another order lead to the same node."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.records.lines import check_lines
from katachi.records.openings import Opening
from katachi.records.replay import Scratch, new_scratch
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.kernels import play_move
from katachi.rules.point import PASS, STRIDE, Points, points_of
from katachi.rules.state import WORDS, Hashes
from katachi.rules.symmetry import SYMMETRIES, point_tables
from katachi.rules.zobrist import SIDE_BIT

Keys = npt.NDArray[np.uint64]


@dataclass(slots=True)
class Node:
    """A position of some openings and what became of the games that reached it."""

    key: int
    """The position's hash with the side to move, the smallest of its mirror images if those are
    joined."""
    ply: int
    """Moves played, by the first opening that came here."""
    count: int = 0
    """Openings that pass here."""
    black_wins: int = 0
    white_wins: int = 0
    judged: int = 0
    """Openings whose judgement is known."""
    judgements_sum: float = 0.0
    """The sum of their judgements, from Black's side."""
    children: dict[int, int] = field(default_factory=dict)
    """Nodes one move later, and how many openings went there."""
    openings: list[int] = field(default_factory=list)
    """Those that end here, by number."""

    @property
    def mean_judgement(self) -> float | None:
        """The mean judgement, or None where none is known."""
        return self.judgements_sum / self.judged if self.judged else None


class OpeningTree:
    """All openings from the empty board on.

    With `is_joined` mirror images are one position; otherwise each is its own, as for an evaluator
    that tells them apart.
    """

    def __init__(self, openings: Sequence[Opening], *, is_joined: bool = True) -> None:
        """Raises KatachiError where there is no opening."""
        if not openings:
            raise KatachiError("no opening is left for a tree: name other games, or filter less")
        self.openings = openings
        self.is_joined = is_joined
        self.size = openings[0].size
        self.nodes: dict[int, Node] = {}
        for number, (opening, keys) in enumerate(
            zip(openings, position_keys(openings, is_joined=is_joined), strict=True)
        ):
            self._add(number, opening, [int(key) for key in keys])
        self.root = self.nodes[0]

    def _add(self, number: int, opening: Opening, keys: list[int]) -> None:
        for ply, key in enumerate(keys):
            node = self.nodes.setdefault(key, Node(key, ply))
            node.count += 1
            node.black_wins += opening.winner == BLACK
            node.white_wins += opening.winner == WHITE
            if opening.judgement is not None:
                node.judged += 1
                node.judgements_sum += opening.judgement
            if ply + 1 < len(keys):
                following = keys[ply + 1]
                node.children[following] = node.children.get(following, 0) + 1
            else:
                node.openings.append(number)

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.nodes)

    @property
    def transpositions(self) -> int:
        """Ways into positions beyond the first of each."""
        ways = sum(len(node.children) for node in self.nodes.values())
        return ways - (len(self.nodes) - 1)

    def node_of(self, game: Game) -> Node | None:
        """The node of a game's present position, or None where no opening comes."""
        return self.nodes.get(key_of(game, is_joined=self.is_joined))

    def moves_from(self, game: Game) -> Iterator[tuple[int, Node]]:
        """(move, node it leads to) for each node after the present position that openings went
        to, most played first; of mirror images one move, the one nearest to the upper right corner,
        where games are customarily begun. The game is not changed."""
        node = self.node_of(game)
        if node is None:
            return
        left = dict(sorted(node.children.items(), key=lambda item: (-item[1], item[0])))
        points = _from_upper_right(game.legal_moves(game.to_play), game.size)
        found: dict[int, int] = {}
        for point, key in zip(points.tolist(), self._keys_after(game, points), strict=True):
            if key in left:
                found.setdefault(key, point)
        if len(found) < len(left):
            self._try_moves(game, [*points.tolist(), PASS], found)
        yield from ((found[key], self.nodes[key]) for key in left if key in found)

    def _keys_after(self, game: Game, points: Points) -> list[int]:
        """The keys after each of these moves, if it takes no stone; of others no position's."""
        hashes = image_hashes(game, is_joined=self.is_joined)
        tables = point_tables(game.size)[: len(hashes)]
        after = hashes[:, None] ^ game.state.keys[game.to_play, tables[:, points]]
        side = (game.hash & SIDE_BIT) ^ SIDE_BIT
        return [key | side for key in after.min(axis=0).tolist()]

    def _try_moves(self, game: Game, points: list[int], found: dict[int, int]) -> None:
        """Adds (key after the move, move) of these, which may take stones or be passes."""
        color = game.to_play
        for point in points:
            game.play(color, point)
            found.setdefault(key_of(game, is_joined=self.is_joined), point)
            game.undo()


def _from_upper_right(points: Points, size: int) -> Points:
    """Points by their way to the upper right corner; of equally near ones the right one first."""
    rows, cols = points // STRIDE - 1, points % STRIDE - 1
    return points[np.lexsort((-cols.astype(int), rows.astype(int) + size - cols))]


def key_of(game: Game, *, is_joined: bool) -> int:
    """The key of a game's present position in a tree."""
    return int(image_hashes(game, is_joined=is_joined).min()) | (game.hash & SIDE_BIT)


def image_hashes(game: Game, *, is_joined: bool) -> Keys:
    """[C] the hashes of the stones of a game's present position: of its eight mirror images where
    those are joined, else its own alone."""
    colors = game.colors
    points = np.flatnonzero(colors)
    cells = points_of(game.size)[points]
    tables = point_tables(game.size)[: SYMMETRIES if is_joined else 1]
    images = game.state.keys[colors[points], tables[:, cells]]
    return np.asarray(np.bitwise_xor.reduce(images, axis=1, initial=np.uint64(0)))


def position_keys(openings: Sequence[Opening], *, is_joined: bool) -> list[Keys]:
    """[N + 1] the keys of each opening's positions, the empty board's first; raises KatachiError
    for an opening with a move that cannot be played."""
    scratch = new_scratch()
    copies = SYMMETRIES if is_joined else 1
    found = []
    for opening in openings:
        tables = point_tables(opening.size)
        check_lines(opening.moves[None], opening.size, scratch)
        images = np.ascontiguousarray(tables[:copies, opening.moves])
        hashes = np.zeros((copies, len(opening) + 1), np.uint64)
        hash_lines(images, opening.size, scratch, hashes)
        found.append(hashes.min(axis=0))
    return found


@kernel
def hash_lines(moves: Points, size: int, scratch: Scratch, hashes: Hashes) -> None:
    """Writes the hash of every position of lines of play, moves [L, N] from the empty board on,
    Black first, into hashes [L, N + 1]. The moves must be legal."""
    state = scratch.state
    for line in range(len(moves)):
        for word in range(WORDS):
            state.words[word] = scratch.blank[size, word]
        state.hashes[0] = 0
        for ply in range(moves.shape[1]):
            play_move(state, int(moves[line, ply]), BLACK if ply % 2 == 0 else WHITE)
        for ply in range(moves.shape[1] + 1):
            hashes[line, ply] = state.hashes[ply]
