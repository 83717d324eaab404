"""Your own features, weighed by temporal differences: python examples/own_features.py.

The same on the command line, in a folder RUN that keeps what was learned:
  katachi train linear --features python:examples/own_features.py:counts --teacher self --out RUN
  katachi match RUN+python:examples/own_features.py:counts random
"""

import numpy as np
import numpy.typing as npt

import katachi
from katachi.evaluators.linear import Linear
from katachi.features.plugin_features import PluginFeatures
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer


def counts(boards: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """[B, 3] of boards [B, size, size], 1 an own stone, -1 another's: stones, pairs, edges."""
    pairs = boards[:, 1:] * boards[:, :-1] * (boards[:, 1:] + boards[:, :-1]) / 2
    edges = boards[:, [0, -1], :]
    return np.stack([each.sum(axis=(1, 2)) for each in (boards, pairs, edges)], axis=1)


if __name__ == "__main__":
    model = Linear([PluginFeatures("counts", f"{__file__}:counts")], size=5)
    settings = LinearSettings(size=5, source=GameSource.SELF, alpha=0.01)
    LinearTrainer(settings, model).learn(300)
    print("weights of stones, pairs and edges:", np.round(model.parts[0].theta, 2))
    result = katachi.match(katachi.load_player(model), "random", 20, katachi.GameSettings(size=5))
    print(f"they win {result.tally.wins} of {result.tally.games} games against random")
