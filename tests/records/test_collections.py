"""All real games there are, against sgfmill. Long; needs KATACHI_GAMES."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from katachi.records.dataset import GameSet, open_games
from katachi.records.replay import final_colors
from katachi.rules.ruleset import Rules
from tests.records.sgfmill_reading import read_with_sgfmill, reading_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

EVERY = {"pro19": 20, "ogs9_scored": 10, "ogs9_other": 10, "kgs19_other": 5, "fuseki19": 5}
"""How sparsely the largest collections are compared with sgfmill; others game by game."""


def collections_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sgf.gz"))


def open_one(file: Path) -> GameSet:
    return open_games(file, use_cache=False)


def test_no_game_is_rejected(games_folder: Path) -> None:
    for file in collections_of(games_folder):
        with gzip.open(file) as stream:
            lines = sum(1 for _ in stream)
        games = open_one(file)
        assert (file.name, len(games), games.rejections) == (file.name, lines, ())


def test_games_read_and_replay_as_with_sgfmill(games_folder: Path) -> None:
    for file in collections_of(games_folder):
        games = open_one(file)
        step = EVERY.get(file.name.removesuffix(".sgf.gz"), 1)
        with gzip.open(file) as stream:
            for row, line in enumerate(stream):
                if row % step == 0:
                    colors = final_colors(games.columns, row).tolist()
                    assert reading_of(games[row], colors) == read_with_sgfmill(line)


def test_a_position_repeats_only_where_it_is_said_to(games_folder: Path) -> None:
    for file in collections_of(games_folder):
        illegal = int(np.count_nonzero(open_one(file).replay(Rules()).verdicts))
        expected = len(open_one(file)) if "superko" in file.name else 0
        assert (file.name, illegal) == (file.name, expected)
