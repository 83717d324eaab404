"""`katachi train territory`: a net learns from recorded games who will own each point."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from katachi.evaluators.territory import NetKind
from katachi.features.territory_inputs import InputSettings
from katachi.interfaces.cli.record_training import (
    follow_run,
    is_resumed,
    settings_of,
    typed,
    words_of_games,
)
from katachi.learning.run import Place
from katachi.learning.territory_run import (
    TerritoryConfig,
    TerritoryPlan,
    TerritoryRun,
)
from katachi.learning.territory_training import TerritoryMeasurement, TerritorySettings


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class TerritoryOptions:
    """What can be asked of a run; None is the default that the text names."""

    games: Annotated[list[Path] | None, Parameter(negative=())] = None
    """Files or folders of game records to learn from; may be given several times."""
    size: Annotated[list[int] | None, Parameter(negative=())] = None
    """Board sizes to learn from; may be given several times (all there are)."""
    limit: int | None = None
    """Most games to learn from (all)."""
    inputs: str | None = None
    """What the net sees, names with commas between (the paper's: stones, influence, propensity,
    eyes, liberties, weakest)."""
    net: NetKind | None = None
    """What the net is made of: sweeps over the board, or convolutions (sweeps)."""
    hidden: int | None = None
    """Hidden units of each net, or planes of a convolution (16)."""
    states: int | None = None
    """States that each sweep passes on; a convolution has none (8)."""
    layers: int | None = None
    """Layers of sweeps, or of convolutions (1)."""
    tied: Annotated[bool | None, Parameter(negative=())] = None
    """Make a net of sweeps the same whichever way the board is turned."""
    later_share: float | None = None
    """What stones that stand soon count in the targets (0.25)."""
    ahead: int | None = None
    """How soon, in moves (2)."""
    foretells: Annotated[bool | None, Parameter(negative=())] = None
    """Let the net also say where the next move will be; --cell-weight 0 learns only that, also from
    games whose final ownership is not known, and judges no territory."""
    others: int | None = None
    """Moves that were not played, sampled beside each that was, to learn from the choice (0)."""
    choice_weight: float | None = None
    """What the choice counts (1)."""
    cell_weight: float | None = None
    """What the owners of points count (1)."""
    batch: int | None = None
    """Moves in a batch (64)."""
    rate: float | None = None
    """Step size at the beginning (0.01)."""
    steps: int | None = None
    """Batches in all (10,000)."""
    seed: int | None = None
    """Equal seeds give equal weights, on one kind of machine (1)."""
    measure_every: int | None = None
    """Batches from one measurement, and checkpoint, to the next (500)."""
    patience: int | None = None
    """Stop after so many measurements without a better one (never)."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name."""
        return {name: value for name, value in vars(self).items() if value is not None}


PLAN_OPTIONS = ("games", "limit", "measure_every", "patience")


def train_territory(
    options: TerritoryOptions, out: Path | None, resume: Path | None, place: Place
) -> None:
    """Begins a run or goes on with one, and tells how it goes."""
    follow_run(
        "territory",
        "batches",
        lambda: _open_run(options.given(), out, resume, place),
        _games_words,
        _words,
    )


def _games_words(run: TerritoryRun) -> str:
    dropped = run.games.dropped
    left_out = f"; {dropped:,} without a known final ownership left out" if dropped else ""
    return words_of_games(run.counts, run.games.rejected, left_out)


def _open_run(
    given: dict[str, Any], out: Path | None, resume: Path | None, place: Place
) -> TerritoryRun:
    if is_resumed(given, out, resume):
        assert resume is not None
        return TerritoryRun.resume(resume, place)
    assert out is not None
    plan = {name: given.pop(name) for name in PLAN_OPTIONS if name in given}
    plan["games"] = [str(place) for place in plan["games"]]
    plan["sizes"] = given.pop("size", [])
    if "inputs" in given:
        names = [name.strip() for name in given["inputs"].split(",")]
        given["inputs"] = msgspec.to_builtins(InputSettings(tuple(names)))
    if given.pop("tied", False):
        given["is_tied"] = True
    settings = settings_of(given, TerritorySettings)
    asked = settings_of(plan, TerritoryPlan)
    return TerritoryRun.begin(out, TerritoryConfig(settings, asked, typed()), place)


def _words(run: TerritoryRun, measured: TerritoryMeasurement, pace: float) -> str:
    """One line about a measurement; `pace` is seconds a batch."""
    settings = run.config.settings
    learned = [f"{measured.train_ownership_loss:.4f}"] if settings.learns_owners else []
    if settings.learns_choice:
        learned.append(f"choice {measured.train_policy_loss:.3f}")
    others = ""
    loss, accuracy = measured.val_ownership_loss, measured.val_accuracy
    if settings.learns_owners and loss is not None and accuracy is not None:
        others = f"other games {loss:.4f} nats a point, {accuracy:.1%} right; "
    loss, top1 = measured.val_policy_loss, measured.val_top1
    if loss is not None and top1 is not None:
        others += f"their moves {loss:.3f} nats, {top1:.1%} predicted; "
    left = (settings.steps - measured.steps) * pace / 60
    return (
        f"{measured.steps:,} of {settings.steps:,} batches: learned {', '.join(learned)}; {others}"
        f"{settings.batch / pace:,.0f} moves/s, about {left:.1f} min left"
    )
