"""Your own evaluator against the average liberties player: python examples/own_evaluator.py.

The same on the command line: katachi match python:examples/own_evaluator.py:Center alp
"""

import numpy as np

import katachi


class Center:
    """Likes own stones, those near the centre most."""

    name = "center"

    def evaluate(self, states: katachi.BoardState) -> katachi.Evaluation:
        """Black's chance to win in each of B positions."""
        colors = katachi.colors_of(states.words)  # [B, size * size]
        size = int(np.sqrt(colors.shape[1]))
        away = np.abs(np.arange(size) - size // 2)
        weights = 1 / (1 + np.add.outer(away, away).ravel())
        lead = (colors == katachi.BLACK) @ weights - (colors == katachi.WHITE) @ weights
        return katachi.Evaluation(1 / (1 + np.exp(-lead)))


if __name__ == "__main__":
    player = katachi.load_player(Center(), seed=1)
    result = katachi.match(player, "alp", games=10, settings=katachi.GameSettings(size=5))
    print(f"center wins {result.tally.wins} of {result.tally.games} games against alp")
