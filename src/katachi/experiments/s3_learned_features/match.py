"""S3-1: features of a convolutional RBM against 2x2 templates, both valued by TD(0) on the same
games, and what the outcome depends on."""

from pathlib import Path

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.experiments.bounds import Count, Rate
from katachi.experiments.claims import gap, judge_above, judge_below, leave_open, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap
from katachi.learning.crbm_training import CrbmSettings
from katachi.learning.linear_matches import LinearScore, LinearTerms, mean_error, play_linear_match
from katachi.learning.linear_training import LinearSettings, LinearTrainer
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import Line, draw_panels
from katachi.statistics import wilson

CAPPED = Quantity("won, 100 moves at most", "% of decided games", 1)
PLAYED_OUT = Quantity("won, played out", "%", 1)
UNDECIDED = Quantity("undecided at 100 moves", "%", 1)
ERROR_CRBM = Quantity("held-out error, CRBM", "squared, a position", 4)
ERROR_TEMPLATES = Quantity("held-out error, 2x2", "squared, a position", 4)
PAPER_WINS, PAPER_GAMES = 54, 63
PAPER = 100 * PAPER_WINS / PAPER_GAMES
SIZE = 9
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
        "boards of 90 games": learned_maps.RbmSettings(games=90),
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
        "step 0.01 for CRBM": Variant(alpha=0.01),
        "1 round": Variant(rounds=1),
        "10 rounds": Variant(rounds=10),
    }


class MatchSettings(Settings, frozen=True, kw_only=True):
    """What is compared."""

    variants: dict[str, Variant] = msgspec.field(default_factory=_variants)
    """Ways to learn, by name."""
    decided: Count = 400
    """Games with a winner that a match needs at least."""
    most_games: Count = 6000
    """Games after which it ends all the same."""
    file: str = learned_maps.GNUGO
    """The games that are learned from."""


_QUICK_RBM = learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=20))
QUICK = MatchSettings(variants={MAIN: Variant(_QUICK_RBM, rounds=1)}, decided=4, most_games=8)


class Played(msgspec.Struct, frozen=True):
    """What came of one variant."""

    wins: int
    losses: int
    undecided: int
    out_wins: int
    """Of games without a limit of moves."""
    out_games: int
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


def play_until_decided(
    first: Linear, second: Linear, settings: MatchSettings, seed: int
) -> LinearScore:
    """Games of 100 moves at most until enough have a winner."""
    total, games = LinearScore(0, 0, 0, 0), 0
    while total.decided < settings.decided and games < settings.most_games:
        count = min(settings.decided, settings.most_games - games)
        score = play_linear_match(first, second, LinearTerms(count, seed=seed + games))
        total = LinearScore(*(a + b for a, b in zip(total, score, strict=True)))
        games += count
    return total


def measure(settings: MatchSettings, task: Task) -> Played:
    """Learns both players of a variant and lets them play; all variants learn with one seed, so
    that they differ in nothing else."""
    variant, paths = settings.variants[task.key["variant"]], (task.require_file(settings.file),)
    rbm = learned_maps.learned_map(task.folder, paths, variant.machine)
    crbm, error = learn_linear(rbm, paths, variant.alpha, variant.rounds, 1)
    templates, other = learn_linear(
        template_map(2), paths, variant.template_alpha, variant.rounds, 1
    )
    capped = play_until_decided(crbm, templates, settings, task.seed)
    terms = LinearTerms(settings.decided, limit=PLAYED_LIMIT, seed=task.seed)
    out = play_linear_match(crbm, templates, terms)
    return Played(
        capped.wins,
        capped.losses,
        capped.undecided,
        out.wins,
        out.decided,
        error,
        other,
        (crbm.weight_count, templates.weight_count),
    )


def run(settings: MatchSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where the games are not there."""
    if MAIN not in settings.variants:
        raise KatachiError(f"one of the variants must be called {MAIN}")
    paths = (runner.require_file(settings.file),)
    tasks = tasks_of(
        cross(variant=settings.variants), cost=lambda key: settings.variants[key["variant"]].rounds
    )
    study = Study("S3-1", settings, seed, tasks, measure, learned_maps.fingerprint(paths))
    found = runner.measure_all(study)
    played = {name: found.one(variant=name) for name in settings.variants}
    rows = found.rows(_rows)
    crbm, templates = played[MAIN].features
    notes = [
        f"CRBM of {crbm:,} features against {templates:,} features of 2x2 templates; both learned "
        f"by TD(0) from the same games of {settings.file}, nine tenths of them, and play with "
        "epsilon 0.10, komi 5.5, colours alternating, suicide forbidden; area counts.",
        "Main: multinomial units, CD-1 on 4,000 batches of 100 boards, step 0.1 for both, 5 rounds "
        "through the games. Every other row changes what it names.",
        "Players never pass while they have a move that fills no own eye, so most games last "
        "longer than 100 moves and have no winner then, as the paper counts; played out, the same "
        "players' games all have one.",
        "The paper states neither step sizes, rounds, rate nor length of CD. 95 % intervals are "
        "Wilson's. Each player was learned once: they tell of chance in the match, not in "
        "learning.",
    ]
    quantities = [CAPPED, PLAYED_OUT, UNDECIDED, ERROR_CRBM, ERROR_TEMPLATES]
    return Table(quantities=quantities, rows=rows, notes=notes)


def judge(table: Table) -> list[Claim]:
    """The paper's match by the main variant and by the step size that fits both players best; and
    whether what it won by was learned: the same with kernels that never were."""
    low, _ = wilson(PAPER_WINS, PAPER_GAMES)
    paper = f"CRBM wins {PAPER_WINS} of {PAPER_GAMES} decided games = {PAPER:.1f} % against 2x2"
    claims = []
    for name in dict.fromkeys((MAIN, best_step(table))):
        for row in (table.row(quantity, variant=name) for quantity in (CAPPED, PLAYED_OUT)):
            text = f"({name}, {row.quantity.removeprefix('won, ')})"
            claims.append(_claim(f"CRBM beats 2x2 {text}", row, 50.0))
            claims.append(_claim(f"{paper} {text}", row, round(100 * low, 1)))
    drawn = [table.find(quantity, {"variant": DRAWN}) for quantity in (CAPPED, PLAYED_OUT)]
    return claims + [each for row in drawn if row for each in _claims_of_learning(table, row)]


def _claim(paper: str, row: Row, bound: float) -> Claim:
    """Whether wins are surely above a bound: a half, or the lower end of the paper's interval."""
    return judge_above((paper, f"{row.ours:.1f} % of {row.n:,}"), number_of(row, 1, " %"), bound)


def _claims_of_learning(table: Table, drawn: Row) -> list[Claim]:
    """Kernels as they were drawn in the same match, alone and beside kernels that learned."""
    quantity = next(each for each in (CAPPED, PLAYED_OUT) if each.name == drawn.quantity)
    learned = table.row(quantity, variant=MAIN)
    how = f"({drawn.quantity.removeprefix('won, ')})"
    words = (
        f"implied: kernels that never learned do not beat 2x2 {how}",
        f"{drawn.ours:.1f} % of {drawn.n:,}",
    )
    ours = f"{learned.ours:.1f} %, with kernels as drawn {drawn.ours:.1f} %"
    more = f"implied: it wins by features that it learned {how}", ours
    return [
        judge_below(words, number_of(drawn, 1, " %"), 50.0),
        leave_open(more, gap(learned, drawn), ONE_TRAINING),
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
    [played] = runs
    decided = played.wins + played.losses
    games = decided + played.undecided
    paper = PAPER if key["variant"] == MAIN else None
    return [
        CAPPED.score(key, played.wins, decided, paper),
        PLAYED_OUT.score(key, played.out_wins, played.out_games),
        UNDECIDED.score(key, played.undecided, games),
        ERROR_CRBM.row(key, round(played.error, 5)),
        ERROR_TEMPLATES.row(key, round(played.template_error, 5)),
    ]


def draw(table: Table, title: str) -> str:
    """Wins by variant, as the paper counts and played out."""
    lines = (Line(PAPER, "the paper"), Line(50.0, "equal"))
    axes, shown = Axes("variant", has_words=False), (CAPPED, PLAYED_OUT)
    panel = panel_of(table, shown, axes, "CRBM against 2x2", 100.0, lines)._replace(unit="% won")
    series = [quantity.name for quantity in shown]
    return draw_panels(title, "epsilon 0.10, komi 5.5, 9x9", series, [panel], 1)


EXPERIMENT = Experiment(MatchSettings(), QUICK, run, draw, judge)
