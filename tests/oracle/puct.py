"""Best-first tree search with an object a node, one leaf at a time."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, points_of
from katachi.rules.state import KO, PASSES
from katachi.search.tree_walk import TreeSettings

OracleJudge = Callable[[Game, int], tuple[float, dict[int, float]]]
"""(position, who moves) -> (Black's chance, how likely each point is as a logit)."""


@dataclass
class Edge:
    """A move at a node."""

    move: int
    prior: float
    taken: int = 0
    child: "Node | None" = None


@dataclass
class Node:
    """A position that was met."""

    edges: list[Edge] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0

    def chance(self, color: int) -> float:
        """The mean value for `color`."""
        mean = self.total / self.visits
        return mean if color == BLACK else 1.0 - mean


class OracleTree:
    """Searches by PUCT; positions that meet again are one node."""

    def __init__(self, settings: TreeSettings, judge: OracleJudge) -> None:
        self.settings, self.judge = settings, judge
        self.nodes: dict[object, Node] = {}

    def search(self, game: Game, color: int, visits: int) -> Node:
        """The root after so many visits."""
        root = self.nodes.setdefault(_key(game, color), Node())
        while root.visits < visits:
            self._visit(game.copy(), color, root)
        return root

    def _visit(self, game: Game, color: int, node: Node) -> None:
        passed = [node]
        while node.visits and node.edges:
            edge = self._choose(game, color, node, is_root=len(passed) == 1)
            game.play(color, edge.move)
            color = opponent(color)
            edge.taken += 1
            if edge.child is None:
                edge.child = self.nodes.setdefault(_key(game, color), Node())
            node = edge.child
            passed.append(node)
        if len(passed) > 1 and game.words[PASSES] >= 2:
            value = _result(game)
        else:
            value = self._expand(game, color, node)
        for each in passed:
            each.visits += 1
            each.total += value

    def _expand(self, game: Game, color: int, node: Node) -> float:
        value, scores = self.judge(game, color)
        # What superko forbids on this way it may allow on another.
        moves = [
            move
            for move in points_of(game.size).tolist()
            if game.judge(color, move) in ("legal", "superko")
            and not game.board.is_eye(move, color)
        ]
        node.edges = _edges(moves, scores, answers=bool(game.words[PASSES]))
        return value

    def _choose(self, game: Game, color: int, node: Node, *, is_root: bool) -> Edge:
        settings = self.settings
        tries = sum(edge.taken for edge in node.edges)
        seen = sum(edge.prior for edge in node.edges if edge.taken)
        reduction = settings.root_reduction if is_root else settings.reduction
        untried = node.chance(color) - reduction * math.sqrt(seen)
        scale = settings.exploration * math.sqrt(max(tries, 1))

        def score(edge: Edge) -> float:
            child = edge.child
            value = untried if edge.taken == 0 or child is None else child.chance(color)
            return value + scale * edge.prior / (1 + edge.taken)

        legal = [edge for edge in node.edges if game.is_legal(color, edge.move)]
        return max(legal, key=score)


def _result(game: Game) -> float:
    lead = game.area_score()
    return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5


def _edges(moves: list[int], scores: dict[int, float], *, answers: bool) -> list[Edge]:
    """The moves and the pass, the likeliest first."""
    passing = 0.2 if answers else 0.01
    if not moves:
        return [Edge(PASS, 1.0)]
    best = max(scores[move] for move in moves)
    weights = {move: math.exp(scores[move] - best) for move in moves}
    total = sum(weights.values())
    edges = [Edge(move, (1.0 - passing) * weight / total) for move, weight in weights.items()]
    return sorted([*edges, Edge(PASS, passing)], key=lambda edge: -np.float32(edge.prior))


def _key(game: Game, color: int) -> object:
    words = game.words
    return game.colors.tobytes(), color, int(words[KO]), min(int(words[PASSES]), 2)
