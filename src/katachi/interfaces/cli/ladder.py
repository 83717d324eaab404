"""`katachi ladder`: a tournament that rates everything that plays."""

import sys
import time
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from katachi.arena import report as reports
from katachi.arena.database import Database, StoredGame
from katachi.arena.ladder import Ladder
from katachi.arena.outcome import Ending
from katachi.arena.workers import Finished, play_tasks
from katachi.errors import KatachiError
from katachi.files.plain_text import visible
from katachi.interfaces.cli.pools import PROCESSES, PoolOptions
from katachi.interfaces.console import Console, grid_of, moving_bar, working
from katachi.records.result import text_from_result
from katachi.workers import Pool

app = App(name="ladder")

MOST_NUMBER = 10**18
"""Of a game; the database holds no larger ones."""

DatabaseFile = Annotated[Path, Parameter(name=["--database", "-d"])]


@app.command
def run(
    roster: Path,
    *,
    database: DatabaseFile,
    earlier: Path | None = None,
    same: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative=())] = (),
    games: int | None = None,
    hours: float | None = None,
    where: PoolOptions = PROCESSES,
) -> None:
    """Play what the roster's schedule still lacks; every game is kept as soon as it ends.

    Parameters
    ----------
    roster
        A TOML file with the players and the terms, or a house ladder: house9, house19.
    database
        The ladder's file; made if it is not there, continued if it is.
    earlier
        The report (JSON) of a ladder with the same settings whose file is lost: a new file goes on
        from its results.
    same
        Players of that report who play as they did then, though katachi's version or the files of
        their weights are others now.
    games
        Games of each pair (by closeness: of each player), instead of what the roster says.
    hours
        Begin no game after so many hours.
    """
    from dataclasses import replace

    from katachi.arena.earlier import Earlier, go_on_from
    from katachi.arena.roster import check_games, enter_players, read_roster
    from katachi.arena.schema import check_file
    from katachi.arena.stop_signals import leave_on_signals
    from katachi.interfaces.cli.warmup import PLAYING, compile_kernels
    from katachi.interfaces.warm_steps import PLAYING_STEPS

    if hours is not None and not hours > 0:
        raise KatachiError(f"{hours:g} hours: use a positive number")
    check_file(database, must_exist=False)
    if earlier is not None:
        reports.read_report(earlier)  # refused before anything is made or started
    elif same:
        raise KatachiError("--same is about the report of an earlier ladder: add --earlier FILE")
    terms = read_roster(roster)
    if games is not None:
        check_games("--games", games)
        terms = replace(terms, games=games)
    pool = where.pool()
    with working("starting every player once"):
        terms, contestants, absent = enter_players(terms)
    errors = Console(stderr=True)
    for line in absent:
        errors.print(line, style="yellow")
    leave_on_signals()
    compile_kernels(errors, PLAYING_STEPS, PLAYING, "playing")
    with Database(database) as opened:
        if earlier is not None:
            for line in go_on_from(Earlier(earlier, same), opened, terms, contestants):
                errors.print(line, style="yellow")
        ladder = Ladder(terms, contestants, opened)
        try:
            _play(ladder, pool, None if hours is None else 3600 * hours, errors)
        except KeyboardInterrupt:
            errors.print(f"{opened.count_games():,} games are kept: run it again to go on")
            raise
        _show(Console(), reports.make_report(opened))


def _play(ladder: Ladder, pool: Pool, seconds: float | None, console: Console) -> None:
    """Plays with a progress line, until the schedule is fulfilled or the time is up."""
    end = None if seconds is None else time.monotonic() + seconds
    missing = ladder.count_missing()
    with moving_bar(console, missing, "games", is_kept=True) as (progress, task):
        games = ladder.play(
            lambda tasks: play_tasks(tasks, pool),
            lambda: end is not None and time.monotonic() >= end,
        )
        for count, finished in enumerate(games, 1):
            total = count + ladder.count_missing() + ladder.count_under_way()
            progress.update(task, completed=count, total=total, description=_line_of(finished))
            if finished.outcome.ending is Ending.SCORE and finished.outcome.reason:
                text = f"{_line_of(finished).rstrip()}: {finished.outcome.reason}"
                progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _line_of(finished: Finished) -> str:
    record = finished.outcome.record
    result = text_from_result(record.result)
    return f"{record.texts.black} - {record.texts.white} {result}".ljust(36)[:36]


def _show(console: Console, report: reports.Report) -> None:
    console.print(report.name, style="bold")
    console.print(_grid(reports.ranking_table(report)))
    console.print("\npoints out of games, row against column")
    console.print(_grid(reports.cross_table(report)))
    console.print()
    for line in reports.notes(report):
        console.print(line, style="dim", soft_wrap=True)


def _grid(table: reports.TextTable) -> Table:
    grid = grid_of(table.head, table.rows, left=(1,))
    grid.columns[1].no_wrap = True
    return grid


@app.command
def show(
    *,
    database: DatabaseFile,
    markdown: bool = False,
    svg: Path | None = None,
    png: Path | None = None,
    json: Path | None = None,
) -> None:
    """Fit the ratings of all games and show ranking and cross table.

    Parameters
    ----------
    database
        The ladder's file.
    markdown
        Print Markdown.
    svg
        Write a picture of the ratings with their intervals.
    png
        The same as PNG; needs matplotlib.
    json
        Write everything: settings, results, ratings, intervals, versions, commit.
    """
    from katachi.arena.report_picture import write_png, write_svg

    with Database(database, must_exist=True) as opened:
        report = reports.make_report(opened)
    if markdown:
        sys.stdout.write(visible(reports.markdown_from_report(report)))
    else:
        _show(Console(), report)
    for path, write in ((json, reports.write_report), (svg, write_svg), (png, write_png)):
        if path is not None:
            write(report, path)


@app.command
def query(
    player: str | None = None,
    opponent: str | None = None,
    *,
    database: DatabaseFile,
    last: int = 20,
    sgf: int | None = None,
) -> None:
    """List games of the ladder, newest first, or print one as SGF.

    Parameters
    ----------
    player
        With an opponent: the games between the two. Alone: how it fared against each.
    opponent
        The other player.
    database
        The ladder's file.
    last
        How many games to list.
    sgf
        Print the record of the game with this number.
    """
    for option, number in (("--last", last), ("--sgf", 1 if sgf is None else sgf)):
        if not 1 <= number <= MOST_NUMBER:
            raise KatachiError(f"{option} {number}: use 1 to {MOST_NUMBER:,}")
    with Database(database, must_exist=True) as opened:
        if sgf is not None:
            text = opened.game(sgf).sgf
            sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
        elif player is None:
            _list_games(opened.recent_games(last))
        elif opponent is None:
            _list_scores(opened, player)
        else:
            _list_games(opened.games_between(player, opponent)[::-1][:last])


def _list_games(games: list[StoredGame]) -> None:
    head = ("game", "Black", "White", "result", "moves", "seconds", "started", "")
    rows = [(str(game.id), game.black, game.white, *_played(game), game.reason) for game in games]
    Console().print(grid_of(head, rows, left=(0, 1, 2, 3, 6, 7)))


def _played(game: StoredGame) -> tuple[str, str, str, str]:
    """Result, moves, seconds and when it began."""
    started = game.started[:19].replace("T", " ")
    return reports.result_text(game), str(game.moves), f"{game.seconds:.1f}", started


def _list_scores(database: Database, name: str) -> None:
    rows = []
    for label, opponent, (won, drawn, lost) in database.scores_of(name):
        share = (won + drawn / 2) / max(1, won + drawn + lost)
        rows.append((label, opponent, f"{won:,}", f"{drawn:,}", f"{lost:,}", f"{share:.1%}"))
    head = ("player", "opponent", "won", "drawn", "lost", "score")
    Console().print(grid_of(head, rows, left=(0, 1)))
