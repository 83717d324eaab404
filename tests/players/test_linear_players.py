"""Players by the names `linear` and `crbm`."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.features.templates import template_map
from katachi.players.names import check_player_name
from katachi.players.roster import files_of, make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game


@pytest.fixture
def model(tmp_path: Path) -> str:
    Linear([template_map(2)], 5).save(tmp_path / "model", "# card")
    return str(tmp_path / "model")


def test_a_linear_model_plays_by_its_folder(model: str) -> None:
    for name in (f"linear:{model}", f"crbm:{model}", f"search:1:linear:{model}"):
        choice = make_player(name, 1).choose(Game(5), BLACK)
        assert choice.point is not None


def test_its_files_decide_how_it_plays(model: str) -> None:
    names = [path.name for path in files_of(f"linear:{model}")]
    assert names == ["config.json", "weights.safetensors"]


def test_linear_needs_a_model() -> None:
    with pytest.raises(KatachiError, match="MODEL must be a linear model's folder or name"):
        check_player_name("linear")


def test_a_board_of_another_size_is_reported(model: str) -> None:
    with pytest.raises(KatachiError, match="for 5x5 boards, not 9x9"):
        make_player(f"linear:{model}").choose(Game(9), BLACK)
