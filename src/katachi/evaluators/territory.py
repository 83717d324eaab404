"""Territory: who will own each point, by a recursive net over the whole board (Wu and Baldi 2006).

The net was fitted with torch; judging needs none. One set of weights serves boards of every size.
"""

import math
from collections.abc import Callable
from copy import copy
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.chances import judged_by_owners
from katachi.evaluators.convolution_kernel import ConvolutionKernel
from katachi.evaluators.dag_rnn_kernel import DagRnnKernel
from katachi.evaluators.protocol import Abilities, Evaluation
from katachi.evaluators.scratch import PerThread
from katachi.features.board_views import fold_views, show_views
from katachi.features.large_propensity import LargeTable, check_table
from katachi.features.propensity import (
    CLASSES,
    PATTERNS,
    PLACES,
    PackedTable,
    PropensityTable,
    pack_scores,
    pack_table,
    unpack_scores,
    unpack_table,
)
from katachi.features.territory_inputs import (
    InputSettings,
    moves_needed,
    needs_large,
    needs_propensity,
    plan_inputs,
    plane_count,
    planes_of_boards,
)
from katachi.features.territory_planes import InputPlan, InputScratch, Planes, new_scratch
from katachi.files.model_folder import VERSION, StoredModel, Tensors, read_shared, read_tensors
from katachi.rules.color import BLACK
from katachi.rules.size import MAX_SIZE, MIN_SIZE
from katachi.rules.state import RECENT_MOVES, SIZE, BoardState, Words, recent_moves

KIND = "territory"
KOMI = 7.5
"""Taken from Black's lead in the chance of winning where there is no game that has one."""
MOST_UNITS = 4096
MOST_LAYERS = 64
LARGE_BITS = 28
"""The largest table of large squares that a model may hold, as a power of two."""
OWNER_OUTPUT, BLACK_OUTPUT, WHITE_OUTPUT = range(3)
"""What the net says of a point: who will own it, and whether Black or White moves there next."""
MOVE_NET_OUTPUTS = 3
_NETS = ("corner", "side", "lateral")
_SCORE, _TRUST = "propensity.score", "propensity.trust"
_LARGE_KEY, _LARGE_SCORE = "large.key", "large.score"

Arrays = dict[str, npt.NDArray[np.float32]]
Forms = dict[str, tuple[str, tuple[int, ...]]]
Units = Annotated[int, msgspec.Meta(ge=1, le=MOST_UNITS)]


class NetKind(Enum):
    """What a net is made of."""

    SWEEPS = "sweeps"
    """Four sweeps over the board (`nets/dag_rnn.py`)."""
    CONVOLUTION = "convolution"
    """3x3 convolutions (`nets/convolution.py`)."""


class TerritoryConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a territory model holds."""

    inputs: InputSettings
    hidden: Units
    states: Units
    layers: Annotated[int, msgspec.Meta(ge=1, le=MOST_LAYERS)]
    outputs: Annotated[int, msgspec.Meta(ge=1, le=MOVE_NET_OUTPUTS)] = 1
    """1: owners only; 3: also where Black and White move next."""
    temperatures: dict[str, float] = {}
    """Of the Gibbs policy, by board size."""
    net: NetKind = NetKind.SWEEPS
    knows_owners: bool = True
    """Whether owners were learned, not moves alone."""
    large_bits: Annotated[int, msgspec.Meta(ge=0, le=LARGE_BITS)] = 0
    """The table of large squares has 2^this places; 0 for none."""
    training: dict[str, Any] = {}
    kind: str = KIND
    version: int = VERSION
    shared_tables: str = ""
    """SHA-256 of the file of tables that it has in common with other shipped models; empty where
    it has its own."""


def array_shapes(config: TerritoryConfig) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the net's weights."""
    if config.net is NetKind.CONVOLUTION:
        return _convolution_shapes(config)
    windowed, local = plane_count(config.inputs)
    own = 9 * windowed + local
    nets = {}
    for layer in range(config.layers):
        below = own + (4 * config.states if layer else 0)
        for number, name in enumerate(_NETS):
            nets[f"layers.{layer}.{name}"] = below + number * config.states, config.states
    nets["output"] = own + 4 * config.states, config.outputs
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (inputs, outputs) in nets.items():
        shapes[f"{name}.hidden.weight"] = config.hidden, inputs
        shapes[f"{name}.hidden.bias"] = (config.hidden,)
        shapes[f"{name}.out.weight"] = outputs, config.hidden
        shapes[f"{name}.out.bias"] = (outputs,)
    return shapes


def _convolution_shapes(config: TerritoryConfig) -> dict[str, tuple[int, ...]]:
    seen, width = sum(plane_count(config.inputs)), config.hidden
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in range(config.layers):
        shapes[f"layers.{layer}.weight"] = width, seen, 3, 3
        shapes[f"layers.{layer}.bias"] = (width,)
        seen = width
    shapes["output.weight"] = config.outputs, width, 1, 1
    shapes["output.bias"] = (config.outputs,)
    return shapes


def check_memory(inputs: InputSettings) -> None:
    """Raises KatachiError for inputs that ask for more of the last moves than a position keeps."""
    asked = moves_needed(inputs)
    if asked > RECENT_MOVES:
        raise KatachiError(
            f"recent:{asked} looks too far back: a position keeps its last {RECENT_MOVES} moves"
        )


class NetKernel(Protocol):
    """What computes a net."""

    outputs: int

    def logits(self, planes: Planes, /) -> Planes:
        """Logits [B, outputs, N, N] of planes [B, C, N, N]."""
        ...

    def ownership(self, planes: Planes, /) -> Planes:
        """The chance [B, N, N] that each point will be Black's."""
        ...


BoardLogits = Callable[[Words, InputPlan], Planes]
"""Logits [B, outputs, N, N] of boards [B, WORDS] of a plan's size."""


class Tables(NamedTuple):
    """What was learned for the inputs of a net, where they need it."""

    windows: PropensityTable | None = None
    """As `round_table` gives it, so that a saved model comes back as it was."""
    large: LargeTable | None = None
    """Its scores rounded in the same way."""


_NO_TABLES = Tables()


class Territory(StoredModel):
    """Judges by the points that Black will own."""

    name = kind = KIND
    form = TerritoryConfig

    def __init__(self, inputs: InputSettings, arrays: Arrays, tables: Tables = _NO_TABLES) -> None:
        """A net's weights, as `DagRnn.arrays` or `Convolution.arrays` names them, and what its
        inputs need; raises KatachiError for inputs that look further back than positions do."""
        check_memory(inputs)
        self.inputs = inputs
        self.arrays, self.tables = arrays, tables
        self.temperatures: dict[int, float] = {}
        """Of the Gibbs policy, by board size."""
        self.knows_owners = True
        """Whether it has learned owners; else it judges no position, and only predicts moves."""
        self.training: dict[str, Any] = {}
        self._kernel: NetKernel
        if self.net is NetKind.CONVOLUTION:
            self._kernel = ConvolutionKernel(arrays)
        else:
            self._kernel = DagRnnKernel(arrays, plane_count(inputs)[0])
        self._boards: BoardLogits | None = None
        self._plans: dict[int, InputPlan] = {}
        self._scratch: PerThread[InputScratch] = PerThread(new_scratch)

    def on(self, device: str) -> "Territory":
        """The same evaluator with its net on a device of PyTorch, such as `cuda`; raises
        KatachiError where the net, PyTorch or the device is not for that."""
        if self.net is not NetKind.CONVOLUTION:
            raise KatachiError("a net of sweeps is computed on the CPU: use --device cpu")
        try:
            from katachi.nets.search_fitting import TorchKernel
        except ImportError:
            raise KatachiError("a GPU needs PyTorch: pip install 'katachi[nets]'") from None
        made = copy(self)
        try:
            made.compute_by(TorchKernel(self.arrays, device))
        except ValueError as error:
            raise KatachiError(str(error)) from None
        return made

    def compute_by(self, kernel: NetKernel, boards: BoardLogits | None = None) -> None:
        """Lets something else compute the net, or planes and net; the weights must be the same."""
        self._kernel, self._boards = kernel, boards

    @property
    def net(self) -> NetKind:
        """What the net is made of."""
        is_plain = "layers.0.weight" in self.arrays
        return NetKind.CONVOLUTION if is_plain else NetKind.SWEEPS

    @property
    def weight_count(self) -> int:
        """The number of the net's weights."""
        return sum(array.size for array in self.arrays.values())

    @property
    def abilities(self) -> Abilities:
        """Moves where the net has learned them, and temperatures that fit."""
        moves = self.move_scores if self.predicts_moves else None
        look = self.look if self.predicts_moves and self.knows_owners else None
        return Abilities(self.knows_owners, moves, look, temperature=self.temperature)

    @property
    def predicts_moves(self) -> bool:
        """Whether the net itself says where the next move will be."""
        return self._kernel.outputs == MOVE_NET_OUTPUTS

    def temperature(self, size: int) -> float | None:
        """The temperature for boards of a size: its own, or that of the nearest size."""
        if not self.temperatures:
            return None
        return self.temperatures[min(self.temperatures, key=lambda known: abs(known - size))]

    def evaluate(self, states: BoardState) -> Evaluation:
        """Chances of B positions of one board size, from the points each side will own, of no game
        and so at a komi of `KOMI`; even ones, and no owners, from a net that knows none. Turned
        positions have turned owners, and exchanged colours exchanged ones, whatever the weights.
        Raises KatachiError on a board too small for the inputs."""
        if not self.knows_owners:
            return Evaluation(np.full(len(states.words), 0.5))
        views = show_views(states.words, moves_needed(self.inputs))
        ownership = self._ownership(views.words)
        plain, swapped = fold_views(ownership.reshape(len(ownership), -1), views)
        return judged_by_owners(((plain + 1.0 - swapped) / 2.0).astype(np.float32), KOMI)

    def move_scores(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """[B, size * size] how likely it is that the mover plays on each point next, as a logit,
        in B positions of one board size; only of a net that predicts moves. It turns with the
        position, and is the opponent's where the colours are exchanged."""
        views = show_views(states.words, moves_needed(self.inputs))
        logits = self._logits(views.words)
        outputs = np.where(colors == BLACK, BLACK_OUTPUT, WHITE_OUTPUT)
        others = BLACK_OUTPUT + WHITE_OUTPUT - outputs
        chosen = logits[np.arange(len(logits)), np.concatenate([outputs, others])]
        return np.asarray(fold_views(chosen.reshape(len(chosen), -1), views).mean(axis=0))

    def look(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
        """Owners [B, size * size] and move scores [B, size * size] of B positions, from one view of
        each: half the work of one of them, without what averaging over views makes equal."""
        logits = self._logits(states.words)
        flat = logits.reshape(len(logits), MOVE_NET_OUTPUTS, -1)
        outputs = np.where(colors == BLACK, BLACK_OUTPUT, WHITE_OUTPUT)
        scores = flat[np.arange(len(flat)), outputs].astype(np.float64)
        return _shares(flat[:, OWNER_OUTPUT]), scores

    def _logits(self, words: Words) -> Planes:
        """[B, outputs, N, N] of boards of one size."""
        if self._boards is not None:
            return self._boards(words, self._plan(int(words.flat[SIZE])))
        return self._kernel.logits(self.planes(words))

    def _ownership(self, words: Words) -> Planes:
        """The chance [B, N, N] that each point will be Black's."""
        if self._boards is not None:
            return _shares(self._logits(words)[:, OWNER_OUTPUT])
        return self._kernel.ownership(self.planes(words))

    def planes(self, words: Words) -> Planes:
        """What the net sees of these boards."""
        plan = self._plan(int(words.flat[SIZE]))
        return planes_of_boards(words, plan, recent_moves(words), self._scratch.get())

    def _plan(self, size: int) -> InputPlan:
        if size not in self._plans:
            self._plans[size] = plan_inputs(self.inputs, size, *self.tables)
        return self._plans[size]

    @property
    def tensors(self) -> Tensors:
        """The net's weights and the tables."""
        return self.arrays | pack_tables(self.tables)

    def config(self, folder: Path) -> TerritoryConfig:  # noqa: ARG002
        """What `config.json` is to say."""
        hidden, states = self._width()
        layers = len({name.split(".")[1] for name in self.arrays if name.startswith("layers.")})
        large = self.tables.large
        return TerritoryConfig(
            self.inputs,
            hidden,
            states,
            layers,
            MOVE_NET_OUTPUTS if self.predicts_moves else 1,
            {str(size): value for size, value in self.temperatures.items()},
            self.net,
            self.knows_owners,
            0 if large is None else len(large.key).bit_length() - 1,
            self.training,
        )

    def _width(self) -> tuple[int, int]:
        """(hidden units, states)."""
        if self.net is NetKind.CONVOLUTION:
            return len(self.arrays["layers.0.bias"]), 1
        hidden, states = self.arrays["layers.0.corner.out.weight"].T.shape
        return hidden, states

    @classmethod
    def of_config(cls, config: TerritoryConfig, folder: Path) -> "Territory":
        """The model that a config means, with the weights of a folder; raises KatachiError."""
        if config.outputs not in (1, MOVE_NET_OUTPUTS):
            raise KatachiError(f"{folder} has a net of {config.outputs} outputs: use 1 or 3")
        temperatures = _read_temperatures(folder, config.temperatures)
        expected: Forms = {name: ("float32", shape) for name, shape in array_shapes(config).items()}
        tables, shared = table_forms(config), config.shared_tables
        tensors: Any = read_tensors(folder, expected if shared else expected | tables)
        arrays = {name: tensors[name] for name in expected}
        kept = read_shared(shared, tables) if shared else tensors
        model = cls(config.inputs, arrays, unpack_tables(kept))
        model.temperatures = temperatures
        model.knows_owners = config.knows_owners
        return model


def _shares(logits: Planes) -> Planes:
    """Chances of logits."""
    with np.errstate(over="ignore"):  # a point that is surely White's
        return np.asarray(1.0 / (1.0 + np.exp(-logits)), np.float32)


def table_forms(config: TerritoryConfig) -> Forms:
    """The names, types and shapes of the tables that a model's inputs need."""
    forms: Forms = {}
    if needs_propensity(config.inputs):
        forms[_SCORE] = "int8", (CLASSES, PATTERNS, PLACES)
        forms[_TRUST] = "uint8", (CLASSES, PATTERNS)
    if needs_large(config.inputs):
        forms[_LARGE_KEY] = "uint64", (1 << config.large_bits,)
        forms[_LARGE_SCORE] = "int8", (1 << config.large_bits,)
    return forms


def pack_tables(tables: Tables) -> Tensors:
    """The tables as a model stores them."""
    tensors: Tensors = {}
    if tables.windows is not None:
        tensors[_SCORE], tensors[_TRUST] = pack_table(tables.windows)
    if tables.large is not None:
        tensors[_LARGE_KEY] = tables.large.key
        tensors[_LARGE_SCORE] = pack_scores(tables.large.score)
    return tensors


def unpack_tables(tensors: Any) -> Tables:
    """The tables that a model stores; raises KatachiError for one that cannot be."""
    windows = large = None
    if _SCORE in tensors:
        windows = unpack_table(PackedTable(tensors[_SCORE], tensors[_TRUST]))
    if _LARGE_KEY in tensors:
        scores = unpack_scores(tensors[_LARGE_SCORE])
        large = check_table(LargeTable(tensors[_LARGE_KEY], scores))
    return Tables(windows, large)


def _read_temperatures(folder: Path, found: dict[str, float]) -> dict[int, float]:
    for size, value in found.items():
        is_size = size.isdecimal() and len(size) <= len(str(MAX_SIZE))
        if not (is_size and MIN_SIZE <= int(size) <= MAX_SIZE and 0 < value < math.inf):
            raise KatachiError(f"{folder} holds no temperature: {value} for size {size[:20]!r}")
    return {int(size): value for size, value in found.items()}
