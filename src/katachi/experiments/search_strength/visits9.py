"""X-visits9: what more visits are worth, each number against a quarter of it."""

from katachi.arena.rating import FitSettings, PairScore, fit_ratings
from katachi.experiments.protocol import Experiment, Quantity, Row, Table
from katachi.experiments.runner import Runner
from katachi.experiments.search_strength import pairings
from katachi.experiments.search_strength.pairings import SCORE, Pairing, PairingSettings
from katachi.experiments.table_pictures import spot_of
from katachi.pictures.charts import Curves, draw_panels

ELO = Quantity("Elo", "above one visit", 0)
GAMES = {6: 200, 25: 200, 100: 200, 400: 100, 1600: 20, 6400: 10}
"""Games of each number of visits against the one before it."""


def player_of(visits: int, net: str) -> str:
    """The name of the player with so many visits."""
    return f"tree:{visits}:{net}"


def settings_of(games: dict[int, int], net: str, **terms: int) -> PairingSettings:
    """Each number of visits against the one before, the first against a single visit."""
    steps = zip(games, (1, *games), strict=False)
    made = tuple(Pairing(player_of(n, net), player_of(m, net), games[n]) for n, m in steps)
    return PairingSettings(pairings=made, **terms)


def elo_rows(table: Table) -> list[Row]:
    """A rating of every player, that of one visit being 0."""
    scores = []
    for row in table.rows_of(SCORE):
        points = (row.ours or 0.0) / 100 * row.n
        scores.append(
            PairScore(str(row.key["player"]), str(row.key["opponent"]), points, 0, row.n - points)
        )
    first = min((visits_of(each.white), each.white) for each in scores)[1]
    fit = fit_ratings(scores, FitSettings({first: 0.0}))
    ranked = sorted(fit.ratings, key=lambda each: visits_of(each.name))
    return [
        Row(
            key={"visits": visits_of(each.name)},
            quantity=ELO.name,
            ours=round(each.elo, 1),
            low=None if each.is_anchor else round(each.interval[0], 1),
            high=None if each.is_anchor else round(each.interval[1], 1),
            n=each.games,
        )
        for each in ranked
    ]


def visits_of(player: str) -> int:
    """The visits that a player's name says."""
    return int(player.split(":")[1])


def run(settings: PairingSettings, seed: int, runner: Runner) -> Table:
    """Plays what is missing and rates the players."""
    table = pairings.run("X-visits9", settings, seed, runner)
    notes = [
        *table.notes,
        "Elo by Bradley-Terry over all pairings; one visit, the net's likeliest move, is 0.",
    ]
    return Table(
        quantities=[*table.quantities, ELO],
        rows=[*table.rows, *elo_rows(table)],
        labels=(*pairings.LABELS, "{visits} visits"),
        notes=notes,
    )


def draw(table: Table, title: str) -> str:
    """Elo by visits, a step for each factor of four."""
    rows = table.rows_of(ELO)
    spots = [spot_of(row, step) for step, row in enumerate(rows)]
    axis = ", ".join(str(row.key["visits"]) for row in rows)
    curve = Curves("Elo", ELO.unit, f"steps: {axis} visits", [spots])
    return draw_panels(title, "95 % intervals", [], [curve])


EXPERIMENT = Experiment(
    settings_of(GAMES, "territory:selfplay9"),
    settings_of({2: 2, 4: 2}, "alp", size=5, block=2),
    run,
    draw,
)
