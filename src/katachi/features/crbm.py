"""Features found by a convolutional RBM: the chances of its hidden units, computed without torch.

An RBM of one layer that sees only stones through windows of 3x3 or less is a table: a row for
each window code. Liberties, edges, larger kernels and a second layer, which takes the hidden maps
of the first for its visible units, are computed as matrix products.
"""

from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.board_channels import (
    CHANNEL_OF_STATE,
    GROUPS,
    STONES,
    channels_of,
    check_inputs,
)
from katachi.features.shape_sets import STATES
from katachi.features.window_map import (
    LARGEST_TABLE,
    Floats,
    Viewers,
    WindowTable,
    codes_of,
    count_codes,
    count_windows,
)
from katachi.files.model_folder import VERSION, StoredModel, Tensors, read_tensors
from katachi.nets.crbm_form import (
    ORIENTATIONS,
    CrbmForm,
    VisibleKind,
    array_forms,
    orientation_table,
)
from katachi.rules.state import SIZE, BoardState

KIND = "crbm"
MOST_LAYERS = 4
_BOARDS_AT_ONCE = 256


class CrbmConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a learned feature map holds."""

    inputs: tuple[str, ...]
    layers: Annotated[tuple[CrbmForm, ...], msgspec.Meta(min_length=1, max_length=MOST_LAYERS)]
    is_pooled: bool = False
    training: dict[str, Any] = {}
    kind: str = KIND
    version: int = VERSION


class CrbmLayer(NamedTuple):
    """One RBM."""

    form: CrbmForm
    arrays: dict[str, npt.NDArray[np.float32]]
    """As `array_forms` names them."""

    def matrix(self) -> Floats:
        """[inputs + 1, maps]: the weights of every hidden map, and last their biases."""
        form = self.form
        flat = self.arrays["weight"].reshape(form.kernels, form.inputs)
        turned = flat[:, orientation_table(form)].reshape(form.maps, form.inputs)
        bias = np.repeat(self.arrays["hidden_bias"], form.maps // form.kernels)
        return np.ascontiguousarray(np.concatenate([turned, bias[:, None]], 1).T)


def hidden_chances(form: CrbmForm, activations: Floats) -> Floats:
    """[..., maps]: the chance of each hidden unit by its activation."""
    if not form.is_tied:
        return _logistic(activations)
    groups = activations.reshape(*activations.shape[:-1], form.kernels, ORIENTATIONS)
    largest = groups.max(axis=-1, keepdims=True)
    null = np.float32(0.0)
    if form.has_null:
        largest = np.maximum(largest, 0.0)
        null = np.exp(-largest)
    powers = np.exp(groups - largest)
    return (powers / (powers.sum(axis=-1, keepdims=True) + null)).reshape(activations.shape)


def _logistic(logits: Floats) -> Floats:
    """Written with tanh, which no logit makes overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * logits), np.float32)


class CrbmFeatures(StoredModel):
    """A feature map whose features are hidden units: feature k of a window is its map k."""

    name = kind = KIND
    form = CrbmConfig

    def __init__(
        self, inputs: tuple[str, ...], layers: tuple[CrbmLayer, ...], *, is_pooled: bool = False
    ) -> None:
        """With `is_pooled` the orientations of a tied kernel count as one feature: the chance that
        any of them is on. Raises KatachiError where the parts do not fit together."""
        self.inputs = check_inputs(inputs)
        self.layers = layers
        self.is_pooled = is_pooled
        self.training: dict[str, Any] = {}
        _check_layers(inputs, layers)
        top = layers[-1].form
        if is_pooled and not (top.is_tied and top.has_null):
            raise KatachiError("only tied kernels with a null state can be pooled")
        self._matrices = [layer.matrix() for layer in layers]

    @property
    def kinds(self) -> int:
        """Features of one window."""
        top = self.layers[-1].form
        return top.kernels if self.is_pooled else top.maps

    @property
    def side(self) -> int:
        """The side of the square of points that a feature depends on."""
        return 1 + sum(layer.form.side - 1 for layer in self.layers)

    @property
    def table(self) -> WindowTable | None:
        """The features of every window code, where they depend on nothing else."""
        return self._table

    @cached_property
    def _table(self) -> WindowTable | None:
        if len(self.layers) > 1 or not self._has_table:
            return None
        return WindowTable(self.side, self._pooled(self._first_rows))

    @property
    def _has_table(self) -> bool:
        return self.inputs == (STONES,) and self.layers[0].form.side <= LARGEST_TABLE

    @cached_property
    def _first_rows(self) -> Floats:
        """[codes, maps] of the first layer."""
        cells = self.layers[0].form.side ** 2
        codes = np.arange(count_codes(self.layers[0].form.side))
        states = codes[:, None] // STATES ** np.arange(cells) % STATES
        channels = CHANNEL_OF_STATE[states]
        windows = np.zeros((len(codes), GROUPS[STONES], cells), np.float32)
        np.put_along_axis(windows, channels[:, None], 1.0, axis=1)
        return self._chances(0, windows.reshape(len(codes), -1))

    def _chances(self, layer: int, windows: Floats) -> Floats:
        """[L, maps] of the windows [L, inputs] of a layer."""
        matrix = self._matrices[layer]
        activations = windows @ matrix[:-1] + matrix[-1]
        return hidden_chances(self.layers[layer].form, activations)

    def _pooled(self, chances: Floats) -> Floats:
        if not self.is_pooled:
            return chances
        shape = (*chances.shape[:-1], self.kinds, ORIENTATIONS)
        return chances.reshape(shape).sum(axis=-1)

    def count(self, size: int) -> int:
        """How many features a board of a size has; raises KatachiError where it is too small."""
        return count_windows(size, self.side) * self.kinds

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F], as `FeatureMap` says."""
        count = self.count(int(states.words.flat[SIZE]))
        features = np.zeros((len(states.words), count), np.float32)
        for first in range(0, len(features), _BOARDS_AT_ONCE):
            part = slice(first, first + _BOARDS_AT_ONCE)
            some = states._replace(words=states.words[part], hashes=states.hashes[part])
            seen = self._maps(some, None if viewers is None else viewers[part])
            features[part] = self._pooled(seen).reshape(len(some.words), -1)
        return features

    def hidden_maps(
        self, states: BoardState, viewers: Viewers | None = None, layers: int | None = None
    ) -> Floats:
        """[B, maps, M, M]: the hidden units of the last of so many layers, all by default."""
        return np.moveaxis(self._maps(states, viewers, layers), 3, 1)

    def _maps(
        self, states: BoardState, viewers: Viewers | None, layers: int | None = None
    ) -> Floats:
        """[B, M, M, maps]."""
        maps = self._first_maps(states, viewers)
        for number in range(1, len(self.layers) if layers is None else layers):
            side = self.layers[number].form.side
            maps = self._chances(number, _windows(np.moveaxis(maps, 3, 1), side))
        return maps

    def _first_maps(self, states: BoardState, viewers: Viewers | None) -> Floats:
        form = self.layers[0].form
        if not self._has_table:
            return self._chances(0, _windows(channels_of(states, self.inputs, viewers), form.side))
        codes = codes_of(states, form.side, viewers)
        across = int(states.words.flat[SIZE]) - form.side + 1
        return self._first_rows[codes].reshape(len(codes), across, across, form.maps)

    def config(self, folder: Path) -> CrbmConfig:  # noqa: ARG002
        """What `config.json` is to say."""
        forms = tuple(layer.form for layer in self.layers)
        return CrbmConfig(self.inputs, forms, self.is_pooled, self.training)

    @property
    def tensors(self) -> Tensors:
        """The weights of all layers."""
        return {
            f"{number}.{name}": array
            for number, layer in enumerate(self.layers)
            for name, array in layer.arrays.items()
        }

    @classmethod
    def of_config(cls, config: CrbmConfig, folder: Path) -> "CrbmFeatures":
        """The map that a config means, with the weights of a folder; raises KatachiError."""
        expected = {
            f"{number}.{name}": form
            for number, layer in enumerate(config.layers)
            for name, form in array_forms(layer).items()
        }
        tensors: Any = read_tensors(folder, expected)
        layers = tuple(
            CrbmLayer(form, {name: tensors[f"{number}.{name}"] for name in array_forms(form)})
            for number, form in enumerate(config.layers)
        )
        return cls(config.inputs, layers, is_pooled=config.is_pooled)


def _check_layers(inputs: tuple[str, ...], layers: tuple[CrbmLayer, ...]) -> None:
    first = layers[0].form
    if first.groups != tuple(GROUPS[name] for name in inputs):
        raise KatachiError(f"{','.join(inputs)} do not have groups of {first.groups} channels")
    for below, above in pairwise(layers):
        form = above.form
        if form.channels != below.form.maps or form.visible is not VisibleKind.BINARY:
            raise KatachiError(
                f"a layer with {form.channels} {form.visible.value} channels does not stand on "
                f"{below.form.maps} hidden maps"
            )


def _windows(channels: Floats, side: int) -> Floats:
    """[B, M, M, inputs]: the windows of boards [B, C, N, N]."""
    if side > channels.shape[2]:
        raise KatachiError(f"kernels of {side}x{side} do not fit on what they look at")
    views = np.lib.stride_tricks.sliding_window_view(channels, (side, side), axis=(2, 3))
    windows = np.moveaxis(views, 1, 3)
    return windows.reshape(*windows.shape[:3], -1)
