"""The environments of PettingZoo and Gymnasium keep those packages' promises."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from katachi import envs
from katachi.envs.one_agent import GoEnv
from katachi.errors import KatachiError
from katachi.players.protocol import Choice
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS


class Passing:
    """Passes, or resigns."""

    name = "passing"

    def __init__(self, *, resigns: bool = False) -> None:
        self.resigns = resigns

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        return Choice(None if self.resigns else PASS)

    def close(self) -> None:
        raise AssertionError("a player that was given is not closed")


def test_pettingzoo_takes_the_environment_of_two_agents() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package's own imports are deprecated by itself
        from pettingzoo.test import api_test, seed_test
    with warnings.catch_warnings():
        # Dictionaries with a mask are the form of its own board games, by a list of their names.
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Action mask numpy array is all zeros")
        api_test(envs.aec(5), num_cycles=200)
    seed_test(lambda: envs.aec(5), num_cycles=50)


def test_two_agents_play_to_the_end_of_the_game() -> None:
    env = envs.aec(3, komi=0.5, render_mode="ansi")
    env.reset(seed=1)
    for action in (4, 9, 9):
        env.step(action)
    assert env.rewards == {"black_0": 1.0, "white_0": -1.0}
    assert env.terminations == {"black_0": True, "white_0": True}
    assert env.render().count("X") == 1


def test_a_forbidden_move_of_an_agent_loses() -> None:
    env = envs.aec(3)
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards == {"black_0": 1.0, "white_0": -1.0}
    assert "occupied" in env.infos["white_0"]["illegal"]


@pytest.mark.parametrize("opponent", ["alp", "random"])
def test_gymnasium_takes_the_environment_of_one_agent(opponent: str) -> None:
    env = gymnasium.make("katachi/Go-v0", size=5, opponent=opponent, color="random")
    check_env(env.unwrapped)


def test_equal_seeds_give_equal_games_of_one_agent() -> None:
    seen = []
    for _ in range(2):
        env = GoEnv(5, "random", "random")
        observation, info = env.reset(seed=5)
        env.action_space.seed(2)
        boards = [observation]
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            observation, _, over, _, info = env.step(action)
            boards.append(observation)
        seen.append(boards)
    assert np.array_equal(seen[0], seen[1])


def test_one_agent_is_rewarded_by_its_own_colour() -> None:
    env = GoEnv(3, Passing(), "white", komi=0.5)
    env.reset()
    assert env.color == WHITE
    assert env.step(9)[1:4] == (1.0, True, False)
    with pytest.raises(KatachiError, match="call reset first"):
        env.step(9)
    env.reset(options={"color": "black"})
    assert env.color == BLACK
    assert env.step(4)[1:4] == (0.0, False, False)
    assert env.step(4)[1:4] == (-1.0, True, False)
    env.close()


def test_an_opponent_that_resigns_has_lost() -> None:
    env = GoEnv(3, Passing(resigns=True))
    env.reset()
    assert env.step(4)[1:3] == (1.0, True)


def test_wrong_settings_are_one_line() -> None:
    wrong: list[dict[str, Any]] = [{"opponent": "nobody"}, {"color": "red"}, {"size": 1}]
    for setting in wrong:
        with pytest.raises(KatachiError):
            GoEnv(**setting)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_katachi_alone_imports_neither_package() -> None:
    code = "import sys, katachi; katachi.Game(5); print([m for m in sys.modules if m in {}])"
    assert run(code.format(("gymnasium", "pettingzoo"))) == "[]"


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(KatachiError, match=r"pettingzoo is not installed: .*katachi\[env\]"):
        envs.aec(5)
