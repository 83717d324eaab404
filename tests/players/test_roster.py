"""Players by name."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.players.kinds import KINDS, PLAYER_NAMES
from katachi.players.roster import MAKING, files_of, make_player
from tests.evaluators.rlgo_files import write_file
from tests.evaluators.territory_models import random_territory


def test_every_name_makes_a_player_of_that_name(tmp_path: Path) -> None:
    files = {"rlgo": f":{write_file(tmp_path / 'a file: of weights', 3)}", "gibbs": ":0.5:alp"}
    files["phases"], files["linear"] = ":4:alp,random", ":linear9"
    files["rated"] = ":700"
    files["python"] = ":katachi.evaluators.simple:AverageLiberties"
    installed = [name for name in PLAYER_NAMES if name != "gnugo"]
    random_territory().save(tmp_path / "territory", "")
    files["territory"] = f":{tmp_path / 'territory'}"
    names = [name + files.get(name, "") for name in installed]
    assert [make_player(name).name for name in names] == names


def test_names_known_without_loading_are_those_that_can_be_made() -> None:
    assert set(KINDS) == set(MAKING)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("shap", "did you mean shape or shape9 or shape5? "),
        ("owner9", "did you mean owners9 or owners19? "),
        ("teritory:paper9", "did you mean territory or territory9? "),
        ("nobody", ""),
        ("x" * 5000, ""),
    ],
)
def test_an_unknown_player_is_one_short_line_with_what_is_near(name: str, near: str) -> None:
    with pytest.raises(KatachiError) as caught:
        make_player(name)
    assert str(caught.value) == f"no player {name!r}: {near}`katachi players` lists all"


TREE = (
    "in tree:[VISITS:]PLAYER, [VISITS:]PLAYER must be one of alp, influence, shape, rlgo, "
    "territory, selfplay, linear, crbm, python, VISITS 1 to 10000000"
)
PHASES = (
    "in phases:LIMIT:PLAYER,PLAYER, LIMIT:PLAYER,PLAYER must be players of ours with commas "
    "between, each but the last after where it ends: 20 for moves to the 20th, 30% for boards less "
    "filled, 9x9 for boards no larger, or several with / between"
)
GIBBS = (
    "in gibbs:[T:]PLAYER, [T:]PLAYER must be one of alp, influence, shape, rlgo, territory, "
    "selfplay, linear, crbm, python, T a temperature from 1e-06 to 1e+06"
)


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
        *(
            (f"gibbs{setting}", GIBBS)
            for setting in (
                *(
                    "",
                    ":",
                    ":0.5",
                    ":0.5:",
                    ":0:alp",
                    ":-1:alp",
                    ":nan:alp",
                    ":inf:alp",
                    ":1e9:alp",
                ),
                *(":random", ":search:alp", ":gibbs:alp", ":1:2:alp", ":alp:1", ":1e-99:alp"),
                *(":rlgo:no/such.w", ":" + "9" * 5000 + ":alp"),
            )
        ),
        *(
            (f"phases{setting}", PHASES)
            for setting in (
                *("", ":", ":alp", ":20:alp", ":20:alp,", ":alp,alp", ":20:alp,20:alp"),
                *(":0:alp,alp", ":101%:alp,alp", ":26x26:alp,alp", ":9x13:alp,alp", ":-1:alp,alp"),
                *(":20/30:alp,alp", ":20/:alp,alp", ":20:nobody,alp", ":20:gtp:gnugo,alp"),
                *(":20:phases:20:alp,alp", ":20:playouts:0,alp", ":" + "9" * 5000 + ":alp,alp"),
            )
        ),
        *(
            (f"tree{setting}", TREE)
            for setting in (
                *(":0", ":0:alp", ":10000001", ":1000000000000", ":1000000000000:alp", ":-1:alp"),
                *(":random", ":5:random", ":playouts:4", ":tree:alp", ":gnugo", ":5:nobody"),
                *("::", ":50:", ":5:5:alp", ":1.5:alp", ":" + "9" * 5000 + ":alp"),
            )
        ),
        ("rlgo:a\0b", "in rlgo:FILE, FILE must be an existing file of RLGO's weights"),
    ],
)
def test_a_senseless_setting_is_refused_with_what_would_be_right(name: str, reason: str) -> None:
    with pytest.raises(KatachiError) as caught:
        make_player(name)
    assert str(caught.value) == f"no player {name!r}: {reason}"


def test_a_player_is_identified_by_the_files_of_the_one_within(tmp_path: Path) -> None:
    random_territory().save(tmp_path / "model", "")
    files = [tmp_path / "model" / name for name in ("config.json", "weights.safetensors")]
    for before in ("", "gibbs:", "gibbs:0.5:", "search:", "search:2:"):
        assert files_of(f"{before}territory:{tmp_path / 'model'}") == files
    for before in ("tree:", "tree:5:"):  # random games from leaves are guided by shapes
        found = files_of(f"{before}territory:{tmp_path / 'model'}")
        assert found == files + files_of("shape:shape9")
    model = f"territory:{tmp_path / 'model'}"
    assert files_of(f"phases:20:search:2:{model},alp") == files
    assert files_of("gibbs:alp") == []


def test_a_model_that_is_not_there_is_one_clear_line() -> None:
    for before in ("", "gibbs:", "search:2:", "tree:2:", "phases:20:alp,"):
        with pytest.raises(KatachiError, match="no model 'nothing-here'"):
            make_player(f"{before}territory:nothing-here")
