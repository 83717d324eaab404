"""S2-width: nets of all sizes learn the same way, and their weights and work are counted right."""

import threading
from pathlib import Path

import msgspec
import pytest

from katachi.evaluators.territory import NetKind
from katachi.experiments.curves import curves_of
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.material import ends_of_parts
from katachi.experiments.s2_territory.widths import (
    BATCHES,
    ERROR,
    QUICK,
    TIMED,
    WEIGHTS,
    WORK,
    NetSize,
    WidthSettings,
    draw,
    judge,
    run,
    steps_in,
    training_of,
    work_of,
)
from katachi.learning.territory_run import TerritoryGames
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from tests.experiments.studies import row_named
from tests.learning.territory_games import drawn_games


def test_work_counts_the_products_at_a_point() -> None:
    """85 inputs: four lateral nets of 16 units with 16 states before them and 8 behind, and the
    output net of 16 units over 32 states with three outputs."""
    settings, net = WidthSettings(), NetSize(NetKind.SWEEPS, 16, 8, 1)
    expected = 4 * 16 * (85 + 16 + 8) + 16 * (85 + 32 + 3)
    assert work_of(training_of(settings, net, 1), net, 0) == expected
    plain = NetSize(NetKind.CONVOLUTION, 12, 1, 4)
    assert work_of(training_of(settings, plain, 1), plain, 777) == 777


def test_the_papers_net_is_judged_beside_the_convolution_of_its_size() -> None:
    weights = {"sweeps": 6859, "convolution a": 7107, "convolution b": 9047}
    errors = {"sweeps": 0.42, "convolution a": 0.40, "convolution b": 0.50}
    rows = [WEIGHTS.row({"net": net}, count) for net, count in weights.items()]
    for key in ({}, {"budget": TIMED}):
        for net, error in errors.items():
            values = [error - 0.001, error + 0.001, error]
            rows.append(ERROR.mean({"net": net} | key, values))
    claims = judge(Table(quantities=[WEIGHTS, ERROR], rows=rows))
    assert [claim.verdict for claim in claims] == [Verdict.NO, Verdict.NO, Verdict.NO]
    assert claims[2].ours == "6,859, the convolution 7,107 (+3.6 %)"
    assert "0.400" in claims[1].ours
    assert TIMED in claims[1].paper


def test_a_net_that_is_thrown_away_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    made, new_trainer = [], material.new_trainer

    def keep(training: TerritorySettings, games: TerritoryGames) -> TerritoryTrainer:
        made.append(new_trainer(training, games))
        return made[-1]

    monkeypatch.setattr(material, "new_trainer", keep)
    settings = msgspec.structs.replace(QUICK, inputs=("stones",), steps=100)
    games = drawn_games(5, 5)
    before = set(threading.enumerate())
    training = training_of(settings, settings.nets[1], 1)
    assert steps_in(training, TerritoryGames(games, games, 0, 0), 1.0) > 1
    assert len(made) == 1
    assert not set(threading.enumerate()) - before


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_net(tmp_path: Path, data: Path) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, Runner(tmp_path, data=data))
    nets = [net.name for net in QUICK.nets]
    names = [*nets, *(f"{net}, {TIMED}" for net in nets)]
    assert list(dict.fromkeys(table.label(row) for row in table.rows)) == names
    planes = 29
    weights = planes * 9 * 4 + 4 + 4 * 9 * 4 + 4 + 4 * 3 + 3
    assert row_named(table, names[1], WEIGHTS.name).ours == weights
    assert row_named(table, names[1], WORK.name).ours == weights
    assert f">{names[0]}<" in draw(table, "S2-width")
    assert [curve.at for curve in curves_of(table)] == [ends_of_parts(QUICK.steps)] * len(nets)
    assert row_named(table, names[0], BATCHES.name).ours == QUICK.steps
    assert (row_named(table, names[2], BATCHES.name).ours or 0.0) > QUICK.steps
