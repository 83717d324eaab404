"""S3-4: what kernels look like: known shapes, and empty space by kind of visible units."""

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.experiments.bounds import Count, Rate
from katachi.experiments.claims import gap, judge_above, leave_open
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.filter_shapes import KNOWN_SHAPES, count_shapes, empty_share, filter_plots
from katachi.learning.crbm_training import CrbmSettings, CrbmTrainer
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import draw_panels
from katachi.statistics import T_INTERVAL

EMPTY_POINTS = "points that show empty space, %"
LABELS = (
    "{shape}, kernels beyond chance",
    "a hidden point is guessed at, nats, {after}",
)
HALF, END = "after half of the batches", "at the end"
REAL, MULTINOMIAL, UNLEARNED = "real", "multinomial", "multinomial, not learned"
KINDS = [Quantity(name, digits=2) for name in (MULTINOMIAL, REAL, UNLEARNED)]
PAPER_SHAPES = ("pinwheel", "peek", "partial eye")
LETTERS = "#o."
MOST_PLOTS = 12
"""Kernels whose plots are kept as diagrams, those with the largest weights."""
SEEDS = 1 << 20


class FilterSettings(Settings, frozen=True, kw_only=True):
    """Which RBMs are looked at."""

    runs: Count = 3
    """Independent RBMs of each kind."""
    file: str = learned_maps.GNUGO
    """Games whose boards are learned from."""
    kernels: Count = 105
    """Kernels of 3x3."""
    steps: Count = 12000
    """Batches of 100 boards."""
    first_weight: Rate = 0.01
    """Standard deviation of the first weights: what kernels show then was learned."""
    rate: Rate = CrbmSettings().rate
    """Step size of multinomial units."""
    real_rate: Rate = 0.01
    """Step size of real units."""


QUICK = FilterSettings(runs=2, kernels=8, steps=2)


class FilterShapes(msgspec.Struct, frozen=True):
    """What an RBM's kernels look like."""

    empty: float
    beyond_chance: dict[str, float]
    """By known shape: kernels that show it, less what mixed points show."""
    found: dict[str, int]
    """By known shape: kernels that show it."""
    diagrams: list[str]
    guesses: tuple[float | None, float | None] = (None, None)
    """Log-likelihood of a hidden point by the rest of its board, with half of the batches and with
    all: how far there is still to learn."""


def rbm_of(settings: FilterSettings, name: str, seed: int) -> CrbmSettings:
    """The RBM of a setting."""
    is_real = name == REAL
    return CrbmSettings(
        kernels=settings.kernels,
        steps=settings.steps,
        visible=VisibleKind.REAL if is_real else VisibleKind.MULTINOMIAL,
        rate=settings.real_rate if is_real else settings.rate,
        first_weight=settings.first_weight,
        seed=seed % SEEDS,
    )


def measure(settings: FilterSettings, task: Task) -> FilterShapes:
    """The filter plots of one RBM."""
    from katachi.nets.threads import use_one_thread

    use_one_thread()
    name = task.key["kind"]
    parts = learned_maps.open_split((task.require_file(settings.file),))
    trainer = CrbmTrainer(rbm_of(settings, name, task.seed), parts.train, parts.validation)
    guesses = (None, None) if name == UNLEARNED else _learn(trainer, settings.steps)
    return _shapes_of(trainer.model().layers[0].arrays["weight"], guesses)


def _learn(trainer: CrbmTrainer, steps: int) -> tuple[float | None, float | None]:
    """Learns in two halves; returns how well a point is guessed after each."""
    trainer.learn(steps // 2)
    half = trainer.measure().masked_log_likelihood
    trainer.learn(steps - steps // 2)
    return half, trainer.measure().masked_log_likelihood


def _shapes_of(
    weight: npt.NDArray[np.float32], guesses: tuple[float | None, float | None]
) -> FilterShapes:
    plots = filter_plots(weight)
    counts = count_shapes(plots)
    order = np.argsort(-np.abs(weight).sum(axis=(1, 2, 3)))[:MOST_PLOTS]
    diagrams = ["/".join("".join(LETTERS[c] for c in row) for row in plots[k]) for k in order]
    return FilterShapes(
        100 * empty_share(plots),
        {each.name: each.found - each.by_chance for each in counts},
        {each.name: each.found for each in counts},
        diagrams,
        guesses,
    )


def run(settings: FilterSettings, seed: int, runner: Runner) -> Table:
    """Learns RBMs of each kind and looks at their kernels; raises KatachiError where the games
    are not there."""
    path = runner.require_file(settings.file)
    tasks = tasks_of(cross(kind=[kind.name for kind in KINDS]), settings.runs)
    study = Study("S3-4", settings, seed, tasks, measure, learned_maps.fingerprint((path,)))
    found = runner.measure_all(study)
    plots = {kind: found.runs(kind=kind.name) for kind in KINDS}
    rows = [
        kind.mean({"shows": EMPTY_POINTS}, [each.empty for each in some], (0, 100))
        for kind, some in plots.items()
    ]
    rows += [_shape_row(shape, *each) for shape in KNOWN_SHAPES for each in plots.items()]
    rows += [row for kind, some in plots.items() for row in _guess_rows(kind, some)]
    shapes = {
        kind.name: [diagram for each in some for diagram in each.diagrams][:MOST_PLOTS]
        for kind, some in plots.items()
    }
    notes = _notes(settings)
    return Table(quantities=KINDS, rows=rows, labels=LABELS, shapes=shapes, notes=notes)


def _shape_row(shape: str, kind: Quantity, plots: list[FilterShapes]) -> Row:
    values = [each.beyond_chance[shape] for each in plots]
    return kind.mean({"shape": shape}, values)


def _guess_rows(kind: Quantity, plots: list[FilterShapes]) -> list[Row]:
    rows = []
    for at, after in enumerate((HALF, END)):
        known = [each.guesses[at] for each in plots]
        values = [value for value in known if value is not None]
        if values:
            rows.append(kind.mean({"after": after}, values))
    return rows


DRAWN_SO = (
    "left open: the paper says that this follows from how it draws its kernels, and does not say "
    "how it draws real ones; ours are drawn alike"
)


def judge(table: Table) -> list[Claim]:
    """What the paper sees in its plates; each shape beside kernels that have not learned, for large
    random ones show shapes too."""
    multinomial, real = (table.row(kind, shows=EMPTY_POINTS) for kind in KINDS[:2])
    ours = f"{multinomial.ours:.1f} % of points show empty space, with real units {real.ours:.1f} %"
    words = "multinomial kernels are more sensitive to empty space, by how they are drawn", ours
    claims = [leave_open(words, gap(multinomial, real, 1, " %"), DRAWN_SO)]
    for name in PAPER_SHAPES:
        learned, drawn = (table.row(kind, shape=name) for kind in (KINDS[0], KINDS[2]))
        ours = f"{learned.ours:+.1f} kernels beyond chance, not learned {drawn.ours:+.1f}"
        claims.append(judge_above((f"kernels show a {name}", ours), gap(learned, drawn)))
    return claims


def _notes(settings: FilterSettings) -> list[str]:
    return [
        f"{settings.kernels} kernels of 3x3, {settings.steps:,} batches of 100 boards of "
        f"{settings.file}, turned, mirrored and with colours exchanged. The paper states neither "
        "its boards nor its step size.",
        "A plot shows the channel with the largest weight at each point. Chance is what the same "
        "plots show when their points are mixed. The outlines of known shapes are ours.",
        f"First weights are random (standard deviation {settings.first_weight:g}) and show shapes "
        "too, so kernels that have not learned stand beside those that have. How well a hidden "
        "point is guessed after half of the batches and at the end says how much was left to "
        "learn.",
        T_INTERVAL,
    ]


def draw(table: Table, title: str) -> str:
    """Known shapes beyond chance, and empty space, by kind of RBM."""
    whole = Axes("shows", name=lambda _: "all kernels")
    empty = panel_of(table, KINDS, whole, "empty space")._replace(unit="% of points")
    shapes = panel_of(table, KINDS, Axes("shape"), "known shapes beyond chance")
    panels = [shapes._replace(unit="kernels"), empty]
    text = f"mean of {table.rows[0].n} RBMs of each kind"
    return draw_panels(title, text, [kind.name for kind in KINDS], panels, columns=1)


EXPERIMENT = Experiment(FilterSettings(), QUICK, run, draw, judge)
