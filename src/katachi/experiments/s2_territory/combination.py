"""S2-combination: which player is best in which phase, and what several in one are worth at 9x9.

The paper names this as future work. Who takes which phase is found on some games and measured on
others, for predicting moves and for playing.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.experiments import matches
from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_above
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Found, Runner, Study, Task, cross, tasks_of
from katachi.experiments.s2_territory import material
from katachi.experiments.table_pictures import Axes, bar_of, panel_of
from katachi.measure.prediction import gather_choices, judge_played_moves
from katachi.measure.prediction_scores import MoveOutcomes, MoveScores, report_moves
from katachi.pictures.charts import Panel, draw_panels
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


class CombinationSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """Who is combined, and how it is found out."""

    players: tuple[str, ...] = ("territory:moves9", "territory:territory9", "shape:shape9")
    """Players that look one move ahead."""
    switches: tuple[Count, ...] = (20, 40)
    """Moves with which a phase ends; one of them is where a second player takes over."""
    tuning_games: Count = 200
    """Held-out games on which temperatures and the best of each phase are found."""
    games: Count = 500
    """Other held-out games, which are measured."""
    tuning_matches: Count = 100
    """Games of each player and combination by which the best is found."""
    matches: Count = 400
    """Games by which it is measured, beside the single players."""


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
    """How a player predicts a phase of the games for tuning, or a block of games it played."""

    temperature: float = 1.0
    log: float = 0.0
    """Mean logarithm of the chance of a played move."""
    score: matches.Score | None = None


class Measured(msgspec.Struct, frozen=True):
    """What came of a player on the measured games: moves by phase and all, or a block of games."""

    moves: dict[str, MoveScores] = {}
    score: matches.Score | None = None


class Phase(NamedTuple):
    """Who predicts a phase, and at which temperature."""

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


def games_of(settings: CombinationSettings, task: Task) -> tuple[GameSet, GameSet]:
    """(games for tuning, games to be measured), none in common."""
    path = task.require_file(material.SCORED9)
    held_out = material.open_parts(path).validation.shuffle(task.study_seed)
    end = settings.tuning_games + settings.games
    return held_out[: settings.tuning_games], held_out[settings.tuning_games : end]


def play_task(settings: CombinationSettings, task: Task) -> matches.Score:
    """A block of games of a player and its opponent."""
    player, opponent = task.key["player"], task.key["opponent"]
    pair = player, matches.GNUGO_COMMAND if opponent == matches.GNUGO else opponent
    return matches.play_block(pair, settings.terms, settings.block, task.seed)


def tune(settings: CombinationSettings, task: Task) -> Tuned:
    """One player in one phase, or a block of games."""
    if "opponent" in task.key:
        return Tuned(score=play_task(settings, task))
    player, phase = task.key["player"], task.key["phase"]
    games, _ = games_of(settings, task)
    choices = gather_choices(make_evaluator(player), games, phases_of(settings)[phase])
    if choices is None:
        raise KatachiError(f"no game for tuning has {phase}: use more")
    temperature = fit_temperature(choices)
    logs = log_chances(choices.scores, choices.starts, temperature)[choices.played]
    return Tuned(temperature, float(logs.mean()))


def measure(
    phases: dict[str, dict[str, Phase]], settings: CombinationSettings, task: Task
) -> Measured:
    """All phases of one line of the table, or a block of games."""
    if "opponent" in task.key:
        return Measured(score=play_task(settings, task))
    _, games = games_of(settings, task)
    outcomes: dict[str, list[MoveOutcomes]] = {}
    for name, moves in phases_of(settings).items():
        player, temperature = phases[task.key["player"]][name]
        outcomes[name] = judge_played_moves(make_evaluator(player), games, moves, temperature)
    outcomes[ALL] = [each for phase in outcomes.values() for each in phase]
    reports = {name: report_moves(each) for name, each in outcomes.items()}
    return Measured({name: each.all for name, each in reports.items() if each is not None})


def tune_all(path: Path, settings: CombinationSettings, seed: int, runner: Runner) -> Found[Tuned]:
    """Predictions of each player in each phase, and games of all players, single and of two."""
    keys = cross(player=settings.players, phase=phases_of(settings))
    tasks = tasks_of(keys, cost=lambda _: 5.0)
    pairings = cross(player=everyone(settings), opponent=opponents()[-1:])
    tasks += settings.tasks(pairings, settings.tuning_matches, 5.0)
    behaviour = material.fingerprint([path]) + matches.fingerprint_players(settings.players)
    study = Study("S2-combination-tuning", settings, seed, tasks, tune, behaviour)
    return runner.measure_all(study)


def everyone(settings: CombinationSettings) -> list[str]:
    """All players, single and of two."""
    return [*settings.players, *pairs_of(settings)]


def opponents() -> list[str]:
    """Whom players are measured against; tuning is against the last."""
    return [ALP, matches.GNUGO] if matches.has_gnugo() else [ALP]


class Best(NamedTuple):
    """What came of tuning."""

    phases: dict[str, dict[str, Phase]]
    """For each line of the table, who predicts each phase."""
    player: str
    """The player of two that won most."""
    rows: list[Row]
    """How all of them did."""


def find_best(settings: CombinationSettings, tuned: Found[Tuned]) -> Best:
    """The best player of each phase, and of two."""
    phases = list(phases_of(settings))
    lines = {
        player: {
            phase: Phase(player, tuned.one(player=player, phase=phase).temperature)
            for phase in phases
        }
        for player in settings.players
    }
    lines[COMBINED] = {}
    for phase in phases:
        logs = {player: tuned.one(player=player, phase=phase).log for player in settings.players}
        lines[COMBINED][phase] = lines[max(logs, key=lambda player: logs[player])][phase]
    rows = [
        matches.total_row({"player": key["player"]}, TUNING, scores_of(blocks))
        for key, blocks in tuned
        if "opponent" in key
    ]
    best = max(rows[len(settings.players) :], key=lambda row: row.ours or 0.0)
    return Best(lines, str(best.key["player"]), rows)


def run(settings: CombinationSettings, seed: int, runner: Runner) -> Table:
    """Finds the best, then measures it; raises KatachiError where the games are not there."""
    path = runner.require_file(material.SCORED9)
    if not matches.has_gnugo():
        runner.tell(matches.GNUGO_MISSING)
    best = find_best(settings, tune_all(path, settings, seed, runner))
    pairings = cross(opponent=opponents(), player=(*settings.players, best.player))
    tasks = tasks_of(cross(player=best.phases), cost=lambda _: 20.0)
    tasks += settings.tasks(pairings, settings.matches, 5.0)
    choice = " ".join([best.player, *(each.player for each in best.phases[COMBINED].values())])
    behaviour = (
        material.fingerprint([path]) + matches.fingerprint_players(settings.players) + choice
    )
    work = partial(measure, best.phases)
    study = Study("S2-combination", settings, seed, tasks, work, behaviour)
    rows = runner.measure_all(study).rows(_rows)
    return Table(
        quantities=[LOG, TOP1, SCORE, TUNING],
        rows=[*rows, *best.rows],
        labels=matches.PAIRING,
        notes=_notes(settings, best),
    )


def scores_of(blocks: Sequence[Tuned | Measured]) -> list[matches.Score]:
    """The blocks of games of a pairing."""
    return [each.score for each in blocks if each.score is not None]


def _rows(key: Key, runs: list[Measured]) -> list[Row]:
    """Of a pairing, or of the moves of each phase."""
    if "opponent" in key:
        return [matches.total_row(key, SCORE, scores_of(runs))]
    rows = []
    for phase, scores in runs[0].moves.items():
        of_phase = key | {"phase": phase}
        rows.append(LOG.estimate(of_phase, scores.log_probability, scores.games))
        rows.append(TOP1.estimate(of_phase, scores.top1.in_percent(), scores.games))
    return rows


def _notes(settings: CombinationSettings, best: Best) -> list[str]:
    takes = ", ".join(f"{phase} {each.player}" for phase, each in best.phases[COMBINED].items())
    return [
        f"Prediction, {COMBINED}: {takes}. Found, with the temperature of each player and phase, "
        f"on {settings.tuning_games:,} games of {material.SCORED9}; measured on {settings.games:,} "
        "others.",
        f"Playing: of all players of two, {best.player} did best in {settings.tuning_matches:,} "
        f"games each v {opponents()[-1]}; measured from other openings.",
        material.HELD_OUT,
        matches.terms_note(settings.terms),
        matches.GNUGO_NOTE,
        "95 % intervals of prediction take games, not moves, as independent.",
    ]


def judge(table: Table) -> list[Claim]:
    """Whether the best combination is worth more than the best of its parts, against the opponent
    that it was chosen by."""
    rows = table.rows_of(SCORE)
    last = [row for row in rows if row.key["opponent"] == rows[-1].key["opponent"]]
    *single, combined = last
    best = max(single, key=lambda row: row.ours or 0.0)
    names = [f"{row.key['player']} {row.ours:.1f} %" for row in (combined, best)]
    words = (
        "future work: players of different phases in one are stronger than the best of them",
        f"{names[0]}; {names[1]}, v {best.key['opponent']}",
    )
    return [judge_above(words, gap(combined, best))]


def draw(table: Table, title: str) -> str:
    """How often the best move was played, by phase; and scores."""
    players = list(dict.fromkeys(str(row.key["player"]) for row in table.rows_of(TOP1)))
    scores = table.rows_of(SCORE)
    opponents = list(dict.fromkeys(str(row.key["opponent"]) for row in scores))
    bars = [
        [bar_of(row, has_words=False) for row in scores if row.key["opponent"] == each]
        for each in opponents
    ]
    panels = [
        panel_of(table, TOP1, Axes("phase", "player")),
        Panel("score in games", SCORE.unit, opponents, bars, 100.0),
    ]
    text = "which players share the phases was found on other games than those measured"
    return draw_panels(title, text, [*players[:-1], COMBINED], panels)


EXPERIMENT = Experiment(CombinationSettings(), QUICK, run, draw, judge)
