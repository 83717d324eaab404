"""S2-own: the net beside random games, by fifths of the game."""

from pathlib import Path

import msgspec

from katachi.evaluators.simple import ConstantEvaluator
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.material import SCORED9
from katachi.experiments.s2_territory.ownership import (
    CALIBRATION,
    ERROR,
    PARTS,
    PLAYOUTS,
    QUICK,
    RIGHT,
    TIME,
    draw,
    judge,
    judge_sweeps,
    run,
)
from katachi.measure.prediction import chances_of
from katachi.records.dataset import open_games
from tests.experiments.studies import row_named


def test_a_quick_study_tells_and_shows_every_way(bench: Runner, model: str) -> None:
    table = run(msgspec.structs.replace(QUICK, model=model), 1, bench)
    ways = ["newborn", "territory9", "4 random games", "random games, equal time"]
    for way in ways:
        for quantity in (ERROR, RIGHT, CALIBRATION, PLAYOUTS, TIME):
            assert row_named(table, f"{way}, all", quantity.name).ours is not None
        for part in PARTS:
            assert row_named(table, f"{way}, {part}", ERROR.name).n == 2
    assert row_named(table, "4 random games, all", PLAYOUTS.name).ours == 4
    assert (row_named(table, "random games, equal time, all", PLAYOUTS.name).ours or 0) >= 1
    picture = draw(table, "S2-own")
    assert all(f">{way}<" in picture for way in ways)
    (claim,) = judge_sweeps(table)
    assert claim.paper == "sweeping nets learn to predict territory fairly well (territory9)"


def test_without_a_model_random_games_are_reported_alone(bench: Runner) -> None:
    table = run(msgspec.structs.replace(QUICK, model="nowhere9", sweeping=()), 1, bench)
    assert {table.label(row).rpartition(", ")[0] for row in table.rows} == {"4 random games"}
    assert "The model nowhere9 is not here, and not measured." in table.notes


def test_more_random_games_tell_more_and_the_end_best(data: Path) -> None:
    games = open_games(data / SCORED9)[:4]
    few, many = (
        judge(chances_of(ConstantEvaluator(), count), games, count).report for count in (1, 32)
    )
    assert many.all.cross_entropy.value < few.all.cross_entropy.value
    first, last = many.fifths[0], many.fifths[-1]
    assert first is not None
    assert last is not None
    assert last.cross_entropy.value < first.cross_entropy.value
