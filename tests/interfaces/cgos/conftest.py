"""Kernels are compiled before any test of this folder looks at a clock."""

import pytest

from katachi.interfaces.cgos.playing import analysis_text
from katachi.interfaces.cgos.thinking import fallback_move
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels() -> None:
    """Uses everything once."""
    game = Game(5)
    for name in ("random", "alp", "influence"):
        player = make_player(name)
        point = player.choose(game, game.to_play).point
        assert point is not None
        assert isinstance(player, Analyst)
        analysis_text(player, game, game.to_play, point, "")
        game.play(game.to_play, point)
    fallback_move(game, BLACK)
    game.area_score()
