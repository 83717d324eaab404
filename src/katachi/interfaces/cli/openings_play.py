"""`katachi openings best`, `cross` and the walk of `explore`: openings played and judged."""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from cyclopts import Parameter
from rich.table import Table as Grid
from rich.text import Text

from katachi.arena.opening_judges import make_judge
from katachi.arena.opening_play import cross_play, play_opening
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.files.atomic import write_atomically
from katachi.interfaces.cli.openings import BOOK, BookOptions, name_of_book
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, grid_of, write_json
from katachi.interfaces.views.board_text import LEGEND, render_board, render_numbered
from katachi.pictures.openings import JUDGED_LEGEND, describe_node, node_data
from katachi.players.roster import make_evaluator
from katachi.records.conversion import record_from_game
from katachi.records.judgements import DeadBand
from katachi.records.opening_book import open_book
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import LONGEST_OPENING, Opening
from katachi.records.record import GameTexts
from katachi.records.sgf import write_game
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.ruleset import check_komi
from katachi.search.opening_lines import OpeningLine, best_line, move_values, replay_line
from katachi.statistics import wilson


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
        rows = [[_words(move[key]) for key in columns.values()] for move in self.moves()]
        console.print(grid_of(list(columns), rows))
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


SHOWN_EVERY = 10
"""Moves between two boards of a line."""


def best(
    *files: Path,
    book: BookOptions = BOOK,
    player: Annotated[str, Parameter(name=["--player", "-p"])] = "opening",
    seed: int = 0,
    sgf: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Show the best line: forward minimax over the tree with a player's evaluator.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    player
        Whose evaluator: opening[:MODEL], shape[:MODEL], territory[:MODEL], influence, alp ...
    seed
        Draws one of equal moves.
    sgf
        Write the line as a game record to this file, Black's chance with each move.
    json
        Print JSON instead: `player`, `size`, `p0`, and `line`, each with `color`, `move`, `p`,
        `choices` and what is known of its node.
    """
    from katachi.players.roster import make_evaluator

    announce_cold_start()
    evaluator = make_evaluator(player)
    openings = open_book(files, book)
    line = best_line(OpeningTree(openings), evaluator, seed)
    size = openings[0].size
    if sgf is not None:
        write_atomically(sgf, _sgf_of(line, size, player))
    if json:
        write_json({"player": player, "size": size, "p0": line.first, "line": _data(line, size)})
        return
    console = Console()
    console.print(f"The best line by {player}", style="bold", soft_wrap=True)
    console.print(f"of {name_of_book(openings, files)}")
    _show(console, line, size)
    for number in line.openings:
        console.print(_where(openings[number]))
    if sgf is not None:
        console.print(f"written to {sgf}", soft_wrap=True)


def _sgf_of(line: OpeningLine, size: int, player: str) -> bytes:
    chances = [(1.0 + step.value) / 2.0 for step in line.steps]
    texts = GameTexts(event=f"the best opening by {player}")
    return write_game(record_from_game(replay_line(line, size), texts), chances)


def _data(line: OpeningLine, size: int) -> list[dict[str, object]]:
    return [
        {
            "color": COLOR_NAMES[step.color],
            "move": vertex_from_point(step.point, size),
            "p": step.value,
            "choices": step.choices,
        }
        | node_data(step.node)
        for step in line.steps
    ]


def _show(console: Console, line: OpeningLine, size: int) -> None:
    """Boards of ten numbered moves each, with P after each of them."""
    meaning = f"P: its view after each move, +1 is Black's, -1 White's; at first {line.first:+.2f}."
    console.print(f"{meaning}\n{LEGEND}", style="dim")
    for first in range(0, len(line.steps), SHOWN_EVERY):
        last = min(first + SHOWN_EVERY, len(line.steps))
        values = " ".join(f"{step.value:+.2f}" for step in line.steps[first:last])
        console.print(f"\nmoves {first + 1} to {last}", style="bold")
        console.print(render_numbered(console, replay_line(line, size, last), first + 1))
        console.print(Text(f"P {values}", style="dim"))


def _where(opening: Opening) -> str:
    """The game that the line is of, and what its judge says."""
    judged = "not judged" if opening.judgement is None else f"judged {opening.judgement:+g}"
    words = f"{opening.style.value}, {judged} (+1 is good for Black, -1 for White)"
    return f"\nThis is game {opening.game + 1}: {words}"


MOST_ROUNDS = 10_000


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CrossPlay:
    """What is played, and who judges."""

    moves: int = 50
    """Of an opening, both colours' together, from the empty board."""
    size: int = 19
    """Lines of the board."""
    by: str = "gnugo"
    """Who judges: gnugo by its estimate of the score, a program that knows estimate_score as
    gtp:COMMAND, or a player with an opinion of positions."""
    komi: float = 6.5
    """The judge's."""
    band: float = 2.0
    """Points ahead, less than which is even."""
    rounds: int = 10
    """How often each pair plays with each colour."""
    seed: int = 1
    """Draws one of equal moves."""


_CROSS_PLAY = CrossPlay()


class Cell(NamedTuple):
    """What became of one player as Black against another."""

    black: str
    white: str
    points: float
    """Black's: 1 for an opening that is good for Black, one half for an even one."""
    openings: int
    """That differ; the same one played again tells nothing new."""
    low: float
    high: float
    """Wilson's 95 % interval of the share of points."""


def cross(
    *players: str,
    terms: CrossPlay = _CROSS_PLAY,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Let players' evaluators play openings against each other, each with both colours.

    Equal moves are chosen among again in each round. Openings that come out the same count once.

    Parameters
    ----------
    players
        Two or more whose evaluators look one move ahead: opening[:MODEL], shape, influence, alp ...
    json
        Print JSON instead: a list, each with `black`, `white`, `points`, `openings`, `low`, `high`.
    """
    announce_cold_start()
    _check(players, terms)
    evaluators = {name: make_evaluator(name) for name in players}
    cells = _play_rounds(evaluators, terms)
    if json:
        write_json([cell._asdict() for cell in cells])
        return
    console = Console()
    heading = f"Points of Black (row) against White after {terms.moves} moves, by {terms.by}"
    console.print(heading, style="bold", soft_wrap=True)
    console.print(_grid(list(players), cells))


def _check(players: tuple[str, ...], terms: CrossPlay) -> None:
    if len(players) < 2 or len(set(players)) < len(players):
        raise KatachiError("name two or more players, each once")
    if not 1 <= terms.moves <= LONGEST_OPENING or not 1 <= terms.rounds <= MOST_ROUNDS:
        raise KatachiError(
            f"{terms.moves} moves, {terms.rounds} rounds: use 1 to {LONGEST_OPENING}, and 1 to "
            f"{MOST_ROUNDS:,}"
        )
    check_komi(terms.komi)
    if not 0.0 <= terms.band < math.inf:
        raise KatachiError(f"band {terms.band:g}: use 0 points or more")


def _play_rounds(evaluators: dict[str, Evaluator], terms: CrossPlay) -> list[Cell]:
    """All pairs, in the order of the players; shows progress."""
    play = partial(play_opening, size=terms.size, moves=terms.moves, komi=terms.komi)
    found: dict[tuple[str, str], dict[object, float]] = {}
    judge = make_judge(terms.by, DeadBand(lead=terms.band))
    try:
        with counted(terms.rounds, "rounds played") as tell:
            for number in range(terms.rounds):
                judged = cross_play(evaluators, judge, partial(play, seed=terms.seed + number))
                for pair, (game, judgement) in judged.items():
                    points = 0.5 + (judgement.z or 0.0) / 2
                    found.setdefault(pair, {})[tuple(game.moves)] = points
                tell(1)
    finally:
        judge.close()
    return [_cell(*pair, list(judged.values())) for pair, judged in found.items()]


def _cell(black: str, white: str, points: list[float]) -> Cell:
    return Cell(black, white, sum(points), len(points), *wilson(sum(points), len(points)))


def _grid(names: list[str], cells: list[Cell]) -> Grid:
    texts = {
        (cell.black, cell.white): f"{cell.points:g} of {cell.openings} "
        f"({100 * cell.low:.0f} to {100 * cell.high:.0f} %)"
        for cell in cells
    }
    rows = [(black, *(texts[black, white] for white in names)) for black in names]
    return grid_of(["", *(f"v {name}" for name in names)], rows)
