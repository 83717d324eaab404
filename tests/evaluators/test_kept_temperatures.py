"""The temperature that a shipped model keeps is about the one that fits games of others.

Kept ones were fitted to games of the training side of what models learned from; here they are
compared with what fits a few games of GNU Go, which no model learned from.
"""

from pathlib import Path

import pytest

from katachi.evaluators.shipped import load_territory
from katachi.measure.prediction import gather_choices
from katachi.records.dataset import open_games
from katachi.search.policy import fit_temperature
from katachi.search.recorded_moves import MoveRange

GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"
FOLD = 1.4
MIDDLE, WHOLE = MoveRange(8, 16), MoveRange()


def check_temperature(name: str, games: int, moves: MoveRange) -> None:
    """Kept and fitted are at most `FOLD` apart."""
    model = load_territory(name)
    kept = model.temperature(9)
    choices = gather_choices(model, open_games(GAMES, use_cache=False)[:games], moves)
    assert kept is not None
    assert choices is not None
    assert 1 / FOLD < kept / fit_temperature(choices) < FOLD


@pytest.mark.parametrize("name", ["owners9", "moves9", "moves9_3166", "small19", "moves19"])
def test_the_kept_temperature_of_a_net_that_predicts_moves_fits_other_games(name: str) -> None:
    check_temperature(name, 6, MIDDLE)


@pytest.mark.parametrize("name", ["literal9", "paper9"])
def test_the_kept_temperature_of_the_papers_net_fits_other_games(name: str) -> None:
    check_temperature(name, 5, MIDDLE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper9", "territory9"])
def test_the_kept_temperature_of_a_net_of_owners_fits_whole_games(name: str) -> None:
    check_temperature(name, 12, WHOLE)
