"""Go as an environment for learning agents: many games in one call, PettingZoo and Gymnasium.

All of them have one form. An action is a point, row by row from the top left, or the pass, which
is the last action. What an agent sees are the planes of `katachi.observation_planes`; a mask says
which actions are legal. The reward is 1 for a win, -1 for a loss and 0 for a draw or while the
game goes on. Two passes end a game, and so does a move that the rules forbid, which loses, and the
last of `limit` moves (by default three times the points of the board); the board is counted as it
stands, all stones alive.

`import katachi.envs` makes `gymnasium.make("katachi/Go-v0")` known, where Gymnasium is installed.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from katachi.rules.ruleset import Rules

if TYPE_CHECKING:
    from katachi.envs.many_games import VectorGames

GYMNASIUM_NAME = "katachi/Go-v0"

__all__ = ["GYMNASIUM_NAME", "aec", "vector"]


def vector(
    size: int = 9,
    count: int = 1024,
    komi: float = 7.5,
    rules: Rules | None = None,
    limit: int | None = None,
) -> "VectorGames":
    """`count` games that are stepped in one call, and begin again by themselves when they end.

    Raises KatachiError for a size, a number of games or a komi that cannot be.

    >>> games = katachi.envs.vector(size=9, count=1000)
    >>> step = games.reset(seed=1)
    >>> step = games.step(games.sample_actions())
    >>> step.observations.shape, step.masks.shape, step.rewards.shape
    ((1000, 6, 9, 9), (1000, 82), (1000,))
    """
    from katachi.envs.many_games import VectorGames

    return VectorGames(size, count, komi, rules, limit)


def aec(
    size: int = 9,
    komi: float = 7.5,
    render_mode: str | None = None,
    rules: Rules | None = None,
    limit: int | None = None,
) -> Any:
    """A PettingZoo AEC environment of two agents, `black_0` and `white_0`.

    Raises KatachiError where PettingZoo is not installed.

    >>> env = katachi.envs.aec(size=9)
    >>> env.reset(seed=1)
    >>> int(env.observe("black_0")["action_mask"].sum())
    82
    """
    from katachi.envs.packages import need

    need("pettingzoo")
    from katachi.envs.two_agents import GoAecEnv

    return GoAecEnv(size, komi, render_mode, rules, limit)


def _register() -> None:
    """Makes the single agent's environment known to Gymnasium, once."""
    import gymnasium

    if GYMNASIUM_NAME not in gymnasium.registry:
        gymnasium.register(id=GYMNASIUM_NAME, entry_point="katachi.envs.one_agent:GoEnv")


if find_spec("gymnasium") is not None:
    _register()
