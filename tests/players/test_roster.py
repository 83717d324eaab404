"""Players by name."""

import pytest

from katachi.players.names import PLAYER_NAMES
from katachi.players.roster import EVALUATORS, make_player
from katachi.rules.errors import KatachiError


def test_every_name_makes_a_player_of_that_name() -> None:
    assert [make_player(name).name for name in PLAYER_NAMES] == list(PLAYER_NAMES)


def test_names_known_without_loading_are_those_that_can_be_made() -> None:
    assert sorted(PLAYER_NAMES) == sorted([*EVALUATORS, "playouts"])


def test_an_unknown_player_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match=r"^no player 'alphago': choose random, alp, .*$"):
        make_player("alphago")
