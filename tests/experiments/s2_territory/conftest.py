"""A data folder of small game files under the names that the experiments ask for, and a model."""

import gzip
from pathlib import Path

import pytest

from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.cost import untrained
from katachi.experiments.s2_territory.material import random_game
from katachi.records.conversion import record_from_game
from katachi.records.sgf import write_game
from tests.interfaces.test_cli import GAMES


def write_random_games(path: Path, size: int, count: int, moves: int) -> None:
    games = [write_game(record_from_game(random_game(size, moves, n))) for n in range(count)]
    lines = [text.replace(b"\n", b"") + b"\n" for text in games]
    path.write_bytes(gzip.compress(b"".join(lines)))


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    (folder / "ogs9_scored.sgf.gz").write_bytes(gzip.compress(GAMES.read_bytes()))
    write_random_games(folder / "ogs9_other.sgf.gz", 9, 6, 30)
    write_random_games(folder / "pro13.sgf.gz", 13, 10, 42)
    write_random_games(folder / "pro19.sgf.gz", 19, 6, 84)
    return folder


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A net that knows nothing."""
    folder = tmp_path_factory.mktemp("models") / "newborn"
    untrained(1).save(folder, "# A net that knows nothing")
    return str(folder)


@pytest.fixture
def bench(tmp_path: Path, data: Path) -> Runner:
    return Runner(tmp_path / "work", data=data)
