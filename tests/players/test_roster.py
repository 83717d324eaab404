"""Players by name."""

from pathlib import Path

import pytest

from katachi.players.names import PLAYER_NAMES
from katachi.players.roster import EVALUATORS, LOADED_EVALUATORS, make_player
from katachi.rules.errors import KatachiError
from tests.evaluators.rlgo_files import write_file


def test_every_name_makes_a_player_of_that_name(tmp_path: Path) -> None:
    files = {"rlgo": f":{write_file(tmp_path / 'a file: of weights', 3)}"}
    names = [name + files.get(name, "") for name in PLAYER_NAMES]
    assert [make_player(name).name for name in names] == names


def test_names_known_without_loading_are_those_that_can_be_made() -> None:
    assert sorted(PLAYER_NAMES) == sorted(
        [*EVALUATORS, *LOADED_EVALUATORS, "playouts", "search", "dyna"]
    )


def test_an_unknown_player_is_one_clear_line() -> None:
    choices = (
        r"random, alp, influence, playouts\[:N\], shape\[:MODEL\], rlgo:FILE, "
        r"search\[:\[DEPTH:\]PLAYER\], dyna\[:\[GAMES:\]PLAYER\] or gtp:COMMAND"
    )
    with pytest.raises(KatachiError, match=f"^no player 'alphago': choose {choices}$"):
        make_player("alphago")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("alp:", "alp takes no setting"),
        ("random:3", "random takes no setting"),
        ("playouts:0", "in playouts:N, N must be a number from 1 to 1000000"),
        ("playouts:1000001", "in playouts:N, N must be a number from 1 to 1000000"),
        ("playouts:" + "9" * 5000, "in playouts:N, N must be a number from 1 to 1000000"),
        ("rlgo", "in rlgo:FILE, FILE must be an existing file of RLGO's weights"),
        ("rlgo:", "in rlgo:FILE, FILE must be an existing file of RLGO's weights"),
        ("rlgo:no/such.w", "in rlgo:FILE, FILE must be an existing file of RLGO's weights"),
        ("rlgo:a\0b", "in rlgo:FILE, FILE must be an existing file of RLGO's weights"),
    ],
)
def test_a_senseless_setting_is_refused_with_what_would_be_right(name: str, reason: str) -> None:
    with pytest.raises(KatachiError) as caught:
        make_player(name)
    assert str(caught.value) == f"no player {name!r}: {reason}"
