"""A convolutional RBM as one would write it first: two-dimensional convolutions, and sums over all
states of the hidden units where a sum is asked for."""

from itertools import product

import torch
from torch import Tensor
from torch.nn import functional

TURNS = [(transposed, flips) for transposed in (False, True) for flips in ([], [2], [3], [2, 3])]


def turned_weights(weight: Tensor) -> list[Tensor]:
    """A set of kernels [K, C, S, S] in its eight orientations, in no agreed order."""
    return [
        torch.flip(weight.transpose(2, 3) if transposed else weight, flips)
        for transposed, flips in TURNS
    ]


def obvious_activations(boards: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """[B, K, M, M]."""
    return functional.conv2d(boards, weight, bias)


def obvious_top_down(hidden: Tensor, weight: Tensor, visible_bias: Tensor) -> Tensor:
    """[B, C, N, N]."""
    return functional.conv_transpose2d(hidden, weight) + visible_bias[:, None, None]


def obvious_statistics(boards: Tensor, chances: Tensor) -> Tensor:
    """[K, C, S, S]: how often each cell of a window is on together with a hidden unit, a window."""
    swapped = functional.conv2d(boards.transpose(0, 1), chances.transpose(0, 1))
    return swapped.transpose(0, 1) / (len(boards) * chances.shape[2] ** 2)


def obvious_step(boards: Tensor, weight: Tensor, biases: tuple[Tensor, Tensor]) -> Tensor:
    """[K, C, S, S]: what one step of contrastive divergence wants of the weights of a machine with
    multinomial units."""
    hidden_bias, visible_bias = biases
    chances = torch.sigmoid(obvious_activations(boards, weight, hidden_bias))
    hidden = torch.bernoulli(chances)
    signal = obvious_top_down(hidden, weight, visible_bias).permute(0, 2, 3, 1)
    channels = torch.multinomial(signal.softmax(3).flatten(0, 2), 1).view(signal.shape[:3])
    made = functional.one_hot(channels, boards.shape[1]).permute(0, 3, 1, 2).float()
    made_chances = torch.sigmoid(obvious_activations(made, weight, hidden_bias))
    return obvious_statistics(boards, chances) - obvious_statistics(made, made_chances)


def obvious_free_energy(board: Tensor, kernels: Tensor, biases: tuple[Tensor, Tensor]) -> float:
    """Of one board [C, N, N]: minus the log of the sum over every state of the hidden units."""
    hidden_bias, visible_bias = biases
    activations = obvious_activations(board[None], kernels, hidden_bias).double().flatten()
    states = torch.tensor(list(product((0.0, 1.0), repeat=len(activations))), dtype=torch.float64)
    energies = -(states @ activations) - (visible_bias[:, None, None] * board).sum().double()
    return float(-torch.logsumexp(-energies, 0))
