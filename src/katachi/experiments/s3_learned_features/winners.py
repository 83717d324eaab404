"""S3-3: winners classified from middle and final boards by an SVM, by feature set."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.experiments.bounds import Count
from katachi.experiments.claims import Tested, gap, judge_above, judge_below, leave_open
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table, Value
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features.board_channels import EDGE, LIBERTIES, STONES
from katachi.features.shape_map import UnionMap
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap
from katachi.learning.crbm_training import CrbmSettings
from katachi.measure import winners
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import Line, draw_panels
from katachi.records.dataset import GameSet, open_games
from katachi.records.record import GameRecord
from katachi.records.result import Ending
from katachi.rules.area import area_difference
from katachi.rules.color import BLACK, WHITE
from katachi.rules.state import colors_of

Leads = npt.NDArray[np.float64]

RIGHT = Quantity("winners predicted", "%", 1)
FEATURES = Quantity("features")
TEMPLATES, REAL, MULTINOMIAL, TIED = "2x2", "CRBM real", "CRBM multinomial", "CRBM tied"
POOLED, UPPER, CHANNELS, BOTH = "CRBM tied, pooled", "CRBM two layers", "CRBM liberties", "2x2+CRBM"
MAJORITY = "always the same colour"
STONES_ALONE = "who has more stones"
AREA_ALONE = "who has more area, komi counted"
LAST_MOVER = "who moved last"
COUNTED = ", counted games"
LOWEST = 40.0
"""Where the scale of the picture begins: all sets lie near a half."""
LEAK = (
    "undecided without games that were counted: where one side gave up the last mover is the "
    "winner, which boards show by their stones (S3-leak)"
)
SIZE = 9
BATCHES = 1000
"""Of 100 boards, that each RBM learns from; large ones learn from a quarter."""
STRONG_RANK = 1
"""One dan, as `rank_from_text` numbers it, or better."""


def _rbms() -> dict[str, learned_maps.RbmSettings]:
    """Sizes as near to the 5,184 features of 2x2 templates as whole kernels allow."""
    plain = CrbmSettings(steps=BATCHES)
    change = msgspec.structs.replace
    return {
        REAL: learned_maps.RbmSettings(change(plain, visible=VisibleKind.REAL, rate=0.01)),
        MULTINOMIAL: learned_maps.RbmSettings(plain),
        TIED: learned_maps.RbmSettings(change(plain, kernels=13, is_tied=True)),
        POOLED: learned_maps.RbmSettings(
            change(plain, is_tied=True, steps=BATCHES // 4), is_pooled=True
        ),
        UPPER: learned_maps.RbmSettings(
            change(plain, kernels=40), learned_maps.upper_layer(207, BATCHES // 4)
        ),
        CHANNELS: learned_maps.RbmSettings(change(plain, inputs=(STONES, LIBERTIES, EDGE))),
    }


class WinnerSettings(Settings, frozen=True, kw_only=True):
    """What is classified by what."""

    machines: dict[str, learned_maps.RbmSettings] = msgspec.field(default_factory=_rbms)
    """RBMs whose features are used, by name."""
    files: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=lambda: {
            "professionals": ("pro9.sgf.gz",),
            "strong amateurs": ("ogs9_scored.sgf.gz", "ogs9_other.sgf.gz"),
            f"strong amateurs{COUNTED}": ("ogs9_scored.sgf.gz",),
        }
    )
    """Games by who played them; of amateurs only those of two players of 1 dan or better, and
    where the name says so only those that were counted."""
    games: Count = 1500
    """Most games of each."""
    boards: str = learned_maps.GNUGO
    """Games whose boards the RBMs learn from: no game of them is classified."""


QUICK = WinnerSettings(
    machines={MULTINOMIAL: learned_maps.RbmSettings(CrbmSettings(kernels=4, steps=20))},
    files={"professionals": ("pro9.sgf.gz",)},
    games=40,
)


class Classified(msgspec.Struct, frozen=True):
    """What came of one feature set on one kind of boards."""

    right: int
    games: int
    features: int
    majority: float
    choices: list[str]


@cache
def open_winners(
    paths: tuple[Path, ...], most: int, seed: int, *, is_counted: bool = False
) -> GameSet:
    """Games on 9x9 without handicap that somebody won, or won by counting; of files of amateurs,
    strong players'."""
    games = open_games(*paths)
    info = games.info
    is_wanted = (info["size"] == SIZE) & (info["handicap"] == 0)
    if paths[0].name.startswith("ogs"):
        is_wanted &= np.minimum(info["black_rank"], info["white_rank"]) >= STRONG_RANK
    chosen = GameSet(games.columns, games.rows[is_wanted])
    won = np.array([_is_won(record, is_counted=is_counted) for record in chosen], np.bool_)
    return GameSet(chosen.columns, chosen.rows[won]).shuffle(seed)[:most]


def _is_won(record: GameRecord, *, is_counted: bool) -> bool:
    result = record.result
    is_known = result.is_decided and len(record.moves) >= 10
    return is_known and (not is_counted or result.ending is Ending.COUNT)


def measure(settings: WinnerSettings, task: Task) -> Classified:
    """One feature set on one kind of boards; the folds are the same for all of them."""
    people = task.key["people"]
    paths = tuple(map(task.require_file, settings.files[people]))
    stage = winners.Stage(task.key["stage"])
    boards = _boards(paths, settings.games, stage, is_counted=people.endswith(COUNTED))
    majority = winners.majority_share(boards.black_won)
    baseline = BASELINES.get(task.key["set"])
    if baseline is not None:
        right = right_by(baseline(boards), boards.black_won)
        return Classified(right, len(boards.black_won), 1, majority, [])
    feature_map = _map_of(settings, task)
    found = winners.classify_winners(feature_map, boards)
    return Classified(found.right, found.games, feature_map.count(SIZE), majority, found.choices)


def right_by(lead: Leads, black_won: winners.Labels) -> int:
    """Winners named by who is ahead [N], Black where it is above 0; of equals, by who wins more
    often."""
    usual = bool(black_won.mean() >= 0.5)
    named = np.where(lead == 0, usual, lead > 0)
    return int((named == black_won).sum())


def lead_in_stones(boards: winners.WinnerBoards) -> Leads:
    """[N] Black's stones less White's."""
    colors = np.array([colors_of(words) for words in boards.states.words])
    return np.asarray((colors == BLACK).sum(axis=1) - (colors == WHITE).sum(axis=1), np.float64)


def lead_in_area(boards: winners.WinnerBoards) -> Leads:
    """[N] Black's area less White's and komi, all stones alive."""
    return np.array([area_difference(words) for words in boards.states.words]) - boards.komi


def last_mover(boards: winners.WinnerBoards) -> Leads:
    """[N] 1 where Black moved last, -1 where White did."""
    return np.select([boards.last_movers == BLACK, boards.last_movers == WHITE], [1.0, -1.0], 0.0)


BASELINES: dict[str, Callable[[winners.WinnerBoards], Leads]] = {
    STONES_ALONE: lead_in_stones,
    AREA_ALONE: lead_in_area,
    LAST_MOVER: last_mover,
}
"""What a board says without any feature."""


@cache
def _boards(
    paths: tuple[Path, ...], most: int, stage: winners.Stage, *, is_counted: bool
) -> winners.WinnerBoards:
    return winners.winner_boards(open_winners(paths, most, 1, is_counted=is_counted), stage)


def _map_of(settings: WinnerSettings, task: Task) -> FeatureMap:
    name, games = task.key["set"], task.require_file(settings.boards)
    if name == TEMPLATES:
        return template_map(2)
    if name == BOTH:
        rbm = learned_maps.learned_map(task.folder, (games,), settings.machines[MULTINOMIAL])
        return UnionMap([template_map(2), rbm])
    return learned_maps.learned_map(task.folder, (games,), settings.machines[name])


def run(settings: WinnerSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where games or scikit-learn are not there."""
    winners.require_sklearn()
    files = [runner.require_file(name) for names in settings.files.values() for name in names]
    behaviour = learned_maps.fingerprint((*files, runner.require_file(settings.boards)))
    names = [TEMPLATES, *settings.machines, BOTH, *BASELINES]
    groups = cross(people=settings.files, stage=[stage.value for stage in winners.Stage])
    tasks = tasks_of(group | {"set": name} for group in groups for name in names)
    found = runner.measure_all(Study("S3-3", settings, seed, tasks, measure, behaviour))
    rows = []
    for key, [each] in found:
        if key["set"] == TEMPLATES:
            right = round(each.majority * each.games)
            rows.append(RIGHT.share(key | {"set": MAJORITY}, right, each.games))
        rows.append(RIGHT.share(key, each.right, each.games))
    rows += [
        FEATURES.row({"set": name}, found.one(**groups[0], set=name).features) for name in names
    ]
    return Table(quantities=[RIGHT, FEATURES], rows=rows, notes=_notes(settings))


def _notes(settings: WinnerSettings) -> list[str]:
    return [
        "Five folds by game, so every game is predicted once by an SVM that has not seen it, nor a "
        "turned or mirrored record of it; kernel (linear or RBF) and C are chosen by four folds "
        "inside the games learned from. 95 % intervals are Wilson's.",
        f"Middle: after half of a game's moves; final: after its last. The CRBMs learned from "
        f"boards of {settings.boards}, none of whose games is predicted. Amateurs: both 1 dan or "
        f"better, {settings.games:,} games at most.",
        "Boards are seen with Black's stones as black, whoever is to move. The last rows use no "
        "feature and no SVM: stones, area with all stones alive and komi, and whose stone was "
        "placed last. The paper prints no numbers.",
    ]


def judge(table: Table) -> list[Claim]:
    """Whether some learned set of equal size tells more winners than templates do, and than one
    number; by games that were counted, for where one side gave up boards show who did. Boards of
    the middle and of the end are judged each on their own: stones that were taken tell nothing in
    the middle, and much at the end."""
    people = table.values("people")
    counted = [each for each in people if str(each).endswith(COUNTED)]
    return [
        claim
        for stage in table.values("stage")
        for claim in _judge_stage(table, str(stage), counted or people, is_open=not counted)
    ]


def _judge_stage(table: Table, stage: str, people: list[Value], *, is_open: bool) -> list[Claim]:
    names = [str(name) for name in table.values("set")]
    totals = {name: _total(table, name, people, stage) for name in names}
    equal = [name for name in names if name not in (TEMPLATES, BOTH, MAJORITY, *BASELINES)]
    best = max(equal, key=lambda name: totals[name].ours or 0.0)
    ours = (
        f"the best of {len(equal)} of equal size, {best}, tells {totals[best].ours:.1f} %, "
        f"templates {totals[TEMPLATES].ours:.1f} %"
    )
    words = (
        f"no CRBM set of equal size tells more winners than 2x2 templates ({stage} boards)",
        ours,
    )
    by, turned = gap(totals[best], totals[TEMPLATES]), _gap_of_turning(totals, stage)
    if is_open:
        return [leave_open(words, by, LEAK), *(leave_open(*each, LEAK) for each in turned)]
    more = [judge_above(*each) for each in turned]
    plain = [_claim_of_baseline(totals, best, name, stage) for name in BASELINES if name in totals]
    return [judge_below(words, by), *more, *plain]


def _claim_of_baseline(totals: dict[str, Row], best: str, name: str, stage: str) -> Claim:
    """Whether the best set tells more winners than one number that needs no feature."""
    ours = f"{best} tells {totals[best].ours:.1f} %, this {totals[name].ours:.1f} %"
    words = f"implied: learned features tell more winners than {name} ({stage} boards)", ours
    return judge_above(words, gap(totals[best], totals[name]))


def _gap_of_turning(totals: dict[str, Row], stage: str) -> list[tuple[tuple[str, str], Tested]]:
    """What kernels that stand for all their orientations tell more, where there are both."""
    if not {TIED, MULTINOMIAL} <= totals.keys():
        return []
    tied, plain = totals[TIED], totals[MULTINOMIAL]
    words = f"rotational invariance improves it ({stage} boards)"
    ours = f"{tied.ours:.1f} %, without it {plain.ours:.1f} %"
    return [((words, ours), gap(tied, plain))]


def _total(table: Table, name: str, people: list[Value], stage: str) -> Row:
    """All boards of one set at a stage together, of these people's games."""
    found = (table.rows_of(RIGHT, set=name, people=each, stage=stage) for each in people)
    rows = [row for some in found for row in some]
    games = sum(row.n for row in rows)
    right = sum(round((row.ours or 0.0) * row.n / 100) for row in rows)
    return RIGHT.share({"set": name}, right, games)


def draw(table: Table, title: str) -> str:
    """Winners classified, a panel for each kind of boards."""
    lines = (Line(50.0, "a guess"),)
    top = 5.0 * math.ceil(max(row.high or 0.0 for row in table.rows_of(RIGHT)) / 5)
    panels = []
    for people in table.values("people"):
        for stage in table.values("stage", people=people):
            axes = Axes("set", part={"people": people, "stage": stage})
            panel = panel_of(table, RIGHT, axes, f"{people}, {stage}", top, lines)
            unit = f"% of winners predicted, the scale begins at {LOWEST:g}"
            panels.append(panel._replace(unit=unit, bottom=LOWEST))
    return draw_panels(title, "support vector machine, folds by game", [], panels, 1)


EXPERIMENT = Experiment(WinnerSettings(), QUICK, run, draw, judge)
