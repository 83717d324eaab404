"""S2-small: no net has more weights than the goal allows, and strong players count more."""

from pathlib import Path

import pytest

from katachi.evaluators.territory import NetKind
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.learned_moves import WEIGHTS
from katachi.experiments.s2_territory.predicted_moves import LOG
from katachi.experiments.s2_territory.small_nets import (
    MOST_WEIGHTS,
    OTHER9,
    QUICK,
    Recipe,
    SmallSettings,
    draw,
    games_of,
    judge,
    run,
    training_of,
)
from katachi.learning.territory_training import make_fitter
from katachi.statistics import Estimate


def test_no_net_has_more_weights_than_the_goal_allows() -> None:
    pytest.importorskip("torch")
    settings = SmallSettings()
    for recipe in settings.recipes:
        fitter = make_fitter(training_of(settings, recipe, 1), "cpu")
        count = sum(each.size for each in fitter.weights().values())
        assert 0.9 * MOST_WEIGHTS < count <= MOST_WEIGHTS, recipe.name


def test_games_of_strong_players_are_there_several_times(data: Path) -> None:
    paths = data / material.SCORED9, data / OTHER9
    plain = Recipe("a", NetKind.SWEEPS, 4, 1)
    few = games_of(plain, paths, "9k").train
    more = games_of(Recipe("b", NetKind.SWEEPS, 4, 1, has_more=True), paths, "9k").train
    assert len(more) > len(few)
    # The games of the tests have no ranks: none is a strong player's.
    thrice = games_of(Recipe("c", NetKind.SWEEPS, 4, 1, strong=3), paths, "9k").train
    assert len(thrice) == len(few)


def test_no_interval_of_a_claim_lies_above_the_logarithm_of_one() -> None:
    row = LOG.estimate({"net": "sweeps", "games": "19x19"}, Estimate(-3.5, -7.1, 0.1), 9)
    table = Table(quantities=[WEIGHTS, LOG], rows=[WEIGHTS.row({"net": "sweeps"}, 5963), row])
    claim = judge(table)[-1]
    assert (claim.low, claim.high, claim.verdict) == (-7.1, 0.0, Verdict.UNDECIDED)


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_recipe(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    assert table.values("net") == [each.name for each in QUICK.recipes]
    first, *goals = judge(table)
    assert first.verdict is Verdict.YES
    assert [claim.paper for claim in goals] == ["our goal: -2.75 at 19x19"] * 2
    assert ">convolution<" in draw(table, "S2-small")
