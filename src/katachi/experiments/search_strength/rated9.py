"""X-rated9: whether `rated:R` is as strong as its name says, at 9x9."""

import msgspec

from katachi.experiments import matches
from katachi.experiments.matches import Score
from katachi.experiments.protocol import Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.search_strength import anchored
from katachi.experiments.search_strength.anchored import RATING, AnchoredSettings
from katachi.experiments.table_pictures import spot_of
from katachi.pictures.charts import Curves, draw_panels
from katachi.players.protocol import Player
from katachi.players.rating_table import strength_of
from katachi.players.roster import make_player

OFF = Quantity("off by", "Elo", 0)
LABELS = (
    "rated:{rating}, temperature {temperature:.2g}, loss {loss:.0f}, {visits} visits for "
    "{searched:.0%}",
)
MOST_OFF = 50


class RatedSettings(AnchoredSettings, frozen=True, kw_only=True):
    """The ratings that are asked for."""

    ratings: tuple[int, ...]
    """From the weakest to the strongest."""


SETTINGS = RatedSettings(
    anchors=anchored.HOUSE_LADDER,
    half=60.0,
    least=200,
    ratings=(0, 300, 600, 900, 1200, 1500, 1800, 2100, 2250),
)
QUICK = RatedSettings(
    size=5,
    block=2,
    half=1000.0,
    least=2,
    opponents=2,
    anchors={"random": -170.0, "alp": 850.0},
    ratings=(0, 900),
)


def _key_of(rating: int) -> Key:
    strength = strength_of(rating)._asdict()
    return {"rating": rating} | {name: round(value, 4) for name, value in strength.items()}


def make_rated(key: Key, seed: int) -> Player:
    """The player of a rating."""
    return make_player(f"rated:{key['rating']}", seed)


def measure(settings: RatedSettings, task: Task) -> Score:
    """One block of games."""
    return anchored.play_anchor(make_rated, settings, task)


def run(settings: RatedSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing, and fits the ratings."""
    players = [(_key_of(rating), rating, 0) for rating in settings.ratings]
    tasks = anchored.tasks_for(settings, players)
    # More ratings or games do not change those that were played.
    kept = msgspec.structs.replace(settings, ratings=(), half=0.0, least=0)
    # The table itself is no part of it: each key says how it plays.
    behaviour = matches.fingerprint_players(["selfplay", *settings.anchors])
    rows = anchored.rate_all(runner, Study("X-rated9", kept, seed, tasks, measure, behaviour))
    rows += [_off(row) for row in rows]
    notes = anchored.notes_for(settings)
    return Table(quantities=[RATING, OFF], rows=rows, labels=LABELS, notes=notes)


def _off(row: Row) -> Row:
    return OFF.row(row.key, round((row.ours or 0.0) - float(row.key["rating"]), 1), row.n)


def draw(table: Table, title: str) -> str:
    """What was measured by what was asked for."""
    spots = [spot_of(row, row.key["rating"]) for row in table.rows_of(RATING)]
    panel = Curves("measured", RATING.unit, "asked for", [spots])
    return draw_panels(title, "95 % intervals", [], [panel])


EXPERIMENT = Experiment(SETTINGS, QUICK, run, draw)
