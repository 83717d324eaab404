"""S1-strength: the learned players against programs that are not ours, at 9x9.

RLGO is by the paper's first author and plays by weights of its own; they are not part of the
package, and the games against it are played where the data folder holds them.
"""

from collections.abc import Iterable
from functools import partial

import msgspec

from katachi.experiments import matches
from katachi.experiments.bounds import Amount
from katachi.experiments.protocol import Experiment, Quantity, Table
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import draw_panels

SCORE = Quantity("score", "% of points", 1)
RLGO = "RLGO 2.5, one ply"
RLGO_FILE = "rlgo-9x9-shared.w"


class Entrant(msgspec.Struct, frozen=True):
    """A player of ours, and its games."""

    name: str
    """What it is called in the table."""
    player: str
    """A player's name."""
    rlgo_games: Amount
    """Games against RLGO's weights."""
    gnugo_games: Amount
    """Games against GNU Go's lowest level."""


class StrengthSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """Who plays, and how often."""

    entrants: tuple[Entrant, ...] = (
        Entrant("shapes, one ply", "shape:shape9", 1000, 400),
        Entrant("shapes and liberties, one ply", "shape:liberty9", 1000, 400),
        Entrant("shapes, alpha-beta to 3 plies", "search:3:shape:shape9", 0, 400),
        Entrant("shapes learned anew each move, alpha-beta, 1 s", "dyna:shape:shape9", 0, 20),
    )
    """Players of ours."""


QUICK = StrengthSettings(entrants=(Entrant("average liberties", "alp", 2, 2),), block=2)


def opponents_of(runner: Runner) -> dict[str, str]:
    """The programs that can be played here; what is missing is reported."""
    found = {}
    weights = None if runner.data is None else runner.data / RLGO_FILE
    if weights is not None and weights.is_file():
        found[RLGO] = f"rlgo:{weights}"
    else:
        runner.tell(f"without {RLGO_FILE} in the data folder, RLGO's weights are not played")
    if matches.has_gnugo():
        found[matches.GNUGO] = matches.GNUGO_COMMAND
    else:
        runner.tell(matches.GNUGO_MISSING)
    return found


def measure(opponents: dict[str, str], settings: StrengthSettings, task: Task) -> matches.Score:
    """One block of games of one pairing."""
    players = {entrant.name: entrant.player for entrant in settings.entrants}
    pair = players[task.key["player"]], opponents[task.key["opponent"]]
    return matches.play_block(pair, settings.terms, settings.block, task.seed)


def tasks_for(settings: StrengthSettings, opponents: Iterable[str]) -> list[Task]:
    """The blocks of games of each pairing."""
    tasks = []
    for opponent in opponents:
        for entrant in settings.entrants:
            games = entrant.rlgo_games if opponent == RLGO else entrant.gnugo_games
            key = {"player": entrant.name, "opponent": opponent}
            tasks += settings.tasks([key], games)
    return tasks


def run(settings: StrengthSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing."""
    opponents = opponents_of(runner)
    tasks = tasks_for(settings, opponents)
    behaviour = matches.fingerprint_players([entrant.player for entrant in settings.entrants])
    # How many games are asked for does not change those that were played.
    players = tuple(Entrant(each.name, each.player, 0, 0) for each in settings.entrants)
    kept = msgspec.structs.replace(settings, entrants=players)
    study = Study("S1-strength", kept, seed, tasks, partial(measure, opponents), behaviour)
    rows = [matches.total_row(key, SCORE, blocks) for key, blocks in runner.measure_all(study)]
    notes = [matches.terms_note(settings.terms), matches.GNUGO_NOTE]
    return Table(quantities=[SCORE], rows=rows, labels=matches.PAIRING, notes=notes)


def draw(table: Table, title: str) -> str:
    """A bar for each pairing."""
    panels = [
        panel_of(table, SCORE, Axes("player", part={"opponent": opponent}), f"v {opponent}", 100.0)
        for opponent in table.values("opponent")
    ]
    return draw_panels(title, "95 % intervals", ["score"], panels)


EXPERIMENT = Experiment(StrengthSettings(), QUICK, run, draw)
