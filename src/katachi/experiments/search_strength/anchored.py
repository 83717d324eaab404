"""Ratings on the house ladder: games against its players, whose places are given."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from katachi.arena.pairs import play_games, seat_seed
from katachi.arena.rating import ELO_SCALE, FitSettings, PairScore, Rating, fit_ratings
from katachi.experiments import matches
from katachi.experiments.bounds import Count, Rate
from katachi.experiments.matches import Score
from katachi.experiments.protocol import Key, Quantity, Row
from katachi.experiments.runner import Runner, Study, Task
from katachi.players.program import GnuGoPlayer
from katachi.players.protocol import Player
from katachi.players.roster import make_player
from katachi.statistics import NORMAL_95, Estimate

RATING = Quantity("rating", "Elo on the house ladder", 0)
HOUSE_LADDER = {
    "random": -170.0,
    "crbm": 546.97,
    "linear:linear9": 576.24,
    "influence": 826.76,
    "alp": 850.0,
    "shape:cascade9": 1701.42,
    "shape": 1746.65,
    "shape:liberty9": 1769.75,
    "territory:moves9": 1871.61,
    "gnugo:0": 2058.71,
    "gnugo:1": 2071.8,
    "territory": 2137.97,
}
"""Players of the house ladder that take little time, and where `results/ladder9.json` had them when
they were first played: the ladder goes on, and results that rest on this do not change with it."""
BESIDE = 2
"""Opponents on either side."""
NOTE = (
    "Bradley-Terry in Elo, the opponents held where the house ladder has them: 95 % intervals from "
    "the observed information, given their places. A loss of 1000 is any; many games ran side by "
    "side, so the time is mostly waiting."
)


class AnchoredSettings(matches.BlockSettings, frozen=True, kw_only=True):
    """Who is played, and how often."""

    anchors: dict[str, float]
    """The ratings of the opponents that there are."""
    opponents: Count = 4
    """Each player meets so many of them, the nearest."""
    half: Rate
    """Points: so many games are played that half the 95 % interval is about this."""
    least: Count
    """Games of each player at least, unless it says otherwise."""

    def games_of(self, rating: float, least: int = 0) -> dict[str, int]:
        """How many games a player of about this rating plays against each opponent, in whole
        blocks: the more, the more a game is expected to tell."""
        chances = {
            name: 1.0 / (1.0 + math.exp((self.anchors[name] - rating) / ELO_SCALE))
            for name in self.opponents_of(rating)
        }
        told = {name: chance * (1.0 - chance) for name, chance in chances.items()}
        share = {name: each / sum(told.values()) for name, each in told.items()}
        mean = sum(told[name] * share[name] for name in told)
        games = max(least or self.least, (NORMAL_95 * ELO_SCALE / self.half) ** 2 / mean)
        return {
            name: self.block * max(1, round(games * each / self.block))
            for name, each in share.items()
        }

    def opponents_of(self, rating: float) -> list[str]:
        """The opponents that are nearest to a rating, two at least on either side where there are
        as many: a player does better against some kinds than against others."""
        known = {
            name: elo
            for name, elo in self.anchors.items()
            if matches.has_gnugo() or matches.GNUGO_PROGRAM not in name
        }
        nearest = sorted(known, key=lambda name: abs(known[name] - rating))
        sides = (
            [name for name in nearest if known[name] <= rating],
            [name for name in nearest if known[name] > rating],
        )
        wanted = [name for side in sides if len(side) >= BESIDE for name in side[:BESIDE]]
        chosen = list(dict.fromkeys(wanted + nearest))[: self.opponents]
        return sorted(chosen, key=lambda name: known[name])

    def fit(self, scores: Mapping[str, Score]) -> Rating:
        """The rating of a player by what it scored against each opponent."""
        pairs = [
            PairScore("it", name, score.points, 0.0, score.games - score.points)
            for name, score in scores.items()
        ]
        anchors = {name: self.anchors[name] for name in scores}
        fit = fit_ratings(pairs, FitSettings(anchors))
        return next(rating for rating in fit.ratings if not rating.is_anchor)


S = TypeVar("S", bound=AnchoredSettings)
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


def rate_all(runner: Runner, study: Study[S, Score]) -> list[Row]:
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


def notes_for(settings: AnchoredSettings) -> list[str]:
    """What a reader must know of how games were played and counted."""
    return [matches.terms_note(settings.terms).replace("; 95 % Wilson intervals", ""), NOTE]


def tasks_for(settings: AnchoredSettings, players: Iterable[tuple[Key, float, int]]) -> list[Task]:
    """The blocks of players, each with about where it stands and its games at least, or 0."""
    return [
        task
        for key, about, least in players
        for name, games in settings.games_of(about, least).items()
        for task in settings.tasks([{**key, "opponent": name}], games)
    ]
