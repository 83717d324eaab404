"""S3-3: winners told from middle and final boards by a support vector machine, by feature set."""

from functools import cache, partial
from pathlib import Path

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.s3_learned_features.learned_maps import (
    STARTER,
    MachineSettings,
    fingerprint,
    learned_map,
)
from katachi.experiments.statistics import share_row
from katachi.experiments.workbench import Study, Workbench
from katachi.features.board_channels import EDGE, LIBERTIES, STONES
from katachi.features.shape_map import UnionMap
from katachi.features.templates import template_map
from katachi.features.window_map import FeatureMap
from katachi.learning.crbm_training import CrbmSettings
from katachi.measure.winners import (
    Stage,
    WinnerBoards,
    classify_winners,
    majority_share,
    winner_boards,
)
from katachi.nets.crbm_form import VisibleKind
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.records.dataset import GameSet, open_games

RIGHT = Quantity("winners told", "%", 1)
FEATURES = Quantity("features")
TEMPLATES, REAL, MULTINOMIAL, TIED = "2x2", "CRBM real", "CRBM multinomial", "CRBM tied"
POOLED, UPPER, CHANNELS, BOTH = "CRBM tied, pooled", "CRBM two layers", "CRBM liberties", "2x2+CRBM"
MAJORITY = "always the same colour"
SIZE = 9
BATCHES = 1000
"""Of 100 boards, that each machine learns from; large ones learn from a quarter."""
STRONG_RANK = 1
"""One dan, as `rank_from_text` numbers it, or better."""


def _machines() -> dict[str, MachineSettings]:
    """Sizes as near to the 5,184 features of 2x2 templates as whole kernels allow."""
    plain = CrbmSettings(steps=BATCHES)
    change = msgspec.structs.replace
    return {
        REAL: MachineSettings(change(plain, visible=VisibleKind.REAL, rate=0.01)),
        MULTINOMIAL: MachineSettings(plain),
        TIED: MachineSettings(change(plain, kernels=13, is_tied=True)),
        POOLED: MachineSettings(change(plain, is_tied=True, steps=BATCHES // 4), is_pooled=True),
        UPPER: MachineSettings(
            change(plain, kernels=40), change(plain, kernels=207, steps=BATCHES // 4)
        ),
        CHANNELS: MachineSettings(change(plain, inputs=(STONES, LIBERTIES, EDGE))),
    }


class WinnerSettings(Settings, frozen=True, kw_only=True):
    """What is told from what."""

    machines: dict[str, MachineSettings] = msgspec.field(default_factory=_machines)
    files: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=lambda: {
            "professionals": ("pro9.sgf.gz",),
            "strong amateurs": ("ogs9_scored.sgf.gz", "ogs9_other.sgf.gz"),
        }
    )
    """Games by who played them; of amateurs only those of two players of 1 dan or better."""
    games: int = 1500
    """Most games of each."""
    boards: str = STARTER
    """Games whose boards the machines learn from: no game of them is classified."""


QUICK = WinnerSettings(
    machines={MULTINOMIAL: MachineSettings(CrbmSettings(kernels=4, steps=20))},
    files={"professionals": ("pro9.sgf.gz",)},
    games=40,
)


class Told(msgspec.Struct, frozen=True):
    """What came of one feature set on one kind of boards."""

    right: int
    games: int
    features: int
    majority: float
    choices: list[str]


@cache
def open_winners(paths: tuple[Path, ...], most: int, seed: int) -> GameSet:
    """Games on 9x9 without handicap that somebody won; of files of amateurs, strong players'."""
    games = open_games(*paths)
    info = games.info
    is_wanted = (info["size"] == SIZE) & (info["handicap"] == 0)
    if paths[0].name.startswith("ogs"):
        is_wanted &= np.minimum(info["black_rank"], info["white_rank"]) >= STRONG_RANK
    chosen = GameSet(games.columns, games.rows[is_wanted])
    won = np.array([r.result.is_decided and len(r.moves) >= 10 for r in chosen], np.bool_)
    return GameSet(chosen.columns, chosen.rows[won]).shuffle(seed)[:most]


def measure(
    paths: dict[str, tuple[Path, ...]],
    place: tuple[Path, Path],
    settings: WinnerSettings,
    task: Task,
    seed: int,  # noqa: ARG001
) -> Told:
    """One feature set on one kind of boards; the folds are the same for all of them. `place` is
    (folder of machines, games they learn from)."""
    people, stage, name = task.setting.split(", ", 2)
    boards = _boards(paths[people], settings.games, Stage(stage))
    feature_map = _map_of(name, settings, place)
    told = classify_winners(feature_map, boards)
    majority = majority_share(boards.black_won)
    return Told(told.right, told.games, feature_map.count(SIZE), majority, told.choices)


@cache
def _boards(paths: tuple[Path, ...], most: int, stage: Stage) -> WinnerBoards:
    return winner_boards(open_winners(paths, most, 1), stage)


def _map_of(name: str, settings: WinnerSettings, place: tuple[Path, Path]) -> FeatureMap:
    if name == TEMPLATES:
        return template_map(2)
    folder, games = place
    if name == BOTH:
        machine = learned_map(folder, (games,), settings.machines[MULTINOMIAL])
        return UnionMap([template_map(2), machine])
    return learned_map(folder, (games,), settings.machines[name])


def run(settings: WinnerSettings, seed: int, bench: Workbench) -> Table:
    """Measures what is missing; raises KatachiError where games or scikit-learn are not there."""
    require_sklearn()
    paths = {
        people: tuple(bench.require_file(name) for name in names)
        for people, names in settings.files.items()
    }
    place = (bench.folder, bench.require_file(settings.boards))
    names = [TEMPLATES, *settings.machines, BOTH]
    groups = [f"{people}, {stage.value}" for people in paths for stage in Stage]
    tasks = [Task(f"{group}, {name}", 1) for group in groups for name in names]
    files = tuple(path for group in paths.values() for path in group)
    work = partial(measure, paths, place)
    study = Study("S3-3", settings, seed, tasks, work, Told, fingerprint((*files, place[1])))
    found = bench.measure_all(study)
    told = {task.setting: found[task.setting, 1] for task in tasks}
    rows = []
    for group in groups:
        first = told[f"{group}, {TEMPLATES}"]
        right = round(first.majority * first.games)
        rows.append(share_row(f"{group}, {MAJORITY}", RIGHT, right, first.games))
        for name in names:
            each = told[f"{group}, {name}"]
            rows.append(share_row(f"{group}, {name}", RIGHT, each.right, each.games))
    for name in names:
        count = told[f"{groups[0]}, {name}"].features
        rows.append(Row(setting=name, quantity=FEATURES.name, ours=count, n=1))
    claims = [_claim(groups, names, told)]
    return Table(quantities=[RIGHT, FEATURES], rows=rows, claims=claims, notes=_notes(settings))


def _notes(settings: WinnerSettings) -> list[str]:
    return [
        "Five folds by game, so every game is told once by a machine that has not seen it, nor a "
        "turned or mirrored record of it; kernel (linear or RBF) and C are chosen by four folds "
        "inside the games learned from. 95 % intervals are Wilson's.",
        f"Middle: after half of a game's moves; final: after its last. The CRBMs learned from "
        f"boards of {settings.boards}, none of whose games is told. Amateurs: both of 1 dan or "
        f"better, {settings.games:,} games at most.",
        "Boards are seen with Black's stones as black, whoever is to move. The paper prints no "
        "numbers.",
    ]


def require_sklearn() -> None:
    """Raises KatachiError where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise KatachiError("scikit-learn is needed: pip install katachi[svm]") from None


def _claim(groups: list[str], names: list[str], told: dict[str, Told]) -> Claim:
    """Whether some learned set of equal size tells more than templates do, in all groups summed."""
    totals = {name: sum(told[f"{group}, {name}"].right for group in groups) for name in names}
    games = sum(told[f"{group}, {TEMPLATES}"].games for group in groups)
    equal = [name for name in names if name not in (TEMPLATES, BOTH)]
    best = max(equal, key=lambda name: totals[name])
    words = (
        f"the best of equal size, {best}, tells {totals[best] / games:.1%} of all boards, "
        f"templates {totals[TEMPLATES] / games:.1%}"
    )
    holds = totals[best] <= totals[TEMPLATES]
    return Claim("no CRBM set of equal size tells more winners than 2x2 templates", words, holds)


def draw(table: Table, title: str) -> str:
    """Winners told, a panel for each kind of boards."""
    rows = [row for row in table.rows if row.quantity == RIGHT.name]
    groups = list(dict.fromkeys(", ".join(row.setting.split(", ", 2)[:2]) for row in rows))
    panels = []
    for group in groups:
        own = [row for row in rows if row.setting.startswith(f"{group}, ")]
        names = [row.setting.split(", ", 2)[2] for row in own]
        bars = [[Bar(row.ours, row.low, row.high)] for row in own]
        panels.append(Panel(group, "% of winners told", names, bars, 100.0))
    return draw_panels(title, "support vector machine, folds by game", [], panels, 1)


EXPERIMENT = Experiment(WinnerSettings(), QUICK, run, draw)
