# pyright: reportMissingImports=false
"""An agent learns 5x5 Go against random moves: python examples/masked_ppo.py [STEPS].

It needs `pip install katachi[rl]`.
"""

import sys

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from katachi import envs

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
env = Monitor(gymnasium.make(envs.GYMNASIUM_NAME, size=5, opponent="random", komi=0.5))
agent = MaskablePPO("MlpPolicy", env, n_steps=1024, seed=1, device="cpu")


def share_won() -> float:
    """The agent's share of 200 games, by the move that it likes best."""
    reward, _ = evaluate_policy(agent, env, n_eval_episodes=200)
    return (1 + float(np.mean(reward))) / 2


before = share_won()
agent.learn(steps)
print(f"wins {before:.0%} before and {share_won():.0%} after {steps:,} steps")
