"""How strong the generations of a run are, on one scale: ratings by all the tests of a run."""

from collections.abc import Sequence

from katachi.arena.rating import FitSettings, PairScore, Rating, fit_ratings
from katachi.learning.selfplay_settings import SelfPlayMeasurement


def rate_generations(tests: Sequence[SelfPlayMeasurement]) -> list[Rating | None]:
    """The rating of the small tree search of each generation, in their order, by its games against
    the opponent of the first test, who has 0, and against the generations beside it. None where no
    games lead to that opponent, as when a run was tested against another one later."""
    if not tests:
        return []
    scores = []
    for test in tests:
        own, before = str(test.generations), str(test.generations - 1)
        scores += [
            _score(own, test.opponent, test.win_rate_tree, test.match_games),
            _score(own, before, test.win_rate_previous, test.match_games),
        ]
    fit = fit_ratings(scores, FitSettings({tests[0].opponent: 0.0}))
    found = {each.name: each for each in fit.ratings}
    return [found.get(str(test.generations)) for test in tests]


def _score(own: str, other: str, rate: float, games: int) -> PairScore:
    return PairScore(own, other, rate * games, 0, (1.0 - rate) * games)
