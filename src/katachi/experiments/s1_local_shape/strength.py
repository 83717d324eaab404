"""S1-strength: the learned players against programs that are not ours, at 9x9.

RLGO is by the paper's first author and plays by weights of its own; they are not part of the
package, and the games against it are played where the data folder holds them.
"""

from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec

from katachi.arena.game import play_game
from katachi.arena.openings import draw_opening
from katachi.arena.outcome import score_of
from katachi.arena.settings import GameSettings
from katachi.experiments.crew import Task
from katachi.experiments.pictures import Panel, bar_of, draw_panels
from katachi.experiments.protocol import Experiment, Quantity, Settings, Table
from katachi.experiments.statistics import score_row
from katachi.experiments.workbench import Study, Workbench
from katachi.players.names import find_program
from katachi.players.roster import files_of, make_player
from katachi.rules.color import BLACK, WHITE

SCORE = Quantity("score", "% of points", 1)
RLGO, GNUGO = "RLGO 2.5, one ply", "GNU Go 3.8, level 0"
RLGO_FILE = "rlgo-9x9-shared.w"
GNUGO_PROGRAM = "gnugo"
GNUGO_COMMAND = (
    "gtp:gnugo --mode gtp --level 0 --chinese-rules --capture-all-dead --positional-superko"
)


class Entrant(msgspec.Struct, frozen=True):
    """A player of ours, and its games."""

    name: str
    player: str
    rlgo_games: int
    """Games against RLGO's weights."""
    gnugo_games: int
    """Games against GNU Go's lowest level."""


class StrengthSettings(Settings, frozen=True, kw_only=True):
    """Who plays, and how often."""

    entrants: tuple[Entrant, ...] = (
        Entrant("shapes, one ply", "shape:shape9", 1000, 400),
        Entrant("shapes and liberties, one ply", "shape:liberty9", 1000, 400),
        Entrant("shapes, alpha-beta to 3 plies", "search:3:shape:shape9", 0, 400),
        Entrant("shapes learned anew each move, alpha-beta, 1 s", "dyna:shape:shape9", 0, 20),
    )
    """Players of ours."""
    size: int = 9
    """Board size."""
    komi: float = 7.5
    """What White is given."""
    opening_moves: int = 4
    """Random moves before a game begins; each opening is played twice, colours exchanged."""
    block: int = 20
    """Games played in one go."""


QUICK = StrengthSettings(entrants=(Entrant("average liberties", "alp", 2, 2),), block=2)


class Score(msgspec.Struct, frozen=True):
    """What came of a block of games."""

    points: float
    games: int


def opponents_of(bench: Workbench) -> dict[str, str]:
    """The programs that can be played here; what is missing is told."""
    found = {}
    weights = None if bench.data is None else bench.data / RLGO_FILE
    if weights is not None and weights.is_file():
        found[RLGO] = f"rlgo:{weights}"
    else:
        bench.tell(f"without {RLGO_FILE} in the data folder, RLGO's weights are not played")
    if find_program(GNUGO_PROGRAM):
        found[GNUGO] = GNUGO_COMMAND
    else:
        bench.tell("GNU Go is not installed, and not played")
    return found


def measure(opponents: dict[str, str], settings: StrengthSettings, task: Task, seed: int) -> Score:
    """One block of games of one pairing."""
    name, _, opponent = task.setting.partition(" v ")
    terms = GameSettings(settings.size, settings.komi, opening_moves=settings.opening_moves)
    players = {entrant.name: entrant.player for entrant in settings.entrants}
    ours = make_player(players[name], seed)
    other = make_player(opponents[opponent], seed)
    points = 0.0
    try:
        for number in range(settings.block):
            color = BLACK if number % 2 == 0 else WHITE
            black, white = (ours, other) if color == BLACK else (other, ours)
            opening = draw_opening(terms, seed, number // 2)
            points += score_of(play_game(black, white, terms, opening), color)
    finally:
        ours.close()
        other.close()
    return Score(points, settings.block)


def pairings(settings: StrengthSettings, opponents: dict[str, str]) -> dict[str, int]:
    """How many blocks of games each pairing has."""
    blocks = {}
    for opponent in opponents:
        for entrant in settings.entrants:
            games = entrant.rlgo_games if opponent == RLGO else entrant.gnugo_games
            if games > 0:
                blocks[f"{entrant.name} v {opponent}"] = -(-games // settings.block)
    return blocks


def run(settings: StrengthSettings, seed: int, bench: Workbench) -> Table:
    """Plays what is missing."""
    opponents = opponents_of(bench)
    blocks = pairings(settings, opponents)
    tasks = [Task(name, number + 1) for name, count in blocks.items() for number in range(count)]
    work = partial(measure, opponents)
    behaviour = fingerprint([entrant.player for entrant in settings.entrants])
    # How many games are asked for does not change those that were played.
    players = tuple(Entrant(each.name, each.player, 0, 0) for each in settings.entrants)
    kept = msgspec.structs.replace(settings, entrants=players)
    study = Study("S1-strength", kept, seed, tasks, work, Score, behaviour)
    scores = bench.measure_all(study)
    rows = []
    for name, count in blocks.items():
        ours = [scores[name, number + 1] for number in range(count)]
        points, games = sum(each.points for each in ours), sum(each.games for each in ours)
        rows.append(score_row(name, SCORE, points, games))
    notes = [
        f"{settings.size}x{settings.size}, komi {settings.komi:g}, {settings.opening_moves} random "
        "moves first, each opening twice with colours exchanged; 95 % Wilson intervals.",
        f"GNU Go runs as `{GNUGO_COMMAND.removeprefix('gtp:')}`: it then takes dead stones off the "
        "board before it passes, as area counting needs.",
    ]
    return Table(quantities=[SCORE], rows=rows, notes=notes)


def fingerprint(players: list[str]) -> str:
    """What the players play by."""
    digest = sha256()
    for player in players:
        for path in map(Path, files_of(player)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def draw(table: Table, title: str) -> str:
    """A bar for each pairing."""
    panels = []
    for opponent in (RLGO, GNUGO):
        rows = [row for row in table.rows if row.setting.endswith(f" v {opponent}")]
        names = [row.setting.partition(" v ")[0] for row in rows]
        bars = [[bar_of(row)] for row in rows]
        if rows:
            panels.append(Panel(f"v {opponent}", SCORE.unit, names, bars, 100.0))
    return draw_panels(title, "95 % intervals", ["score"], panels)


EXPERIMENT = Experiment(StrengthSettings(), QUICK, run, draw)
