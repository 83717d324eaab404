"""Ratings on the house ladder: games against its players, whose places are given."""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.rating import FitSettings, PairScore, Rating, fit_ratings
from katachi.experiments import matches
from katachi.experiments.bounds import Count
from katachi.experiments.matches import Score
from katachi.experiments.protocol import Key, Quantity, Row
from katachi.experiments.runner import Runner, Study, Task
from katachi.players.program import GnuGoPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.statistics import Estimate

RATING = Quantity("rating", "Elo on the house ladder", 0)
HOUSE_LADDER = {
    "random": -170.0,
    "crbm": 546.97,
    "linear:linear9": 576.24,
    "influence": 826.76,
    "alp": 850.0,
    "playouts:64": 1138.17,
    "shape:cascade9": 1701.42,
    "shape": 1746.65,
    "shape:liberty9": 1769.75,
    "territory:moves9": 1871.61,
    "gnugo:0": 2058.71,
    "gnugo:1": 2071.8,
    "territory": 2137.97,
}
"""Players of the house ladder that take little time, and where `results/ladder9.json` has them."""
NOTE = (
    "Bradley-Terry in Elo, the opponents held where the house ladder has them: 95 % intervals from "
    "the observed information, given their places."
)


class AnchoredSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """Who is played, and how often."""

    anchors: dict[str, float]
    """The ratings of the opponents that there are."""
    opponents: Count = 4
    """Each player meets so many of them, the nearest."""
    games: Count
    """Against each opponent."""

    def opponents_of(self, rating: float) -> list[str]:
        """The opponents that are nearest to a rating."""
        known = {
            name: elo
            for name, elo in self.anchors.items()
            if matches.has_gnugo() or matches.GNUGO_PROGRAM not in name
        }
        nearest = sorted(known, key=lambda name: abs(known[name] - rating))
        return sorted(nearest[: self.opponents], key=lambda name: known[name])

    def fit(self, scores: Mapping[str, Score]) -> Rating:
        """The rating of a player by what it scored against each opponent."""
        pairs = [
            PairScore("it", name, score.points, 0.0, score.games - score.points)
            for name, score in scores.items()
        ]
        anchors = {name: self.anchors[name] for name in scores}
        fit = fit_ratings(pairs, FitSettings(anchors))
        return next(rating for rating in fit.ratings if not rating.is_anchor)


AnchoredStudy = Study[AnchoredSettings, Score]
Maker = Callable[[Key, int], Player]
"""The player of a key and a seed."""


def play_anchor(make: Maker, settings: AnchoredSettings, task: Task) -> Score:
    """One block of games of a player against the opponent that the key names."""
    player, other = make(task.key, task.seed), make_player(task.key["opponent"], task.seed + 1)

    def seats(number: int) -> tuple[Player, Player]:
        if isinstance(other, GnuGoPlayer):  # else it plays every game by one seed
            other.reseed(seat_seed(task.seed, number + 1) % (1 << 31))
        return player, other

    try:
        points = sum(play_games(seats, settings.terms, settings.block, task.seed))
    finally:
        player.close()
        other.close()
    return Score(points, settings.block)


def rate_all(runner: Runner, study: AnchoredStudy) -> list[Row]:
    """A row for each player, named by the key without the opponent."""
    found = runner.measure_all(study)
    scores: dict[str, tuple[Key, dict[str, Score]]] = {}
    for key, blocks in found:
        player = {name: value for name, value in key.items() if name != "opponent"}
        _, known = scores.setdefault(str(player), (player, {}))
        points, games = sum(each.points for each in blocks), sum(each.games for each in blocks)
        known[key["opponent"]] = Score(points, games)
    return [_row(study.settings, *each) for each in scores.values()]


def _row(settings: AnchoredSettings, key: Key, scores: Mapping[str, Score]) -> Row:
    rating = settings.fit(scores)
    estimate = Estimate(round(rating.elo, 1), *(round(end, 1) for end in rating.interval))
    row = RATING.estimate(key, estimate, rating.games)
    return msgspec.structs.replace(row, remark=f"{rating.games:,} games")


def keys_of(settings: AnchoredSettings, players: Iterable[tuple[Key, float]]) -> list[Key]:
    """The pairings of players, each with about where it stands."""
    return [
        {**key, "opponent": name} for key, about in players for name in settings.opponents_of(about)
    ]
