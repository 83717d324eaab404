"""`katachi openings cross` as a person runs it."""

import json

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli.openings_play import CrossPlay, cross
from katachi.statistics import wilson
from tests.interfaces.test_cli import complaint


def test_every_pair_is_played_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    players = ("random", "influence", "alp")
    cross(*players, terms=CrossPlay(moves=6, size=5, by="influence", rounds=3), json=True)
    cells = json.loads(capsys.readouterr().out)
    assert [(cell["black"], cell["white"]) for cell in cells] == [
        (black, white) for black in players for white in players
    ]
    for cell in cells:
        assert 1 <= cell["openings"] <= 3
        assert 0 <= cell["points"] <= cell["openings"]
        assert (cell["low"], cell["high"]) == wilson(cell["points"], cell["openings"])


def test_the_same_opening_counts_once(capsys: pytest.CaptureFixture[str]) -> None:
    cross("alp", "influence", terms=CrossPlay(moves=1, size=3, by="alp", rounds=4))
    told = capsys.readouterr()
    # One first move is best by both: the middle of the board.
    assert told.out.count(" of 1 (") == 4


def test_what_is_wrong_is_told_in_one_line() -> None:
    assert "name two or more players" in complaint("openings", "cross", "alp")
    with pytest.raises(KatachiError, match="each once"):
        cross("alp", "alp")
    with pytest.raises(KatachiError, match="0 moves, 10 rounds: use 1 to 200, and 1 to"):
        cross("alp", "random", terms=CrossPlay(moves=0))
    with pytest.raises(KatachiError, match="band -1: use 0 points"):
        cross("alp", "random", terms=CrossPlay(band=-1.0))
    with pytest.raises(KatachiError, match="'search' has no opinion"):
        cross("alp", "search")
