"""Small games and settings for tests of how territory is learned."""

import dataclasses
from pathlib import Path

import numpy as np

from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings
from katachi.records.dataset import GameSet, open_games, set_of_records
from tests.features.recorded_games import RecordedGame

GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"
"""60 games 9x9 with all owners marked."""

SMALL = TerritorySettings(
    inputs=InputSettings(("stones", "liberties")),
    hidden=4,
    states=3,
    batch=8,
    others=2,
    steps=6,
    rate=0.02,
)


def gnugo_games() -> GameSet:
    """The shipped games."""
    return open_games(GAMES, use_cache=False)


def drawn_games(*sizes: int) -> GameSet:
    """A random game of each size; who stands somewhere at the end owns the point."""
    return set_of_records(
        dataclasses.replace(
            RecordedGame(size, number, 30).record, ownership=np.zeros(size * size, np.int8)
        )
        for number, size in enumerate(sizes)
    )
