"""S3-td: TD(0) by play against itself, to 60,000 games and more, over several feature maps and
step sizes."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator
from katachi.experiments.bounds import Count, Rate, Share
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.learned_maps import SIZE
from katachi.experiments.table_pictures import Axes, panel_of, spot_of
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap, Floats
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_matches import LinearTerms, play_linear_match
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.learning.shape_training import ShapeTrainer, SourceKind, TrainingSettings
from katachi.pictures.charts import AnyPanel, Curves, Line, draw_panels
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.search.selectors import EpsilonGreedy
from katachi.statistics import T_INTERVAL

LABELS = ("{learner}, {games:,} games", "{learner}, step {step:g}")
AGAINST_ALP = Quantity("won against ALP", "%", 1)
BY_STEP = Quantity("won against ALP at the end", "%", 1)
AGAINST_2X2 = Quantity("won against 2x2 at the end", "%", 1)
WEIGHTS = Quantity("weights")
STEP = Quantity("step size", "", 3)
CRBM, SCALED, TEMPLATES = "CRBM", "CRBM centred and scaled", "templates 2x2"
LARGE, SHARED = "templates 3x3", "3x3 shared"
STEP_SIZES = {
    CRBM: (0.003, 0.01, 0.03, 0.1),
    SCALED: (0.003, 0.01, 0.03, 0.1),
    TEMPLATES: (0.01, 0.03, 0.1, 0.3),
    LARGE: (0.1, 0.3),
    SHARED: (0.03, 0.1, 0.3, 1.0),
}
KOMI = 5.5
PLAYED_LIMIT = 3 * SIZE * SIZE
TERMS = GameSettings(SIZE, KOMI, opening_moves=0, move_limit=PLAYED_LIMIT)


class ConvergenceSettings(Settings, frozen=True, kw_only=True):
    """How long each learner plays, and how it is tested."""

    runs: Count = 3
    """Trainings of each learner with each step size, with seeds of their own."""
    games: tuple[Count, ...] = (1000, 3000, 10000, 30000, 60000)
    """When the learners are tested; the last is where they end."""
    steps: dict[str, tuple[Rate, ...]] = msgspec.field(default_factory=STEP_SIZES.copy)
    """Step sizes of each learner."""
    machine: learned_maps.RbmSettings = learned_maps.RbmSettings()
    """The RBM whose features are used."""
    epsilon: Share = 0.1
    """Share of random moves while learning."""
    test_games: Count = 200
    """Games against the average liberties player at each test, both greedy."""
    match_games: Count = 1000
    """Games between the learned models at the end, epsilon 0.10."""
    file: str = learned_maps.GNUGO
    """The games that the RBM learns from."""


QUICK = ConvergenceSettings(
    runs=2,
    games=(5, 10),
    steps={name: steps[:1] for name, steps in STEP_SIZES.items()} | {CRBM: (0.01, 0.1)},
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
    play = LinearSettings(
        size=SIZE,
        source=GameSource.SELF,
        games=settings.games[-1],
        alpha=task.key["step"],
        epsilon=settings.epsilon,
        seed=task.seed,
    )
    feature_map, plain = _map_of(settings, task)
    trainer = LinearTrainer(play, Linear([feature_map], SIZE))
    weights = trainer.model().weight_count
    return _learn(settings, task, trainer.learn, lambda: plain(trainer.model()), weights)


def _map_of(
    settings: ConvergenceSettings, task: Task
) -> tuple[FeatureMap, Callable[[Linear], Linear]]:
    """(what a learner sees, what makes a model of its kind one that can be kept)."""
    name = task.key["learner"]
    if name in (TEMPLATES, LARGE):
        return template_map(3 if name == LARGE else 2), lambda model: model
    paths = (task.require_file(settings.file),)
    rbm = learned_maps.learned_map(task.folder, paths, settings.machine.seeded(task.run))
    if name == CRBM:
        return rbm, lambda model: model
    scaled = learned_maps.scaled_map(rbm, paths)
    return scaled.map, lambda model: unscaled(model, rbm, scaled.scale)


def unscaled(model: Linear, rbm: FeatureMap, scale: Floats) -> Linear:
    """A model over centred and scaled features as one over the plain ones: all its values differ
    by one number, so its moves are the same."""
    plain = Linear([rbm], model.size)
    theta = model.parts[0].theta.reshape(-1, len(scale)) * scale
    plain.take_weights({"theta0": theta.reshape(-1)})
    return plain


def _measure_shared(settings: ConvergenceSettings, task: Task) -> Course:
    """3x3 shapes that share their weights wherever and however they lie, as S1 learns them."""
    wanted = TrainingSettings(
        sets="3x3:LI",
        size=SIZE,
        komi=KOMI,
        source=SourceKind.SELF,
        alpha=task.key["step"],
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
    kept = task.folder / "S3-td-models" / f"{task.setting}-{task.run}".replace(" ", "-")
    model().save(kept, f"# {task.key['learner']}, {done:,} games against itself\n")
    return Course(tuple(wins), weights, str(kept))


def run(settings: ConvergenceSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    paths = (runner.require_file(settings.file),)
    keys = [
        {"learner": name, "step": step} for name, some in settings.steps.items() for step in some
    ]
    tasks = tasks_of(keys, settings.runs, lambda key: COSTS.get(key["learner"], 1.0), LABELS)
    study = Study("S3-td", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    found = runner.measure_all(study)
    by_step = found.rows(lambda key, runs: [_wins(BY_STEP, key, runs, -1, settings)])
    best = {name: _best_step(by_step, name) for name in settings.steps}
    rows = list(by_step)
    for name, step in best.items():
        runs, key = found.runs(learner=name, step=step), {"learner": name}
        rows += [WEIGHTS.row(key, runs[0].weights), STEP.row(key, step)]
        for at, games in enumerate(settings.games):
            rows.append(_wins(AGAINST_ALP, key | {"games": games}, runs, at, settings))
        if name != TEMPLATES and TEMPLATES in best:
            others = found.runs(learner=TEMPLATES, step=best[TEMPLATES])
            rows.append(_match_row(key, runs, others, settings, seed))
    return Table(
        quantities=[AGAINST_ALP, AGAINST_2X2, STEP, WEIGHTS, BY_STEP],
        rows=rows,
        labels=LABELS,
        notes=_notes(settings),
    )


COSTS = {CRBM: 4.0, SCALED: 4.0, LARGE: 3.0}
"""How long a learner takes beside the others."""


def _notes(settings: ConvergenceSettings) -> list[str]:
    return [
        "Each learner plays itself epsilon-greedily (0.10), TD(0) after each game, komi 5.5, games "
        "played out and counted by area; weights begin at zero. The step of 3x3 shared is divided "
        "among the windows of a position, as local shape learns.",
        "CRBM: 105 kernels 3x3, multinomial units, learned from boards of GNU Go's games, anew for "
        "each run. Centred and scaled: each feature less its mean and over its spread on such "
        "boards, then all by one number, so that the squares of a board's features add up to 64 "
        "as those of 2x2 templates do. 3x3 shared: one weight a shape, wherever and however it "
        "lies. Templates: one weight a template and place.",
        f"Tests: greedy against the average liberties player, {settings.test_games} games each; "
        "the matches at the end with epsilon 0.10, each run against the run of 2x2 with its "
        f"number. Means over {settings.runs} runs. {T_INTERVAL}",
        "The step size shown first is the one that wins most against the average liberties player "
        "at the end, by the same runs: a little too good, in all learners alike.",
        "The paper had no time for the 60,000 games that learning may need, as it says, and has no "
        "numbers to compare with.",
    ]


def _wins(
    quantity: Quantity, key: Key, runs: list[Course], at: int, settings: ConvergenceSettings
) -> Row:
    """Mean share of wins against ALP at one test."""
    shares = [100 * each.wins[at] / settings.test_games for each in runs]
    return quantity.mean(key, shares, (0.0, 100.0))


def _best_step(rows: list[Row], learner: str) -> float:
    """The step size with most wins at the end; of several the smallest."""
    own = [row for row in rows if row.key["learner"] == learner]
    best = max(row.ours or 0.0 for row in own)
    return min(float(row.key["step"]) for row in own if (row.ours or 0.0) == best)


def _match_row(
    key: Key, runs: list[Course], others: list[Course], settings: ConvergenceSettings, seed: int
) -> Row:
    """The matches of one learner's runs against those of the templates."""
    shares = [
        _score(
            key["learner"], Path(mine.theta), Linear.load(Path(other.theta)), settings, seed + at
        )
        for at, (mine, other) in enumerate(zip(runs, others, strict=True))
    ]
    return AGAINST_2X2.mean(key, shares, (0.0, 100.0))


def _score(
    name: str, mine: Path, second: Linear, settings: ConvergenceSettings, seed: int
) -> float:
    """Percentage of games that a learner's model wins against one of templates."""
    if name == SHARED:
        games = min(settings.match_games, settings.test_games)
        return play_evaluators(LocalShape.load(mine), second, games, settings.epsilon, seed)
    terms = LinearTerms(settings.match_games, settings.epsilon, KOMI, PLAYED_LIMIT, seed)
    score = play_linear_match(Linear.load(mine), second, terms)
    return 100 * score.wins / max(1, score.decided)


def play_evaluators(
    first: Evaluator, second: Evaluator, games: int, epsilon: float, seed: int
) -> float:
    """Percentage of games that the first wins against the second, by players of the arena that
    explore alike; colours alternate, games are played out."""
    selector = EpsilonGreedy(epsilon)

    def seats(number: int) -> tuple[Player, Player]:
        mine = EvaluatingPlayer("first", first, seed + number, selector)
        return mine, EvaluatingPlayer("second", second, seed - number - 1, selector)

    return 100 * play_games(seats, TERMS, games, seed).count(1.0) / games


def judge(table: Table) -> list[Claim]:
    """Whether learned features beat 2x2 templates after so many games, each with the step size that
    fits it best. A result of one run and one step size each says nothing of that."""
    if not table.rows_of(BY_STEP):
        return []
    games = max(int(row.key["games"]) for row in table.rows_of(AGAINST_ALP))
    claims = []
    for name in (CRBM, SCALED):
        row = table.find(AGAINST_2X2, {"learner": name})
        if row is not None:
            paper = f"beyond the paper: after {games:,} games by play {name} beats 2x2"
            ours = f"{row.ours:.1f} % of the games, {row.n} runs"
            claims.append(judge_above((paper, ours), number_of(row, 1, " %"), 50.0))
    return claims


def draw(table: Table, title: str) -> str:
    """Wins against ALP as games are played, and at the end by step size."""
    learners = [str(name) for name in table.values("learner")]
    curves = [
        [
            spot_of(row, float(row.key["games"]) / 1000)
            for row in table.rows_of(AGAINST_ALP, learner=name)
        ]
        for name in learners
    ]
    lines = (Line(50.0, "equal"),)
    text = "TD(0) by play against itself, 9x9"
    panels: list[AnyPanel] = [Curves(AGAINST_ALP.name, "%", "thousand games", curves, 100.0, lines)]
    if table.rows_of(BY_STEP):
        head = "at the end, by step size"
        panels.append(panel_of(table, BY_STEP, Axes("step", "learner"), head, 100.0, lines))
    return draw_panels(title, text, learners, panels, 1)


EXPERIMENT = Experiment(ConvergenceSettings(), QUICK, run, draw, judge)
