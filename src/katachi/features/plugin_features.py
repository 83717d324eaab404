"""Features that other people wrote: `python:MODULE:NAME`, or installed by a name.

NAME is a function, or a class that makes one, from boards [B, size, size] to features [B, F]: 1 is
a stone of whoever has just moved, -1 one of the other side, 0 an empty point. F may depend on the
size of the boards alone.
"""

from typing import Any

import numpy as np

from katachi.errors import KatachiError
from katachi.features.window_map import Floats, Viewers, WindowTable
from katachi.files.plugin_names import FEATURES, PLUGIN, installed_plugin, split_plugin
from katachi.files.plugin_waiting import PatientCalls
from katachi.files.plugins import Plugin, is_allowed
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.game import Game
from katachi.rules.state import SIZE, BoardState, colors_of


class PluginFeatures:
    """A feature map of somebody else's, whose answers are checked."""

    table: WindowTable | None = None

    def __init__(self, name: str, setting: str) -> None:
        """The map of `setting`, MODULE:NAME, which models know by `name`; raises PluginFailure."""
        self.name = name
        self.plugin = Plugin(setting)
        made = self.plugin.thing
        if isinstance(made, type):
            made = self.plugin.call(made, "failed")
        if not callable(made):
            raise self.plugin.nonsense(None, "this must be a function of boards", made)
        self._function = made
        self.calls = PatientCalls(self.plugin)
        self._counts: dict[int, int] = {}

    def count(self, size: int) -> int:
        """How many features a board of a size has, as the empty board shows; raises
        PluginFailure."""
        if size not in self._counts:
            self._counts[size] = len(self._ask(Game(size).states, None, None)[0])
        return self._counts[size]

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F], as `FeatureMap` says; raises PluginFailure."""
        return self._ask(states, viewers, self.count(int(states.words.flat[SIZE])))

    def _ask(self, states: BoardState, viewers: Viewers | None, count: int | None) -> Floats:
        said = self.calls.call(self._function, boards_seen(states, viewers))
        found, rows = _numbers(said), len(states.words)
        is_right = found is not None and found.ndim == 2 and len(found) == rows
        if found is None or not is_right or found.shape[1] != (count or found.shape[1] or -1):
            wanted = f"{rows} rows of {count or 'at least 1'} finite numbers"
            raise self.plugin.nonsense(self._function, f"it must give {wanted}", said)
        return found


def _numbers(said: Any) -> Floats | None:
    try:
        found = np.array(said, np.float32)
    except (TypeError, ValueError):
        return None
    return found if np.isfinite(found).all() else None


def boards_seen(states: BoardState, viewers: Viewers | None = None) -> Floats:
    """[B, size, size]: 1 for stones of a board's viewer (Black where none is given), -1 for those
    of the other side, row by row from the top left."""
    size = int(states.words.flat[SIZE])
    colors = colors_of(states.words)
    own = np.full(len(colors), BLACK) if viewers is None else viewers
    seen = np.where(colors == own[:, None], 1.0, -1.0) * (colors != EMPTY)
    return np.asarray(seen, np.float32).reshape(-1, size, size)


def plugin_setting(name: str) -> str | None:
    """MODULE:NAME of features by their name, `python:MODULE:NAME` or that of an installed package;
    None for features of ours."""
    prefix, _, rest = name.partition(":")
    if prefix == PLUGIN:
        return rest
    return installed_plugin(name, (FEATURES,))


def find_plugin_features(name: str) -> PluginFeatures | None:
    """The features of that name, where it is a plug-in's. Raises PluginFailure, and KatachiError
    for code that nobody has named but a file, and where the form is another."""
    setting = plugin_setting(name)
    if setting is None:
        return None
    if split_plugin(setting) is None:
        raise KatachiError(
            f"no features {name!r}: use {PLUGIN}:MODULE:NAME or {PLUGIN}:FILE.py:NAME"
        )
    if name.startswith(f"{PLUGIN}:") and not is_allowed(setting):
        raise KatachiError(
            f"the features are {name}, which is code that no file may run: name it yourself, as "
            f"MODEL+{name} or --features {name}"
        )
    return PluginFeatures(name, setting)
