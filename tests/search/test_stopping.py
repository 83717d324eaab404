"""Thinking that is stopped from outside."""

import threading
import time

import pytest

from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.search.stopping import Stopped, look_for_stop, stoppable


def test_nothing_stops_who_was_not_asked() -> None:
    look_for_stop()
    with stoppable(lambda: False):
        look_for_stop()


def test_a_look_stops_only_inside_and_only_this_thread() -> None:
    with stoppable(lambda: True):
        thread = threading.Thread(target=look_for_stop)
        thread.start()
        thread.join()
        with pytest.raises(Stopped):
            look_for_stop()
    look_for_stop()


@pytest.mark.parametrize(
    "name", ["search:shape", "search:alp", "dyna", "playouts", "playouts:90000"]
)
def test_players_that_use_their_time_stop(name: str) -> None:
    player = make_player(name)
    player.choose(Game(5), BLACK, 0.01) if name != "playouts:90000" else None
    begin = time.monotonic()
    with stoppable(lambda: time.monotonic() > begin + 0.05), pytest.raises(Stopped):
        player.choose(Game(9), BLACK, 30.0)
    assert time.monotonic() < begin + 5.0
