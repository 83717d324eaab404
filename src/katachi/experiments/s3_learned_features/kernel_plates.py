"""S3-4: what kernels look like: known shapes, and empty space by kind of visible units."""

from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from katachi.experiments.crew import Task
from katachi.experiments.pictures import Panel, bar_of, draw_panels
from katachi.experiments.protocol import Claim, Experiment, Quantity, Settings, Table
from katachi.experiments.s3_learned_features.learned_maps import (
    STARTER,
    MachineSettings,
    fingerprint,
    learned_map,
)
from katachi.experiments.statistics import T_INTERVAL, mean_of, mean_row
from katachi.experiments.workbench import Study, Workbench
from katachi.features.kernel_shapes import KNOWN_SHAPES, count_shapes, empty_share, plates_of
from katachi.learning.crbm_training import CrbmSettings
from katachi.nets.crbm_form import VisibleKind

EMPTY_POINTS = Quantity("points that show empty space", "%", 1)
REAL, MULTINOMIAL, UNLEARNED = "real", "multinomial", "multinomial, not learned"
LETTERS = "#o."
MOST_PLATES = 12
"""Kernels whose plates are kept as diagrams, those with the largest weights."""
SEEDS = 1 << 20


def shape_quantity(name: str) -> Quantity:
    """Kernels that show a known shape, less those of mixed points."""
    return Quantity(f"{name} beyond chance", "kernels", 1)


class PlateSettings(Settings, frozen=True, kw_only=True):
    """Which machines are looked at."""

    runs: int = 3
    """Independent machines of each kind."""
    file: str = STARTER
    """Games whose boards are learned from."""
    kernels: int = 105
    """Kernels of 3x3."""
    steps: int = 2000
    """Batches of 100 boards."""
    rate: float = CrbmSettings().rate
    """Step size of multinomial units."""
    real_rate: float = 0.01
    """Step size of real units."""


QUICK = PlateSettings(runs=2, kernels=8, steps=2)


class Plates(msgspec.Struct, frozen=True):
    """What a machine's kernels look like."""

    empty: float
    beyond_chance: dict[str, float]
    """By known shape: kernels that show it, less what mixed points show."""
    found: dict[str, int]
    diagrams: list[str]


def machine_of(settings: PlateSettings, name: str, seed: int) -> MachineSettings:
    """The machine of a setting."""
    is_real = name == REAL
    layer = CrbmSettings(
        kernels=settings.kernels,
        steps=settings.steps,
        visible=VisibleKind.REAL if is_real else VisibleKind.MULTINOMIAL,
        rate=settings.real_rate if is_real else settings.rate,
        seed=seed % SEEDS,
    )
    return MachineSettings(layer, is_learned=name != UNLEARNED)


def measure(folder: Path, path: Path, settings: PlateSettings, task: Task, seed: int) -> Plates:
    """One machine."""
    machine = machine_of(settings, task.setting, seed)
    weight = learned_map(folder, (path,), machine).layers[0].arrays["weight"]
    plates = plates_of(weight)
    counts = count_shapes(plates)
    order = np.argsort(-np.abs(weight).sum(axis=(1, 2, 3)))[:MOST_PLATES]
    diagrams = ["/".join("".join(LETTERS[c] for c in row) for row in plates[k]) for k in order]
    return Plates(
        100 * empty_share(plates),
        {each.name: each.found - each.by_chance for each in counts},
        {each.name: each.found for each in counts},
        diagrams,
    )


def run(settings: PlateSettings, seed: int, bench: Workbench) -> Table:
    """Learns machines of each kind and looks at their kernels; raises KatachiError where the games
    are not there."""
    path = bench.require_file(settings.file)
    names, numbers = (MULTINOMIAL, REAL, UNLEARNED), range(1, settings.runs + 1)
    tasks = [Task(name, number) for name in names for number in numbers]
    work = partial(measure, bench.folder, path)
    study = Study("S3-4", settings, seed, tasks, work, Plates, fingerprint((path,)))
    found = bench.measure_all(study)
    by_name = {name: [found[name, number] for number in numbers] for name in names}
    quantities = [EMPTY_POINTS, *map(shape_quantity, KNOWN_SHAPES)]
    rows = []
    for name, plates in by_name.items():
        empties = mean_of([each.empty for each in plates], 0, 100)
        rows.append(mean_row(name, EMPTY_POINTS, empties))
        for shape in KNOWN_SHAPES:
            values = [each.beyond_chance[shape] for each in plates]
            total = sum(each.found[shape] for each in plates)
            remark = f"{total} in {len(plates)} machines"
            rows.append(mean_row(name, shape_quantity(shape), mean_of(values), remark))
    shapes = {
        name: [d for each in plates for d in each.diagrams][:MOST_PLATES]
        for name, plates in by_name.items()
    }
    table = Table(quantities=quantities, rows=rows, shapes=shapes, notes=_notes(settings))
    return msgspec.structs.replace(table, claims=_claims(table))


def _claims(table: Table) -> list[Claim]:
    multinomial, real = (table.row(name, EMPTY_POINTS.name) for name in (MULTINOMIAL, REAL))
    ours = f"{multinomial.ours:.1f} % of points show empty space, with real units {real.ours:.1f} %"
    is_more = (multinomial.low or 0.0) > (real.high or 100.0)
    named = [table.row(MULTINOMIAL, shape_quantity(name).name) for name in ("pinwheel", "peek")]
    eyes = table.row(MULTINOMIAL, shape_quantity("partial eye").name)
    words = "; ".join(f"{row.quantity}: {row.ours:+.1f}" for row in (*named, eyes))
    return [
        Claim("multinomial kernels are more sensitive to empty space", ours, is_more),
        Claim(
            "kernels show a pinwheel, peeks and a partial eye",
            words,
            all((row.low or row.ours or 0.0) > 0 for row in (*named, eyes)),
        ),
    ]


def _notes(settings: PlateSettings) -> list[str]:
    return [
        f"{settings.kernels} kernels of 3x3, {settings.steps:,} batches of 100 boards of "
        f"{settings.file}, turned, mirrored and with colours exchanged. The paper states neither "
        "its boards nor its step size.",
        "A plate shows the channel with the largest weight at each point. Chance is what the same "
        "plates show when their points are mixed. The outlines of known shapes are ours.",
        "First weights are large and random (standard deviation 0.3), so kernels that have not "
        "learned stand beside those that have.",
        T_INTERVAL,
    ]


def draw(table: Table, title: str) -> str:
    """Empty space, and known shapes beyond chance, by kind of machine."""
    names = list(dict.fromkeys(row.setting for row in table.rows))
    empty = Panel(
        EMPTY_POINTS.name,
        EMPTY_POINTS.unit,
        names,
        [[bar_of(table.row(name, EMPTY_POINTS.name))._replace(words="")] for name in names],
    )
    bars = [
        [bar_of(table.row(name, shape_quantity(shape).name))._replace(words="") for name in names]
        for shape in KNOWN_SHAPES
    ]
    shapes = Panel("known shapes beyond chance", "kernels", list(KNOWN_SHAPES), bars)
    words = f"mean of {table.rows[0].n} machines of each kind"
    return draw_panels(title, words, names, [empty, shapes], columns=1)


EXPERIMENT = Experiment(PlateSettings(), QUICK, run, draw)
