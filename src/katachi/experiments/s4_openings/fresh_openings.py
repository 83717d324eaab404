"""S4-fresh: lambda on openings that nothing was chosen on, by who won the games, by a net and by
tree search; and how good these judges are."""

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.experiments.bounds import Count, Share
from katachi.experiments.claims import gap, judge_above, slope
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Found, Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import material, prediction
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning import opening_training
from katachi.pictures.charts import draw_panels
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.records.dataset import open_games
from katachi.records.openings import Opening, openings_of
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Game

Values = npt.NDArray[np.float64]

WITH_WINNER = Quantity("correlation with the winner", "", 3)
WITH_LEAD = Quantity("correlation with the strong program's lead", "", 3)
LABELS = ("{net}, lambda {lam:g}", "judge {judge}")
PROGRAM = "the strong program"
LEAST_KOMI, MOST_KOMI = 5.0, 8.0
"""Of games whose winners are asked about: komi near the one that openings were judged with."""
FOLDS = 10
"""Parts of the judged openings, one of which stops a net's learning."""
PIECE = 100
"""Openings that a judge is asked about in one go."""
USUAL = 0.7
"""The lambda that nets are compared at."""


class FreshSettings(material.OpeningSettings, frozen=True, kw_only=True):
    """Who learns, who judges, and how many openings are asked about."""

    runs: Count = 5
    """Nets of each kind, with seeds of their own."""
    lambdas: tuple[Share, ...] = (0.0, 0.3, 0.7, 1.0)
    """Weights of later differences."""
    nets: tuple[prediction.NetKind, ...] = prediction.NETS
    """Nets that learn from the judged openings."""
    judges: tuple[str, ...] = ("territory:owners19", "tree:200:territory:owners19")
    """Players whose opinion of each fresh opening is asked."""
    fresh: Count = 3000
    """Openings that were not judged, at most."""
    checked: Count = 300
    """Judged openings that the judges are asked about, too, at most."""


QUICK = FreshSettings(
    runs=2,
    lambdas=(0.0, USUAL),
    nets=tuple(msgspec.structs.replace(kind, epochs=1) for kind in prediction.NETS[1:]),
    judges=("alp",),
    fresh=10,
    checked=5,
)


class Asked(msgspec.Struct, frozen=True):
    """What was said of openings, in their order, more where Black is better."""

    said: list[float]


@cache
def fresh_openings(files: tuple[Path, Path], komi: float, band: float, most: int) -> list[Opening]:
    """The first openings that were not judged, of games that somebody won with a usual komi."""
    known = {each.game for each in material.open_judged(files, komi, band).openings}
    found = [
        each
        for each in openings_of(open_games(files[0]), material.LENGTH)
        if each.game not in known
        and each.winner != EMPTY
        and each.komi is not None
        and LEAST_KOMI <= each.komi <= MOST_KOMI
    ]
    if not found:
        raise KatachiError(
            f"no opening of {files[0].name} is left that nobody judged, of a game that somebody "
            f"won with komi {LEAST_KOMI:g} to {MOST_KOMI:g}"
        )
    return found[:most]


def asked_openings(at: Runner | Task, settings: FreshSettings) -> list[Opening]:
    """What judges are asked about: judged openings first, then fresh ones."""
    files = material.files_of(at, settings)
    judged = material.judged_of(at, settings).openings[: settings.checked]
    fresh = fresh_openings(files, settings.komi, settings.band, settings.fresh)
    return [*judged, *fresh]


def measure(settings: FreshSettings, task: Task) -> Asked:
    """What a net says of all fresh openings, or a judge of a piece of those it is asked about."""
    if "judge" in task.key:
        first = (task.run - 1) * PIECE
        openings = asked_openings(task, settings)[first : first + PIECE]
        return Asked(judge_all(task.key["judge"], openings, settings.komi, task.seed))
    kind = prediction.net_named(settings.nets, task.key["net"])
    prepared = prediction.prepare_kind(task, settings, kind)
    files = material.files_of(task, settings)
    fresh = fresh_openings(files, settings.komi, settings.band, settings.fresh)
    parts = prediction.fold_of(len(prepared.z), FOLDS, task.study_seed)
    training = prediction.training_of(kind, task.key["lam"], task.seed)
    nobody = np.zeros(len(parts), np.bool_)
    trainer, _ = prediction.learn_part(prepared, training, nobody, parts == (task.run - 1) % FOLDS)
    games = opening_training.prepare(
        [each.judged(0.0) for each in fresh],  # what it is judged as is not looked at
        prepared.material.inputs,
        kind.every,
        prepared.material.scales,
    ).games
    return Asked(np.round(trainer.chances(games)[:, -1], 6).tolist())


def judge_all(name: str, openings: list[Opening], komi: float, seed: int) -> list[float]:
    """What a player thinks of each opening: Black's lead, or its chance above one half where the
    player knows no owners; raises KatachiError where it has no opinion."""
    player = make_player(name, seed)
    if not isinstance(player, Analyst):
        player.close()
        raise KatachiError(f"{name} has no opinion of positions: name another judge")
    said = []
    try:
        for opening in openings:
            game = Game(opening.size, komi)
            for color, point in opening.play().moves:
                game.play(color, point)
            found = player.analyse(game, game.to_play)
            lead = found.win_rate - 0.5 if found.lead is None else found.lead
            said.append(round(lead if game.to_play == BLACK else -lead, 4))
    finally:
        player.close()
    return said


def run(settings: FreshSettings, seed: int, runner: Runner) -> Table:
    """Measures what is missing; raises KatachiError where no opening is left unjudged."""
    behaviour = material.fingerprint(runner, settings)
    asked = asked_openings(runner, settings)
    pieces = -(-len(asked) // PIECE)
    names = [kind.name for kind in settings.nets]
    tasks = tasks_of(cross(net=names, lam=settings.lambdas), settings.runs, labels=LABELS)
    tasks += tasks_of(cross(judge=settings.judges), pieces, lambda _: 4.0, LABELS)
    found = runner.measure_all(Study("S4-fresh", settings, seed, tasks, measure, behaviour))
    rows = _rows(found, asked, _leads(runner, settings), settings)
    fresh = len(asked) - len(_leads(runner, settings))
    return Table(
        quantities=[WITH_WINNER, WITH_LEAD, *map(by_judge, settings.judges)],
        rows=rows,
        labels=LABELS,
        notes=_notes(settings, fresh, len(asked) - fresh),
    )


def by_judge(name: str) -> Quantity:
    """How what nets say agrees with a judge."""
    return Quantity(f"correlation with {name}", "", 3)


def _leads(runner: Runner, settings: FreshSettings) -> Values:
    """The strong program's leads of the judged openings that judges are asked about."""
    judged = material.judged_of(runner, settings)
    leads = judged.leads(material.LENGTH, settings.komi)
    return np.array([leads[each.game] for each in judged.openings[: settings.checked]])


def _rows(
    found: Found[Asked], asked: list[Opening], leads: Values, settings: FreshSettings
) -> list[Row]:
    fresh = asked[len(leads) :]
    won = np.array([1.0 if each.winner == BLACK else -1.0 for each in fresh])
    judges = {
        name: np.concatenate([each.said for each in found.runs(judge=name)])
        for name in settings.judges
    }
    rows = []
    for key, runs in found:
        if "judge" in key:
            said = judges[key["judge"]]
            rows.append(_agreement(WITH_LEAD, key, said[: len(leads)], leads))
            rows.append(_agreement(WITH_WINNER, key, said[len(leads) :], won))
            continue
        said = np.mean([each.said for each in runs], axis=0)
        rows.append(_agreement(WITH_WINNER, key, said, won))
        for name, theirs in judges.items():
            rows.append(_agreement(by_judge(name), key, said, theirs[len(leads) :]))
    return [*rows, *_program_rows(asked, leads)]


def _program_rows(asked: list[Opening], leads: Values) -> list[Row]:
    """How the strong program's leads agree with the winners of the openings that it judged."""
    sign = {BLACK: 1.0, WHITE: -1.0}
    won = np.array([sign.get(each.winner, 0.0) for each in asked[: len(leads)]])
    if not won.any():
        return []
    return [_agreement(WITH_WINNER, {"judge": PROGRAM}, leads[won != 0], won[won != 0])]


def _agreement(quantity: Quantity, key: Key, one: Values, other: Values) -> Row:
    return quantity.estimate(key, prediction.correlation(one, other), len(one))


def _notes(settings: FreshSettings, fresh: int, checked: int) -> list[str]:
    return [
        f"Nets learned from all openings that were judged, but for a tenth that stopped them; what "
        f"is said after move 50 by {settings.runs} of each kind together, their mean, of {fresh:,} "
        "openings of the same collection that nobody has judged and nothing was chosen on (their "
        "inputs did scale those of the nets). Pearson's correlation, Fisher's 95 % intervals.",
        "The winner is that of the whole game, by the game's own komi of 5 to 8: it needs no "
        f"judge, and holds much more than the opening. {PROGRAM.capitalize()} judged other "
        "openings of the collection, so its row is of those.",
        f"Judges here are players of ours with komi {settings.komi:g}: a net's lead, and that of "
        f"tree search on it. How far to trust them, their own rows say: on {checked:,} openings "
        "that the strong program judged.",
    ]


def judge(table: Table) -> list[Claim]:
    """Whether lambda matters, and whether knowledge of Go helps, on openings nothing was chosen
    on."""
    claims = []
    names = [str(name) for name in table.values("net")]
    for name in names:
        rows = table.rows_of(WITH_WINNER, net=name)
        if len(rows) > 1:
            numbers = ", ".join(f"{row.ours:.3f}" for row in rows)
            lambdas = [float(row.key["lam"]) for row in rows]
            words = f"a higher lambda predicts better (the winner, {name})", numbers
            claims.append(judge_above(words, slope(lambdas, rows)))
    rich, raw = (table.find(WITH_WINNER, {"net": n, "lam": USUAL}) for n in ("rich", "raw"))
    if rich is not None and raw is not None:
        ours = f"rich {rich.ours:.3f}, raw {raw.ours:.3f}, lambda {USUAL:g}"
        words = "knowledge of Go would help: richer inputs predict the winner better", ours
        claims.append(judge_above(words, gap(rich, raw, 3)))
    return claims


def draw(table: Table, title: str) -> str:
    """Correlations by net and lambda, and those of the judges."""
    shown = [q for q in table.quantities if q != WITH_LEAD]
    panels = [panel_of(table, q, Axes("net", "lam")) for q in shown]
    axes = Axes("judge")
    panels += [panel_of(table, q, axes, f"judges: {q.name}") for q in (WITH_LEAD, WITH_WINNER)]
    series = [material.lambda_name(lam) for lam in table.values("lam")]
    return draw_panels(title, "openings that nothing was chosen on", series, panels)


EXPERIMENT = Experiment(FreshSettings(), QUICK, run, draw, judge)
