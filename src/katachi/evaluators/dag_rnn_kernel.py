"""A trained DAG-RNN without torch: logits of many positions in one call of one kernel.

The same sweeps as in training (`nets/sweeps.py`); the projections are matrix products of our own,
so that one core is used and no library's threads are woken.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.evaluators.scratch import PerThread
from katachi.nets.cell_inputs import fill_inputs
from katachi.nets.lanes import (
    BOARDS,
    LANES,
    PLANES,
    STEP,
    Floats,
    OutputScratch,
    OutputWeights,
    add_product,
    apply_logistic,
    give_logits,
    make_output_scratch,
    padded,
)
from katachi.nets.packing import (
    LayerWeights,
    NetWeights,
    layer_columns,
    pack_output,
    pack_projections,
    pack_steps,
)
from katachi.nets.sweeps import Cells, Scratch, StepWeights, make_scratch, sweep_forward

Arrays = Mapping[str, npt.NDArray[np.float32]]


class PackedLayer(NamedTuple):
    """One layer's weights as the kernel reads them, padded to whole steps; or those of several
    layers of one shape, each array with an axis more, which comes first."""

    corner: Floats
    """[4, hidden, inputs]."""
    side: Floats
    """[edge, directions * hidden, inputs]."""
    lateral: Floats
    """[4 * hidden, inputs]."""
    steps: StepWeights


class PackedNet(NamedTuple):
    """A whole net."""

    first: PackedLayer
    others: PackedLayer
    """All layers after the first, none or more: nets of any depth have one type."""
    output_inputs: Floats
    """[hidden, inputs]."""
    output: OutputWeights


class Room(NamedTuple):
    """Memory for one tile of boards."""

    inputs: Floats
    cells: Cells
    states: Floats
    hidden: Floats
    """Of the output net, [1, hidden, cells]."""
    logits: Floats
    seen: Floats
    """Inputs of four cells, as lanes."""
    made: Floats
    """What they give."""
    sweep: Scratch
    output: OutputScratch


@inlined
def _gather(source: Floats, line: tuple[int, int, int], first: int, seen: Floats, at: int) -> None:
    """Copies up to four cells of a line (start, step, count) of source [rows, cells, boards]."""
    start, step, count = line
    for row in range(source.shape[0]):
        for i in range(PLANES):
            cell = start + step * min(first + i, count - 1)
            to = np.uint64((at + row) * LANES + i * BOARDS)
            for board in range(BOARDS):
                seen[to + np.uint64(board)] = source[row, cell, board]


@kernel
def _project(
    weights: Floats,
    sources: tuple[Floats, Floats],
    line: tuple[int, int, int],
    out: Floats,
    scratch: tuple[Floats, Floats],
) -> None:
    """Fills out [units, cells of the line, boards] with weights [units, inputs] x inputs.

    Inputs are the rows of both sources [rows, cells, boards]; scratch: `Room.seen`, `Room.made`.
    """
    seen, made = scratch
    for first in range(0, line[2], PLANES):
        _gather(sources[0], line, first, seen, 0)
        _gather(sources[1], line, first, seen, sources[0].shape[0])
        for i in range(weights.shape[0] * LANES):
            made[np.uint64(i)] = 0
        add_product(made, 0, weights, seen, 0, LANES)
        for unit in range(out.shape[0]):
            for i in range(min(PLANES, line[2] - first)):
                at = np.uint64(unit * LANES + i * BOARDS)
                for board in range(BOARDS):
                    out[unit, first + i, board] = made[at + np.uint64(board)]


@kernel
def _run_layer(
    layer: PackedLayer, sources: tuple[Floats, Floats], size: int, states: Floats, room: Room
) -> None:
    """Fills `states` [1, 4, states, cells, boards] of a layer that sees both sources."""
    cells, scratch = room.cells, (room.seen, room.made)
    units, area = cells.corner.shape[2], size * size
    for sweep in range(PLANES):
        corner = (size - 1) * size * (sweep // 2) + (size - 1) * (sweep % 2)
        out = cells.corner[0, sweep].reshape(units, 1, BOARDS)
        _project(layer.corner[sweep], sources, (corner, 1, 1), out, scratch)
    for edge in range(4):
        far = (size - 1) * (edge % 2)
        line = (far * size, 1, size) if edge < 2 else (far, size, size)
        out = cells.side[0, edge].reshape(2 * units, size, BOARDS)
        _project(layer.side[edge], sources, line, out, scratch)
    out = cells.lateral[0].reshape(PLANES * units, area, BOARDS)
    _project(layer.lateral, sources, (0, 1, area), out, scratch)
    sweep_forward(layer.steps, cells, states, room.sweep)


@inlined
def _layer_of(layers: PackedLayer, number: int) -> PackedLayer:
    """One of several layers."""
    steps = layers.steps
    return PackedLayer(
        layers.corner[number],
        layers.side[number],
        layers.lateral[number],
        StepWeights(
            steps.side[number],
            steps.above[number],
            steps.before[number],
            steps.corner_out[number],
            steps.side_out[number],
            steps.lateral_out[number],
            steps.corner_bias[number],
            steps.side_bias[number],
            steps.lateral_bias[number],
        ),
    )


@kernel
def _run_tile(net: PackedNet, size: int, room: Room) -> None:
    """Fills `room.logits` from `room.inputs`."""
    area = size * size
    inputs = room.inputs[0].reshape(room.inputs.shape[1], area, BOARDS)
    units = room.states.shape[2] * PLANES
    nothing = inputs[:0]
    _run_layer(net.first, (inputs, nothing), size, room.states, room)
    # A layer's own states are written only after its projections have read those below.
    below = room.states[0].reshape(units, area, BOARDS)
    for number in range(len(net.others.lateral)):
        _run_layer(_layer_of(net.others, number), (inputs, below), size, room.states, room)
    hidden = room.hidden[0].reshape(room.hidden.shape[1], area, BOARDS)
    scratch = (room.seen, room.made)
    _project(net.output_inputs, (inputs, nothing), (0, 1, area), hidden, scratch)
    swept = room.states.reshape(1, units, area * BOARDS)
    give_logits(net.output, room.hidden, swept, room.logits, room.output)


@kernel
def _run_net(net: PackedNet, planes: Floats, windowed: int, room: Room, out: Floats) -> None:
    """Fills logits out [B, outputs, cells] of planes [B, C, size, size]."""
    size = planes.shape[2]
    for first in range(0, len(planes), BOARDS):
        fill_inputs(planes[first : first + BOARDS], windowed, room.inputs)
        _run_tile(net, size, room)
        for board in range(min(BOARDS, len(planes) - first)):
            for output in range(out.shape[1]):
                for cell in range(size * size):
                    logit = room.logits[0, output, cell * BOARDS + board]
                    out[first + board, output, cell] = logit


@kernel
def _apply_logistic(values: Floats, table: Floats) -> None:
    """Replaces all values; their number is a multiple of the lanes."""
    apply_logistic(values, 0, len(values) // LANES, table, LANES)


class DagRnnKernel:
    """A net that gives the logits of many boards of any one size, on one core."""

    def __init__(self, arrays: Arrays, windowed: int) -> None:
        """Takes the weights as `DagRnn.arrays` names them and how many planes are windowed."""
        output = _net_weights(arrays, "output")
        layers = [_layer_weights(arrays, number) for number in range(_count_layers(arrays))]
        self.windowed = windowed
        self.own: int = layers[0].corner.hidden.shape[1]
        first, follows = pack_output(output, self.own)
        packed = [self._pack(layer) for layer in layers]
        self._net = PackedNet(packed[0], _joined(packed), padded(first), follows)
        self._counts = (*layers[0].corner.out.T.shape, len(first))
        self.outputs = len(output.out)
        self._rooms: PerThread[dict[int, Room]] = PerThread(dict)

    @property
    def planes(self) -> int:
        """How many planes the net looks at."""
        return self.own - 8 * self.windowed

    def logits(self, planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Logits [B, outputs, N, N] of planes [B, C, N, N]; raises ValueError for another number of
        them."""
        if planes.ndim != 4 or planes.shape[1] != self.planes:
            raise ValueError(f"planes of shape [B, {self.planes}, N, N], not {planes.shape}")
        size = planes.shape[2]
        out = np.empty((len(planes), self.outputs, size * size), np.float32)
        values = np.ascontiguousarray(planes, np.float32)
        _run_net(self._net, values, self.windowed, self._room(size), out)
        return out.reshape(-1, self.outputs, size, size)

    def ownership(self, planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The chance [B, N, N] that each point will be Black's: the first output."""
        logits = self.logits(planes)[:, 0]
        found = np.zeros(logits.size + -logits.size % LANES, np.float32)
        found[: logits.size] = logits.ravel()
        _apply_logistic(found, self._room(planes.shape[2]).sweep.table)
        return found[: logits.size].reshape(logits.shape)

    def _room(self, size: int) -> Room:
        """This thread's memory for boards of a size."""
        rooms = self._rooms.get()
        if size not in rooms:
            rooms[size] = self._make_room(size)
        return rooms[size]

    def _pack(self, layer: LayerWeights) -> PackedLayer:
        columns = layer_columns(layer, self.windowed, self.own)
        found = pack_projections(layer, columns, self.own)
        inputs = found.corner.shape[2]
        return PackedLayer(
            np.stack([padded(matrix) for matrix in found.corner]),
            np.stack([padded(matrix) for matrix in found.side.reshape(4, -1, inputs)]),
            padded(found.lateral.reshape(-1, inputs)),
            pack_steps(layer),
        )

    def _make_room(self, size: int) -> Room:
        hidden, states, last = self._counts
        area = size * size

        def empty(*shape: int) -> Floats:
            return np.zeros(shape, np.float32)

        cells = Cells(
            empty(1, 4, hidden, BOARDS),
            empty(1, 4, 2, hidden, size, BOARDS),
            empty(1, 4, hidden, area, BOARDS),
        )
        net = self._net
        most = max(net.first.lateral.shape[1], net.others.lateral.shape[2])
        rows = max(net.first.lateral.shape[0], len(net.output_inputs))
        return Room(
            empty(1, self.own + 1, size, size, BOARDS),
            cells,
            empty(1, 4, states, area, BOARDS),
            empty(1, last, area * BOARDS),
            empty(1, self.outputs, area * BOARDS),
            empty((most + STEP) * LANES),
            empty(rows * LANES),
            make_scratch(size, hidden, states, np.dtype(np.float32)),
            make_output_scratch(self._net.output),
        )


def _joined(layers: list[PackedLayer]) -> PackedLayer:
    """All layers but the first as one."""
    steps = zip(*(layer.steps for layer in layers), strict=True)
    return PackedLayer(
        _stacked([layer.corner for layer in layers]),
        _stacked([layer.side for layer in layers]),
        _stacked([layer.lateral for layer in layers]),
        StepWeights(*(_stacked(list(parts)) for parts in steps)),
    )


def _stacked(arrays: list[Floats]) -> Floats:
    """All arrays but the first as one; none of the first's shape where it is alone."""
    return np.stack(arrays[1:]) if arrays[1:] else arrays[0][None][:0]


def _net_weights(arrays: Arrays, name: str) -> NetWeights:
    parts = ("hidden.weight", "hidden.bias", "out.weight", "out.bias")
    return NetWeights(*(np.ascontiguousarray(arrays[f"{name}.{part}"]) for part in parts))


def _layer_weights(arrays: Arrays, number: int) -> LayerWeights:
    names = (f"layers.{number}.{kind}" for kind in ("corner", "side", "lateral"))
    return LayerWeights(*(_net_weights(arrays, name) for name in names))


def _count_layers(arrays: Arrays) -> int:
    return len({name.split(".")[1] for name in arrays if name.startswith("layers.")})
