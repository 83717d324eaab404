"""The weights of a DAG-RNN's nets, as tensors or as arrays."""

from typing import Any, NamedTuple


class NetWeights(NamedTuple):
    """One hidden layer of logistic units: H hidden units, O outputs."""

    hidden: Any
    """[H, inputs and then states of predecessors or of the four sweeps]."""
    hidden_bias: Any
    """[H]."""
    out: Any
    """[O, H]."""
    out_bias: Any
    """[O]."""


class LayerWeights(NamedTuple):
    """The nets of one layer of four sweeps."""

    corner: NetWeights
    side: NetWeights
    lateral: NetWeights
