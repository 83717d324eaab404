"""S2-ingredients: each net has one thing more than the one before, and budgets are equal."""

from itertools import pairwise

import msgspec
import pytest

from katachi.experiments.protocol import Row, Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.ingredients import (
    PAPER,
    QUICK,
    IngredientSettings,
    draw,
    judge,
    recipes_of,
    run,
)
from katachi.experiments.s2_territory.learned_moves import BUDGET, GAMES, UPDATES, WEIGHTS
from katachi.experiments.s2_territory.predicted_moves import (
    AMONG,
    LOG,
    LOGS,
    MEAN,
    Predicted,
    over_runs,
    rows_of_runs,
)
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings
from katachi.statistics import Estimate
from tests.experiments.studies import row_named

NETS = list(recipes_of(IngredientSettings()))


def test_the_paper_has_the_second_recipe() -> None:
    recipes = recipes_of(IngredientSettings())
    assert NETS[1] == PAPER
    assert recipes[PAPER] == TerritorySettings(steps=3500)
    assert recipes[NETS[0]] == TerritorySettings(steps=3500, later_share=0.0)


def test_each_step_changes_few_things() -> None:
    all_settings = [msgspec.to_builtins(each) for each in recipes_of(IngredientSettings()).values()]
    changed = [
        {name for name, value in more.items() if value != less[name]}
        for less, more in pairwise(all_settings)
    ]
    assert changed == [
        {"later_share"},
        {"others", "cell_weight"},
        {"inputs"},
        {"foretells", "others"},
        {"inputs", "cell_weight"},
    ]
    assert InputSettings().inputs == recipes_of(IngredientSettings())[PAPER].inputs.inputs


def rows_of(net: str, log: float, weights: int, games: int = 3166) -> list[Row]:
    budget = [
        quantity.row({"net": net}, value)
        for quantity, value in zip(BUDGET, (weights, games, 4000, 9), strict=True)
    ]
    key, paper = {"net": net, "games": "19x19"}, -2.7 if net == PAPER else None
    number = Estimate(log, log - 0.1, log + 0.1)
    share = Estimate(40.0, 35.0, 45.0)
    measured = [LOG.estimate(key, number, 400, paper), MEAN.estimate(key, number, 400, paper)]
    return [*budget, *measured, AMONG.estimate(key, share, 400)]


def test_claims_are_judged_by_the_papers_recipe_and_by_steps() -> None:
    rows = [row for at, net in enumerate(NETS) for row in rows_of(net, -5.0 + at, 5801 + at)]
    quantities = [*BUDGET, LOG, MEAN, AMONG]
    claims = judge(Table(quantities=quantities, rows=[*rows, *rows_of("moves9", -3.0, 7000)]))
    log, mean, best, target, *steps, equal = [claim.verdict for claim in claims]
    assert (log, mean, best) == (Verdict.NO, Verdict.NO, Verdict.NO)
    assert target is Verdict.YES
    assert steps == [Verdict.NO] * 4
    assert equal is Verdict.YES
    assert claims[-1].rule.startswith("yes if updates and games are equal and weights differ")
    assert claims[5].paper == "implied: to see the last moves adds nothing"
    unequal = [row for net in NETS for row in rows_of(net, -5.0, 5801, len(net))]
    assert judge(Table(quantities=quantities, rows=unequal))[-1].verdict is Verdict.NO


def test_sets_with_too_few_games_are_told_and_drawn() -> None:
    rows = [row for net in NETS for row in rows_of(net, -5.0, 5801)[: len(BUDGET)]]
    for net in NETS:
        rows += rows_of_runs({"net": net, "games": "19x19"}, [Predicted(None)])
    table = Table(quantities=[*BUDGET, LOG, MEAN, AMONG], rows=rows)
    assert row_named(table, f"{NETS[0]}, 19x19", LOG.name).remark == "too few games"
    assert [claim.verdict for claim in judge(table)] == [Verdict.YES]
    assert draw(table, "S2-ingredients").startswith("<svg ")


def test_an_interval_knows_of_runs_and_of_games() -> None:
    one = over_runs([Estimate(2.0, 1.0, 4.0)])
    assert (one.low, one.high) == (1.0, 4.0)
    two = over_runs([Estimate(2.0, 1.0, 4.0)] * 2)
    assert (two.value, two.low, two.high) == (2.0, 1.0, 4.0)
    apart = over_runs([Estimate(1.0, 0.0, 2.0), Estimate(3.0, 2.0, 4.0)])
    assert apart.low is not None
    assert apart.low < 1.0 - 1.0
    ends = over_runs([Estimate(1.0, 0.0, 2.0), Estimate(3.0, 2.0, 4.0)], (0.0, 3.5))
    assert (ends.low, ends.high) == (0.0, 3.5)
    of_runs = over_runs([Estimate(-0.1), Estimate(-2.0)], LOGS)
    assert of_runs.high == 0.0
    assert over_runs([Estimate(1.0)]).low is None


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_net(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    nets = [*recipes_of(QUICK), "moves9"]
    assert table.values("net") == nets
    for net in nets[:-1]:
        assert row_named(table, net, UPDATES.name).ours == QUICK.steps
        assert row_named(table, net, GAMES.name).ours == QUICK.games
    assert row_named(table, "moves9", WEIGHTS.name).ours == 5963
    for net in nets:
        for games in ("9x9", "19x19"):
            log = row_named(table, f"{net}, {games}", LOG.name).ours or 0.0
            assert log <= (row_named(table, f"{net}, {games}", MEAN.name).ours or 0.0) <= 0.0
    picture = draw(table, "S2-ingredients")
    assert f">{NETS[2]}<" in picture
    assert len(judge(table)) == 4 + 1 + 5 + 1
