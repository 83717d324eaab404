"""Go for two learning agents in PettingZoo's form (AEC)."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from katachi.envs.actions import action_mask, check_limit, point_from_action
from katachi.envs.spaces import RENDER_MODES, check_render_mode, plane_space
from katachi.errors import KatachiError
from katachi.features.observation import observation_planes
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import diagram_from_colors
from katachi.rules.game import Game
from katachi.rules.ruleset import Rules, check_komi

AGENTS = ("black_0", "white_0")
COLORS = {"black_0": BLACK, "white_0": WHITE}


class GoAecEnv(AECEnv):  # type: ignore[misc]  # has no types
    """One game by two agents in turn (`katachi.envs.aec`).

    An observation is a dictionary: `observation` [6, size, size] and `action_mask`
    [size * size + 1], which is empty for the agent that is not to move.
    """

    metadata = {  # noqa: RUF012 (the package's)
        "name": "katachi_go_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        size: int,
        komi: float,
        render_mode: str | None,
        rules: Rules | None,
        limit: int | None,
    ) -> None:
        """Raises KatachiError for a size, komi, limit or render mode that cannot be."""
        super().__init__()
        self.game = Game(size, check_komi(komi), rules)
        self.limit = check_limit(limit, size)
        self.render_mode = check_render_mode(render_mode)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        actions = size * size + 1
        self.observation_spaces = {agent: self._space(actions) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}

    def _space(self, actions: int) -> spaces.Dict:
        mask = spaces.Box(0, 1, (actions,), np.int8)
        return spaces.Dict({"observation": plane_space(self.game.size), "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The points row by row, and the pass."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. Nothing is left to chance: `seed` and `options` change nothing."""
        del seed, options
        self.game.clear()
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, Any]:
        """The board as an agent sees it, and its legal actions where it is to move."""
        if self.agent_selection == agent:
            mask = action_mask(self.game)
        else:
            mask = np.zeros(self.game.size * self.game.size + 1, np.int8)
        return {"observation": observation_planes(self.game, COLORS[agent]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays for the agent whose turn it is; None once the game is over. A move that the rules
        forbid loses."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        other = AGENTS[1 - AGENTS.index(agent)]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        reward = self._play(agent, -1 if action is None else int(action))
        if reward is not None:
            self.rewards = {agent: reward, other: -reward}
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = other
        self._accumulate_rewards()

    def _play(self, agent: str, action: int) -> float | None:
        """The agent's reward where the game is over, else None."""
        try:
            self.game.play(COLORS[agent], point_from_action(action, self.game.size))
        except KatachiError as error:
            self.infos[agent]["illegal"] = str(error)
            return -1.0
        if not self.game.is_over and len(self.game.moves) < self.limit:
            return None
        margin = self.game.area_score()
        return float(np.sign(margin if COLORS[agent] == BLACK else -margin))

    def render(self) -> str | None:
        """The board as text."""
        if self.render_mode is None:
            return None
        return diagram_from_colors(self.game.colors, self.game.size, self.game.last_point)

    def close(self) -> None:
        """Nothing to end."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
