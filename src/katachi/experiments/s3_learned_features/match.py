"""S3-1: features of a convolutional RBM against 2x2 templates, both valued by TD(0) on the same
games, and what the outcome depends on."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from katachi.arena.game import check_referee
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.experiments.bounds import Count, Rate
from katachi.experiments.claims import gap, judge_above, judge_below, leave_open, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.s3_learned_features.learned_maps import SIZE
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_matches import (
    LinearScore,
    LinearTerms,
    mean_error,
    play_linear_match,
    settled_margin,
)
from katachi.learning.linear_training import LinearSettings, LinearTrainer
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import Line, draw_panels
from katachi.players.program import ProgramPlayer
from katachi.rules.game import Game
from katachi.statistics import T_INTERVAL, mean_of, wilson

PASSING = Quantity("won, passing is a move", "% of decided games", 1)
CAPPED = Quantity("won, 100 moves at most", "% of decided games", 1)
PLAYED_OUT = Quantity("won, played out", "%", 1)
OPEN_PASSING = Quantity("undecided, passing is a move", "%", 1)
UNDECIDED = Quantity("undecided at 100 moves", "%", 1)
ERROR_CRBM = Quantity("held-out error, CRBM", "squared, a position", 4)
ERROR_TEMPLATES = Quantity("held-out error, 2x2", "squared, a position", 4)
WON = (PASSING, CAPPED, PLAYED_OUT)
"""Ways to play the match; the first is the paper's, whose policy knows only legal moves."""
PAPER_WINS, PAPER_GAMES = 54, 63
PAPER = 100 * PAPER_WINS / PAPER_GAMES
PLAYED_LIMIT = 3 * SIZE * SIZE
MAIN, DRAWN, BOTH_STEPS = "main", "kernels as drawn", " for both"

ONE_TRAINING = (
    "undecided with one training of each player: the interval of the difference is of the games' "
    "chance, not of learning's"
)


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to learn both players."""

    machine: learned_maps.RbmSettings = learned_maps.RbmSettings()
    """The RBM whose features are used."""
    alpha: Rate = 0.1
    """Step size of TD over the features of the RBM."""
    template_alpha: Rate = 0.1
    """Over the templates; the sums of squared features are alike, about 60."""
    rounds: Count = 5
    """Times through the games."""


def _rbms() -> dict[str, Variant]:
    plain = learned_maps.RbmSettings().layer
    few = msgspec.structs.replace(plain, steps=learned_maps.STEPS // 10)
    real = msgspec.structs.replace(plain, visible=VisibleKind.REAL, rate=0.01)
    kinds = {
        "real-valued units": learned_maps.RbmSettings(real),
        DRAWN: learned_maps.RbmSettings(is_learned=False),
        "a tenth of CD": learned_maps.RbmSettings(few),
    }
    return {name: Variant(rbm) for name, rbm in kinds.items()}


def _variants() -> dict[str, Variant]:
    """The main setting, and the same with one thing changed."""
    return {
        MAIN: Variant(),
        **_rbms(),
        "step 0.01 for both": Variant(alpha=0.01, template_alpha=0.01),
        "step 0.03 for both": Variant(alpha=0.03, template_alpha=0.03),
        "step 0.3 for both": Variant(alpha=0.3, template_alpha=0.3),
    }


class MatchSettings(Settings, frozen=True, kw_only=True):
    """What is compared."""

    runs: Count = 5
    """Trainings of both players, each with a seed of its own."""
    variants: dict[str, Variant] = msgspec.field(default_factory=_variants)
    """Ways to learn, by name."""
    decided: Count = 200
    """Games with a winner that a match of two trained players needs at least."""
    most_games: Count = 2000
    """Games after which it ends all the same."""
    referee: str = "gnugo --mode gtp --level 1 --chinese-rules"
    """The program that counts games in which a pass is a move, as the paper's are; where none is
    named dead stones are found by random continuations."""
    file: str = learned_maps.GNUGO
    """The games that are learned from."""


_QUICK_RBM = learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=20))
QUICK = MatchSettings(
    runs=2, variants={MAIN: Variant(_QUICK_RBM, rounds=1)}, decided=4, most_games=8, referee=""
)


class Score(msgspec.Struct, frozen=True):
    """Games of two trained players, as CRBM sees them."""

    wins: int
    losses: int
    undecided: int

    @property
    def games(self) -> int:
        """All that were played."""
        return self.wins + self.losses + self.undecided


class Played(msgspec.Struct, frozen=True):
    """What came of one variant, trained once."""

    passing: Score
    capped: Score
    played_out: Score
    error: float
    template_error: float
    features: tuple[int, int]


def learn_linear(
    feature_map: FeatureMap, paths: tuple[Path, ...], alpha: float, rounds: int, seed: int
) -> tuple[Linear, float]:
    """(a model that learned from the games, its error on held-out ones)."""
    parts = learned_maps.open_split(paths)
    model = Linear([feature_map], SIZE)
    settings = LinearSettings(games=rounds * len(parts.train), alpha=alpha, seed=seed)
    LinearTrainer(settings, model, parts.train).learn(settings.games)
    return model, mean_error(model, parts.validation).squared


@cache
def learn_templates(
    paths: tuple[Path, ...], alpha: float, rounds: int, seed: int
) -> tuple[Linear, float]:
    """The same over 2x2 templates, which many variants share."""
    return learn_linear(template_map(2), paths, alpha, rounds, seed)


def play_until_decided(
    pair: tuple[Linear, Linear],
    settings: MatchSettings,
    terms: LinearTerms,
    count: Callable[[Game], float] = settled_margin,
) -> Score:
    """Games on these terms, but for their number, until enough have a winner."""
    total, games = LinearScore(0, 0, 0, 0), 0
    while total.decided < settings.decided and games < settings.most_games:
        some = min(settings.decided, settings.most_games - games)
        terms = terms._replace(games=some, seed=terms.seed + some)
        score = play_linear_match(*pair, terms, count)
        total = LinearScore(*(a + b for a, b in zip(total, score, strict=True)))
        games += some
    return Score(total.wins, total.losses, total.undecided + total.draws)


def play_with_passes(
    pair: tuple[Linear, Linear], settings: MatchSettings, terms: LinearTerms
) -> Score:
    """The paper's match: a pass is a move, and the referee counts."""
    terms = terms._replace(has_pass=True)
    if not settings.referee:
        return play_until_decided(pair, settings, terms)
    referee = ProgramPlayer(settings.referee)

    def count(game: Game) -> float:
        referee.set_up(game)
        return referee.final_score()

    try:
        return play_until_decided(pair, settings, terms, count)
    finally:
        referee.close()


def measure(settings: MatchSettings, task: Task) -> Played:
    """Learns both players of a variant and lets them play; the seed of learning is the number of
    the run, so variants of one run differ in nothing but what they name."""
    variant, paths = settings.variants[task.key["variant"]], (task.require_file(settings.file),)
    rbm = learned_maps.learned_map(task.folder, paths, variant.machine.seeded(task.run))
    crbm, error = learn_linear(rbm, paths, variant.alpha, variant.rounds, task.run)
    templates, other = learn_templates(paths, variant.template_alpha, variant.rounds, task.run)
    terms, pair = LinearTerms(seed=task.seed), (crbm, templates)
    return Played(
        play_with_passes(pair, settings, terms),
        play_until_decided(pair, settings, terms),
        play_until_decided(pair, settings, terms._replace(limit=PLAYED_LIMIT)),
        error,
        other,
        (crbm.weight_count, templates.weight_count),
    )


def run(settings: MatchSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    if MAIN not in settings.variants:
        raise KatachiError(f"one of the variants must be called {MAIN}")
    paths = (runner.require_file(settings.file),)
    check_referee(GameSettings(SIZE, referee=settings.referee or None))
    tasks = tasks_of(
        cross(variant=settings.variants),
        settings.runs,
        lambda key: settings.variants[key["variant"]].rounds,
    )
    study = Study("S3-1", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    found = runner.measure_all(study)
    notes = _notes(settings, found.one(variant=MAIN))
    quantities = [*WON, OPEN_PASSING, UNDECIDED, ERROR_CRBM, ERROR_TEMPLATES]
    return Table(quantities=quantities, rows=found.rows(_rows), notes=notes)


def _notes(settings: MatchSettings, main: Played) -> list[str]:
    crbm, templates = main.features
    counting = f"`{settings.referee}` counts" if settings.referee else "dead stones are lifted"
    return [
        f"CRBM of {crbm:,} features against {templates:,} features of 2x2 templates; both learned "
        f"by TD(0) from the same games of {settings.file}, nine tenths of them, and play with "
        "epsilon 0.10, komi 5.5, colours alternating, suicide forbidden; area counts.",
        "Main: multinomial units, CD-1 on 4,000 batches of 100 boards, step 0.1 for both, 5 rounds "
        "through the games. Every other row changes what it names.",
        "Passing is a move: every legal move and a pass are compared by their values, and chosen "
        "from at random, as the paper's policy says; after 100 moves there is no winner. Boards "
        f"are not filled then: {counting}. In the other two players never pass while they have a "
        "move that fills no own eye: cut off after 100 moves, and played out.",
        f"Means over {settings.runs} trainings of both players, kernels and order of games by a "
        f"seed of their own; a match of two trained players ends with {settings.decided:,} games "
        f"that have a winner or after {settings.most_games:,}. {T_INTERVAL} The paper states "
        "neither step sizes, rounds, rate nor length of CD.",
    ]


def judge(table: Table) -> list[Claim]:
    """The paper's match by the main variant and by the step size that fits both players best; and
    whether what it won by was learned: the same with kernels that never were."""
    low, _ = wilson(PAPER_WINS, PAPER_GAMES)
    paper = f"CRBM wins {PAPER_WINS} of {PAPER_GAMES} decided games = {PAPER:.1f} % against 2x2"
    claims = []
    for name in dict.fromkeys((MAIN, best_step(table))):
        for row in _won(table, name):
            text = f"({name}, {_how(row)})"
            claims.append(_claim(f"CRBM beats 2x2 {text}", row, 50.0))
            if row.quantity != PLAYED_OUT.name:
                claims.append(_claim(f"{paper} {text}", row, round(100 * low, 1)))
    return claims + [each for row in _won(table, DRAWN) for each in _claims_of_learning(table, row)]


def _won(table: Table, name: str) -> list[Row]:
    """How a variant did in each way to play."""
    found = (table.find(quantity, {"variant": name}) for quantity in WON)
    return [row for row in found if row is not None and row.ours is not None]


def _how(row: Row) -> str:
    return row.quantity.removeprefix("won, ")


def _words(row: Row) -> str:
    return f"{row.ours:.1f} % of {row.remark}"


def _claim(paper: str, row: Row, bound: float) -> Claim:
    """Whether wins are surely above a bound: a half, or the lower end of the paper's interval."""
    return judge_above((paper, _words(row)), number_of(row, 1, " %"), bound)


def _claims_of_learning(table: Table, drawn: Row) -> list[Claim]:
    """Kernels as they were drawn in the same match, alone and beside kernels that learned."""
    learned = next(row for row in _won(table, MAIN) if row.quantity == drawn.quantity)
    words = f"implied: kernels that never learned do not beat 2x2 ({_how(drawn)})", _words(drawn)
    ours = f"{learned.ours:.1f} %, with kernels as drawn {drawn.ours:.1f} %"
    more = f"implied: it wins by features that it learned ({_how(drawn)})", ours
    by = gap(learned, drawn, 1, " %")
    # A result from before there were several trainings has no games with passes.
    has_seeds = bool(table.rows_of(PASSING))
    return [
        judge_below(words, number_of(drawn, 1, " %"), 50.0),
        judge_above(more, by) if has_seeds else leave_open(more, by, ONE_TRAINING),
    ]


def best_step(table: Table) -> str:
    """Of the variants that differ from the main one in the step size of both players alone, the one
    with the least held-out error of the two together. Matches do not enter this rule; which step
    sizes there are to choose from was settled after some matches had been seen."""
    names = [str(name) for name in table.values("variant")]
    alike = [name for name in names if name == MAIN or name.endswith(BOTH_STEPS)]

    def error(name: str) -> float:
        rows = [table.row(quantity, variant=name) for quantity in (ERROR_CRBM, ERROR_TEMPLATES)]
        return sum(row.ours or 0.0 for row in rows)

    return min(alike, key=error)


def _rows(key: Key, runs: list[Played]) -> list[Row]:
    passing, capped, out = (
        [getattr(each, name) for each in runs] for name in ("passing", "capped", "played_out")
    )
    paper = PAPER if key["variant"] == MAIN else None
    return [
        _wins(PASSING, key, passing, paper),
        _wins(CAPPED, key, capped),
        _wins(PLAYED_OUT, key, out),
        _left_open(OPEN_PASSING, key, passing),
        _left_open(UNDECIDED, key, capped),
        ERROR_CRBM.estimate(key, mean_of([each.error for each in runs]), len(runs)),
        ERROR_TEMPLATES.estimate(key, mean_of([each.template_error for each in runs]), len(runs)),
    ]


def _wins(quantity: Quantity, key: Key, scores: list[Score], paper: float | None = None) -> Row:
    """Mean share of the games with a winner; none where no match had any."""
    decided = [each for each in scores if each.wins + each.losses]
    if not decided:
        return quantity.row(key, None, len(scores), paper)
    shares = [100 * each.wins / (each.wins + each.losses) for each in decided]
    games = sum(each.wins + each.losses for each in decided)
    return quantity.mean(key, shares, (0.0, 100.0), paper, f"{games:,} games")


def _left_open(quantity: Quantity, key: Key, scores: list[Score]) -> Row:
    games = sum(each.games for each in scores)
    shares = [100 * each.undecided / each.games for each in scores]
    return quantity.mean(key, shares, (0.0, 100.0), remark=f"{games:,} games")


def draw(table: Table, title: str) -> str:
    """Wins by variant, in each way to play."""
    lines = (Line(PAPER, "the paper"), Line(50.0, "equal"))
    shown = tuple(quantity for quantity in WON if table.rows_of(quantity))
    axes = Axes("variant", has_words=False)
    panel = panel_of(table, shown, axes, "CRBM against 2x2", 100.0, lines)._replace(unit="% won")
    series = [quantity.name for quantity in shown]
    return draw_panels(title, "epsilon 0.10, komi 5.5, 9x9", series, [panel], 1)


EXPERIMENT = Experiment(MatchSettings(), QUICK, run, draw, judge)
