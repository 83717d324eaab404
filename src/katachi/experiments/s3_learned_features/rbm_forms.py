"""S3-crbm: how well RBMs of several forms model boards they have not seen."""

import msgspec

from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import (
    Bounds,
    Claim,
    Experiment,
    Key,
    Quantity,
    Row,
    Settings,
    Table,
)
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features.learned_maps import (
    GNUGO,
    fingerprint,
    open_split,
    upper_layer,
)
from katachi.experiments.table_pictures import draw_rows
from katachi.features.board_channels import EDGE, LIBERTIES, STONES
from katachi.learning.crbm_training import CrbmMeasurement, CrbmSettings, CrbmTrainer
from katachi.nets.crbm_form import VisibleKind
from katachi.statistics import T_INTERVAL

GUESS = Quantity("a hidden point is guessed at", "nats", 3)
ERROR = Quantity("squared error", "a point", 4)
WRONG = Quantity("points reconstructed wrongly", "%", 2)
GAP = Quantity("free energy gap", "nats a board", 2)
ACTIVE = Quantity("hidden units on", "%", 1)
BOUNDS: dict[Quantity, Bounds] = {
    GUESS: (None, 0.0),
    ERROR: (0.0, None),
    WRONG: (0.0, 100.0),
    ACTIVE: (0.0, 100.0),
}
"""What no number lies beyond, nor the end of an interval."""
LAYERS = "second layer"
UNLEARNED, DEEP_CHAINS = "not learned", "CD-5"
COSTS = {LAYERS: 6.0, DEEP_CHAINS: 3.0, UNLEARNED: 0.1}
"""How long an RBM takes next to a plain one."""
SEEDS = 1 << 20


class RbmStudySettings(Settings, frozen=True, kw_only=True):
    """Which RBMs, and how they learn."""

    runs: Count = 3
    """Independent RBMs of each form."""
    file: str = GNUGO
    """Games whose boards are learned from."""
    kernels: Count = 105
    """Kernels of 3x3; tied ones are an eighth, to have as many features."""
    upper: Count = 105
    """Kernels of the second layer."""
    steps: Count = 1000
    """Batches of 100 boards."""


QUICK = RbmStudySettings(runs=2, kernels=8, upper=4, steps=2)


def forms_of(settings: RbmStudySettings) -> dict[str, CrbmSettings]:
    """How each RBM learns, by its name."""
    plain = CrbmSettings(kernels=settings.kernels, steps=settings.steps)
    change = msgspec.structs.replace
    tied = change(plain, kernels=max(1, settings.kernels // 8), is_tied=True)
    return {
        "multinomial": plain,
        UNLEARNED: plain,
        "real": change(plain, visible=VisibleKind.REAL, rate=0.01),
        DEEP_CHAINS: change(plain, gibbs_steps=5),
        "persistent CD": change(plain, is_persistent=True, rate=0.1),
        "sparse": change(plain, sparsity=0.05, sparsity_weight=0.1),
        "tied": tied,
        "tied, no null state": change(tied, has_null=False),
        "with liberties": change(plain, inputs=(STONES, LIBERTIES)),
        "with liberties and edge": change(plain, inputs=(STONES, LIBERTIES, EDGE)),
        LAYERS: upper_layer(settings.upper, settings.steps),
    }


def measure(settings: RbmStudySettings, task: Task) -> CrbmMeasurement:
    """One RBM, measured on games that it did not learn from."""
    from katachi.nets.threads import use_one_thread

    use_one_thread()
    parts = open_split((task.require_file(settings.file),))
    forms = forms_of(settings)
    seeded = {
        name: msgspec.structs.replace(form, seed=task.seed % SEEDS) for name, form in forms.items()
    }
    below = None
    if task.key["machine"] == LAYERS:
        first = CrbmTrainer(seeded["multinomial"], parts.train, parts.validation)
        first.learn(settings.steps)
        below = first.model()
    trainer = CrbmTrainer(seeded[task.key["machine"]], parts.train, parts.validation, below)
    if task.key["machine"] != UNLEARNED:
        trainer.learn(settings.steps)
    return trainer.measure()


def run(settings: RbmStudySettings, seed: int, runner: Runner) -> Table:
    """Learns and measures every RBM; raises KatachiError where the games are not there."""
    path = runner.require_file(settings.file)
    keys = cross(machine=forms_of(settings))
    tasks = tasks_of(keys, settings.runs, lambda key: COSTS.get(key["machine"], 1.0))
    behaviour = fingerprint((path,))
    study = Study("S3-crbm", settings, seed, tasks, measure, behaviour)
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        f"{settings.kernels} kernels of 3x3, tied ones an eighth; {settings.steps:,} batches of "
        f"100 boards of {settings.file}; measured on 1,024 boards of the tenth that is held out.",
        "A point is guessed among black, white and empty from the rest of its board (the "
        "pseudo-likelihood): guesses without any knowledge would give -1.099. Errors "
        "are of all visible channels, so those of RBMs that see more, or hidden maps, are not "
        "those of others. The free energy gap is that of held-out boards less that of others.",
        T_INTERVAL,
    ]
    quantities = [GUESS, ERROR, WRONG, GAP, ACTIVE]
    return Table(quantities=quantities, rows=rows, notes=notes)


def _rows(key: Key, found: list[CrbmMeasurement]) -> list[Row]:
    rates = [each.val_error_rate for each in found]
    measured: dict[Quantity, list[float | None]] = {
        GUESS: [each.masked_log_likelihood for each in found],
        ERROR: [each.val_reconstruction_error for each in found],
        WRONG: [None if rate is None else 100 * rate for rate in rates],
        GAP: [each.free_energy_gap for each in found],
        ACTIVE: [100 * each.hidden_activation for each in found],
    }
    rows = []
    for quantity, values in measured.items():
        known = [value for value in values if value is not None]
        if known:
            rows.append(quantity.mean(key, known, BOUNDS.get(quantity, (None, None))))
    return rows


def judge(table: Table) -> list[Claim]:
    """Whether multinomial units learn more of boards than real ones, as the paper's plates suggest,
    and whether they learn at all."""
    known = {str(row.key["machine"]): row for row in table.rows_of(GUESS)}
    if not {"multinomial", "real", UNLEARNED} <= known.keys():
        return []
    ours = known["multinomial"]
    claims = []
    for other, paper in (
        ("real", "multinomial units learn more meaningful features than real ones"),
        (UNLEARNED, "implied: they learn what boards look like"),
    ):
        words = (
            f"a hidden point is guessed at {ours.ours:.2f} nats, {other} {known[other].ours:.2f}"
        )
        claims.append(judge_above((paper, words), gap(ours, known[other], 2, " nats")))
    return claims


def draw(table: Table, title: str) -> str:
    """How well each RBM guesses, and how it reconstructs."""
    text = f"mean of {table.rows[0].n} RBMs, on games that were not learned from"
    return draw_rows(table, title, text, (GUESS, WRONG))


EXPERIMENT = Experiment(RbmStudySettings(), QUICK, run, draw, judge)
