"""`katachi train features`: a convolutional RBM finds features in recorded positions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from katachi.interfaces.cli.record_training import (
    follow_run,
    is_resumed,
    settings_of,
    typed,
    words_of_games,
)
from katachi.learning.crbm_run import CrbmConfig, CrbmPlan, CrbmRun, measured_words
from katachi.learning.crbm_training import CrbmMeasurement, CrbmSettings
from katachi.learning.run import Place


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """What can be asked of a run; None is the default that the text names."""

    games: Annotated[list[Path] | None, Parameter(negative=())] = None
    """Files or folders of game records to learn from; may be given several times."""
    size: int | None = None
    """Board size to learn from (the one there is)."""
    limit: int | None = None
    """Most games to learn from (all)."""
    below: str | None = None
    """A model of features, by folder or name: a further layer learns from its hidden maps (the
    board)."""
    inputs: str | None = None
    """What is seen of a board: stones, or with commas between stones, liberties and edge
    (stones)."""
    kernels: int | None = None
    """How many kernels (105)."""
    side: int | None = None
    """Kernels are side x side (3)."""
    visible: Literal["real", "multinomial"] | None = None
    """What the visible units are (multinomial)."""
    tied: Annotated[bool | None, Parameter(negative=())] = None
    """Let a kernel stand for its eight orientations."""
    no_null: Annotated[bool | None, Parameter(negative=())] = None
    """With --tied: let one of the eight be on everywhere."""
    batch: int | None = None
    """Boards in a batch (100)."""
    rate: float | None = None
    """Step size (0.3; for real units 0.01)."""
    momentum: float | None = None
    """Share of the last step that is taken again (0.9)."""
    decay: float | None = None
    """Weight decay (0.0001)."""
    gibbs_steps: int | None = None
    """The k of CD-k (1)."""
    persistent: Annotated[bool | None, Parameter(negative=())] = None
    """Persistent CD: the machine's own boards go on from batch to batch."""
    sparsity: float | None = None
    """The share of hidden units that should be on (0.1)."""
    sparsity_weight: float | None = None
    """What it counts (0)."""
    steps: int | None = None
    """Batches in all (10,000)."""
    seed: int | None = None
    """Equal seeds give equal weights, on one kind of machine (1)."""
    measure_every: int | None = None
    """Batches from one measurement, checkpoint and picture to the next (500)."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


PLAN_OPTIONS = ("games", "size", "limit", "below", "measure_every")
REAL_RATE = 0.01


def train_features(
    options: FeatureOptions, out: Path | None, resume: Path | None, device: str
) -> None:
    """Begins a run or goes on with one, and says how it goes."""
    follow_run(
        "features",
        "batches",
        lambda: _open_run(options.given(), out, resume, device),
        lambda run: words_of_games(run.counts, run.games.rejected),
        _words,
    )


def _open_run(given: dict[str, Any], out: Path | None, resume: Path | None, device: str) -> CrbmRun:
    if is_resumed(given, out, resume):
        assert resume is not None
        return CrbmRun.resume(resume, Place(device))
    assert out is not None
    plan = {name: given.pop(name) for name in PLAN_OPTIONS if name in given}
    plan["games"] = [str(place) for place in plan["games"]]
    settings = settings_of(_settings(given), CrbmSettings)
    asked = settings_of(plan, CrbmPlan)
    return CrbmRun.begin(out, CrbmConfig(settings, asked, typed()), Place(device))


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Options by the names of their settings."""
    found = dict(given)
    if "inputs" in found:
        found["inputs"] = [name.strip() for name in found["inputs"].split(",")]
    if found.get("visible") == "real":
        found.setdefault("rate", REAL_RATE)
    for option, setting, value in (
        ("tied", "is_tied", True),
        ("persistent", "is_persistent", True),
        ("no_null", "has_null", False),
    ):
        if found.pop(option, False):
            found[setting] = value
    return found


def _words(run: CrbmRun, measured: CrbmMeasurement, pace: float) -> str:
    """One line about a measurement; `pace` is seconds a batch."""
    settings = run.config.settings
    left = (settings.steps - measured.steps) * pace / 60
    return (
        f"{measured.steps:,} of {settings.steps:,} batches: {measured_words(measured)}; "
        f"{settings.batch / pace:,.0f} boards/s, about {left:.1f} min left"
    )
