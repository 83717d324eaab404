"""`katachi openings`: a book of openings, what is best in it, and nets that learn from it."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, write_json
from katachi.pictures import openings as trees
from katachi.pictures.drawing import write_picture
from katachi.records import judgements
from katachi.records.dataset import open_games
from katachi.records.opening_book import Book, choose_openings, open_book
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Opening, openings_of
from katachi.records.shipped_games import OPENINGS
from katachi.rules.ruleset import check_komi

app = App(name="openings")
app.command(
    "katachi.interfaces.cli.openings_play:best",
    name="best",
    help="Show the best line: forward minimax over the tree with a player's evaluator.",
)
app.command(
    "katachi.interfaces.cli.openings_play:cross",
    name="cross",
    help="Let evaluators play openings against each other, and somebody judge.",
)
app.command(
    "katachi.interfaces.cli.train:learn",
    name="learn",
    help="Let an opening net learn: what `katachi train openings` was called.",
    show=False,
)


BookOptions = Annotated[Book, Parameter(name="*", negative="")]
"""A book as options of a command."""
BOOK = Book()


def name_of_book(openings: Sequence[Opening], files: Sequence[object]) -> str:
    """How many openings are looked at, and whose, in words."""
    words = f"{len(openings):,} openings of {len(openings[0])} moves"
    return words if files else f"{words}: games of GNU Go that come with katachi"


@app.command
def tree(
    *files: Path,
    book: BookOptions = BOOK,
    depth: int = 4,
    least: int = 2,
    svg: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Show the tree of openings: positions joined over moves in another order and mirror images.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    depth
        How many moves deep.
    least
        Leave out ways that fewer openings went.
    svg
        Draw the tree as an SVG picture in this file.
    json
        Print JSON instead: the root, and `children` of each node with `move`, `color`, `count`,
        `openings`, `black_wins`, `white_wins`, `judged`, `mean_judgement`, `ply` and `key`.
    """
    announce_cold_start()
    if depth < 1 or least < 1:
        raise KatachiError(f"depth {depth}, least {least}: use 1 or more")
    openings = open_book(files, book)
    grown = OpeningTree(openings)
    branch = trees.grow_branches(grown, depth, least)
    title = name_of_book(openings, files)
    words = f"{len(grown):,} positions, {grown.transpositions:,} more ways into them"
    if svg is not None:
        rows = trees.count_rows(branch)
        if rows > trees.MOST_ROWS:
            raise KatachiError(f"{rows:,} moves to draw: ask for less --depth or a larger --least")
        write_picture(trees.picture_of_tree(branch, title, words), svg, None)
    if json:
        write_json({"size": grown.size, "positions": len(grown)} | trees.tree_data(branch))
        return
    console = Console()
    console.print(title, style="bold", soft_wrap=True)
    console.print(words, style="dim")
    styles = Counter(opening.style.value for opening in openings)
    console.print(", ".join(f"{name} {count:,}" for name, count in styles.items()), style="dim")
    if grown.root.judged:
        console.print(trees.JUDGED_LEGEND, style="dim")
    for line in trees.tree_lines(branch):
        console.print(line, soft_wrap=True)


@app.command
def judge(
    *files: Path,
    by: str,
    out: Path,
    book: BookOptions = BOOK,
    moves: tuple[int, ...] = (),
    limit: int = 0,
) -> None:
    """Judge openings by any evaluator or program, and write what it says to a file.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    by
        A player with an opinion of positions, `gnugo` for GNU Go's estimate of the score, or a
        program that knows `estimate_score`, as gtp:COMMAND.
    out
        The file to write, one JSON object a line; compressed if its name ends in .gz.
    moves
        Judge the positions after so many moves, too; after the last always.
    limit
        Only so many openings; all of them for 0.
    """
    from katachi.arena.opening_judges import make_judge

    announce_cold_start()
    check_komi(book.komi)
    if limit < 0:
        raise KatachiError(f"limit {limit}: use 0 for all openings, or more")
    if not out.parent.is_dir():
        raise KatachiError(f"no folder {out.parent} to write {out.name} to: make it first")
    if book.judgements is not None or book.by_result:
        raise KatachiError("judgements are made here: leave out --judgements and --by-result")
    games = open_games(*(files or (OPENINGS,)))
    judgements.check_numbers(games)
    every = openings_of(games, book.length)
    openings = choose_openings(every, book)[: limit or None]
    wanted = sorted({*moves, book.length})
    if wanted[0] < 1 or wanted[-1] > book.length:
        raise KatachiError(f"judge after 1 to {book.length} moves, not after {wanted}")
    judge_ = make_judge(by, book.dead_band())
    judged: list[judgements.Judgement] = []
    try:
        with counted(len(openings), "openings judged") as tell:
            for opening in openings:
                for length in wanted:
                    game = opening.cut(length).play()
                    game.komi = book.komi
                    judged.append(judge_.judge(game, opening.game))
                tell(1)
    finally:
        judge_.close()
    judgements.write_judgements(out, judged)
    last = [each.z for each in judged if each.moves == book.length]
    shares = {z: last.count(z) / len(last) for z in (1.0, 0.0, -1.0)}
    Console().print(
        f"{len(judged):,} judgements by {judge_.name} in {out}; after move {book.length}: Black "
        f"{shares[1.0]:.1%}, even {shares[0.0]:.1%}, White {shares[-1.0]:.1%}",
        soft_wrap=True,
    )


@app.command
def explore(
    *files: Path,
    book: BookOptions = BOOK,
    line: str = "",
    player: Annotated[str | None, Parameter(name=["--player", "-p"])] = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Walk through the tree: a board, the moves that were played there, and what became of them.

    On a terminal it asks for moves until you leave; otherwise it shows one position.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    line
        Moves that lead to the position, such as "Q16 D4 Q3".
    player
        Also say what this player's evaluator makes of each move.
    json
        Print JSON instead: `size`, `line`, `board` (rows from the top), `openings` and the other
        numbers of the node, and `moves`, each with `move`, `count`, `p` and its own numbers.
    """
    from katachi.interfaces.cli.openings_play import OpeningWalk

    announce_cold_start()
    grown = OpeningTree(open_book(files, book))
    walk = OpeningWalk(grown, player)
    title = name_of_book(grown.openings, files)
    for vertex in line.replace(",", " ").split():
        walk.play(vertex)
    if json:
        write_json(walk.data())
        return
    console = Console()
    console.print(title, style="bold", soft_wrap=True)
    walk.show(console)
    while sys.stdin.isatty():
        answer = _ask(console)
        if answer.lower() in ("", "q"):
            return
        try:
            walk.step(answer)
        except KatachiError as error:
            console.print(str(error), style="red")
            continue
        walk.show(console)


def _ask(console: Console) -> str:
    """What is typed; nothing at the end of input."""
    try:
        return console.input("move, b for back, q to leave: ").strip()
    except EOFError:
        console.print()
        return ""
