"""S1-agents: the paper's final agents (section 10), learned as it says, on a ladder as S1-F5's.

Shapes, and shapes with liberties, learn from equally many games, by online cascade, squared loss
and one step size, on boards that grow after a fixed number of games.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from katachi.experiments.bounds import Amount, BoardSize, Count, Rate
from katachi.experiments.protocol import Experiment, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s1_local_shape import ratings, trials
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings

SHAPES = "1x1-3x3:LI+LD"
AGENTS = {"B": SHAPES, "L": f"{SHAPES},{SHAPES}:liberty"}


class AgentSettings(ratings.RatingSettings, frozen=True, kw_only=True):
    """How the agents learn, beyond whom they meet; the players of B, L and S are made here."""

    shapes: str = ""
    """B, made by this study."""
    liberties: str = ""
    """L, made by this study."""
    searching: str = ""
    """S, B with alpha-beta, made by this study."""
    first_size: BoardSize = 5
    """The board at which learning begins; it ends at `size`."""
    games: Count = 100_000
    """Games of each agent at each size."""
    alpha: Rate = 0.1
    """Step size."""
    plies: Count = 3
    """How deep S searches."""
    met: tuple[str, ...] = ("alp", "influence")
    """Players of ours that each learned player meets: its neighbours below."""
    level_games: Amount = 400
    """Games of each learned player with every other level of GNU Go, whoever are neighbours."""
    neighbour_games: Amount = 100
    """Games of any two neighbours in the ranking at least; those who learned have more."""

    def training(self, name: str, seed: int) -> TrainingSettings:
        """How an agent learns on its first board."""
        return TrainingSettings(
            size=self.first_size,
            sets=AGENTS[name],
            alpha=self.alpha,
            komi=self.komi,
            cascade=True,
            seed=seed,
        )


QUICK = AgentSettings(
    size=6,
    games=20,
    plies=1,
    gnugo_levels=(),
    opening_moves=2,
    learned_games=2,
    anchor_games=2,
    neighbour_games=2,
)


class Made(msgspec.Struct, frozen=True):
    """A model that has learned."""

    folder: str
    games: int


def measure(settings: AgentSettings, task: Task) -> Made:
    """Lets one kind of agent learn, from the smallest board to the largest, and keeps it."""
    trainer = ShapeTrainer(settings.training(task.key["agent"], task.seed))
    trainer.learn(settings.games)
    for size in range(settings.first_size + 1, settings.size + 1):
        trainer = trainer.grown(size)
        trainer.learn(settings.games)
    model = trainer.agents[0]
    games = settings.games * (1 + settings.size - settings.first_size)
    model.training = {"games": games}
    kept = task.folder / f"S1-agents-{task.key['agent']}-{task.behaviour}-{task.seed}"
    model.save(kept, f"# {task.key['agent']}, {games:,} games, board growing, cascade\n")
    return Made(str(kept), games)


def run(settings: AgentSettings, seed: int, runner: Runner) -> Table:
    """Learns, then plays what the ladder still lacks."""
    trainings = [settings.training(name, 1) for name in AGENTS]
    behaviour = trials.behaviour_of(trainings, settings.size)
    tasks = tasks_of(cross(agent=AGENTS))
    found = runner.measure_all(Study("S1-agents", settings, seed, tasks, measure, behaviour))
    players = {name: f"shape:{Path(found.one(agent=name).folder)}" for name in AGENTS}
    asked = msgspec.structs.replace(
        settings,
        shapes=players["B"],
        liberties=players["L"],
        searching=f"search:{settings.plies}:{players['B']}",
    )
    table = ratings.rate_players(asked, seed, runner, "S1-agents")
    games = found.one(agent="B").games
    note = (
        f"B learned with {AGENTS['B']}, L with liberty sets too, S is B with {settings.plies} "
        f"plies of alpha-beta; each from {games:,} games, {settings.games:,} at each size from "
        f"{settings.first_size} to {settings.size}: squared loss, step size {settings.alpha:g}, "
        "cascade, the last weights of the first agent of a pair."
    )
    return msgspec.structs.replace(
        table,
        notes=[note, *table.notes, trials.BY_GAME],
        report=_without(Path(found.one(agent="B").folder).parent, table.report),
    )


def _without(folder: Path, report: dict[str, Any]) -> dict[str, Any]:
    """A ladder's report that names models, not where they lay; digests are of what it says."""
    text = msgspec.json.encode(report).replace(f"{folder}/".encode(), b"")
    named: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    for player in named["ranking"]:
        player["digest"] = sha256(player["configuration"].encode()).hexdigest()
    return named


EXPERIMENT = Experiment(AgentSettings(), QUICK, run, ratings.draw, ratings.judge)
