"""`katachi openings best`: the best line of a book of openings by any evaluator."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from katachi.files.atomic import write_atomically
from katachi.interfaces.cli.openings import Book, name_of_book, open_book
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console
from katachi.interfaces.views.json_text import write_json
from katachi.interfaces.views.numbered_board import LEGEND, render_numbered
from katachi.pictures.openings import node_data
from katachi.records.conversion import record_from_game
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Opening
from katachi.records.record import GameTexts
from katachi.records.sgf import write_game
from katachi.rules.color import COLOR_NAMES
from katachi.rules.point import vertex_from_point
from katachi.search.opening_lines import OpeningLine, best_line, replay_line

SHOWN_EVERY = 10
"""Moves between two boards of a line."""
_BOOK = Book()


def best(
    *files: Path,
    book: Book = _BOOK,
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
        told = {"player": player, "size": size, "p0": line.first, "line": _data(line, size)}
        write_json(told)
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
