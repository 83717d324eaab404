"""Settings of a training run under one name: what learns well, and what a paper did."""

from typing import NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.learning.curriculum import Plan
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
