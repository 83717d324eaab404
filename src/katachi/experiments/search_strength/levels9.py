"""X-levels9: how strong a net is that draws its moves by chance, or searches, at 9x9.

What comes of it is the table by which `rated:R` plays (`scripts/write_ratings.py`).
"""

import msgspec

from katachi.experiments import matches
from katachi.experiments.bounds import Amount, Count, Rate, Share
from katachi.experiments.matches import Score
from katachi.experiments.protocol import Experiment, Key, Table
from katachi.experiments.runner import Runner, Study, Task
from katachi.experiments.search_strength import anchored
from katachi.experiments.search_strength.anchored import RATING, AnchoredSettings
from katachi.experiments.table_pictures import bars_of_rows
from katachi.pictures.charts import draw_panels
from katachi.players.rated import ANY_LOSS, RatedPlayer, Strength
from katachi.players.roster import make_evaluator

LABELS = ("temperature {temperature:g}, loss {loss:g}, {visits} visits for {searched:.0%}",)


class Level(msgspec.Struct, frozen=True):
    """A way to play, and about where it stands."""

    about: int
    """The rating that it is likely to have."""
    temperature: Rate
    """Of the draw among moves."""
    loss: float = ANY_LOSS
    """Most points that a drawn move may lose."""
    visits: Count = 1
    """Of a move that is searched."""
    searched: Share = 0.0
    """Share of the moves that are searched."""
    games: Amount = 0
    """At least; 0 for as many as the settings say."""

    @property
    def key(self) -> Key:
        """How it plays."""
        return {name: getattr(self, name) for name in Strength._fields}


class LevelSettings(AnchoredSettings, frozen=True, kw_only=True):
    """The ways to play that are tried."""

    levels: tuple[Level, ...]
    """From the weakest to the strongest."""


SETTINGS = LevelSettings(
    anchors=anchored.HOUSE_LADDER,
    half=95.0,
    least=80,
    levels=(
        Level(-100, 60.0, games=120),
        Level(-50, 24.0, games=140),
        Level(50, 15.0, games=180),
        Level(200, 10.0, 160.0, games=240),
        Level(350, 7.0, 80.0, games=140),
        Level(450, 5.0, 50.0, games=120),
        Level(545, 3.5, 35.0, games=140),
        Level(700, 2.7, 27.0, games=160),
        Level(860, 2.1, 20.0, games=200),
        Level(900, 1.95, 18.5, games=180),
        Level(970, 1.8, 17.0, games=140),
        Level(1050, 1.7, 16.5, games=140),
        Level(1180, 1.6, 15.5, games=150),
        Level(1200, 1.55, 15.0, games=360),
        Level(1230, 1.5, 14.5, games=480),
        Level(1450, 1.45, 14.0, games=300),
        Level(1550, 1.35, 13.0, games=220),
        Level(1750, 1.15, 12.0, games=120),
        Level(1800, 1.05, 11.5, games=160),
        Level(1900, 0.95, 11.0),
        Level(2065, 0.75, 9.0),
        Level(2180, 0.5, 7.0),
        Level(2280, 0.1, 5.0, 32, 0.0),
        Level(2400, 0.1, 5.0, 32, 1.0),
    ),
)
QUICK = LevelSettings(
    size=5,
    block=2,
    half=1000.0,
    least=2,
    opponents=2,
    anchors={"random": -170.0, "alp": 850.0},
    levels=(Level(0, 10.0), Level(800, 1.0, 10.0)),
)


def make_level(key: Key, seed: int) -> RatedPlayer:
    """The player that plays like that."""
    strength = Strength(**{name: key[name] for name in Strength._fields})
    return RatedPlayer("a level", make_evaluator("selfplay"), strength, seed)


def measure(settings: LevelSettings, task: Task) -> Score:
    """One block of games."""
    return anchored.play_anchor(make_level, settings, task)


def run(settings: LevelSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing, and fits the ratings."""
    players = [(level.key, level.about, level.games) for level in settings.levels]
    tasks = anchored.tasks_for(settings, players)
    # More levels or games do not change those that were played.
    kept = msgspec.structs.replace(settings, levels=(), half=0.0, least=0)
    behaviour = matches.fingerprint_players(["selfplay", *settings.anchors])
    study = Study("X-levels9", kept, seed, tasks, measure, behaviour)
    rows = anchored.rate_all(runner, study)
    notes = anchored.notes_for(settings)
    return Table(quantities=[RATING], rows=rows, labels=LABELS, notes=notes)


def draw(table: Table, title: str) -> str:
    """A bar for each level."""
    return draw_panels(title, "95 % intervals", [], [bars_of_rows(table, RATING)])


EXPERIMENT = Experiment(SETTINGS, QUICK, run, draw)
