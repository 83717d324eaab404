"""S3-td: TD(0) by play against itself, to 60,000 games and more, over several feature maps."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator
from katachi.experiments.bounds import Count, Rate, Share
from katachi.experiments.protocol import Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.match import SIZE
from katachi.experiments.table_pictures import spot_of
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_matches import LinearTerms, play_linear_match
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.learning.shape_training import ShapeTrainer, SourceKind, TrainingSettings
from katachi.pictures.charts import Curves, Line, draw_panels
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.search.selectors import EpsilonGreedy

LABELS = ("{learner}, {games:,} games",)
AGAINST_ALP = Quantity("won against ALP", "%", 1)
AGAINST_2X2 = Quantity("won against 2x2 at the end", "%", 1)
WEIGHTS = Quantity("weights")
CRBM, TEMPLATES, LARGE, SHARED = "CRBM", "templates 2x2", "templates 3x3", "3x3 shared"
STEP_SIZES = {CRBM: 0.1, TEMPLATES: 0.1, LARGE: 0.1, SHARED: 0.1}
KOMI = 5.5
PLAYED_LIMIT = 3 * SIZE * SIZE
TERMS = GameSettings(SIZE, KOMI, opening_moves=0, move_limit=PLAYED_LIMIT)


class ConvergenceSettings(Settings, frozen=True, kw_only=True):
    """How long each learner plays, and how it is tested."""

    games: tuple[Count, ...] = (1000, 3000, 10000, 30000, 60000)
    """When the learners are tested; the last is where they end."""
    alphas: dict[str, Rate] = msgspec.field(default_factory=STEP_SIZES.copy)
    """Step size of each learner."""
    machine: learned_maps.RbmSettings = learned_maps.RbmSettings()
    """The RBM whose features are used."""
    epsilon: Share = 0.1
    """Share of random moves while learning."""
    test_games: Count = 200
    """Games against the average liberties player at each test, both greedy."""
    match_games: Count = 1000
    """Games between the learned models at the end, epsilon 0.10."""
    file: str = learned_maps.STARTER
    """The games that the RBM learns from."""


QUICK = ConvergenceSettings(
    games=(5, 10),
    machine=learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=20)),
    test_games=2,
    match_games=4,
)


class Course(msgspec.Struct, frozen=True):
    """What came of one learner."""

    wins: tuple[int, ...]
    """Against ALP at each test."""
    weights: int
    theta: str
    """Where its last weights are kept, beside the journal."""


def win_against_alp(evaluator: Evaluator, games: int, seed: int) -> int:
    """Wins of a greedy player in games against ALP, colours alternating."""

    def seats(number: int) -> tuple[Player, Player]:
        mine = EvaluatingPlayer("learner", evaluator, seed + number)
        return mine, make_player("alp", seat_seed(seed + number, 1))

    return play_games(seats, TERMS, games, seed).count(1.0)


def measure(settings: ConvergenceSettings, task: Task) -> Course:
    """One learner, tested as it goes."""
    name = task.key["learner"]
    if name == SHARED:
        return _measure_shared(settings, task)
    feature_map: FeatureMap = template_map(3 if name == LARGE else 2)
    if name == CRBM:
        paths = (task.require_file(settings.file),)
        feature_map = learned_maps.learned_map(task.folder, paths, settings.machine)
    play = LinearSettings(
        size=SIZE,
        source=GameSource.SELF,
        games=settings.games[-1],
        alpha=settings.alphas[name],
        epsilon=settings.epsilon,
        seed=task.seed,
    )
    trainer = LinearTrainer(play, Linear([feature_map], SIZE))
    weights = trainer.model().weight_count
    return _learn(settings, task, trainer.learn, trainer.model, weights)


def _measure_shared(settings: ConvergenceSettings, task: Task) -> Course:
    """3x3 shapes that share their weights wherever and however they lie, as S1 learns them."""
    wanted = TrainingSettings(
        sets="3x3:LI",
        size=SIZE,
        komi=KOMI,
        source=SourceKind.SELF,
        alpha=settings.alphas[SHARED],
        epsilon=settings.epsilon,
        seed=task.seed,
    )
    trainer = ShapeTrainer(wanted)
    weights = len(trainer.agents[0].weights)
    return _learn(settings, task, trainer.learn, lambda: trainer.agents[0], weights)


def _learn(
    settings: ConvergenceSettings,
    task: Task,
    learn: Callable[[int], object],
    model: Callable[[], Linear | LocalShape],
    weights: int,
) -> Course:
    """Learns from so many more games at a time, and tests the model; the last is kept."""
    wins, done = [], 0
    for goal in settings.games:
        learn(goal - done)
        done = goal
        wins.append(win_against_alp(model(), settings.test_games, task.seed))
    kept = task.folder / "S3-td-models" / task.setting.replace(" ", "-")
    model().save(kept, f"# {task.key['learner']}, {done:,} games against itself\n")
    return Course(tuple(wins), weights, str(kept))


def run(settings: ConvergenceSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    paths = (runner.require_file(settings.file),)
    tasks = tasks_of(cross(learner=settings.alphas))
    study = Study("S3-td", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    found = runner.measure_all(study)
    rows = []
    for key, [course] in found:
        rows.append(WEIGHTS.row(key, course.weights))
        for games, wins in zip(settings.games, course.wins, strict=True):
            rows.append(AGAINST_ALP.share(key | {"games": games}, wins, settings.test_games))
        if key["learner"] != TEMPLATES and TEMPLATES in settings.alphas:
            other = Path(found.one(learner=TEMPLATES).theta)
            rows.append(_match_row(key, Path(course.theta), other, settings, seed))
    notes = [
        "Each learner plays itself epsilon-greedily (0.10), TD(0) after each game, komi 5.5, games "
        "played out and counted by area; weights begin at zero. Step sizes: "
        + ", ".join(f"{name} {alpha:g}" for name, alpha in settings.alphas.items())
        + "; that of 3x3 shared is divided among the windows of a position, as local shape learns.",
        "CRBM: 105 kernels 3x3, multinomial units, learned from boards of GNU Go's games. 3x3 "
        "shared: one weight a shape, wherever and however it lies. Templates: one weight a "
        "template and place.",
        f"Tests: greedy against the average liberties player, {settings.test_games} games each; "
        "the match at the end with epsilon 0.10. 95 % intervals are Wilson's.",
        "The paper names 60,000 games as its future work and has no numbers to compare with.",
    ]
    return Table(
        quantities=[AGAINST_ALP, AGAINST_2X2, WEIGHTS], rows=rows, labels=LABELS, notes=notes
    )


def _match_row(key: Key, mine: Path, other: Path, settings: ConvergenceSettings, seed: int) -> Row:
    """The match of one learner against the templates."""
    second = Linear.load(other)
    if key["learner"] == SHARED:
        wins, games = _play_shared(LocalShape.load(mine), second, settings, seed)
        return AGAINST_2X2.share(key, wins, games)
    terms = LinearTerms(settings.match_games, settings.epsilon, KOMI, PLAYED_LIMIT, seed)
    score = play_linear_match(Linear.load(mine), second, terms)
    return AGAINST_2X2.share(key, score.wins, score.decided)


def _play_shared(
    first: LocalShape, second: Linear, settings: ConvergenceSettings, seed: int
) -> tuple[int, int]:
    """(wins, games) of shared shapes, by players of the arena that explore alike."""
    selector = EpsilonGreedy(settings.epsilon)
    games = min(settings.match_games, settings.test_games)

    def seats(number: int) -> tuple[Player, Player]:
        mine = EvaluatingPlayer("shared", first, seed + number, selector)
        return mine, EvaluatingPlayer("templates", second, seed - number - 1, selector)

    return play_games(seats, TERMS, games, seed).count(1.0), games


def draw(table: Table, title: str) -> str:
    """Wins against ALP as games are played."""
    learners = [str(name) for name in table.values("learner")]
    curves = [
        [
            spot_of(row, float(row.key["games"]) / 1000)
            for row in table.rows_of(AGAINST_ALP, learner=name)
        ]
        for name in learners
    ]
    lines = (Line(50.0, "equal"),)
    panel = Curves(AGAINST_ALP.name, "%", "thousand games", curves, 100.0, lines)
    return draw_panels(title, "TD(0) by play against itself, 9x9", learners, [panel])


EXPERIMENT = Experiment(ConvergenceSettings(), QUICK, run, draw)
