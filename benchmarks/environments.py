# pyright: reportMissingImports=false
# jax and pgx are not among the development tools.
"""Steps a second of environments, against PettingZoo's own Go, OpenSpiel's states in Python and pgx
on the CPU.

    python benchmarks/environments.py [--json]

Every side plays uniformly random legal actions, the pass among them, and begins again when a game
ends. A step is a move with what comes after it: reward, legal actions and the observation; the
last line of OpenSpiel leaves its observation out. pgx steps as many games as ours in one compiled
call, and draws its actions there. Ours and the peers take turns in one process, by CPU time of all
threads, and the best round of each counts. A peer that is not installed is left out.
"""

import random
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from _report import Measurement, measured_versions, read_options, show

from katachi import envs

SIZE = 9
COUNT = 512
ROUNDS = 5
STEPS = {
    "ours": 800 * COUNT,
    "PettingZoo": 1000,
    "OpenSpiel": 50_000,
    "OpenSpiel, legal actions only": 100_000,
    "pgx": 20 * COUNT,
}
IN_BATCHES = ("ours", "pgx")
OTHER_STEPS = 5000


def step_ours() -> Callable[[int], None]:
    """Steps of many games in one call."""
    games = envs.vector(SIZE, COUNT)
    games.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps // COUNT):
            games.step(games.sample_actions())

    return play


def step_aec(env: Any) -> Callable[[int], None]:
    """Steps of an environment in PettingZoo's form."""
    source = random.Random(1)
    env.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            observation, _, ended, _, _ = env.last()
            if ended:
                env.reset()
                observation = env.last()[0]
            env.step(source.choice(np.flatnonzero(observation["action_mask"]).tolist()))

    return play


def pettingzoo_go() -> Any:
    """PettingZoo's own Go, without the wrappers that check each call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic.go.go import raw_env
    return raw_env(board_size=SIZE)


def step_openspiel(*, observes: bool) -> Callable[[int], None]:
    """Steps of OpenSpiel's states, with what the player to move sees or without."""
    import pyspiel

    game = pyspiel.load_game("go", {"board_size": SIZE})
    source = random.Random(1)

    def play(steps: int) -> None:
        state = game.new_initial_state()
        for _ in range(steps):
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            if observes:
                state.observation_tensor(state.current_player())
            state.apply_action(source.choice(state.legal_actions()))

    return play


def step_pgx() -> Callable[[int], None]:
    """Steps of many games in one compiled call."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(f"go_{SIZE}x{SIZE}")
    step_all = jax.vmap(auto_reset(env.step, env.init))

    def step(states: Any, key: Any) -> tuple[Any, Any]:
        key, drawing, beginning = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(drawing, logits, axis=1)
        return step_all(states, actions, jax.random.split(beginning, COUNT)), key

    compiled = jax.jit(step)
    key = jax.random.PRNGKey(1)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, COUNT))

    def play(steps: int) -> None:
        nonlocal states, key
        for _ in range(steps // COUNT):
            states, key = compiled(states, key)
        jax.block_until_ready(states)

    return play


def sides() -> dict[str, Callable[[int], None]]:
    """What can be measured here."""
    found = {"ours": step_ours()}
    if find_spec("pettingzoo"):
        found["ours, AEC"] = step_aec(envs.aec(SIZE))
        if find_spec("pygame"):
            found["PettingZoo"] = step_aec(pettingzoo_go())
    if find_spec("pyspiel"):
        found["OpenSpiel"] = step_openspiel(observes=True)
        found["OpenSpiel, legal actions only"] = step_openspiel(observes=False)
    if find_spec("pgx"):
        found["pgx"] = step_pgx()
    return found


def rate(play: Callable[[int], None], steps: int) -> float:
    """Steps a second of one round."""
    begin = time.process_time()
    play(steps)
    return steps / (time.process_time() - begin)


def main() -> None:
    """Ours against each peer."""
    read_options()
    versions = measured_versions("pettingzoo", "open_spiel", "pgx", "jax")
    playing = sides()
    for name, play in playing.items():
        play(COUNT if name in IN_BATCHES else 20)
    rates: dict[str, list[float]] = {name: [] for name in playing}
    for _ in range(ROUNDS):
        for name, play in playing.items():
            rates[name].append(rate(play, STEPS.get(name, OTHER_STEPS)))
    settings = {"size": SIZE, "games": COUNT, "rounds": ROUNDS, "seed": 1, "clock": "CPU"}
    for ours in ("ours", "ours, AEC"):
        for peer in playing:
            # pgx plays many games a call, the AEC environment one.
            is_fair = peer != "pgx" or ours == "ours"
            if ours in rates and is_fair and not peer.startswith("ours"):
                show(compared(f"{ours} v {peer}", rates[ours], rates[peer], settings), versions)


def compared(
    title: str, ours: list[float], peers: list[float], settings: dict[str, object]
) -> Measurement:
    """The best round of each side, and the smallest and largest ratio within a round."""
    ratios = [mine / other for mine, other in zip(ours, peers, strict=True)]
    return Measurement(
        f"environment {SIZE}x{SIZE}, {title}",
        max(ours),
        max(peers),
        max(ours) / max(peers),
        settings,
        unit="steps/s",
        interval=(min(ratios), max(ratios)),
    )


if __name__ == "__main__":
    main()
