"""S2-small: no net has more weights than the goal allows, and strong players count more."""

from pathlib import Path

import pytest

from katachi.evaluators.territory import NetKind
from katachi.experiments.protocol import Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory import material
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


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_recipe(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    assert table.values("net") == [each.name for each in QUICK.recipes]
    first, *goals = judge(table)
    assert first.verdict is Verdict.YES
    assert [claim.paper for claim in goals] == ["our goal: -2.75 at 19x19"] * 2
    assert ">convolution<" in draw(table, "S2-small")
