"""A walk through a tree of openings."""

from typing import Any

import numpy as np
from rich.table import Table as Grid

from katachi.errors import KatachiError
from katachi.interfaces.console import Console
from katachi.interfaces.views.board_text import render_board
from katachi.pictures.openings import JUDGED_LEGEND, describe_node, node_data
from katachi.players.roster import make_evaluator
from katachi.records.opening_tree import OpeningTree
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.search.opening_lines import move_values


class OpeningWalk:
    """A place in a tree."""

    def __init__(self, tree: OpeningTree, player: str | None) -> None:
        self.tree = tree
        self.game = Game(tree.size)
        self.player = player
        self.evaluator = make_evaluator(player) if player else None

    def play(self, vertex: str) -> None:
        """Goes one move on; raises KatachiError where no opening goes."""
        self.game.play(self.game.to_play, point_from_vertex(vertex, self.game.size))
        if self.tree.node_of(self.game) is None:
            self.game.undo()
            raise KatachiError(f"no opening goes to {vertex} here: choose one of the moves shown")

    def step(self, answer: str) -> None:
        """A move, or `b` for one back."""
        if answer.lower() == "b":
            self.game.undo()
        else:
            self.play(answer)

    def moves(self) -> list[dict[str, Any]]:
        """What was played here, most played first."""
        found = list(self.tree.moves_from(self.game))
        values: list[float | None] = [None] * len(found)
        if self.evaluator is not None and found:
            points = np.array([point for point, _ in found], np.uint16)
            values = list(move_values(self.evaluator, self.game, points).tolist())
        node = self.tree.node_of(self.game)
        counts = node.children if node else {}
        return [
            {"move": vertex_from_point(point, self.game.size), "count": counts[child.key], "p": p}
            | node_data(child)
            for (point, child), p in zip(found, values, strict=True)
        ]

    def data(self) -> dict[str, Any]:
        """The position as plain data."""
        node = self.tree.node_of(self.game)
        symbols = [".XO"[color] for color in self.game.colors.tolist()]
        size = self.game.size
        return {
            "size": size,
            "line": [vertex_from_point(move.point, size) for move in self.game.moves],
            "board": ["".join(symbols[row * size : row * size + size]) for row in range(size)],
            "moves": self.moves(),
        } | (node_data(node) if node else {})

    def show(self, console: Console) -> None:
        """Prints the board and the moves."""
        node = self.tree.node_of(self.game)
        console.print(render_board(console, self.game))
        console.print(describe_node(node) if node else "no opening comes here", style="bold")
        columns = self._columns()
        grid = Grid(box=None, pad_edge=False)
        for column in columns:
            grid.add_column(column, justify="left" if column == "move" else "right")
        for told in self.moves():
            grid.add_row(*(_words(told[key]) for key in columns.values()))
        console.print(grid)
        if "judged" in columns:
            console.print(JUDGED_LEGEND, style="dim")
        if "P" in columns:
            console.print(f"P: what {self.player} thinks, +1 is Black's, -1 White's", style="dim")

    def _columns(self) -> dict[str, str]:
        """What is known of moves: heading and key; what no opening of the tree has is left out."""
        root = self.tree.root
        columns = {"move": "move", "openings": "count"}
        if root.black_wins or root.white_wins:
            columns |= {"Black won": "black_wins", "White won": "white_wins"}
        if root.judged:
            columns["judged"] = "mean_judgement"
        if self.evaluator is not None:
            columns["P"] = "p"
        return columns


def _words(value: str | int | float | None) -> str:
    """A cell of the table: numbers with a point are judgements."""
    match value:
        case None:
            return ""
        case str():
            return value
        case int():
            return f"{value:,}"
        case _:
            return f"{value:+.2f}"
