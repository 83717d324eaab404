"""S2-combination: which player is best in which phase, and what several in one are worth at 9x9.

The paper names this as future work. Who takes which phase is found on some games and measured on
others, for foretelling moves and for playing.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.experiments.crew import Task
from katachi.experiments.matches import (
    GNUGO,
    GNUGO_COMMAND,
    GNUGO_MISSING,
    GNUGO_NOTE,
    Score,
    fingerprint_players,
    has_gnugo,
    play_block,
    terms_note,
    total_row,
)
from katachi.experiments.protocol import Experiment, Quantity, Row, Settings, Table
from katachi.experiments.s2_territory.foretelling import judge_played_moves
from katachi.experiments.s2_territory.material import (
    HELD_OUT,
    SCORED9,
    fingerprint,
    open_parts,
    require_file,
)
from katachi.experiments.statistics import estimate_row, percent_of
from katachi.experiments.table_pictures import bar_of
from katachi.experiments.workbench import Study, Workbench
from katachi.measure.prediction import gather_choices
from katachi.measure.prediction_scores import MoveOutcomes, MoveScores, report_moves
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.players.roster import make_evaluator
from katachi.records.dataset import GameSet
from katachi.search.policy import fit_temperature, log_chances
from katachi.search.recorded_moves import MoveRange

LOG = Quantity("log-probability of moves", "nats", 3)
TOP1 = Quantity("best move played", "%", 1)
TUNING = Quantity("score in tuning", "% of points", 1)
SCORE = Quantity("score", "% of points", 1)
COMBINED, ALL = "the best of each phase", "all moves"
ALP = "alp"


class CombinationSettings(Settings, frozen=True, kw_only=True):
    """Who is combined, and how it is found out."""

    players: tuple[str, ...] = ("territory:moves9", "territory:territory9", "shape:shape9")
    """Players that look one move ahead."""
    switches: tuple[int, ...] = (20, 40)
    """Moves with which a phase ends; one of them is where a second player takes over."""
    tuning_games: int = 200
    """Held-out games on which temperatures and the best of each phase are found."""
    games: int = 500
    """Other held-out games, which are measured."""
    tuning_matches: int = 100
    """Games of each player and combination by which the best is found."""
    matches: int = 400
    """Games by which it is measured, beside the single players."""
    block: int = 20
    """Games played in one go."""
    size: int = 9
    """Board size."""
    komi: float = 7.5
    """What White is given."""
    opening_moves: int = 4
    """Random moves before a game begins."""


QUICK = CombinationSettings(
    players=("alp", "influence"),
    switches=(10,),
    tuning_games=2,
    games=2,
    tuning_matches=2,
    matches=2,
    block=2,
)


class Tuned(msgspec.Struct, frozen=True):
    """How a player foretells a phase of the games for tuning, or a block of games it played."""

    temperature: float = 1.0
    log: float = 0.0
    """Mean logarithm of the chance of a played move."""
    score: Score | None = None


class Measured(msgspec.Struct, frozen=True):
    """What came of a player on the measured games: moves by phase and all, or a block of games."""

    moves: dict[str, MoveScores] = {}
    score: Score | None = None


class Phase(NamedTuple):
    """Who foretells a phase, and at which temperature."""

    player: str
    temperature: float


def phases_of(settings: CombinationSettings) -> dict[str, MoveRange]:
    """The phases by name."""
    firsts = [1, *(end + 1 for end in settings.switches)]
    ranges = [MoveRange(*each) for each in zip(firsts, (*settings.switches, None), strict=True)]
    return {f"moves {each}" if each.last else f"moves from {each.first}": each for each in ranges}


def pairs_of(settings: CombinationSettings) -> list[str]:
    """All players of two, by name."""
    return [
        f"phases:{switch}:{first},{second}"
        for switch in settings.switches
        for first in settings.players
        for second in settings.players
        if first != second
    ]


def games_of(path: Path, settings: CombinationSettings, seed: int) -> tuple[GameSet, GameSet]:
    """(games for tuning, games to be measured), none in common."""
    held_out = open_parts(path).validation.shuffle(seed)
    end = settings.tuning_games + settings.games
    return held_out[: settings.tuning_games], held_out[settings.tuning_games : end]


def terms_of(settings: CombinationSettings) -> GameSettings:
    """How games are played."""
    return GameSettings(settings.size, settings.komi, opening_moves=settings.opening_moves)


def play_task(settings: CombinationSettings, setting: str, seed: int) -> Score:
    """A block of games of `PLAYER v OPPONENT`."""
    ours, _, other = setting.partition(" v ")
    command = GNUGO_COMMAND if other == GNUGO else other
    return play_block((ours, command), terms_of(settings), settings.block, seed)


def tune(path: Path, draw_seed: int, settings: CombinationSettings, task: Task, seed: int) -> Tuned:
    """One player in one phase, or a block of games."""
    if " v " in task.setting:
        return Tuned(score=play_task(settings, task.setting, seed))
    player, _, phase = task.setting.rpartition(", ")
    games, _ = games_of(path, settings, draw_seed)
    choices = gather_choices(make_evaluator(player), games, phases_of(settings)[phase])
    if choices is None:
        raise KatachiError(f"no game for tuning has {phase}: use more")
    temperature = fit_temperature(choices)
    logs = log_chances(choices.scores, choices.starts, temperature)[choices.played]
    return Tuned(temperature, float(logs.mean()))


def measure(
    path: Path,
    draw_seed: int,
    told: dict[str, dict[str, Phase]],
    settings: CombinationSettings,
    task: Task,
    seed: int,
) -> Measured:
    """All phases of one line of the table, or a block of games."""
    if " v " in task.setting:
        return Measured(score=play_task(settings, task.setting, seed))
    _, games = games_of(path, settings, draw_seed)
    outcomes: dict[str, list[MoveOutcomes]] = {}
    for name, moves in phases_of(settings).items():
        player, temperature = told[task.setting][name]
        outcomes[name] = judge_played_moves(make_evaluator(player), games, moves, temperature)
    outcomes[ALL] = [each for phase in outcomes.values() for each in phase]
    reports = {name: report_moves(each) for name, each in outcomes.items()}
    return Measured({name: each.all for name, each in reports.items() if each is not None})


def tasks_of(name: str, games: int, settings: CombinationSettings) -> list[Task]:
    """The blocks of games of a pairing."""
    return [Task(name, number + 1, 5.0) for number in range(-(-games // settings.block))]


def tune_all(
    path: Path, settings: CombinationSettings, seed: int, bench: Workbench
) -> dict[tuple[str, int], Tuned]:
    """Foretelling of each player in each phase, and games of all players, single and of two."""
    names = [f"{player}, {phase}" for player in settings.players for phase in phases_of(settings)]
    tasks = [Task(name, 1, 5.0) for name in names]
    for player in (*settings.players, *pairs_of(settings)):
        tasks += tasks_of(f"{player} v {opponents()[-1]}", settings.tuning_matches, settings)
    behaviour = fingerprint([path]) + fingerprint_players(settings.players)
    work = partial(tune, path, seed)
    study = Study("S2-combination-tuning", settings, seed, tasks, work, Tuned, behaviour)
    return bench.measure_all(study)


def opponents() -> list[str]:
    """Whom players are measured against; tuning is against the last."""
    return [ALP, GNUGO] if has_gnugo() else [ALP]


class Best(NamedTuple):
    """What came of tuning."""

    phases: dict[str, dict[str, Phase]]
    """For each line of the table, who foretells each phase."""
    player: str
    """The player of two that won most."""
    rows: list[Row]
    """How all of them did."""


def find_best(settings: CombinationSettings, tuned: dict[tuple[str, int], Tuned]) -> Best:
    """The best player of each phase, and of two."""
    phases = list(phases_of(settings))
    lines = {
        player: {
            phase: Phase(player, tuned[f"{player}, {phase}", 1].temperature) for phase in phases
        }
        for player in settings.players
    }
    lines[COMBINED] = {}
    for phase in phases:
        logs = {player: tuned[f"{player}, {phase}", 1].log for player in settings.players}
        lines[COMBINED][phase] = lines[max(logs, key=lambda player: logs[player])][phase]
    rows = _tuning_rows(settings, tuned)
    pairs = rows[len(settings.players) :]
    return Best(lines, max(pairs, key=lambda row: row.ours or 0.0).setting, rows)


def run(settings: CombinationSettings, seed: int, bench: Workbench) -> Table:
    """Finds the best, then measures it; raises KatachiError where the games are not there."""
    path = require_file(bench, SCORED9)
    if not has_gnugo():
        bench.tell(GNUGO_MISSING)
    best = find_best(settings, tune_all(path, settings, seed, bench))
    pairings = [f"{p} v {o}" for o in opponents() for p in (*settings.players, best.player)]
    tasks = [Task(name, 1, 20.0) for name in best.phases]
    for name in pairings:
        tasks += tasks_of(name, settings.matches, settings)
    choice = " ".join([best.player, *(each.player for each in best.phases[COMBINED].values())])
    behaviour = fingerprint([path]) + fingerprint_players(settings.players) + choice
    work = partial(measure, path, seed, best.phases)
    study = Study("S2-combination", settings, seed, tasks, work, Measured, behaviour)
    found = bench.measure_all(study)
    rows = [row for name in best.phases for row in _move_rows(name, found[name, 1])]
    rows += [total_row(name, SCORE, scores_of(name, found)) for name in pairings]
    return Table(
        quantities=[LOG, TOP1, SCORE, TUNING],
        rows=[*rows, *best.rows],
        notes=_notes(settings, best),
    )


def scores_of(name: str, found: Mapping[tuple[str, int], Tuned | Measured]) -> list[Score]:
    """The blocks of games of a pairing."""
    blocks = [each.score for (setting, _), each in found.items() if setting == name]
    return [each for each in blocks if each is not None]


def _tuning_rows(settings: CombinationSettings, tuned: dict[tuple[str, int], Tuned]) -> list[Row]:
    return [
        total_row(player, TUNING, scores_of(f"{player} v {opponents()[-1]}", tuned))
        for player in (*settings.players, *pairs_of(settings))
    ]


def _move_rows(name: str, measured: Measured) -> list[Row]:
    rows = []
    for phase, scores in measured.moves.items():
        setting = f"{name}, {phase}"
        rows.append(estimate_row(setting, LOG, scores.log_probability, scores.games))
        rows.append(estimate_row(setting, TOP1, percent_of(scores.top1), scores.games))
    return rows


def _notes(settings: CombinationSettings, best: Best) -> list[str]:
    takes = ", ".join(f"{phase} {each.player}" for phase, each in best.phases[COMBINED].items())
    return [
        f"Foretelling, {COMBINED}: {takes}. Found, with the temperature of each player and phase, "
        f"on {settings.tuning_games:,} games of {SCORED9}; measured on {settings.games:,} others.",
        f"Playing: of all players of two, {best.player} did best in {settings.tuning_matches:,} "
        f"games each v {opponents()[-1]}; measured from other openings.",
        HELD_OUT,
        terms_note(terms_of(settings)),
        GNUGO_NOTE,
        "95 % intervals of foretelling take games, not moves, as independent.",
    ]


def draw(table: Table, title: str) -> str:
    """How often the best move was played, by phase; and scores."""
    told = [row for row in table.rows if row.quantity == TOP1.name]
    players = list(dict.fromkeys(row.setting.rpartition(", ")[0] for row in told))
    phases = list(dict.fromkeys(row.setting.rpartition(", ")[2] for row in told))
    known = {row.setting: bar_of(row) for row in told}
    bars = [[known.get(f"{p}, {phase}", Bar(None)) for p in players] for phase in phases]
    panels = [Panel(TOP1.name, TOP1.unit, phases, bars)]
    for quantity in (SCORE, TUNING):
        rows = [row for row in table.rows if row.quantity == quantity.name]
        names = [row.setting for row in rows]
        panels.append(
            Panel(quantity.name, quantity.unit, names, [[bar_of(r)] for r in rows], 100.0)
        )
    words = "who takes which phase was found on other games than those measured"
    return draw_panels(title, words, players, panels, columns=1)


EXPERIMENT = Experiment(CombinationSettings(), QUICK, run, draw)
