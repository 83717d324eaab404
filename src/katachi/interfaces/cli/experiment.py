"""`katachi experiment`: the papers' tables and figures, measured again."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, find_id, load_experiment
from katachi.experiments.changes import settings_in
from katachi.experiments.results import Result, grids_of, notes_of, read_result
from katachi.experiments.runner import OutOfTime
from katachi.experiments.runner import Progress as StudyProgress
from katachi.experiments.running import Order, carry_out, result_name
from katachi.experiments.scorecard import PAPERS, place_of
from katachi.interfaces.cli.options import field_texts
from katachi.interfaces.cli.pools import PROCESSES, Device, PoolOptions, pool_on
from katachi.interfaces.console import Console, TextColumn, grid_of

app = App(name="experiment")

RESULTS = Path("results")
ALL = "all"
UNREADABLE = "cannot be read"


@app.command(name="list")
def list_experiments(*, out: Path = RESULTS) -> None:
    """List the experiments: where the paper has them, about how many minutes of one processor
    they take, and what is known of each.

    Parameters
    ----------
    out
        The folder of results to look into.
    """
    console = Console()
    head = ("ID", "where", "experiment", "min", "result")
    rows = [
        (name, place_of(name), entry.title, f"{entry.minutes:,}", _known(out / f"{name}.json"))
        for name, entry in CATALOGUE.items()
    ]
    console.print(grid_of(head, rows, left=(0, 1, 2, 4)))
    for row in rows:
        if row[-1] == UNREADABLE:
            console.print(f"{out / row[0]}.json {UNREADABLE}", soft_wrap=True)
    papers = "; ".join(f"{name}: {authors}" for name, authors in PAPERS.items())
    console.print(f"Papers are {papers}. Minutes are of one processor, for all runs.", style="dim")


def _known(path: Path) -> str:
    if not path.exists():
        return "-"
    try:
        result = read_result(path)
    except KatachiError:
        return UNREADABLE
    runs = f"{result.runs} run{'s' if result.runs > 1 else ''}"
    return f"{runs}, {result.commit[:7]}"


@app.command
def run(
    name: str,
    *,
    quick: bool = False,
    runs: int | None = None,
    seed: int = 1,
    minutes: float | None = None,
    work: Path | None = None,
    out: Path = RESULTS,
    data: Path | None = None,
    changes: Annotated[
        tuple[str, ...], Parameter(name="--set", consume_multiple=True, negative=())
    ] = (),
    list_settings: Annotated[bool, Parameter(negative=())] = False,
    device: Device = Device.CPU,
    where: PoolOptions = PROCESSES,
) -> None:
    """Do an experiment and write its result and picture; finished runs are never done twice.

    Parameters
    ----------
    name
        The experiment's ID, see `katachi experiment list`; or all, each of them in turn.
    quick
        Small settings that take seconds and show only that everything works; the result is
        ID.quick.json.
    runs
        Independent runs of each setting, instead of the experiment's own number.
    seed
        Equal seeds give equal results.
    minutes
        Stop after so many; the same command then goes on.
    work
        The folder of the runs' journal; by default one in the user's cache. Journals of several
        machines are merged by writing them one after another into one file.
    out
        The folder that gets ID.json and ID.svg.
    data
        A folder of game records and other files that an experiment may ask for; without it a
        quick run makes small games of its own.
    changes
        Settings to change, each as NAME=VALUE; the result is ID.NAME-VALUE.json.
    list_settings
        Only show the settings that can be changed.
    device
        cuda does all runs at once on a GPU, where an experiment's runs can be done there
        (S1-F4, S1-F4-9, X-visits9); the results are the same, but for X-visits9, whose net a GPU
        computes with fewer digits; --minutes does not end what a GPU has begun.
    """
    if list_settings:
        _show_settings(name, is_quick=quick)
        return
    from katachi.arena.stop_signals import leave_on_signals
    from katachi.interfaces.cold_start import announce_cold_start

    pool = pool_on(device, where)
    order = Order(name, quick, runs, seed, pool, minutes, work, out, data, changes)
    leave_on_signals()
    if name.lower() == ALL and changes:
        raise KatachiError("settings are those of one experiment: name it instead of all")
    announce_cold_start()
    if name.lower() == ALL:
        _do_all(order)
    else:
        _do(order, Console(stderr=True))


def _show_settings(name: str, *, is_quick: bool) -> None:
    """Shows what can be changed of an experiment: name, what may stand there, default, meaning."""
    known = find_id(name)
    experiment = load_experiment(known)
    console = Console()
    console.print(f"{known}: {CATALOGUE[known].title}", style="bold")
    for each in settings_in(experiment.quick if is_quick else experiment.settings):
        default = f"={each.default}" if each.default else ""
        console.print(f"{each.name}{default}: {each.kind}")
        meaning = field_texts(each.owner).get(each.field, "")
        console.print(Padding(meaning, (0, 0, 0, 4)), style="dim")


def _do(order: Order, errors: Console) -> bool:
    """Does one experiment and shows its result; returns whether its time was enough."""
    try:
        result = _carry_out(order, errors)
    except OutOfTime as pause:
        errors.print(f"the time is up: {pause}")
        return False
    except KeyboardInterrupt:
        errors.print("finished runs are kept: run it again to go on")
        raise
    _show(Console(), result)
    where = order.out / result_name(order)
    errors.print(f"{where}.json and {where}.svg are written", soft_wrap=True)
    return True


def _do_all(order: Order) -> None:
    """Does every experiment; one that cannot be done, as without its games, does not stop the
    others. Raises KatachiError at the end where there was one."""
    errors = Console(stderr=True)
    failed = []
    for known in CATALOGUE:
        begin = time.monotonic()
        try:
            _do(replace(order, id=known), errors)
        except KatachiError as error:
            errors.print(f"{known}: {error}", soft_wrap=True)
            failed.append(known)
        errors.print(f"{known}: {time.monotonic() - begin:.0f} s")
    if failed:
        raise KatachiError(f"not done: {', '.join(failed)}")


def _carry_out(order: Order, console: Console) -> Result:
    """Does it with a progress line, which has no thread of its own: processes are forked."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(12),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    shown = Progress(*columns, console=console, auto_refresh=False)
    bar = shown.add_task("runs", total=None, left="")

    def observe(progress: StudyProgress) -> None:
        shown.start()
        words, left = _words(progress)
        shown.update(bar, total=progress.total, completed=progress.done)
        shown.update(bar, description=words, left=left, refresh=True)

    try:
        return carry_out(order, observe, console.print)
    finally:
        if shown.live.is_started:
            shown.stop()


def _words(progress: StudyProgress) -> tuple[str, str]:
    """(what was done last, how long it will take)."""
    if progress.task is None or progress.left is None:
        return "the first runs are under way", ""
    words = f"{progress.task.setting} run {progress.task.run}"[:32]
    return words, f"about {progress.left / 60:.1f} min left"


def _show(console: Console, result: Result) -> None:
    console.print(f"{result.id}: {result.title}", style="bold")
    for head, rows in grids_of(result):
        console.print(grid_of(head, rows), "")
    for claim in result.claims:
        ends = "" if claim.low is None else f", 95 % interval {claim.interval}"
        console.print(f"{claim.paper}: {claim.verdict.value}", style="bold")
        console.print(f"  {claim.ours}{ends}, n {claim.n:,}; rule: {claim.rule}")
    for line in notes_of(result):
        console.print(line, style="dim", soft_wrap=True)
