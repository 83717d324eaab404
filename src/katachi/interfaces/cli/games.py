"""`katachi games`: looking into collections of game records."""

from dataclasses import astuple
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from cyclopts import App, Parameter
from rich.table import Table as Grid

from katachi.arena.self_play import SelfPlaySet, SelfPlaySettings
from katachi.arena.settings import GameSettings
from katachi.arena.stop_signals import leave_on_signals
from katachi.errors import KatachiError
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.pools import PROCESSES, PoolOptions
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, grid_of, moving_bar
from katachi.interfaces.views.board_text import render_board
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, open_games
from katachi.records.record import GameRecord
from katachi.records.statistics import Statistics, Table, collect_statistics
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import rules_by_name
from katachi.workers import Pool

app = App(name="games")


@app.command
def stats(*files: Path) -> None:
    """Count the games of files and folders by size, result, rank, date, handicap and komi.

    Parameters
    ----------
    files
        SGF files, compressed collections (.sgf.gz) or folders of them.
    """
    announce_cold_start()
    games = open_games(*files)
    require_games(games)
    console = Console()
    _show_statistics(console, collect_statistics(games))
    for rejection in games.rejections[:10]:
        console.print(f"not read: {rejection}", style="yellow", soft_wrap=True)
    if len(games.rejections) > 10:
        console.print(f"not read: {len(games.rejections) - 10} more", style="yellow")


def _show_statistics(console: Console, statistics: Statistics) -> None:
    console.print(
        f"{statistics.games:,} games, {statistics.moves:,} moves; "
        f"{statistics.marked:,} with final ownership, {statistics.rejected:,} not read"
    )
    quantiles = ", ".join(f"{share:.0%} {moves}" for share, moves in statistics.length_quantiles)
    console.print(f"moves a game (share of games with at most so many): {quantiles}")
    for table in statistics.tables:
        console.print(_grid(table))


def _grid(table: Table) -> Grid:
    rows = []
    for name, games, *wins in map(astuple, table.counts):
        rows.append((name, f"{games:,}", *(f"{won / max(games, 1):.1%}" for won in wins)))
    head = ("", "games", "Black won", "White won")
    return grid_of(head, rows, title=table.title, title_justify="left")


@app.command
def show(
    file: Path,
    *,
    game: Annotated[int, Parameter(name=["--game", "-g"])] = 1,
    move: Annotated[int | None, Parameter(name=["--move", "-m"])] = None,
) -> None:
    """Draw a position of a recorded game in the terminal.

    Parameters
    ----------
    file
        An SGF file, a compressed collection or a folder.
    game
        Which game of it, counted from 1.
    move
        After how many moves; by default at the end.
    """
    announce_cold_start()
    record = find_game(open_games(file), file, game)
    position = game_from_record(record, move)
    console = Console()
    console.print(title_of(record))
    console.print(render_board(console, position))
    black, white = position.captures
    console.print(
        f"move {len(position.moves)} of {len(record.moves)}; captured: Black {black}, White {white}"
    )


@app.command
def generate(
    *,
    engine: str,
    out: Path,
    games: int = 100,
    size: int = 9,
    komi: float = 7.5,
    rules: str = "katachi",
    openings: int = 4,
    limit: int | None = None,
    seed: int = 1,
    where: PoolOptions = PROCESSES,
) -> None:
    """Let a GTP program play itself and write its games as one set; run it again to go on.

    A finished set becomes larger when more --games are asked of the same command.

    The program counts its own games: the result is what it answers to `final_score`, and owners of
    points are marked where its list of dead stones agrees with it. It must be set to count as the
    rules do: GNU Go counts area with --chinese-rules only.

    Parameters
    ----------
    engine
        Any command that speaks GTP; {seed} in it stands for the seed of the game.
    out
        The file of the set, NAME.sgf.gz.
    games
        How many games in all.
    size
        Board size.
    komi
        Points for White.
    rules
        A ruleset by name: katachi, cgos, tromp-taylor, chinese, aga, new-zealand or simple-ko.
    openings
        Random moves before the program begins.
    limit
        Moves after which a game is stopped without a result; by default four times the points.
    seed
        Another seed, other openings.
    """
    game = GameSettings(size, komi, rules_by_name(rules), opening_moves=openings, move_limit=limit)
    generate_games(out, SelfPlaySettings(engine, games, game, seed), where)


def generate_games(path: Path, settings: SelfPlaySettings, where: PoolOptions) -> None:
    """Plays what is missing, says how it goes, and writes the set when all games are there."""
    pool = where.pool()  # refused before anything is written
    leave_on_signals()
    console = Console()
    with SelfPlaySet(path, settings) as games:
        announce_cold_start()
        if games.is_whole:
            console.print(f"all {len(games.lines):,} games are there already")
        elif games.lines:
            console.print(f"going on after {len(games.lines):,} games", soft_wrap=True)
        try:
            _play(console, games, pool)
        except KeyboardInterrupt:
            kept = f"{len(games.lines)} games are kept: the same command goes on"
            fail(f"interrupted; {kept}", INTERRUPTED)
        console.print(f"{len(games.lines):,} games of {games.name} are in {games.finish()}")


def _play(console: Console, games: SelfPlaySet, pool: Pool) -> None:
    counts = {"Black won": 0, "White won": 0, "undecided": 0, "owners known": 0}
    goal, done = games.settings.games, len(games.lines)
    with moving_bar(console, goal, games.name, done) as (progress, task):
        for record in games.play(pool):
            words = {BLACK: "Black won", WHITE: "White won"}
            counts[words.get(record.result.winner, "undecided")] += 1
            counts["owners known"] += record.ownership is not None
            progress.update(task, completed=len(games.lines))
    if sum(counts.values()):
        shares = ", ".join(f"{count} {words}" for words, count in counts.items())
        console.print(f"of the games played now: {shares}")


def find_game(games: GameSet, file: Path, number: int) -> GameRecord:
    """Game `number` of a file, as its rejections count too; of a folder, of all that were read."""
    require_games(games)
    numbers = np.arange(1, len(games) + 1) if file.is_dir() else games.info["number"]
    found = np.flatnonzero(numbers == number)
    if len(found):
        return games[int(found[0])]
    for rejection in games.rejections:
        if rejection.source.number == number and not file.is_dir():
            raise KatachiError(str(rejection))
    raise KatachiError(f"{file} holds {len(games)} games: choose --game 1 to {numbers.max()}")


class FoundMove(NamedTuple):
    """A move of a recorded game, and the position before it."""

    number: int
    """Counted from 1."""
    color: int
    point: int
    before: Game


def find_move(file: Path, number: int, move: int | None) -> FoundMove:
    """A move of game `number` of a file, by default the last one that is no pass; raises
    KatachiError where there is none."""
    record = find_game(open_games(file), file, number)
    if len(record.moves) == 0:
        raise KatachiError(f"{record.source} has no moves")
    chosen = _last_stone(record) if move is None else move
    if not 1 <= chosen <= len(record.moves):
        raise KatachiError(f"there is no move {move}: the game has moves 1 to {len(record.moves)}")
    color, point = int(record.colors[chosen - 1]), int(record.moves[chosen - 1])
    return FoundMove(chosen, color, point, game_from_record(record, chosen - 1))


def _last_stone(record: GameRecord) -> int:
    """The number of the last move that is no pass; of nothing but passes, the last one's."""
    stones = np.flatnonzero(record.moves != PASS)
    return int(stones[-1]) + 1 if len(stones) else len(record.moves)


def require_games(games: GameSet) -> None:
    """Raises KatachiError with the first reason when nothing could be read."""
    if len(games) == 0:
        reason = games.rejections[0] if games.rejections else "the files hold no games"
        raise KatachiError(str(reason))


def title_of(record: GameRecord) -> str:
    """The players, the board, komi, day, result and event of a game, as far as known."""
    texts = record.texts
    names = f"{texts.black or 'Black'} {texts.black_rank}".strip()
    names += f" - {texts.white or 'White'} {texts.white_rank}".rstrip()
    komi = "" if record.komi is None else f"komi {record.komi:g}"
    details = (names, f"{record.size}x{record.size}", komi, texts.date, texts.result, texts.event)
    return ", ".join(detail for detail in details if detail)
