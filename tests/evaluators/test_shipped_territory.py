"""`territory` on boards of every size: owners by one model, moves by the one that fits."""

from pathlib import Path

import numpy as np
import pytest

from katachi.evaluators.protocol import abilities_of
from katachi.evaluators.shipped import (
    LARGE19,
    OWNERS19,
    SELFPLAY,
    TERRITORY,
    TerritoryOfEverySize,
    load_territory,
)
from katachi.evaluators.territory import Territory
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.roster import files_of, make_evaluator, make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.search.shape_guide import GUIDING


@pytest.mark.parametrize(("size", "model"), [(5, TERRITORY), (9, TERRITORY), (13, LARGE19)])
def test_moves_are_those_of_the_model_that_fits(size: int, model: str) -> None:
    states = Game(size).states
    found = TerritoryOfEverySize().move_scores(states, np.array([BLACK]))
    expected = load_territory(model).move_scores(states, np.array([BLACK]))
    np.testing.assert_array_equal(found, expected)


def test_one_model_says_all_on_large_boards_where_it_is_named() -> None:
    states, mover = Game(13).states, np.array([BLACK])
    found = TerritoryOfEverySize("selfplay", SELFPLAY, OWNERS19).look(states, mover)
    for ours, expected in zip(found, load_territory(OWNERS19).look(states, mover), strict=True):
        np.testing.assert_array_equal(ours, expected)
    assert {file.parent.name for file in files_of("selfplay")} == {SELFPLAY, OWNERS19}
    assert {file.parent.name for file in files_of("tree")} == {SELFPLAY, OWNERS19, GUIDING}


def test_owners_are_known_on_every_board_and_the_empty_one_is_even() -> None:
    for size in (9, 13, 19):
        owned = TerritoryOfEverySize().evaluate(Game(size).states).ownership
        assert owned is not None
        np.testing.assert_allclose(owned, 0.5, atol=1e-6)


def test_the_player_without_a_model_has_them_all() -> None:
    player = make_player("territory")
    assert isinstance(player, EvaluatingPlayer)
    assert isinstance(player.evaluator, TerritoryOfEverySize)
    assert abilities_of(player.evaluator).temperature is not None
    assert isinstance(make_evaluator("territory:owners9"), Territory)
    assert {file.parent.name for file in files_of("territory")} == {TERRITORY, LARGE19}
    assert {file.parent.name for file in files_of("territory:paper9")} == {"paper9"}


def test_nineteen_lines_open_in_a_corner() -> None:
    point = make_player("territory").choose(Game(19), BLACK).point
    assert point is not None
    row, col = divmod(point, 32)
    assert {min(row, 20 - row), min(col, 20 - col)} <= {3, 4}


def test_a_model_that_shares_tables_is_written_with_its_own(tmp_path: Path) -> None:
    shared = load_territory(TERRITORY)
    shared.save(tmp_path, "a card")
    assert '"shared_tables": ""' in (tmp_path / "config.json").read_text()
    own = Territory.load(tmp_path)
    assert shared.tables.windows is not None
    assert own.tables.windows is not None
    for one, other in zip(shared.tables.windows, own.tables.windows, strict=True):
        np.testing.assert_array_equal(one, other)
