"""S1-permove: learning after each move, as section 5 prints it, beside learning after each game."""

import msgspec

from katachi.experiments.bounds import Count
from katachi.experiments.claims import gap, judge_apart
from katachi.experiments.protocol import Claim, Experiment, Key, Table
from katachi.experiments.runner import Runner, cross
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.learning.shape_training import TrainingSettings
from katachi.pictures.charts import draw_panels
from katachi.statistics import T_INTERVAL

LABELS = ("{sets}, {update}",)
BY_GAME, BY_MOVE = "by game", "by move"
UPDATES = {BY_GAME: False, BY_MOVE: True}


class UpdateSettings(trials.TrialSettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: Count = 12
    """Independent runs of each setting."""
    sets: tuple[str, ...] = ("2x2:LI", "1x1-3x3:LI")
    """Shape sets, each learned both ways."""


QUICK = UpdateSettings(
    runs=2, sets=("2x2:LI",), games=100, test_every=50, test_games=10, final_games=20
)


def trainings_of(settings: UpdateSettings) -> list[tuple[Key, TrainingSettings]]:
    """The training of each setting."""
    return [
        (
            key,
            msgspec.structs.replace(
                settings.training(key["sets"], 1), by_move=UPDATES[key["update"]]
            ),
        )
        for key in cross(sets=settings.sets, update=UPDATES)
    ]


def run(settings: UpdateSettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every setting as often as the settings say."""
    trainings = trainings_of(settings)
    table = trials.learn_all("S1-permove", settings, seed, runner, LABELS, trainings)
    notes = [
        f"Both learn from {settings.games:,} games of a pair, TD(0) with the squared loss and step "
        f"size {settings.alpha:g}. By move: when an agent has moved, the position after its move "
        "before is learned from, both values by the weights of that moment, and the new weights "
        "choose its next move. By game: all positions of a game are learned from at its end, by "
        "the weights that played it.",
        T_INTERVAL,
        trials.CENSORED,
        trials.KOMI,
    ]
    return msgspec.structs.replace(table, notes=notes)


def judge(table: Table) -> list[Claim]:
    """Whether it matters when weights are changed: by wins at the end, sets by sets."""
    claims = []
    for sets in table.values("sets"):
        moves, games = (
            table.row(trials.FINAL, sets=sets, update=way) for way in (BY_MOVE, BY_GAME)
        )
        ours = f"{moves.ours:.1f} % by move, {games.ours:.1f} % by game"
        words = f"implied: updates after each move make another player ({sets})", ours
        claims.append(judge_apart(words, gap(moves, games, 1, " %")))
    return claims


def draw(table: Table, title: str) -> str:
    """Wins at the end, and learning time."""
    axes = Axes("sets", "update")
    panels = [
        panel_of(table, trials.FINAL, axes, "wins v ALP at the end", 100.0),
        panel_of(table, trials.HALF_TIME, axes),
    ]
    text = f"mean of {table.rows[0].n} runs; a number over a bar: only so many runs got there"
    return draw_panels(title, text, list(UPDATES), panels)


EXPERIMENT = Experiment(UpdateSettings(), QUICK, run, draw, judge)
