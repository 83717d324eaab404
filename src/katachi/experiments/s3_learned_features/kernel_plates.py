"""S3-4: what kernels look like: known shapes, and empty space by kind of visible units."""

from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.s3_learned_features.learned_maps import (
    STARTER,
    MachineSettings,
    fingerprint,
    learned_map,
)
from katachi.experiments.statistics import T_INTERVAL, mean_of, mean_row
from katachi.experiments.table_pictures import bar_of
from katachi.experiments.workbench import Study, Workbench
from katachi.features.kernel_shapes import KNOWN_SHAPES, count_shapes, empty_share, plates_of
from katachi.learning.crbm_training import CrbmSettings
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import Panel, draw_panels

EMPTY_POINTS = "points that show empty space, %"
BEYOND = "{}, kernels beyond chance"
REAL, MULTINOMIAL, UNLEARNED = "real", "multinomial", "multinomial, not learned"
KINDS = [Quantity(name, digits=1) for name in (MULTINOMIAL, REAL, UNLEARNED)]
LETTERS = "#o."
MOST_PLATES = 12
"""Kernels whose plates are kept as diagrams, those with the largest weights."""
SEEDS = 1 << 20


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
    """By known shape: kernels that show it."""
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
    numbers = range(1, settings.runs + 1)
    tasks = [Task(kind.name, number) for kind in KINDS for number in numbers]
    work = partial(measure, bench.folder, path)
    study = Study("S3-4", settings, seed, tasks, work, Plates, fingerprint((path,)))
    found = bench.measure_all(study)
    plates = {kind: [found[kind.name, number] for number in numbers] for kind in KINDS}
    rows = [
        mean_row(EMPTY_POINTS, kind, mean_of([each.empty for each in some], 0, 100))
        for kind, some in plates.items()
    ]
    rows += [_shape_row(shape, *each) for shape in KNOWN_SHAPES for each in plates.items()]
    shapes = {
        kind.name: [diagram for each in some for diagram in each.diagrams][:MOST_PLATES]
        for kind, some in plates.items()
    }
    table = Table(quantities=KINDS, rows=rows, shapes=shapes, notes=_notes(settings))
    return msgspec.structs.replace(table, claims=_claims(table))


def _shape_row(shape: str, kind: Quantity, plates: list[Plates]) -> Row:
    values = [each.beyond_chance[shape] for each in plates]
    return mean_row(BEYOND.format(shape), kind, mean_of(values))


def _claims(table: Table) -> list[Claim]:
    multinomial, real = (table.row(EMPTY_POINTS, name) for name in (MULTINOMIAL, REAL))
    ours = f"{multinomial.ours:.1f} % of points show empty space, with real units {real.ours:.1f} %"
    is_more = (multinomial.low or 0.0) > (real.high or 100.0)
    named = {
        name: table.row(BEYOND.format(name), MULTINOMIAL)
        for name in ("pinwheel", "peek", "partial eye", "eye")
    }
    words = ", ".join(f"{name} {row.ours:+.1f}" for name, row in named.items())
    shown = [named[name] for name in ("pinwheel", "peek", "partial eye")]
    return [
        Claim("multinomial kernels are more sensitive to empty space", ours, is_more),
        Claim(
            "kernels show a pinwheel, peeks and a partial eye",
            f"kernels beyond chance: {words}",
            all((row.low or 0.0) > 0 for row in shown),
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
    """Known shapes beyond chance, and empty space, by kind of machine."""
    names = [kind.name for kind in KINDS]
    bars = {
        row: [bar_of(table.row(row, name)) for name in names]
        for row in (EMPTY_POINTS, *map(BEYOND.format, KNOWN_SHAPES))
    }
    empty = Panel("empty space", "% of points", ["all kernels"], [bars.pop(EMPTY_POINTS)])
    shapes = Panel("known shapes beyond chance", "kernels", list(KNOWN_SHAPES), list(bars.values()))
    words = f"mean of {table.rows[0].n} machines of each kind"
    return draw_panels(title, words, names, [shapes, empty], columns=1)


EXPERIMENT = Experiment(PlateSettings(), QUICK, run, draw)
