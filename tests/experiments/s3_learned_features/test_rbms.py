"""S3-4, S3-5 and S3-crbm: kernels looked at, features counted, machines compared."""

import gzip
from pathlib import Path

import msgspec
import pytest

from katachi.experiments.protocol import Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s3_learned_features import feature_counts, filter_shapes, rbm_forms
from katachi.records import shipped_games
from tests.experiments.studies import row_named
from tests.interfaces.test_cli import GAMES


@pytest.fixture
def bench(tmp_path: Path) -> Runner:
    (tmp_path / shipped_games.GNUGO.name).write_bytes(gzip.compress(GAMES.read_bytes()))
    return Runner(tmp_path / "work", data=tmp_path)


def test_the_papers_features_are_counted(tmp_path: Path) -> None:
    table = feature_counts.run(feature_counts.CountSettings(), 1, Runner(tmp_path))
    row = row_named(table, "105 kernels 3x3", feature_counts.FEATURES.name)
    assert (row.ours, row.paper) == (5145, 5145)
    row = row_named(table, "templates 2x2", feature_counts.FEATURES.name)
    assert (row.ours, row.paper) == (5184, 5184)
    assert feature_counts.judge(table)[0].verdict is Verdict.YES
    assert ">5,145<" in feature_counts.draw(table, "S3-5")


def test_filter_plots_of_each_kind_are_reported(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = filter_shapes.run(filter_shapes.QUICK, 1, bench)
    for name in (filter_shapes.MULTINOMIAL, filter_shapes.REAL):
        row = row_named(table, filter_shapes.EMPTY_POINTS, name)
        assert row.n == 2
        assert 0 < (row.ours or 0) < 100
        assert len(table.shapes[name]) == 12
    assert len(filter_shapes.judge(table)) == 4
    assert "known shapes beyond chance" in filter_shapes.draw(table, "S3-4")


@pytest.mark.slow
def test_every_rbm_is_measured(bench: Runner) -> None:
    pytest.importorskip("torch")
    few = msgspec.structs.replace(rbm_forms.QUICK, runs=1)
    table = rbm_forms.run(few, 1, bench)
    assert {table.label(row) for row in table.rows} == set(rbm_forms.forms_of(few))
    assert (row_named(table, "multinomial", rbm_forms.GUESS.name).ours or 0) < 0
    assert ">with liberties<" in rbm_forms.draw(table, "S3-crbm")
