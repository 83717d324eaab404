"""`katachi games generate`: a GTP program plays itself; its games become a set."""

from pathlib import Path

from katachi.arena.self_play import SelfPlaySet, SelfPlaySettings
from katachi.arena.stop_signals import leave_on_signals
from katachi.arena.workers import check_workers
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, moving_bar
from katachi.rules.color import BLACK, WHITE


def generate_games(path: Path, settings: SelfPlaySettings, workers: int) -> None:
    """Plays what is missing, says how it goes, and writes the set when all games are there."""
    check_workers(workers)  # refused before anything is written
    leave_on_signals()
    console = Console()
    with SelfPlaySet(path, settings) as games:
        announce_cold_start()
        if games.is_whole:
            console.print(f"all {len(games.lines):,} games are there already")
        elif games.lines:
            console.print(f"going on after {len(games.lines):,} games", soft_wrap=True)
        try:
            _play(console, games, workers)
        except KeyboardInterrupt:
            kept = f"{len(games.lines)} games are kept: the same command goes on"
            fail(f"interrupted; {kept}", INTERRUPTED)
        console.print(f"{len(games.lines):,} games of {games.name} are in {games.finish()}")


def _play(console: Console, games: SelfPlaySet, workers: int) -> None:
    counts = {"Black won": 0, "White won": 0, "undecided": 0, "owners known": 0}
    goal, done = games.settings.games, len(games.lines)
    with moving_bar(console, goal, games.name, done) as (progress, task):
        for record in games.play(workers):
            words = {BLACK: "Black won", WHITE: "White won"}
            counts[words.get(record.result.winner, "undecided")] += 1
            counts["owners known"] += record.ownership is not None
            progress.update(task, completed=len(games.lines))
    if sum(counts.values()):
        shares = ", ".join(f"{count} {words}" for words, count in counts.items())
        console.print(f"of the games played now: {shares}")
