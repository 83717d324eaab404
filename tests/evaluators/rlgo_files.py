"""Weight files in the form of RLGO 2.5, with weights of our own."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from katachi.evaluators.rlgo import count_weights

SETS = (
    "(LocalShape-1x1-LI+LocalShape-1x1-LD+LocalShape-2x2-LI+LocalShape-2x2-LD"
    "+LocalShape-3x3-LI+LocalShape-3x3-LD)"
)


def random_weights(size: int, seed: int = 1) -> npt.NDArray[np.float32]:
    """As many weights as a board has, about as large as RLGO's."""
    random = np.random.default_rng(seed)
    return random.normal(0.0, 0.05, count_weights(size)).astype(np.float32)


def file_bytes(weights: npt.NDArray[np.float32]) -> bytes:
    """What RLGO would write."""
    header = f"Version = 2\nFeatureSet = {SETS}\nNumSaved = {len(weights)}\n"
    return header.encode() + weights.astype("<f4").tobytes()


def write_file(path: Path, size: int, seed: int = 1) -> Path:
    """A file of random weights for a board."""
    path.write_bytes(file_bytes(random_weights(size, seed)))
    return path
