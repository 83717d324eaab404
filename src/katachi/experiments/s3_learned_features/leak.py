"""S3-leak: what a final board says of the winner without any feature: by whose stone is the last,
and by who has more stones, in games that were counted and in games that were given up."""

import msgspec
import numpy as np

from katachi.experiments.bounds import Count
from katachi.experiments.claims import judge_within, number_of
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner, Study, Task, cross, tasks_of
from katachi.experiments.s3_learned_features import learned_maps, winners
from katachi.experiments.s3_learned_features.winners import WinnerSettings, open_winners
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import Line, draw_panels
from katachi.records.conversion import game_from_record
from katachi.records.record import GameRecord
from katachi.records.result import Ending
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import PASS

LAST = Quantity("last mover won", "%", 1)
MORE = Quantity("who has more stones won", "%", 1)
COUNTED, GIVEN_UP = "counted", "given up"
FAIR = 50.0
NEAR = 5.0
"""Points around a half within which a label says nothing."""


class LeakSettings(Settings, frozen=True, kw_only=True):
    """Which games are looked at: those whose winners S3-3 classifies."""

    files: dict[str, tuple[str, ...]] = msgspec.field(
        default_factory=lambda: {
            people: names
            for people, names in WinnerSettings().files.items()
            if not people.endswith(winners.COUNTED)
        }
    )
    """Files of games, by who played them."""
    games: Count = WinnerSettings().games
    """Most games of each."""


QUICK = LeakSettings(files={"professionals": ("pro9.sgf.gz",)}, games=40)


class Told(msgspec.Struct, frozen=True):
    """Games of one kind, and in how many each sign is right; half where it says nothing."""

    games: int
    last: float
    more: float


def ending_of(record: GameRecord) -> str:
    """How a game ended: counted, or given up by resignation or on time."""
    return COUNTED if record.result.ending is Ending.COUNT else GIVEN_UP


def last_mover_won(record: GameRecord) -> float:
    """Whether the last stone was the winner's; half without any."""
    placed = np.flatnonzero(record.moves != PASS)
    if not len(placed):
        return 0.5
    return float(record.colors[placed[-1]] == record.result.winner)


def more_stones_won(record: GameRecord) -> float:
    """Whether the winner has more stones on the final board; half where both have as many."""
    colors = game_from_record(record, len(record.moves)).colors
    black, white = int((colors == BLACK).sum()), int((colors == WHITE).sum())
    if black == white:
        return 0.5
    return float((black > white) == (record.result.winner == BLACK))


def measure(settings: LeakSettings, task: Task) -> Told:
    """The games of one kind of people that ended in one way."""
    paths = tuple(map(task.require_file, settings.files[task.key["people"]]))
    games = [
        record
        for record in open_winners(paths, settings.games, 1)
        if ending_of(record) == task.key["ending"]
    ]
    last, more = (
        sum(sign(record) for record in games) for sign in (last_mover_won, more_stones_won)
    )
    return Told(len(games), last, more)


def run(settings: LeakSettings, seed: int, runner: Runner) -> Table:
    """Reads the games; raises KatachiError where they are not there."""
    files = [runner.require_file(name) for names in settings.files.values() for name in names]
    tasks = tasks_of(cross(people=settings.files, ending=(COUNTED, GIVEN_UP)))
    behaviour = learned_maps.fingerprint(tuple(files))
    found = runner.measure_all(Study("S3-leak", settings, seed, tasks, measure, behaviour))
    notes = [
        f"The games of S3-3, at most {settings.games:,} of each: 9x9 without handicap, amateurs "
        "both 1 dan or better. Given up: by resignation or on time.",
        "Final boards. Where both have as many stones, or none was placed, half is counted. 95 % "
        "intervals are Wilson's.",
    ]
    return Table(quantities=[LAST, MORE], rows=found.rows(_rows), notes=notes)


def _rows(key: Key, runs: list[Told]) -> list[Row]:
    [told] = runs
    return [LAST.score(key, told.last, told.games), MORE.score(key, told.more, told.games)]


def judge(table: Table) -> list[Claim]:
    """Whether labels say nothing but who won, which classifying winners takes for granted."""
    claims = []
    for row in table.rows_of(LAST, ending=GIVEN_UP):
        if row.n:
            paper = f"implied: boards do not show who gave up ({row.key['people']})"
            words = paper, f"the last mover won {row.ours:.1f} % of the games that were given up"
            by = number_of(row, 1, " %")
            claims.append(judge_within(words, by, (FAIR - NEAR, FAIR + NEAR)))
    for row in table.rows_of(MORE):
        if row.n:
            where = f"{row.key['people']}, games {row.key['ending']}"
            words = f"implied: counting stones does not tell winners ({where})", f"{row.ours:.1f} %"
            by = number_of(row, 1, " %")
            claims.append(judge_within(words, by, (FAIR - NEAR, FAIR + NEAR)))
    return claims


def draw(table: Table, title: str) -> str:
    """A panel for each sign."""
    lines = (Line(FAIR, "a guess"),)
    panels = [
        panel_of(table, quantity, Axes("people", "ending", has_words=False), top=100.0, lines=lines)
        for quantity in (LAST, MORE)
    ]
    return draw_panels(title, "final boards, no features at all", [COUNTED, GIVEN_UP], panels)


EXPERIMENT = Experiment(LeakSettings(), QUICK, run, draw, judge)
