"""How a training run looks while it goes on: a live table, or plain lines where there is no
terminal."""

import time
from collections.abc import Iterable

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from katachi.interfaces.console import Console
from katachi.learning.run import Progress
from katachi.learning.shape_metrics import SATURATED, Measurement, estimate_elo
from katachi.learning.shape_run import ShapeRun

LINE_SECONDS = 2.0
"""Plain lines come no faster than this."""
BARS = "▁▂▃▄▅▆▇█"
SPARKS = 32
GAP, WIDEST = 2, 30
"""Columns between two words, and of the longest bar."""


def show_progress(console: Console, run: ShapeRun, steps: Iterable[Progress[Measurement]]) -> None:
    """Shows each step of a run, which keeps its tests so far."""
    if console.is_terminal and not console.is_dumb_terminal:
        _show_live(console, run, steps)
    else:
        _show_lines(console, run, steps)


def _show_live(console: Console, run: ShapeRun, steps: Iterable[Progress[Measurement]]) -> None:
    begin = time.monotonic()
    first: int | None = None
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for step in steps:
            first = step.done if first is None else first
            left = _seconds_left(step, step.done - first, time.monotonic() - begin)
            width = console.width
            live.update(
                Group(_head(step, run.learner.size, left, width), _agents(run.metrics, width))
            )


def _seconds_left(step: Progress[Measurement], done: int, seconds: float) -> float | None:
    return (step.goal - step.done) * seconds / done if done else None


def _head(step: Progress[Measurement], size: int, left: float | None, width: int) -> Table:
    """The line of a run, whose bar takes what the numbers leave of the width."""
    line = Table.grid(padding=(0, GAP))
    board = f"{size}x{size}"
    games = f"{step.done:,} of {step.goal:,} games"
    speed = f"{step.speed:,.0f} games/s"
    wait = "" if left is None else f"{_clock(left)} left"
    room = width - len(board + games + speed + wait) - 4 * GAP
    bar = ProgressBar(total=step.goal, completed=step.done, width=min(max(room, 4), WIDEST))
    line.add_row(board, bar, games, speed, wait)
    return line


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _agents(history: list[Measurement], width: int) -> Table:
    """The last test of each agent, and what the width leaves of those before."""
    table = Table.grid(padding=(0, GAP))
    agents = range(len(history[-1].wins)) if history else range(0)
    rows = [(f"agent {agent + 1}", *rate_words(history[-1], agent)) for agent in agents]
    columns = zip(*rows, strict=True)
    room = width - sum(max(map(len, column)) + GAP for column in columns)
    for agent, row in enumerate(rows):
        rates = [test.rates[agent] for test in history[-min(SPARKS, max(room, 1)) :]]
        table.add_row(*row, Text(sparkline(rates), style="cyan"))
    return table


def sparkline(rates: list[float]) -> str:
    """Rates from 0 to 1 as a row of bars."""
    return "".join(BARS[min(int(rate * len(BARS)), len(BARS) - 1)] for rate in rates)


def rate_words(test: Measurement, agent: int) -> tuple[str, str]:
    """(rate of wins against ALP with its interval, Elo or why there is none)."""
    rate, (low, high) = test.rates[agent], test.intervals[agent]
    elo = estimate_elo(rate, (low, high))
    words = f"no Elo {_beyond(rate)}"
    if elo is not None:
        words = f"Elo {elo.value:.0f} ({elo.low:.0f} to {elo.high:.0f})"
    return f"{rate:.1%} ({low:.1%} to {high:.1%}) v ALP", words


def _beyond(rate: float) -> str:
    """Where a rate lies that says little of a strength."""
    return f"above {1 - SATURATED:.0%}" if rate > 0.5 else f"below {SATURATED:.0%}"


def describe_test(test: Measurement) -> str:
    """What a test said, in one line."""
    agents = []
    for agent in range(len(test.wins)):
        rate, elo = rate_words(test, agent)
        agents.append(f"agent {agent + 1} {rate}, {elo}")
    return "; ".join(agents)


def _show_lines(console: Console, run: ShapeRun, steps: Iterable[Progress[Measurement]]) -> None:
    due = time.monotonic()
    for step in steps:
        if step.metrics is not None and time.monotonic() >= due:
            due = time.monotonic() + LINE_SECONDS
            words = f"{run.learner.size}x{run.learner.size} {step.done:,} games, "
            words += f"{step.speed:,.0f} games/s: {describe_test(step.metrics)}"
            console.print(words, soft_wrap=True)
