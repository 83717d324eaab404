"""An experiment from an order to its result."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from platformdirs import user_cache_path

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, find_id, load_experiment
from katachi.experiments.protocol import Experiment, Settings
from katachi.experiments.results import Result, make_result, write_result
from katachi.experiments.runner import Progress, Runner

MOST_RUNS = 100_000


@dataclass(frozen=True)
class Order:
    """Which experiment to do, and how."""

    id: str
    is_quick: bool = False
    runs: int | None = None
    """Runs of each setting; as the experiment has it where not given."""
    seed: int = 1
    workers: int = 1
    minutes: float | None = None
    """Stop after so many; the next call goes on."""
    work: Path | None = None
    """Where journals are kept; a folder in the user's cache where not given."""
    out: Path = Path("results")
    """Where the result goes."""
    data: Path | None = None
    """A folder of games and other files that an experiment may need and the package has not."""


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
    experiment = load_experiment(known)
    settings = choose_settings(experiment, order)
    table = experiment.run(settings, order.seed, runner)
    table = table.with_claims(experiment.judge(table))
    title = CATALOGUE[known].title
    result = make_result((known, title), settings, order.seed, table, runner)
    picture = experiment.draw(table, f"{known}: {title}")
    write_result(result, picture, order.out, result_name(order))
    return result


def result_name(order: Order) -> str:
    """What the result's files are called; a quick one never takes the place of a true one."""
    return find_id(order.id) + (".quick" if order.is_quick else "")


def choose_settings(experiment: Experiment, order: Order) -> Settings:
    """The settings of an order; raises KatachiError for a number of runs below 1 or too large."""
    settings = experiment.quick if order.is_quick else experiment.settings
    if order.runs is None:
        return settings
    if not 1 <= order.runs <= MOST_RUNS:
        raise KatachiError(f"{order.runs} runs: use 1 to {MOST_RUNS:,}")
    if settings.runs == 1 < order.runs:
        raise KatachiError(f"{find_id(order.id)} is one measurement: it has no runs to repeat")
    return msgspec.structs.replace(settings, runs=order.runs)


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
