"""`katachi match`."""

import math
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from katachi.arena.game import COUNTED_BY_AREA
from katachi.arena.match import MatchFolder, MatchGame, MatchSettings, folder_name, play_match
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings, fischer_time
from katachi.arena.stop_signals import leave_on_signals
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.pools import PROCESSES, PoolOptions
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, moving_bar, working
from katachi.interfaces.views.player_lines import chosen_models
from katachi.players.names import board_of, check_player_name
from katachi.rules.ruleset import rules_by_name
from katachi.statistics import SequentialTest, Tally, Verdict
from katachi.workers import Pool

DEFAULT_SIZE = 9


def match(
    first: str,
    second: str,
    *,
    games: int = 100,
    size: int | None = None,
    komi: float = 7.5,
    rules: str = "katachi",
    openings: int = 4,
    main: Annotated[float | None, Parameter(name="--time")] = None,
    increment: float = 0.0,
    referee: str | None = None,
    sprt: tuple[float, float] | None = None,
    seed: int = 1,
    out: Path | None = None,
    where: PoolOptions = PROCESSES,
) -> None:
    """Play a match and save every game; run it again to go on where it stopped.

    Colours alternate, and each pair of games shares a random opening.

    Parameters
    ----------
    first
        A player by name, or any command that speaks GTP.
    second
        Its opponent.
    games
        How many games in all.
    size
        Board size; by default the one a player is for, or 9.
    komi
        Points for White.
    rules
        A ruleset by name: katachi, cgos, tromp-taylor, chinese, aga, new-zealand or simple-ko.
    openings
        Random moves before the players begin.
    main
        Seconds that each player has for a whole game; without it there is no clock.
    increment
        Seconds that each move adds to its player's clock.
    referee
        A GTP command that counts finished games; without it area counts, all stones alive.
    sprt
        Two Elo differences: stop as soon as a sequential test decides between them.
    seed
        Another seed, other openings.
    out
        The match's folder; by default named after the players, in matches/.
    """
    for player in (first, second):
        check_player_name(player)
    if size is None:
        size = board_of(first) or board_of(second) or DEFAULT_SIZE
    time = fischer_time(main, increment)
    game = GameSettings(size, komi, rules_by_name(rules), time, openings, referee=referee)
    test = SequentialTest(*sprt) if sprt else None
    settings = MatchSettings(first, second, games, game, seed, test)
    pool = where.pool()  # refused before anything is written
    leave_on_signals()
    announce_cold_start()
    console = Console()
    with working("starting both players once"):
        opened = MatchFolder(out or Path("matches") / folder_name(settings), settings)
    with opened as folder:
        for line in chosen_models(first, second):
            console.print(line, soft_wrap=True)
        if folder.games:
            console.print(f"going on after {len(folder.games)} games in {folder.folder}")
        try:
            _play(console, folder, pool)
        except KeyboardInterrupt:
            kept = f"{len(folder.games)} games are kept in {folder.folder}"
            fail(f"interrupted; {kept}: the same command goes on", INTERRUPTED)
        _report(console, folder)


def _play(console: Console, match: MatchFolder, pool: Pool) -> None:
    goal, done = match.settings.games, len(match.games)
    with moving_bar(console, goal, score_line(match), done) as (progress, task):
        for game in play_match(match, pool):
            progress.update(task, completed=len(match.games), description=score_line(match))
            if game.reason or game.ending not in (Ending.SCORE.value, Ending.RESIGN.value):
                progress.console.print(f"game {game.number + 1}: {_what_happened(game)}")


def _what_happened(game: MatchGame) -> str:
    winner = "nobody wins" if game.winner == "nobody" else f"{game.winner} wins"
    return f"{winner} by {game.ending}: {game.reason}"


def score_line(match: MatchFolder) -> str:
    """The running score with its interval."""
    tally = match.tally
    low, high = tally.interval
    return f"{match.settings.first} {tally.rate:.1%} ({low:.1%} to {high:.1%})"


def elo_difference_text(tally: Tally) -> str:
    """How much stronger the first player is, with the interval of its score. A score of all or
    nothing only says that it is more, or less, than so much."""
    low, high = (_elo(rate) for rate in tally.interval)
    if tally.score == tally.games:
        return f"above {low:+.0f}"
    if tally.score == 0:
        return f"below {high:+.0f}"
    return f"{_elo(tally.rate):+.0f} ({low:+.0f} to {high:+.0f})"


def _elo(rate: float) -> float:
    """The difference in Elo that a score between 0 and 1 is expected of."""
    if rate in (0.0, 1.0):
        return math.copysign(math.inf, rate - 0.5)
    return 400.0 * math.log10(rate / (1.0 - rate))


def _by_color(match: MatchFolder) -> str:
    """The first player's points with either colour."""
    parts = []
    for name, is_black in (("Black", True), ("White", False)):
        played = [game for game in match.games.values() if game.is_first_black is is_black]
        counting = [game.winner for game in played if game.ending != Ending.LIMIT.value]
        points = counting.count("first") + counting.count("nobody") / 2
        parts.append(f"as {name} {points:g} of {len(counting)}")
    return ", ".join(parts)


def _report(console: Console, match: MatchFolder) -> None:
    settings, tally = match.settings, match.tally
    console.print(f"{settings.first} v {settings.second}: {_counts(tally)}")
    console.print(f"{score_line(match)} of {tally.games} games (95 %, Wilson)")
    if tally.games:
        console.print(f"Elo difference {elo_difference_text(tally)}; {_by_color(match)}")
    failures: dict[str, int] = {}
    for game in match.games.values():
        if game.ending != Ending.SCORE.value:
            key = f"{game.winner} won by {game.ending}"
            failures[key] = failures.get(key, 0) + 1
    for words, count in sorted(failures.items()):
        console.print(f"  {count} games: {words}")
    by_area = [game for game in match.games.values() if game.reason.startswith(COUNTED_BY_AREA)]
    if by_area:
        console.print(f"  {len(by_area)} games: {by_area[-1].reason}")
    if settings.test and match.verdict is not Verdict.OPEN:
        test = settings.test
        console.print(
            f"sequential test {test.lower:g} to {test.upper:g} Elo: {match.verdict.value}"
        )
    console.print(f"games saved in {match.folder / 'games'}")


def _counts(tally: Tally) -> str:
    stopped = f", {tally.stopped} stopped" if tally.stopped else ""
    return f"{tally.wins} won, {tally.losses} lost, {tally.draws} drawn{stopped}"
