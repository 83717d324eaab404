"""S1-F4-9: the study of Figure 4 at 9x9, which no paper has.

ALP says little of strong agents, so all also meet RLGO's weights, which are not part of the
package: the data folder must hold them.
"""

from collections.abc import Iterator

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.settings import GameSettings
from katachi.evaluators.local_shape import LocalShape
from katachi.experiments.bounds import Amount, BoardSize, Count
from katachi.experiments.claims import judge_above, mean_gap
from katachi.experiments.curves import with_curves
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s1_local_shape import set_study, trials
from katachi.experiments.s1_local_shape.strength import RLGO_FILE
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.shape_training import ShapeTrainer
from katachi.pictures.charts import Line, draw_panels
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.statistics import T_INTERVAL

SCORE = Quantity("final score v RLGO", "% of points", 1)


class Study9Settings(set_study.SetStudySettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: Count = 12
    """Independent runs of each setting."""
    size: BoardSize = 9
    """Board size."""
    games: Count = 20_000
    """Games a pair of agents learns from: at 5x5 they are five times as many."""
    match_games: Count = 20
    """Games of each agent against RLGO's weights at the end."""
    opening_moves: Amount = 4
    """Random moves before these games begin; each opening is played twice, colours exchanged."""
    opponent: str = ""
    """Another player in RLGO's place, for trials."""


QUICK = Study9Settings(
    runs=1,
    size=5,
    templates=("1x1", "2x2"),
    games=100,
    test_every=50,
    test_games=10,
    final_games=10,
    match_games=2,
    opponent="alp",
)


class Trial9(msgspec.Struct, frozen=True):
    """What came of one run."""

    learned: trials.Trial
    points: float
    """Of both agents, in percent."""


def opponent_of(settings: Study9Settings, task: Task | Runner) -> str:
    """Whom agents meet at the end; raises KatachiError where RLGO's weights are missing."""
    return settings.opponent or f"rlgo:{task.require_file(RLGO_FILE)}"


def measure(settings: Study9Settings, task: Task) -> Trial9:
    """One run."""
    training = settings.training(set_study.sets_of(task.key), task.seed)
    trial, trainer = trials.learn(settings, training)
    return Trial9(trial, _points(settings, trainer, task))


def measure_together(
    settings: Study9Settings, tasks: list[Task]
) -> Iterator[list[tuple[Task, Trial9]]]:
    """These runs on a GPU; games with RLGO are played by the CPU meanwhile."""
    from katachi.experiments.s1_local_shape.card_trials import learn_together

    asked = [(settings.training(set_study.sets_of(task.key), task.seed), task) for task in tasks]
    for found in learn_together(settings, asked, keeps_weights=True):
        trainer = ShapeTrainer(settings.training(set_study.sets_of(found[0].task.key), 1))
        done = []
        for task, trial, weights in found:
            for agent, learned in zip(trainer.agents, weights, strict=True):
                agent.weights[:] = learned
            done.append((task, Trial9(trial, _points(settings, trainer, task))))
        yield done


def _points(settings: Study9Settings, trainer: ShapeTrainer, task: Task) -> float:
    """Points of both agents at the end, in percent."""
    other = make_player(opponent_of(settings, task), seat_seed(task.seed, 1))
    try:
        scores = [_score(settings, each, other, task.seed) for each in trainer.final_agents()]
    finally:
        other.close()
    return sum(scores) / len(scores)


def _score(settings: Study9Settings, agent: LocalShape, other: Player, seed: int) -> float:
    """Points of an agent, greedy, in percent."""
    terms = GameSettings(settings.size, settings.komi, opening_moves=settings.opening_moves)
    ours = EvaluatingPlayer("shapes", agent, seat_seed(seed, 0))
    points = play_games(lambda _: (ours, other), terms, settings.match_games, seed)
    return 100 * sum(points) / len(points)


def run(settings: Study9Settings, seed: int, runner: Runner) -> Table:
    """Learns and tests every setting as often as the settings say."""
    opponent_of(settings, runner)
    keys = [*settings.keys(set_study.ALONE), *settings.keys(set_study.UP_TO)]

    def cost(key: Key) -> float:
        return trials.cost_of(set_study.sets_of(key), settings.size)

    tasks = tasks_of(keys, settings.runs, cost, set_study.LABELS)
    probes = [settings.training(set_study.sets_of(key), 1) for key in keys]
    behaviour = trials.behaviour_of(probes)
    study = Study("S1-F4-9", settings, seed, tasks, measure, behaviour, measure_together)
    found = runner.measure_all(study)

    def rows_of(key: Key, runs: list[Trial9]) -> list[Row]:
        score = SCORE.mean(key, [each.points for each in runs], (0, 100))
        return [score, *trials.trial_rows(settings, key, [each.learned for each in runs])]

    opponent = settings.opponent or "RLGO 2.5, one ply"
    notes = [
        f"As S1-F4, at {settings.size}x{settings.size}, by {settings.games:,} games a run. At the "
        f"end each agent also plays {settings.match_games} games with {opponent}, "
        f"{settings.opening_moves} random moves first, each opening twice with colours exchanged.",
        T_INTERVAL,
        trials.CENSORED,
        trials.KOMI,
        trials.BY_GAME,
    ]
    quantities = [SCORE, trials.FINAL, trials.HALF_TIME, trials.EARLY]
    table = Table(
        quantities=quantities, rows=found.rows(rows_of), labels=set_study.LABELS, notes=notes
    )
    curves = (
        trials.trial_curve(settings, key, [each.learned for each in runs]) for key, runs in found
    )
    return with_curves(table, curves)


def judge(table: Table) -> list[Claim]:
    """Whether what Figure 4 says of 5x5 holds at 9x9, too, by the score against RLGO."""
    claims = []
    for kind, how in ((set_study.ALONE, "alone"), (set_study.UP_TO, "together")):
        pairs = set_study.pairs_of(table, SCORE, kind)
        ours = set_study.words_of_pairs(pairs, "points")
        words = f"at 9x9, sets {how}: location independent does better than dependent", ours
        claims.append(judge_above(words, mean_gap(pairs)))
    return [set_study.claim_of_best(table, SCORE, "at 9x9, "), *claims]


def draw(table: Table, title: str) -> str:
    """Scores against RLGO, and wins against ALP, of sets alone and together."""
    panels = [
        panel_of(table, quantity, Axes(kind, "location"), f"{quantity.name}, {how}", 100.0, lines)
        for quantity, lines in ((SCORE, (Line(50.0, "equal"),)), (trials.FINAL, ()))
        for kind, how in ((set_study.ALONE, "one set alone"), (set_study.UP_TO, "all sets up to"))
    ]
    series = ["LI: location independent", "LD: location dependent"]
    return draw_panels(title, f"mean of {table.rows[0].n} runs", series, panels)


EXPERIMENT = Experiment(Study9Settings(), QUICK, run, draw, judge)
