"""What the training commands share: options, the start, the bar and the end."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from katachi.errors import KatachiError
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.interrupts import noted_interrupts
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, working
from katachi.interfaces.views.player_lines import play_lines
from katachi.learning.learner import MetricsT
from katachi.learning.run import Run
from katachi.rules.ruleset import check_komi

MOST = 10**12
"""Games, batches or anything else that is counted."""
LARGEST_WEIGHT = 1e6
Settings = TypeVar("Settings")
RunT = TypeVar("RunT", bound=Run[Any, Any, Any])


def follow_run(
    command: str,
    unit: str,
    open_run: Callable[[], RunT],
    games_of: Callable[[RunT], str],
    words_of: Callable[[RunT, Any, float], str],
) -> None:
    """Carries a run out to its end or an interrupt and says how it goes: of its games, and of each
    measurement, for which `words_of` is given the seconds a unit, such as a batch, takes."""
    announce_cold_start()
    console = Console()

    def say(words: str) -> None:
        console.print(words, soft_wrap=True)

    with noted_interrupts() as is_interrupted:
        with working("reading the games"):
            run = open_run()
        try:
            say(games_of(run))
            begin, first = time.monotonic(), run.done
            for measured in measurements(run, is_interrupted, unit, console):
                pace = (time.monotonic() - begin) / (measured.done - first)
                say(words_of(run, measured, pace))
            if not run.is_finished:
                kept = f"--resume {run.folder.path} goes on from the last measurement"
                fail(f"interrupted; katachi train {command} {kept}", INTERRUPTED)
            say(f"the model is in {run.finish()}")
            for line in play_lines(run.folder.path) or feature_lines(run.folder.path):
                say(line)
        finally:
            run.close()


def feature_lines(folder: Path) -> list[str]:
    """The lines to paste that use the features of a training run."""
    word = shlex.quote(str(folder))
    return [
        f"see them:  katachi filters {word}",
        f"play with them, once weights are learned:\n"
        f"  katachi train linear --features crbm:{word} --teacher self --out NEW",
    ]


def measurements(
    run: Run[Any, Any, MetricsT], is_interrupted: Callable[[], bool], unit: str, console: Console
) -> Iterator[MetricsT]:
    """What a run measures, under a bar that counts its batches or games."""
    shown = run.done
    with counted(run.goal, unit, shown, console) as tell:
        for progress in run.run(is_interrupted):
            tell(progress.done - shown)
            shown = progress.done
            if progress.metrics is not None:
                yield progress.metrics


def typed() -> str:
    """The command line, as a shell reads it."""
    return shlex.join(["katachi", *sys.argv[1:]])


def is_resumed(
    given: dict[str, Any], out: Path | None, resume: Path | None, *, needs_games: bool = True
) -> bool:
    """Whether a run goes on; raises KatachiError unless what is given begins one or names one."""
    if resume is not None:
        if given or out is not None:
            raise KatachiError("a resumed run keeps its settings: give --resume and no others")
        return True
    if out is None or (needs_games and "games" not in given):
        games = "--games FILE to learn from and " if needs_games else ""
        raise KatachiError(f"give {games}--out FOLDER for a new run, or --resume FOLDER")
    return False


def settings_of(given: dict[str, Any], kind: type[Settings]) -> Settings:
    """The settings that options ask for; raises KatachiError, naming the one that cannot be."""
    check_komi(given.get("komi", 0.0))
    for name, value in given.items():
        most = LARGEST_WEIGHT if isinstance(value, float) else MOST
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, (int, float)) and not abs(number) <= most:
                option = name.replace("_", "-")
                raise KatachiError(
                    f"a setting is out of range: --{option} {number}, use at most {most:g}"
                )
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise KatachiError(f"a setting is out of range: {error}") from None


def words_of_games(counts: dict[str, int], rejected: int, left_out: str = "") -> str:
    """How many games there are to learn from."""
    words = f"{counts['train']:,} games to learn from, {counts['validation']:,} to measure on"
    return words + left_out + (f"; {rejected:,} could not be read" if rejected else "")
