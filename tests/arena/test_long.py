"""Long runs of the arena; `make test-slow` runs them."""

import json
import os
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.arena.match import MatchFolder, MatchSettings, play_match
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings, fischer_time
from katachi.statistics import wilson
from tests.arena.processes import descendants_of


@pytest.mark.slow
@pytest.mark.gnugo
def test_five_hundred_games_in_a_row_lose_nothing(tmp_path: Path, gnugo: str) -> None:
    engine = f"{gnugo} --mode gtp --level 0 --chinese-rules --capture-all-dead"
    match = MatchFolder(tmp_path, MatchSettings(engine, "alp", 500))
    endings = [game.ending for game in play_match(match, workers=2)]
    assert endings == [Ending.SCORE.value] * 500
    files = sorted((tmp_path / "games").glob("*.sgf"))
    assert len(files) == 500
    for file in files:
        assert sgf.Sgf_game.from_bytes(file.read_bytes()).get_winner()
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(500))
    assert descendants_of(os.getpid()) == []
    assert wilson(match.tally.score, 500)[0] > 0.9


@pytest.mark.slow
def test_no_flag_falls_in_two_hundred_games_with_every_core_busy(tmp_path: Path) -> None:
    """One second and a tenth a move, players that use all they are given, more games than cores."""
    settings = GameSettings(9, time=fischer_time(1.0, 0.1))
    match = MatchFolder(tmp_path, MatchSettings("playouts", "playouts", 200, settings))
    endings = [game.ending for game in play_match(match, workers=2 * (os.cpu_count() or 1))]
    assert endings == [Ending.SCORE.value] * 200
    thought = [sum(game.seconds) / game.moves for game in match.games.values()]
    assert min(thought) > 0.05
