"""Go for one learning agent against a player, in Gymnasium's form."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from katachi.envs.actions import action_mask, check_limit, point_from_action
from katachi.envs.spaces import RENDER_MODES, check_render_mode, plane_space
from katachi.errors import KatachiError
from katachi.features.observation import Planes, observation_planes
from katachi.players.names import check_board, check_steady
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.diagram import diagram_from_colors
from katachi.rules.game import Game
from katachi.rules.ruleset import check_komi

COLORS = {"black": BLACK, "white": WHITE}

Answer = tuple[Planes, dict[str, Any]]


class GoEnv(gymnasium.Env[Planes, Any]):
    """One agent against a player of any name: `gymnasium.make("katachi/Go-v0")`.

    `info["action_mask"]` and `action_masks()` say which actions are legal.

    >>> import gymnasium, katachi.envs
    >>> env = gymnasium.make("katachi/Go-v0", size=5, opponent="alp")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(12)
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012 (the package's)

    def __init__(
        self,
        size: int = 9,
        opponent: str | Player = "alp",
        color: str = "black",
        komi: float = 7.5,
        limit: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """`opponent` is a player's name, or a player, which is never closed here. `color` is the
        agent's: black, white, or random for a new one at each reset.

        Raises KatachiError for a player, a size or another setting that cannot be.
        """
        self.game = Game(size, check_komi(komi))
        self.limit = check_limit(limit, size)
        self.render_mode = check_render_mode(render_mode)
        if color not in (*COLORS, "random"):
            raise KatachiError(f"colour {color!r}: use {', '.join(COLORS)} or random")
        self._side = color
        self._name = opponent if isinstance(opponent, str) else ""
        if self._name:
            check_board(self._name, size)
            check_steady(self._name)
        self._player = make_player(self._name) if isinstance(opponent, str) else opponent
        self.color = COLORS.get(color, BLACK)
        self.observation_space: Any = plane_space(size)
        self.action_space = spaces.Discrete(size * size + 1)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Answer:
        """Begins a game, and lets the opponent move first where the agent is White. Equal seeds
        give equal opponents; `options` may hold another `color` for this game."""
        super().reset(seed=seed)
        if seed is not None and self._name:
            self._player.close()
            self._player = make_player(self._name, int(self.np_random.integers(1 << 62)))
        self._choose_side((options or {}).get("color", self._side))
        self.game.clear()
        self._is_over = False
        if self.color == WHITE:
            self._answer()
        return observation_planes(self.game, self.color), self._info()

    def _choose_side(self, color: str) -> None:
        if color == "random":
            self.color = (BLACK, WHITE)[int(self.np_random.integers(2))]
        elif color in COLORS:
            self.color = COLORS[color]
        else:
            raise KatachiError(f"colour {color!r}: use {', '.join(COLORS)} or random")

    def step(self, action: int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's answer; a move that the rules forbid loses.

        Raises KatachiError where the game is over, and where the opponent fails.
        """
        if self._is_over:
            raise KatachiError("the game is over: call reset first")
        reward = self._play(int(action))
        info = self._info()
        if reward is None:
            reward = self._answer()
            info = self._info()
        self._is_over = reward is not None
        seen = observation_planes(self.game, self.color)
        return seen, reward or 0.0, self._is_over, False, info

    def _play(self, action: int) -> float | None:
        """The agent's reward where its move ends the game, else None."""
        if not 0 <= action <= self.game.size**2 or not self.action_masks()[action]:
            return -1.0
        self.game.play(self.color, point_from_action(action, self.game.size))
        return self._result()

    def _answer(self) -> float | None:
        """The agent's reward where the opponent's move ends the game, else None."""
        color = opponent(self.color)
        choice = self._player.choose(self.game, color)
        if choice.failure is not None:
            raise choice.failure
        if choice.point is None:
            return 1.0
        self.game.play(color, choice.point)
        return self._result()

    def _result(self) -> float | None:
        if not self.game.is_over and len(self.game.moves) < self.limit:
            return None
        margin = self.game.area_score()
        return float(np.sign(margin if self.color == BLACK else -margin))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": action_mask(self.game)}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, [size * size + 1]: the form of masked PPO."""
        return action_mask(self.game).astype(np.bool_)

    def render(self) -> str | None:
        """The board as text."""
        if self.render_mode is None:
            return None
        return diagram_from_colors(self.game.colors, self.game.size, self.game.last_point)

    def close(self) -> None:
        """Ends the opponent that was made here."""
        if self._name:
            self._player.close()
