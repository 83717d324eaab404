"""What tests of records share: the shipped games, and games kept outside of the project."""

import os
from pathlib import Path

import pytest

from katachi.records.dataset import GameSet, open_games


@pytest.fixture(scope="session")
def gnugo9() -> Path:
    """The shipped collection: 60 marked games, one a line."""
    return Path(__file__).parents[1] / "data" / "gnugo9.sgf"


@pytest.fixture(scope="session")
def gnugo_games(gnugo9: Path) -> GameSet:
    """The shipped collection as a set."""
    return open_games(gnugo9, use_cache=False)


@pytest.fixture(scope="session")
def games_folder() -> Path:
    """A folder of real collections, named by KATACHI_GAMES; without it the test is skipped."""
    named = os.environ.get("KATACHI_GAMES", "")
    if not named:
        pytest.skip("needs real games: set KATACHI_GAMES to a folder of .sgf.gz collections")
    if not Path(named).is_dir():
        pytest.fail(f"KATACHI_GAMES is {named}, which is not a folder", pytrace=False)
    return Path(named)
