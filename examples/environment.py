"""Many games at once: where to begin at 5x5, by random games: python examples/environment.py."""

import numpy as np

import katachi.envs

games = katachi.envs.vector(size=5, count=1000, komi=0.5)
wins, played = np.zeros(games.actions), np.zeros(games.actions)
first = np.zeros(games.count, np.int64)
is_new = np.ones(games.count, bool)
games.reset(seed=1)
for _ in range(500):
    actions = games.sample_actions()
    first = np.where(is_new, actions, first)
    step = games.step(actions)  # games that end begin again by themselves
    is_new = step.ended
    np.add.at(played, first[is_new], 1)
    np.add.at(wins, first[is_new], step.margins[is_new] > 0)

print(
    f"Black's share of {played.sum():,.0f} random games, by where the first move was, in percent:"
)
print(np.round(100 * wins / np.maximum(played, 1)).astype(int)[:-1].reshape(5, 5))
