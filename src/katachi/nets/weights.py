"""The weights of a DAG-RNN's nets as tensors or arrays, parted by what they multiply."""

from typing import Any, NamedTuple


class NetWeights(NamedTuple):
    """One hidden layer of logistic units: H hidden units, O outputs."""

    inputs: Any
    """[H, inputs]."""
    states: Any
    """[H, states of predecessors or of the four sweeps]."""
    hidden_bias: Any
    out: Any
    """[O, H]."""
    out_bias: Any


class LayerWeights(NamedTuple):
    """The nets of one layer of four sweeps."""

    corner: NetWeights
    side: NetWeights
    lateral: NetWeights
