"""S4-b: nets play openings against programs, and a program judges (section 4.4)."""

import msgspec
import numpy as np

from katachi.arena.opening_play import play_moves
from katachi.experiments import matches
from katachi.experiments.claims import gap, judge_below, leave_open, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s4_openings import cross_play, material
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import Line, draw_panels
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.roster import make_player
from katachi.records.judgements import Judgement
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game

SCORE = Quantity("against the program", "% of points", 1)
LABELS = ("{net} v {program}",)
NET_OF_MOVES = "a net of moves"
LEAD = Quantity("mean lead after the opening", "points, or chance", 1)


class ProgramSettings(cross_play.CrossSettings, frozen=True, kw_only=True):
    """Whom the nets meet, beyond how they learn and who judges."""

    programs: dict[str, str] = msgspec.field(
        default_factory=lambda: {
            matches.GNUGO: matches.GNUGO_COMMAND,
            NET_OF_MOVES: "territory:moves19",
        }
    )
    """The programs by name, players or command lines; the paper's were Go++ and NeuroGo."""


QUICK = ProgramSettings(
    runs=1,
    epochs=1,
    lambdas=(0.0, 1.0),
    moves=6,
    judge=cross_play.BY_INFLUENCE,
    rich=None,
    programs={"average liberties": "alp"},
)


class Met(msgspec.Struct, frozen=True):
    """What came of one draw of the openings, by net, as Black and as White."""

    points: dict[str, list[float]]
    leads: dict[str, list[float]]


def lead_of(judgement: Judgement) -> float:
    """Black's lead in points, or, of a judge who does not count, as a chance above one half."""
    if judgement.black_lead is not None:
        return judgement.black_lead
    return (judgement.black_winrate or 0.5) - 0.5


def measure(settings: ProgramSettings, task: Task) -> Met:
    """One draw: each net with both colours against one program."""
    nets = cross_play.make_nets(settings, task)
    size = material.judged_of(task, settings).openings[0].size
    judge = cross_play.make_judge(settings)
    program = make_player(settings.programs[task.key["program"]], task.seed)
    met = Met({}, {})
    try:
        for name, net in nets.items():
            for color, sign in ((BLACK, 1.0), (WHITE, -1.0)):
                mine = EvaluatingPlayer(net.name, net, 2 * task.seed + color)
                players = [mine, program] if color == BLACK else [program, mine]
                game = play_moves(players, Game(size, settings.komi), settings.moves)
                said = judge.judge(game)
                met.points.setdefault(name, []).append(0.5 + sign * (said.z or 0.0) / 2)
                met.leads.setdefault(name, []).append(round(sign * lead_of(said), 3))
    finally:
        judge.close()
        program.close()
    return met


def run(settings: ProgramSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing; raises KatachiError without openings, judge or program."""
    behaviour = material.fingerprint(runner, settings)
    cross_play.make_judge(settings).close()
    for program in settings.programs.values():
        make_player(program).close()
    tasks = tasks_of(cross(program=settings.programs), settings.runs)
    found = runner.measure_all(Study("S4-b", settings, seed, tasks, measure, behaviour))
    rows = [
        row
        for key, met in found
        for name in cross_play.names_of(settings)
        for row in _rows({"net": name} | key, met)
    ]
    judge = "GNU Go's estimate of the score" if settings.judge == "gnugo" else "influence"
    programs = ", ".join(f"`{each.removeprefix('gtp:')}`" for each in settings.programs.values())
    notes = [
        material.REBUILT.format(band=settings.band),
        f"{settings.moves} moves on 19x19 against each program ({programs}), once with each "
        f"colour, by nets of {settings.runs} draws of the openings. The judge is {judge} "
        f"with komi {settings.komi:g}, less than {settings.even:g} points even (half a point); "
        "Wilson's intervals of points.",
        *_notes_of_judge(settings),
        "The paper's programs, Go++ and NeuroGo, are not free; it prints no numbers.",
    ]
    return Table(quantities=[SCORE, LEAD], rows=rows, labels=LABELS, notes=notes)


def _notes_of_judge(settings: ProgramSettings) -> list[str]:
    """What is to be known where the judge plays, too, or a net of ours."""
    notes = []
    if settings.judge == "gnugo" and matches.GNUGO in settings.programs:
        notes.append("In its own games GNU Go is opponent and judge at once.")
    if NET_OF_MOVES in settings.programs:
        notes.append(f"{NET_OF_MOVES.capitalize()} is one of ours, not a program of others.")
    return notes


def _rows(key: Key, met: list[Met]) -> list[Row]:
    points = [point for each in met for point in each.points[key["net"]]]
    means = [float(np.mean(each.leads[key["net"]])) for each in met]
    return [SCORE.score(key, sum(points), len(points)), LEAD.mean(key, means)]


def judge(table: Table) -> list[Claim]:
    """Whether raw nets play poorly, and whether knowledge helps, program by program."""
    programs = [str(each) for each in table.values("program")]
    return [
        claim for each in programs for claim in _claims(table.rows_of(SCORE, program=each), each)
    ]


def _claims(found: list[Row], program: str) -> list[Claim]:
    rows = {str(row.key["net"]): row for row in found}
    raw = {name: row for name, row in rows.items() if name != cross_play.RICH}
    claims = [
        judge_below(
            (f"without knowledge of Go it plays poorly against {program} ({name})", _words(row)),
            number_of(row, 1, " %"),
            50.0,
        )
        for name, row in raw.items()
    ]
    if cross_play.RICH in rows:
        best = max(raw.values(), key=lambda row: row.ours or 0.0)
        rich = rows[cross_play.RICH]
        words = (
            f"knowledge of Go is essential against {program}",
            f"rich {_words(rich)}; best raw net {_words(best)}",
        )
        claims.append(leave_open(words, gap(rich, best), cross_play.MORE_OPENINGS))
    return claims


def _words(row: Row) -> str:
    return f"{row.ours:.1f} % of the points in {row.n} openings"


def draw(table: Table, title: str) -> str:
    """A bar a net."""
    axes, half = Axes("net", "program", has_words=False), (Line(50.0, "equal"),)
    panel = panel_of(table, SCORE, axes, "points against programs", 100.0, half)
    series = [str(each) for each in table.values("program")]
    return draw_panels(title, "openings judged by a program", series, [panel])


EXPERIMENT = Experiment(ProgramSettings(), QUICK, run, draw, judge)
