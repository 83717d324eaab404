"""What a run of local shape is asked for, its presets, and what its models say of themselves."""

from typing import Any, NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.learning.curriculum import Plan
from katachi.learning.run import RunConfig
from katachi.learning.shape_metrics import Measurement
from katachi.learning.shape_training import Loss, TrainingSettings

DEFAULT = "default"

_NOT_THE_PRESETS = frozenset({"size", "seed", "workers", "horizon", "bins", "source"})
"""Settings of every run's own: they say where and how long to learn, not how."""


class Preset(NamedTuple):
    """How local shape is learned where no option says otherwise."""

    settings: TrainingSettings
    plan: Plan
    meaning: str
    """In a few words."""


PRESETS = {
    DEFAULT: Preset(
        TrainingSettings(
            sets="1x1-3x3:LI+LD", alpha=2.0, final_alpha=0.05, loss=Loss.CROSS_ENTROPY
        ),
        Plan(test_every=2000),
        "cross-entropy, a falling step size, averaged weights",
    ),
    "paper2007": Preset(
        TrainingSettings(),
        Plan(),
        "the 2007 paper: squared error, a constant step size, the last weights",
    ),
}


def find_preset(name: str) -> Preset:
    """The preset of a name; raises KatachiError."""
    if name not in PRESETS:
        raise KatachiError(f"no preset {name!r}: choose {' or '.join(PRESETS)}")
    return PRESETS[name]


def changed_settings(name: str, settings: TrainingSettings) -> list[str]:
    """In which settings, by name, a run learns otherwise than its preset."""
    if name not in PRESETS:
        return []
    preset = msgspec.to_builtins(PRESETS[name].settings)
    ours = msgspec.to_builtins(settings)
    return [key for key in preset if key not in _NOT_THE_PRESETS and preset[key] != ours[key]]


class ShapeConfig(RunConfig[TrainingSettings, Plan], frozen=True, forbid_unknown_fields=True):
    """What a run of local shape was asked for, and with what it was begun."""

    opponent: str | None = None
    """Somebody to learn against, in place of the other agent."""
    start: str | None = None
    """The model whose weights the agents began with."""
    begun: str = ""
    preset: str | msgspec.UnsetType = msgspec.UNSET
    """The name of the settings that options changed; not written where a run had none, so that
    configs of earlier runs stay what they were."""


def training_notes(config: ShapeConfig, test: Measurement, samples: int) -> dict[str, Any]:
    """How a model was made, as plain data for its config; its weights are the mean of so many
    samples, or the last ones where there was none."""
    return {
        "command": config.command,
        "preset": config.preset or None,
        "settings": msgspec.to_builtins(config.settings),
        "plan": msgspec.to_builtins(config.plan),
        "opponent": config.opponent,
        "start": config.start,
        "seed": config.settings.seed,
        "games": test.games,
        "samples": samples,
        "versions": config.versions,
        "commit": config.commit,
    }


def model_card(model: LocalShape, agent: int, config: ShapeConfig, test: Measurement) -> str:
    """The card of an agent, from 0, whose last test this is and whose training is noted:
    Markdown."""
    settings = config.settings
    low, high = test.intervals[agent]
    rate = f"{test.rates[agent]:.1%} ({low:.1%} to {high:.1%}, 95 %, Wilson)"
    seen = int((model.seen > 0).sum())
    samples = model.training.get("samples", 0)
    mean = f"; the mean of {samples:,} samples up to game {settings.horizon:,}" if samples else ""
    return config.card(
        f"Local shape, {model.size}x{model.size}",
        "The value of a position is the sum of what its local shapes are worth "
        "(Silver, Sutton and Müller, 2007).",
        [
            f"shape sets: {', '.join(each.name for each in model.sets)}",
            f"weights: {len(model.weights):,}, of which {seen:,} were ever learned from{mean}",
            f"learned from: {test.games:,} games, {_source(config)}; no game records",
            f"against the average liberties player: {rate} of {test.played:,} games, "
            f"komi {settings.komi:g}, colours alternating",
            f"{_steps_taken(config, test)}, exploration {settings.epsilon:g}, "
            f"lambda {settings.lam:g}, {settings.loss.value} loss"
            f"{', cascade' if settings.cascade else ''}"
            f"{', by move' if settings.by_move else ''}, seed {settings.seed}",
            *_preset_words(config),
        ],
        LocalShape,
    )


def _preset_words(config: ShapeConfig) -> list[str]:
    """The preset of a run and what options changed of it; nothing where it had none."""
    if not config.preset:
        return []
    changed = changed_settings(config.preset, config.settings)
    words = f"; changed: {', '.join(changed)}" if changed else ""
    return [f"preset: {config.preset}{words}"]


def step_words(settings: TrainingSettings) -> str:
    """The step size, and where it falls to."""
    words = f"step size {settings.alpha:g}"
    if settings.final_alpha is None or settings.horizon == 0:
        return words
    return f"{words} falling to {settings.final_alpha:g} at {settings.horizon:,} games"


def _steps_taken(config: ShapeConfig, test: Measurement) -> str:
    """The step size as it was: of a board that grows it falls on the largest only."""
    settings, largest = config.settings, config.plan.grow_to
    words = step_words(settings)
    first = f"step size {settings.alpha:g}"
    if largest is None or words == first:
        return words
    if test.size < largest:
        return f"{first} (it falls on {largest}x{largest} only, which was not reached)"
    if test.games - test.size_games >= settings.horizon:
        return f"{first}, on {largest}x{largest} {settings.final_alpha:g}"
    return words


def _source(config: ShapeConfig) -> str:
    begun = f", begun from {config.start}" if config.start else ""
    if config.opponent is not None:
        return f"against {config.opponent}{begun}"
    who = {"pair": "two agents adapting to each other", "self": "one agent playing itself"}
    return who[config.settings.source.value] + begun
