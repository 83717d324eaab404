"""What the training commands share: the folder, the start, the bar and the end."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_args

import msgspec
from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.interrupts import noted_interrupts
from katachi.interfaces.cli.options import Options, options_of, settings_of
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, counted, working
from katachi.interfaces.views.player_lines import play_lines
from katachi.learning.learner import MetricsT
from katachi.learning.run import HERE, Place, Run

RunT = TypeVar("RunT", bound=Run[Any, Any, Any])


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Folders:
    """Where a run is kept."""

    out: Path | None = None
    """The folder of a new run; what it has learned is there at the end."""
    resume: Path | None = None
    """The folder of a run to go on with; its settings are kept."""


NOWHERE = Folders()


class Training(NamedTuple, Generic[RunT]):
    """A command that trains, and what it says."""

    run: type[RunT]
    command: str
    unit: str
    """What is counted, such as batches."""
    first_words: Callable[[RunT], str]
    """About the games."""
    words: Callable[[RunT, Any, float], str]
    """About a measurement; given the seconds that a unit takes."""
    adapt: Callable[[dict[str, Any]], dict[str, Any]] = dict
    """Makes what was given settings, by name."""
    needs_games: bool = True

    def open(self, given: dict[str, Any], where: Folders, place: Place = HERE) -> RunT:
        """A new run or one to go on with; raises KatachiError for what cannot be."""
        if where.resume is not None:
            if given or where.out is not None:
                raise KatachiError("a resumed run keeps its settings: give --resume and no others")
            return self.run.resume(where.resume, place)
        if where.out is None or (self.needs_games and "games" not in given):
            games = "--games FILE to learn from and " if self.needs_games else ""
            raise KatachiError(f"give {games}--out FOLDER for a new run, or --resume FOLDER")
        given = self.adapt(given) | {"games": [str(each) for each in given.get("games", ())]}
        settings, plan = get_args(self.run.form)
        asked = {name: given.pop(name) for name in plan.__struct_fields__ if name in given}
        config = self.run.form(settings_of(given, settings), settings_of(asked, plan), typed())
        return self.run.begin(where.out, config, place)

    def follow(
        self,
        given: dict[str, Any],
        where: Folders,
        place: Place = HERE,
        minutes: float | None = None,
    ) -> None:
        """Carries a run out to its end, an interrupt or the end of the time, after which there is a
        model of what was learned so far, and says how it goes."""
        is_over = time_limit(minutes)
        announce_cold_start()
        console = Console()

        def say(words: str) -> None:
            console.print(words, soft_wrap=True)

        with noted_interrupts() as is_interrupted:
            with working("reading the games" if self.needs_games else "making ready"):
                run = self.open(given, where, place)
            try:
                say(self.first_words(run))
                begin, first = time.monotonic(), run.done
                for measured in measurements(
                    run, lambda: is_interrupted() or is_over(), self.unit, console
                ):
                    pace = (time.monotonic() - begin) / (measured.done - first)
                    say(self.words(run, measured, pace))
                kept = f"--resume {run.folder.path} goes on from the last measurement"
                if not run.is_finished and is_interrupted():
                    fail(f"interrupted; katachi train {self.command} {kept}", INTERRUPTED)
                if not run.is_finished:
                    say(f"the time is up; katachi train {self.command} {kept}")
                say(f"the model is in {run.finish()}")
                for line in play_lines(run.folder.path) or feature_lines(run.folder.path):
                    say(line)
            finally:
                run.close()


def time_limit(minutes: float | None) -> Callable[[], bool]:
    """Whether so many minutes are over since now; raises KatachiError for no time at all."""
    if minutes is None:
        return lambda: False
    if not minutes > 0:
        raise KatachiError(f"{minutes:g} minutes: use a positive number")
    end = time.monotonic() + 60.0 * minutes
    return lambda: time.monotonic() >= end


def run_options(
    kind: type[Any],
    *others: type[msgspec.Struct],
    without: tuple[str, ...] = (),
    **kinds: Any,
) -> type[Options]:
    """The options of a run: of its plan, its settings and others, as `options_of` has them."""
    settings, plan = get_args(kind.form)
    hidden = ("validation", *without)
    return options_of(plan, settings, *others, without=hidden, games=list[Path], **kinds)


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


def words_of_games(run: Run[Any, Any, Any], left_out: str = "") -> str:
    """How many games there are to learn from."""
    counts, rejected = run.counts, run.games.rejected if run.games else 0
    words = f"{counts['train']:,} games to learn from, {counts['validation']:,} to measure on"
    return words + left_out + (f"; {rejected:,} could not be read" if rejected else "")
