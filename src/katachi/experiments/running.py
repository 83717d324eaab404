"""An experiment from an order to its result."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from platformdirs import user_cache_path

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, find_id, load_experiment, needs_games
from katachi.experiments.changes import change_settings, name_of_changes, note_of_changes
from katachi.experiments.protocol import Claim, Experiment, Settings, Table
from katachi.experiments.results import Result, make_result, write_result
from katachi.experiments.runner import OutOfTime, Progress, Runner
from katachi.experiments.table_pictures import draw_rows
from katachi.workers import Workers

MOST_RUNS = 100_000
MISSING_ROWS = (LookupError, ValueError, ArithmeticError, StopIteration)
"""What comes of a table that lacks rows which a claim or a picture is made of."""


@dataclass(frozen=True)
class Order:
    """Which experiment to do, and how."""

    id: str
    is_quick: bool = False
    runs: int | None = None
    """Runs of each setting; as the experiment has it where not given."""
    seed: int = 1
    workers: Workers = 1
    minutes: float | None = None
    """Stop after so many; the next call goes on."""
    work: Path | None = None
    """Where journals are kept; a folder in the user's cache where not given."""
    out: Path = Path("results")
    """Where the result goes."""
    data: Path | None = None
    """A folder of games and other files that an experiment may need and the package has not; where
    none is given, small games stand in for them in quick runs."""
    changes: tuple[str, ...] = ()
    """Settings to change, each as `NAME=VALUE`."""


def carry_out(
    order: Order, observe: Callable[[Progress], None], tell: Callable[[str], None]
) -> Result:
    """Does what is missing and writes the result and its picture.

    Raises OutOfTime when the minutes are over first, KatachiError for an order that cannot be
    carried out, before anything is done.
    """
    known = find_id(order.id)
    work = order.work or default_work()
    runner = Runner(work, order.workers, order.minutes, observe, tell, order.data)
    for folder in (runner.folder, order.out):
        prove_writable(folder)
    if order.data is None and order.is_quick and needs_games(known):
        # Only here, as it needs a package that experiments without games do not.
        from katachi.experiments.stand_ins import NOTE, write_stand_ins

        tell(NOTE)
        runner.data = write_stand_ins(work / "stand-ins")
    experiment = load_experiment(known)
    settings = choose_settings(experiment, order)
    title = CATALOGUE[known].title
    if order.changes:
        experiment = _made_tolerant(experiment, order)
    table = experiment.run(settings, order.seed, runner)
    table = table.with_claims(experiment.judge(table))
    result = make_result((known, title), settings, order.seed, table, runner)
    picture = experiment.draw(table, f"{known}: {title}")
    write_result(result, picture, order.out, result_name(order))
    return result


def _made_tolerant(experiment: Experiment, order: Order) -> Experiment:
    """The experiment for changed settings: its result says what was changed. Claims and pictures
    are about the paper's settings: where a row that they need is not there they are left out, or
    drawn as plain bars. What goes wrong in a run is said to come of the changes."""
    standard = experiment.quick if order.is_quick else experiment.settings

    def run(settings: Settings, seed: int, runner: Runner) -> Table:
        try:
            table = experiment.run(settings, seed, runner)
        except (KatachiError, OutOfTime, OSError):
            raise
        except Exception as error:
            words = f"{find_id(order.id)} cannot be done with {' '.join(order.changes)}"
            raise KatachiError(f"{words}: {type(error).__name__}: {error}") from error
        if not table.rows:
            raise KatachiError(f"nothing is left to measure with {' '.join(order.changes)}")
        return msgspec.structs.replace(
            table, notes=[*note_of_changes(standard, settings), *table.notes]
        )

    def judge(table: Table) -> list[Claim]:
        try:
            return experiment.judge(table)
        except MISSING_ROWS:
            return []

    def draw(table: Table, title: str) -> str:
        try:
            return experiment.draw(table, title)
        except MISSING_ROWS:
            return draw_rows(table, title, "", tuple(table.quantities))

    return replace(experiment, run=run, judge=judge, draw=draw)


def result_name(order: Order) -> str:
    """What the result's files are called: one that is quick or has changed settings never takes the
    place of a true one, and different changes have different names."""
    parts = [find_id(order.id), "quick" if order.is_quick else "", name_of_changes(order.changes)]
    return ".".join(part for part in parts if part)


def choose_settings(experiment: Experiment, order: Order) -> Settings:
    """The settings of an order; raises KatachiError for what cannot be."""
    standard = experiment.quick if order.is_quick else experiment.settings
    settings = change_settings(standard, order.changes)
    if order.runs is not None:
        settings = msgspec.structs.replace(settings, runs=order.runs)
    if not 1 <= settings.runs <= MOST_RUNS:
        raise KatachiError(f"{settings.runs} runs: use 1 to {MOST_RUNS:,}")
    if standard.runs == 1 < settings.runs:
        raise KatachiError(f"{find_id(order.id)} is one measurement: it has no runs to repeat")
    return settings


def default_work() -> Path:
    """Where journals are kept unless somebody says otherwise."""
    return user_cache_path("katachi") / "experiments"


def prove_writable(folder: Path) -> None:
    """Makes a folder and raises KatachiError unless a file can be written there."""
    probe = folder / ".probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink(missing_ok=True)
    except OSError as error:
        raise KatachiError(f"cannot write into {folder}: {error.strerror}") from None
