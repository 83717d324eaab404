"""How every learning experiment of S1 learns and is tested (section 6 of the paper)."""

from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from itertools import count

import msgspec

from katachi.experiments.bounds import BoardSize, Count, Komi, Rate, Share
from katachi.experiments.curves import Curve, curve_of, with_curves
from katachi.experiments.protocol import Key, Quantity, Row, Settings, Table, label_of
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.features.shape_sets import BINS, count_windows, parse_sets
from katachi.learning.curriculum import Curriculum, Plan
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings

FINAL = Quantity("final wins v ALP", "%", 1)
HALF_TIME = Quantity("games until both win over 50 %", "games", 0)
EARLY_GAMES = 1000
EARLY = Quantity(f"wins v ALP after {EARLY_GAMES:,} games", "%", 1)
TESTED = Quantity("wins v ALP in a test", "%", 1)

BY_GAME = (
    "Learning is by game: weights stand still while a game is played, then all its differences are "
    "learned at once; the paper updates after each move."
)
KOMI = (
    "Komi is 7.5, the Computer Go Server's of the time: the paper does not state it. S1-ablation "
    "shows what another komi does to the 2x2 shapes."
)
CENSORED = (
    "A run that never wins over 50 % counts with all its games, so such a mean is a lower bound; "
    "how many runs got there is stated beside it."
)

PROBE_GAMES, PROBE_TESTS = 12, 4
GAME_COST, EXACT_COST, HASHED_COST = 4.3, 0.005, 0.035
"""Of a run: what all share, and what each point of each window adds, as measured."""


class TrialSettings(Settings, frozen=True, kw_only=True):
    """How agents learn and are tested; the defaults are the paper's, where it states any."""

    size: BoardSize = 5
    """Board size."""
    komi: Komi = 7.5
    """What White is given; the paper does not say."""
    games: Count = 100_000
    """Games a pair of agents learns from."""
    alpha: Rate = 0.1
    """Step size."""
    epsilon: Share = 0.1
    """Share of random moves while learning; tests have none."""
    bins: Count = BINS
    """Weights of each hashed set."""
    test_every: Count = 500
    """Games between tests."""
    test_games: Count = 100
    """Games of each agent against ALP in a test."""
    final_games: Count = 1000
    """Games of each agent against ALP at the end."""

    def plan(self) -> Plan:
        """How long a pair learns, and its tests."""
        return Plan(
            games=self.games,
            test_every=self.test_every,
            test_games=self.test_games,
            final_games=self.final_games,
        )

    def training(self, sets: str, seed: int) -> TrainingSettings:
        """How a pair of agents with these sets learns."""
        return TrainingSettings(
            size=self.size,
            sets=sets,
            bins=self.bins,
            alpha=self.alpha,
            epsilon=self.epsilon,
            komi=self.komi,
            seed=seed,
        )


class Trial(msgspec.Struct, frozen=True):
    """What came of one run."""

    curve: list[list[int]]
    """Wins of each agent against ALP in each test."""
    final: list[int]
    """Wins of each agent in the last test."""


def learn(settings: TrialSettings, training: TrainingSettings) -> tuple[Trial, ShapeTrainer]:
    """A pair that has learned, and how it fared on the way."""
    curriculum = Curriculum(ShapeTrainer(training), settings.plan())
    curve = []
    while not curriculum.is_finished:
        test = curriculum.advance(settings.test_every)
        if test is not None:
            curve.append(list(test.wins))
    final = curriculum.test(settings.final_games, curriculum.trainer.final_agents())
    return Trial(curve, list(final.wins)), curriculum.trainer


def final_percent(settings: TrialSettings, trial: Trial) -> float:
    """Share of the last test's games that both agents won, in percent."""
    return 100 * sum(trial.final) / (len(trial.final) * settings.final_games)


def percent_after(settings: TrialSettings, trial: Trial, games: int) -> float:
    """The same of the first test after so many games, or of the last there is."""
    return percent_of(
        settings, trial.curve[min(-(-games // settings.test_every), len(trial.curve)) - 1]
    )


def percent_of(settings: TrialSettings, wins: list[int]) -> float:
    """Share of a test's games that both agents won, in percent."""
    return 100 * sum(wins) / (len(wins) * settings.test_games)


def games_to_half(settings: TrialSettings, trial: Trial) -> int | None:
    """Games until every agent won over half of one test; None where that never was."""
    for number, test in enumerate(trial.curve, 1):
        if min(test) > settings.test_games / 2:
            return min(number * settings.test_every, settings.games)
    return None


def trial_rows(settings: TrialSettings, key: Key, trials: list[Trial]) -> list[Row]:
    """The numbers of one setting: wins at the end, learning time, wins early on."""
    final = [final_percent(settings, trial) for trial in trials]
    early = [percent_after(settings, trial, EARLY_GAMES) for trial in trials]
    return [
        FINAL.mean(key, final, (0, 100)),
        _half_time_row(settings, key, trials),
        EARLY.mean(key, early, (0, 100)),
    ]


def trial_curve(settings: TrialSettings, key: Key, trials: list[Trial]) -> Curve:
    """Wins of both agents in each test, by the games they learned from."""
    at = count(settings.test_every, settings.test_every)
    runs = [[percent_of(settings, test) for test in trial.curve] for trial in trials]
    return curve_of(key, TESTED, "games", at, runs)


def _half_time_row(settings: TrialSettings, key: Key, trials: list[Trial]) -> Row:
    """The mean learning time of a setting; a run that never got there counts with all its games."""
    times = [games_to_half(settings, trial) for trial in trials]
    reached = sum(time is not None for time in times)
    count = len(times)
    if reached == 0:
        return Row(key=key, quantity=HALF_TIME.name, ours=None, n=count, remark="never")
    games = [float(settings.games if time is None else time) for time in times]
    remark = "" if reached == count else f"{reached} of {count} runs"
    return HALF_TIME.mean(key, games, (0, None), remark=remark)


def learn_all(
    experiment: str,
    settings: TrialSettings,
    seed: int,
    runner: Runner,
    labels: tuple[str, ...],
    trainings: list[tuple[Key, TrainingSettings]],
) -> Table:
    """Learns and tests every one of these as often as the settings say."""
    keys = [key for key, _ in trainings]
    by_label = {label_of(labels, key): training for key, training in trainings}

    def cost(key: Key) -> float:
        return cost_of(by_label[label_of(labels, key)].sets, settings.size)

    def measure(_: TrialSettings, task: Task) -> Trial:
        training = msgspec.structs.replace(by_label[task.setting], seed=task.seed)
        return learn(settings, training)[0]

    def measure_together(_: TrialSettings, tasks: list[Task]) -> Iterator[list[tuple[Task, Trial]]]:
        from katachi.experiments.s1_local_shape.card_trials import learn_together

        asked = [(by_label[task.setting], task) for task in tasks]
        for found in learn_together(settings, asked):
            yield [(each.task, each.trial) for each in found]

    tasks = tasks_of(keys, settings.runs, cost, labels)
    behaviour = behaviour_of(by_label.values())
    study = Study(experiment, settings, seed, tasks, measure, behaviour, measure_together)
    found = runner.measure_all(study)
    rows = found.rows(partial(trial_rows, settings))
    table = Table(quantities=[FINAL, HALF_TIME, EARLY], rows=rows, labels=labels)
    return with_curves(table, (trial_curve(settings, key, runs) for key, runs in found))


def cost_of(sets: str, size: int) -> float:
    """About how long a run with these sets takes."""
    cost = GAME_COST
    for each in parse_sets(sets):
        points = count_windows(each.template, size) * each.template.cells
        cost += points * (HASHED_COST if each.is_hashed else EXACT_COST)
    return cost


def behaviour_of(trainings: Iterable[TrainingSettings], grows_to: int | None = None) -> str:
    """A fingerprint of what the code makes of these settings: the weights and wins after a few
    games, and after a few more on a grown board. It also compiles every kernel they need."""
    digest = sha256()
    for training in trainings:
        trainer = ShapeTrainer(training)
        sizes = [training.size] if grows_to is None else [training.size, grows_to]
        for size in sizes:
            if size != training.size:
                trainer = trainer.grown(size)
            trainer.learn(PROBE_GAMES)
            digest.update(repr(trainer.test(PROBE_TESTS)).encode())
            for agent in trainer.agents:
                digest.update(agent.weights.astype("<i4").tobytes())
    return digest.hexdigest()[:16]
