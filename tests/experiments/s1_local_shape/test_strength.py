"""S1-strength: games with other programs, as far as they are there."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.experiments.matches import GNUGO
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.strength import (
    QUICK,
    RLGO,
    SCORE,
    StrengthSettings,
    draw,
    run,
    tasks_for,
)
from katachi.players.roster import make_player
from tests.experiments.studies import row_named


def test_every_pairing_is_of_a_known_player() -> None:
    settings = StrengthSettings()
    names = [task.setting for task in tasks_for(settings, [RLGO, GNUGO])]
    assert names.count("shapes, one ply v RLGO 2.5, one ply") * settings.block == 1000
    for entrant in settings.entrants:
        make_player(entrant.player).close()


@pytest.mark.gnugo
def test_a_quick_study_plays_those_that_are_there(tmp_path: Path) -> None:
    messages: list[str] = []
    table = run(QUICK, 1, Runner(tmp_path, tell=messages.append, data=tmp_path))
    assert "RLGO's weights are not played" in messages[0]
    row = row_named(table, f"average liberties v {GNUGO}", SCORE.name)
    assert (row.n, len(table.rows)) == (2, 1)
    assert f">v {GNUGO}<" in draw(table, "S1-strength")


def test_a_data_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"^no folder .*nowhere: give one with the games"):
        Runner(tmp_path, data=tmp_path / "nowhere")
