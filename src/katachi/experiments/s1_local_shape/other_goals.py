"""S1-goals: local shape learned for other goals than to win: to capture, to connect, to surround
territory (future work)."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.bounds import BoardSize, Count, Komi, Rate, Share
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.shape_training import ShapeTrainer, SourceKind, TrainingSettings, terms_of
from katachi.learning.sources import AgentGames, GameTerms, Seat
from katachi.pictures.charts import Line, draw_panels
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.state import BLOCK, colors_of
from katachi.statistics import T_INTERVAL

REACHED = Quantity("goal reached against an agent that learned to win", "%", 1)
WON = Quantity("won against it", "%", 1)
ALIKE = Quantity("correlation of their weights", "", 3)
WIN, CAPTURE, CONNECT, TERRITORY = "win", "capture", "connect", "territory"
CLAIMS = {
    CAPTURE: "captures more stones than it",
    CONNECT: "has more stones in one block than it",
    TERRITORY: "surrounds more empty points than it",
}
TEST_NUMBERS = 1 << 30
"""From here on games are numbered that nobody learns from."""


def _stones(game: Game, color: int) -> npt.NDArray[np.int64]:
    """The points with stones of a colour."""
    points = points_of(game.size).astype(np.int64)
    return np.asarray(points[colors_of(game.words) == color])


def largest_block(game: Game, color: int) -> int:
    """How many stones the largest block of a colour has."""
    roots = game.words[BLOCK + _stones(game, color)]
    return int(np.unique(roots, return_counts=True)[1].max(initial=0))


def _captures(game: Game, _: float) -> float:
    black, white = game.captures
    return float(black - white)


def _connection(game: Game, _: float) -> float:
    return float(largest_block(game, BLACK) - largest_block(game, WHITE))


def _territory(game: Game, _: float) -> float:
    stones = len(_stones(game, BLACK)) - len(_stones(game, WHITE))
    return float(count_filled_area(game.words) - stones)


def _area(game: Game, komi: float) -> float:
    return float(count_filled_area(game.words) - komi)


GOALS: dict[str, Callable[[Game, float], float]] = {
    WIN: _area,
    CAPTURE: _captures,
    CONNECT: _connection,
    TERRITORY: _territory,
}
"""By how much Black has reached each goal in a game with this komi that was played out."""


class GoalGames(AgentGames):
    """Games whose outcome is who has reached a goal."""

    def __init__(
        self, agents: tuple[LocalShape, LocalShape], learners: int, terms: GameTerms, goal: str
    ) -> None:
        """So many of the agents learn; one that plays itself is both."""
        first, second = (Seat(each, terms.epsilon) for each in agents)
        super().__init__((first, second), (0,) * learners, terms)
        self._goal, self._komi = GOALS[goal], terms.komi

    def margin(self, game: Game) -> float:
        """By how much Black has reached the goal; below 0, White."""
        return self._goal(game, self._komi)


class GoalSettings(Settings, frozen=True, kw_only=True):
    """How agents learn and meet."""

    runs: Count = 8
    """Independent runs of each goal."""
    goals: tuple[str, ...] = (CAPTURE, CONNECT, TERRITORY)
    """What is learned beside winning."""
    sets: str = "1x1-3x3:LI"
    """Shape sets."""
    size: BoardSize = 5
    """Board size."""
    komi: Komi = 7.5
    """What White is given where agents learn to win."""
    games: Count = 20_000
    """Games of each agent against itself."""
    alpha: Rate = 0.1
    """Step size."""
    epsilon: Share = 0.1
    """Share of random moves, also of the matches."""
    match_games: Count = 400
    """Games of each agent against one that learned to win."""


QUICK = GoalSettings(runs=2, goals=(CAPTURE, CONNECT), sets="1x1-2x2:LI", games=20, match_games=4)


class Met(msgspec.Struct, frozen=True):
    """What came of one agent."""

    reached: float
    won: float
    """Percentages of its games against the agent that learned to win."""
    alike: float


@cache
def learn_goal(settings: GoalSettings, goal: str, seed: int) -> LocalShape:
    """An agent that has learned by play against itself to reach a goal."""
    wanted = TrainingSettings(
        sets=settings.sets,
        size=settings.size,
        komi=settings.komi,
        source=SourceKind.SELF,
        alpha=settings.alpha,
        epsilon=settings.epsilon,
        seed=seed,
    )

    def source(training: TrainingSettings, agents: list[LocalShape]) -> GoalGames:
        return GoalGames((agents[0], agents[0]), 2, terms_of(training), goal)

    trainer = ShapeTrainer(wanted, make_source=None if goal == WIN else source)
    trainer.learn(settings.games)
    return trainer.agents[0]


def meet(
    settings: GoalSettings, agents: tuple[LocalShape, LocalShape], goal: str, seed: int
) -> float:
    """Percentage of games in which the first agent reaches a goal, half for equal."""
    wanted = TrainingSettings(
        size=settings.size, komi=settings.komi, epsilon=settings.epsilon, seed=seed
    )
    games = GoalGames(agents, 1, terms_of(wanted), goal)
    points = [
        games.take(TEST_NUMBERS + number)[0].outcome for number in range(settings.match_games)
    ]
    return 100 * sum(points) / len(points)


def measure(settings: GoalSettings, task: Task) -> Met:
    """One agent, and one that learned to win with the same seed."""
    goal = task.key["goal"]
    agents = learn_goal(settings, goal, task.run), learn_goal(settings, WIN, task.run)
    seen = (agents[0].seen > 0) & (agents[1].seen > 0)
    mine, theirs = (each.weights[seen].astype(np.float64) for each in agents)
    alike = float(np.corrcoef(mine, theirs)[0, 1]) if seen.any() else 0.0
    return Met(
        meet(settings, agents, goal, task.seed), meet(settings, agents, WIN, task.seed), alike
    )


def run(settings: GoalSettings, seed: int, runner: Runner) -> Table:
    """Learns and matches every goal as often as the settings say."""
    tasks = tasks_of(cross(goal=settings.goals), settings.runs)
    probe = msgspec.structs.replace(settings, games=trials.PROBE_GAMES)
    learned = [learn_goal(probe, goal, 1).weights.tobytes() for goal in (WIN, *settings.goals)]
    behaviour = sha256(b"".join(learned)).hexdigest()[:16]
    study = Study("S1-goals", settings, seed, tasks, measure, behaviour)
    rows = runner.measure_all(study).rows(_rows)
    notes = [
        f"Each agent learns from {settings.games:,} games against itself, {settings.sets} at "
        f"{settings.size}x{settings.size}, TD(0); what it learns from is who has reached its goal "
        "when the board is filled: more stones captured, more in one block, more empty points "
        "surrounded (half where both have as much). It then meets an agent that learned to win "
        f"with the same seed, {settings.match_games} games, both with epsilon "
        f"{settings.epsilon:g}.",
        "Weights are compared over shapes that both have seen. Nobody passes who has a move that "
        f"fills no own eye. {T_INTERVAL}",
        "The paper names other goals as future work and has no numbers to compare with.",
    ]
    return Table(quantities=[REACHED, WON, ALIKE], rows=rows, notes=notes)


def _rows(key: Key, runs: list[Met]) -> list[Row]:
    return [
        REACHED.mean(key, [each.reached for each in runs], (0, 100)),
        WON.mean(key, [each.won for each in runs], (0, 100)),
        ALIKE.mean(key, [each.alike for each in runs], (-1, 1)),
    ]


def judge(table: Table) -> list[Claim]:
    """Whether each agent reaches its goal more often than one that learned to win."""
    claims = []
    for row in table.rows_of(REACHED):
        goal = str(row.key["goal"])
        words = f"future work: an agent that learned to {VERBS[goal]} {CLAIMS[goal]}"
        ours = f"in {row.ours:.1f} % of the games"
        claims.append(judge_above((words, ours), number_of(row, 1, " %"), 50.0))
    return claims


VERBS = {CAPTURE: "capture", CONNECT: "connect", TERRITORY: "surround territory"}


def draw(table: Table, title: str) -> str:
    """How often goals are reached, and games won."""
    shown = (REACHED, WON)
    lines = (Line(50.0, "equal"),)
    head = "against an agent that learned to win"
    panel = panel_of(table, shown, Axes("goal"), head, 100.0, lines)
    names = ["goal reached", "won"]
    return draw_panels(title, f"mean of {table.rows[0].n} runs", names, [panel], 1)


EXPERIMENT = Experiment(GoalSettings(), QUICK, run, draw, judge)
