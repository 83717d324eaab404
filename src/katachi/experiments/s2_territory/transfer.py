"""S2-transfer: what games of 19x19 add to those of 9x9, for sweeps and a convolution of equal size.

The paper's nets learn at 9x9 and play at 19x19. How much of the large board that leaves open shows
the curve: no game of 19x19 to learn from, ten, a hundred, and so on.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.territory import NetKind
from katachi.experiments.bounds import Amount, BoardSize, Count, Rate, Share
from katachi.experiments.claims import gap, judge_above, judge_below
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import learned_moves, material
from katachi.experiments.s2_territory.ingredients import OUR_INPUTS
from katachi.experiments.s2_territory.learned_moves import Learned
from katachi.experiments.s2_territory.predicted_moves import (
    AMONG,
    LOG,
    MEAN,
    PAPER_NET,
    TOP1,
    MoveSet,
)
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_run import TerritoryGames, TerritoryPlan, open_plan
from katachi.learning.territory_training import TerritorySettings
from katachi.pictures.charts import Curves, Line, Spot, draw_panels
from katachi.records.dataset import GameSet

SWEEPS, CONVOLUTION = NetKind.SWEEPS.value, NetKind.CONVOLUTION.value
WHERE = "19x19"
SMALL = 9
X_NAME = "powers of ten of 19x19 games; none stands at 0"
ROOM = 0.1
"""Nats between the curves and the ends of their scale."""


class TransferSettings(learned_moves.NetSettings, frozen=True, kw_only=True):
    """How many games of 19x19 there are, and how nets learn."""

    sets: tuple[MoveSet, ...] = learned_moves.MORE_GAMES
    """Games whose moves are predicted: amateurs' that were held out, and professionals'."""
    fitting_games: Count = 200
    """Most games that a temperature is fitted to, for each set and net."""
    runs: Count = 4
    """Independent runs of each net and number of games."""
    file: str = "pro19.sgf.gz"
    """Games of the large board; only its held-out ones are measured."""
    size: BoardSize = 19
    """The large board."""
    added: tuple[Amount, ...] = (0, 10, 100, 1000, 10_000)
    """Games of it to learn from, or as many as there are."""
    games: Amount = 0
    """Games of 9x9 to learn from; 0 for all that are not held out."""
    most_share: Share = 0.5
    """Most of the batches that the large board has."""
    most_epochs: Count = 10
    """How often its positions are seen at most: few games have few of the batches."""
    hidden: Count = 16
    """Hidden units of the sweeping net."""
    states: Count = 8
    """States that each of its sweeps passes on."""
    planes: Count = 11
    """Planes of the convolution; with its layers they give it as many weights."""
    layers: Count = 5
    """Layers of the convolution."""
    batch: Count = 64
    """Positions in a batch."""
    steps: Count = 5000
    """Batches."""
    rate: Rate = 0.008
    """Step size at the beginning."""


QUICK = TransferSettings(
    runs=2,
    sets=learned_moves.SMALL_SETS,
    fitting_games=2,
    added=(0, 3),
    games=12,
    hidden=4,
    states=2,
    planes=3,
    layers=4,
    batch=8,
    steps=4,
)


class Mixed(NamedTuple):
    """What a net learns from."""

    games: TerritoryGames
    share: float
    """Of the batches, for the large board."""


def training_of(settings: TransferSettings, net: str, seed: int) -> TerritorySettings:
    """How a net learns: moves alone, as owners are not known of the games of the large board."""
    plain = TerritorySettings()
    is_sweeping = net == SWEEPS
    return TerritorySettings(
        inputs=InputSettings(OUR_INPUTS),
        net=NetKind(net),
        hidden=settings.hidden if is_sweeping else settings.planes,
        states=settings.states if is_sweeping else plain.states,
        layers=1 if is_sweeping else settings.layers,
        predicts_moves=True,
        cell_weight=0.0,
        batch=settings.batch,
        steps=settings.steps,
        rate=settings.rate,
        seed=seed,
    )


@cache
def open_both(small: Path, large: Path) -> TerritoryGames:
    """The games of two files, parted into those to learn from and others."""
    plan = TerritoryPlan(games=tuple(dict.fromkeys((str(small), str(large)))))
    return open_plan(plan, needs_owners=False)


def mix_games(settings: TransferSettings, files: tuple[Path, Path], added: int) -> Mixed:
    """Games of 9x9 and so many of the large board, and how often the latter are drawn."""
    games = open_both(*files)
    small, large = (_of_size(games.train, size) for size in (SMALL, settings.size))
    rows = [small.shuffle(1)[: settings.games or None].rows, large.shuffle(1)[:added].rows]
    train = GameSet(games.train.columns, np.concatenate(rows))
    positions = int(train.columns.moves.lengths[rows[1]].sum())
    seen = settings.steps * settings.batch
    share = min(settings.most_share, settings.most_epochs * positions / seen)
    return Mixed(TerritoryGames(train, games.validation), share)


def _of_size(games: GameSet, size: int) -> GameSet:
    return GameSet(games.columns, games.rows[games.info["size"] == size])


def measure(settings: TransferSettings, task: Task) -> Learned:
    """One net."""
    files = task.require_file(material.SCORED9), task.require_file(settings.file)
    mixed = mix_games(settings, files, task.key["added"])
    training = training_of(settings, task.key["net"], task.seed)
    trainer = material.new_trainer(training, mixed.games)
    if task.key["added"]:
        trainer.share_batches({SMALL: 1.0 - mixed.share, settings.size: mixed.share})
    trainer.learn(settings.steps)
    learned = frozenset({settings.file})
    predicted = learned_moves.predict_sets(trainer.model(), settings, task, learned)
    return learned_moves.learned_by(trainer, len(mixed.games.train), predicted)


def counts_of(settings: TransferSettings, files: tuple[Path, Path]) -> list[int]:
    """Numbers of games of the large board that can be learned from, of those that are wanted;
    raises KatachiError where there are none."""
    there = len(_of_size(open_both(*files).train, settings.size))
    if there == 0:
        raise KatachiError(f"{settings.file} has no game of size {settings.size} to learn from")
    return sorted({min(each, there) for each in settings.added})


def run(settings: TransferSettings, seed: int, runner: Runner) -> Table:
    """Learns and measures what is missing; raises KatachiError where the games are not there."""
    names = learned_moves.require_games(settings, runner, material.SCORED9, settings.file)
    small, large, *others = map(runner.require_file, names)
    counts = counts_of(settings, (small, large))
    keys = cross(net=(SWEEPS, CONVOLUTION), added=counts)
    tasks = tasks_of(
        keys,
        settings.runs,
        lambda key: 1.0 + min(2.0, key["added"] / 200),
        learned_moves.LABELS,
    )
    plans = [training_of(settings, net, seed) for net in (SWEEPS, CONVOLUTION)]
    behaviour = material.learning_of(small, plans) + material.fingerprint([large, *others])
    found = runner.measure_all(Study("S2-transfer", settings, seed, tasks, measure, behaviour))

    def rows(key: Key, runs: list[Learned]) -> list[Row]:
        is_papers = key == {"net": SWEEPS, "added": 0}
        return learned_moves.rows_of_net(key, runs, settings.sets, is_papers=is_papers)

    return Table(
        quantities=[*learned_moves.MEASURED, *learned_moves.BUDGET],
        rows=found.rows(rows),
        labels=learned_moves.LABELS,
        notes=_notes(settings, counts),
    )


def _notes(settings: TransferSettings, counts: list[int]) -> list[str]:
    have = f"up to {max(counts):,} of them"
    if max(counts) < max(settings.added):
        have += ", as it has no more to learn from"
    return [
        f"All nets learn moves alone from games of {material.SCORED9} "
        f"({settings.games or 'all'} that are not held out) and games of {settings.file}, {have}; "
        f"{settings.steps:,} batches of {settings.batch} positions in all, whatever they are from. "
        f"The large board has {100 * settings.most_share:g} % of the batches, or fewer where its "
        f"positions would be seen more than {settings.most_epochs} times each.",
        f"Inputs {', '.join(OUR_INPUTS)}. Sweeps: {settings.hidden} hidden units, "
        f"{settings.states} states; convolution: {settings.layers} layers of {settings.planes} "
        "planes.",
        *learned_moves.notes_of_sets(settings),
    ]


def judge(table: Table) -> list[Claim]:
    """That a net learns at 9x9 what it needs at 19x19, and that this is due to sweeps."""
    counts = sorted(int(each) for each in table.values("added"))
    ends = {(net, n): _row(table, net, n) for net in (SWEEPS, CONVOLUTION) for n in counts}
    claims = learned_moves.judge_papers(table)
    first, last = counts[0], counts[-1]
    none, most = ends[SWEEPS, first], ends[SWEEPS, last]
    if none is not None and most is not None and first < last:
        ours = f"{none.ours:.2f} with {first:,} of them, {most.ours:.2f} with {last:,}"
        said = "implied: games of 9x9 are enough, those of 19x19 add nothing"
        claims.append(judge_below((said, ours), gap(most, none, 2)))
    for count in dict.fromkeys((first, last)):
        one, other = ends[SWEEPS, count], ends[CONVOLUTION, count]
        if one is not None and other is not None:
            said = f"implied: sweeps carry over better than convolutions ({count:,} of 19x19)"
            ours = f"{one.ours:.2f}, convolution {other.ours:.2f} at {WHERE}"
            claims.append(judge_above((said, ours), gap(one, other, 2)))
    pairs = [[{"net": net, "added": n} for net in (SWEEPS, CONVOLUTION)] for n in counts]
    return [*claims, learned_moves.judge_equal(table, pairs)]


def _row(table: Table, net: str, added: int) -> Row | None:
    row = table.find(LOG, {"net": net, "added": added, "games": WHERE})
    return None if row is None or row.ours is None else row


def draw(table: Table, title: str) -> str:
    """Each net's curve, by both readings and by the best moves."""
    nets = [str(net) for net in table.values("net")]
    panels = [_panel(table, each, nets) for each in (LOG, MEAN, AMONG, TOP1)]
    return draw_panels(title, "9x9 games and some of 19x19, equal updates", nets, panels)


def _panel(table: Table, quantity: Quantity, nets: list[str]) -> Curves:
    """One quantity, its scale about as long as the curves are high."""
    curves = [_curve(table, quantity, net) for net in nets]
    ends = [end for spots in curves for spot in spots for end in spot[1:] if end is not None]
    is_log = quantity in (LOG, MEAN)
    lines = (Line(PAPER_NET[19], "the paper"),) if is_log else ()
    ends += [line.value for line in lines]
    top, bottom = (max(ends) + ROOM, min(ends) - ROOM) if is_log else (None, None)
    return Curves(f"{quantity.name}, {WHERE}", quantity.unit, X_NAME, curves, top, lines, bottom)


def _curve(table: Table, quantity: Quantity, net: str) -> list[Spot]:
    rows = table.rows_of(quantity, net=net, games=WHERE)
    return [
        Spot(float(np.log10(max(1, int(row.key["added"])))), row.ours, row.low, row.high)
        for row in rows
        if row.ours is not None
    ]


EXPERIMENT = Experiment(TransferSettings(), QUICK, run, draw, judge)
