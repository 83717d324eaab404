"""S3-2: how many games a learner needs until it consistently beats the player it began as."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

import msgspec

from katachi.evaluators.linear import Linear
from katachi.experiments.bounds import Count, Rate, Share
from katachi.experiments.claims import VERDICTS, Tested, judge_above, number_of
from katachi.experiments.curves import curve_of, with_curves
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.learned_maps import SIZE
from katachi.experiments.s3_learned_features.match import PLAYED_LIMIT, learn_linear
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_matches import LinearTerms, play_linear_match
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.pictures.charts import Bar, Line, Panel, draw_panels
from katachi.statistics import T_INTERVAL, Estimate, wilson

LABELS = ("{kind}, run {run}", "after {after:,} games")
GAMES = Quantity("games until it beats itself")
LAST = Quantity("won in the last 1,000 games", "%", 1)
WON = Quantity("won of the last 100 games", "%", 1)
SNAPSHOT = Quantity("won against the player it began as", "%", 1)
PAPER = 110
WINDOW = 100
NEEDED = 0.6
LAST_GAMES = 1000
LIKELY = 0.05
"""What chance may do and still be called luck."""
LEARNS, STAYS = "learns", "does not learn"


class BootstrapSettings(Settings, frozen=True, kw_only=True):
    """What the learner begins with and how it plays on."""

    runs: Count = 5
    machine: learned_maps.RbmSettings = learned_maps.RbmSettings()
    """The RBM whose features are used."""
    offline_alpha: Rate = 0.1
    """Step size of TD on the records."""
    rounds: Count = 5
    """Times through the records."""
    alpha: Rate = 0.1
    """Step size while playing."""
    epsilon: Share = 0.1
    """The learner's share of random moves at first; its frozen self keeps it."""
    final_epsilon: Share = 0.05
    """Where the learner's share falls to."""
    games: Count = 3000
    """Games after which it falls no more, and the run ends."""
    snapshots: tuple[Count, ...] = (5, 10, 20, 50, PAPER)
    """Games after which the learner, as it then is, meets the player it began as."""
    snapshot_games: Count = 400
    """How many they play, both with the frozen player's epsilon, learning from none."""
    file: str = learned_maps.GNUGO
    """The games that are learned from first."""


QUICK = BootstrapSettings(
    runs=2,
    machine=learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=20)),
    rounds=1,
    games=120,
    snapshots=(5, PAPER),
    snapshot_games=4,
)


class Climb(msgspec.Struct, frozen=True):
    """What came of one run."""

    needed: int | None
    """Games until the last hundred were won consistently; None where they never were."""
    last: float
    """Share won of the last games."""
    counted: int
    """How many these were."""
    curve: list[float] = []
    """Percentage won of every hundred games."""
    snapshots: list[float] = []
    """Percentage won by the learner as it was after so many games; none where it does not learn."""


def games_needed(outcomes: Sequence[float]) -> int | None:
    """The first game at which at least 60 % of the last hundred are won, with the lower end of
    their 95 % interval above one half."""
    for end in range(WINDOW, len(outcomes) + 1):
        won = sum(outcomes[end - WINDOW : end])
        if won >= NEEDED * WINDOW and wilson(won, WINDOW)[0] > 0.5:
            return end
    return None


@cache
def first_model(
    paths: tuple[Path, ...], folder: Path, settings: BootstrapSettings, seed: int
) -> Linear:
    """What TD makes of the records: where a run begins, with learning and without."""
    rbm = learned_maps.learned_map(folder, paths, settings.machine.seeded(seed))
    return learn_linear(rbm, paths, settings.offline_alpha, settings.rounds, seed)[0]


def measure(settings: BootstrapSettings, task: Task) -> Climb:
    """One learner against the player it began as; or the same without learning."""
    paths = (task.require_file(settings.file),)
    model = first_model(paths, task.folder, settings, task.run).copied()
    play = LinearSettings(
        size=SIZE,
        source=GameSource.FROZEN,
        games=settings.games,
        alpha=settings.alpha if task.key["kind"] == LEARNS else TINY,
        epsilon=settings.epsilon,
        final_epsilon=settings.final_epsilon,
        frozen_epsilon=settings.epsilon,
        seed=task.seed,
    )
    trainer = LinearTrainer(play, model)
    outcomes, snapshots = [], []
    for number in range(1, settings.games + 1):
        before = trainer.wins
        trainer.learn(1)
        outcomes.append(trainer.wins - before)
        if number in settings.snapshots and task.key["kind"] == LEARNS:
            snapshots.append(meet_start(trainer, settings, task.seed + number))
    last = outcomes[-LAST_GAMES:]
    hundreds = [outcomes[at : at + WINDOW] for at in range(0, len(outcomes), WINDOW)]
    curve = [100 * sum(each) / len(each) for each in hundreds]
    return Climb(games_needed(outcomes), sum(last) / len(last), len(last), curve, snapshots)


def meet_start(trainer: LinearTrainer, settings: BootstrapSettings, seed: int) -> float:
    """Percentage of games that the learner, as it is, wins against the player it began as."""
    terms = LinearTerms(settings.snapshot_games, settings.epsilon, limit=PLAYED_LIMIT, seed=seed)
    score = play_linear_match(trainer.model(), trainer.frozen, terms)
    return 100 * (score.wins + score.draws / 2) / settings.snapshot_games


TINY = 1e-300
"""A step that moves nothing."""


def run(settings: BootstrapSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    paths = (runner.require_file(settings.file),)
    tasks = tasks_of(cross(kind=(LEARNS, STAYS)), settings.runs)
    study = Study("S3-2", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    found = runner.measure_all(study)
    rows, needed = [], {}
    for key, climbs in found:
        kind = key["kind"]
        needed[kind] = [climb.needed for climb in climbs]
        for number, climb in enumerate(climbs, 1):
            rows += _rows(key | {"run": number}, climb)
        rows.append(_median_row(key, needed[kind]))
    rows += _snapshot_rows(settings, found.runs(kind=LEARNS))
    still = _words(needed[STAYS])
    notes = [
        "The learner and its frozen copy begin with the CRBM model that TD(0) made of the records; "
        f"komi 5.5, games played out. The learner's epsilon falls from {settings.epsilon:g} to "
        f"{settings.final_epsilon:g} over {settings.games:,} games, the copy's stays.",
        "Consistently: at least 60 of the last 100 games won, the lower end of their 95 % interval "
        "above one half. Looked at after every game, luck may pass this once in a long while; "
        f"without learning, epsilon falling all the same, it was passed after: {still}.",
        f"After so many games: {settings.snapshot_games:,} games of the learner as it then was "
        f"against the player it began as, both with epsilon {settings.epsilon:g}; means over the "
        f"{settings.runs} runs. {T_INTERVAL}",
        "An iteration of the paper is taken to be a game. The last games' intervals are Wilson's.",
    ]
    table = Table(quantities=[GAMES, LAST, SNAPSHOT], rows=rows, labels=LABELS, notes=notes)
    ends = [*range(WINDOW, settings.games, WINDOW), settings.games]
    curves = (curve_of(key, WON, "games", ends, [each.curve for each in c]) for key, c in found)
    return with_curves(table, curves)


def _words(needed: Sequence[float | None]) -> str:
    return ", ".join("never" if each is None else f"{each:,.0f}" for each in needed)


def judge(table: Table) -> list[Claim]:
    """Whether the learner beats the player it began as after so many games, the paper's 110 among
    them; and whether learning, not luck, is why it wins a hundred games in a row."""
    claims = [_snapshot_claim(row) for row in table.rows_of(SNAPSHOT)]
    return [*claims, _claim_of_luck(table)]


def _snapshot_claim(row: Row) -> Claim:
    after = int(row.key["after"])
    paper = f"it consistently beats itself after {after} iterations"
    if after != PAPER:
        paper = f"beyond the paper: it beats itself after {after} games"
    return judge_above((paper, f"{row.ours:.1f} % of {row.remark}"), number_of(row, 1, " %"), 50.0)


def _claim_of_luck(table: Table) -> Claim:
    """Whether every run that learns gets there before any that does not. With five of each, chance
    alone does that once in 252 times."""
    learned, still = (
        [row.ours for row in table.rows_of(GAMES, kind=kind) if "run" in row.key]
        for kind in (LEARNS, STAYS)
    )
    known = [each for each in learned if each is not None]
    ours = f"{_words(learned)} games; without learning {_words(still)}"
    words = "it beats itself by learning, not by luck (60 of the last 100 games won)", ours
    count = len(learned)
    chance = 1 / math.comb(2 * count, count)
    rule = (
        "yes if every run that learns gets there before any that does not (by chance "
        f"{100 * chance:.1f} %), no if one never does; it cannot be seen before game {WINDOW}"
    )
    first = min(each if each is not None else math.inf for each in still)
    is_first = len(known) == count and max(known) < first and chance < LIKELY
    verdict = False if len(known) < count else True if is_first else None
    by = Tested(Estimate(0.0), count, 0)
    return by.claim(words, rule, VERDICTS[verdict])


def _snapshot_rows(settings: BootstrapSettings, climbs: list[Climb]) -> list[Row]:
    games = f"{settings.snapshot_games * len(climbs):,} games"
    reached = [each for each in sorted(set(settings.snapshots)) if each <= settings.games]
    return [
        SNAPSHOT.mean({"after": after}, values, (0.0, 100.0), remark=games)
        for after, values in zip(
            reached, zip(*(c.snapshots for c in climbs), strict=True), strict=True
        )
    ]


def _rows(key: Key, climb: Climb) -> list[Row]:
    last = LAST.share(key, climb.last * climb.counted, climb.counted)
    return [GAMES.row(key, climb.needed), last]


def _median_row(key: Key, needed: list[int | None]) -> Row:
    """The median over runs; one that never came to it counts as longest."""
    known = sorted(each for each in needed if each is not None)
    is_known = len(known) > len(needed) / 2
    return Row(
        key=key | {"of": "median"},
        quantity=GAMES.name,
        ours=median([*known, *[10**9] * (len(needed) - len(known))]) if is_known else None,
        low=known[0] if known else None,
        high=known[-1] if len(known) == len(needed) else None,
        n=len(needed),
        paper=PAPER if key["kind"] == LEARNS else None,
        remark="least to most" if known else "never",
    )


def draw(table: Table, title: str) -> str:
    """Games needed by each run, and how snapshots do."""
    rows = [row for row in table.rows_of(GAMES) if "run" in row.key]
    bars = [[Bar(row.ours, words="" if row.ours else "never")] for row in rows]
    names = [table.label(row) for row in rows]
    line = Line(PAPER, "the paper: 110")
    panels = [Panel(GAMES.name, "games", names, bars, lines=(line,))]
    if table.rows_of(SNAPSHOT):
        axes = Axes("after", name=lambda games: f"after {games} games", has_words=False)
        panels.append(panel_of(table, SNAPSHOT, axes, "", 100.0, (Line(50.0, "equal"),)))
    return draw_panels(title, "a CRBM player against the player it began as", [], panels, 1)


EXPERIMENT = Experiment(BootstrapSettings(), QUICK, run, draw, judge)
