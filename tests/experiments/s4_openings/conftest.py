"""A data folder with the openings that come with the package, under the names that the experiments
ask for."""

import gzip
from pathlib import Path

import pytest

from katachi.experiments.runner import Runner
from katachi.records.shipped_games import JUDGED_OPENINGS, OPENINGS


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("openings")
    (folder / "fuseki19.sgf.gz").write_bytes(gzip.compress(OPENINGS.read_bytes()))
    judged = gzip.compress(JUDGED_OPENINGS.read_bytes())
    (folder / "fuseki19_judged.jsonl.gz").write_bytes(judged)
    return folder


@pytest.fixture
def bench(tmp_path: Path, data: Path) -> Runner:
    return Runner(tmp_path / "work", data=data)
