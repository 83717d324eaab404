"""S1-strength: games with other programs, as far as they are there."""

from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.experiments.matches import GNUGO
from katachi.experiments.s1_local_shape.strength import (
    QUICK,
    RLGO,
    SCORE,
    StrengthSettings,
    draw,
    pairings,
    run,
)
from katachi.experiments.workbench import Workbench
from katachi.players.roster import make_player


def test_every_pairing_is_of_a_known_player() -> None:
    settings = StrengthSettings()
    blocks = pairings(settings, {RLGO: "", GNUGO: ""})
    assert blocks["shapes, one ply v RLGO 2.5, one ply"] * settings.block == 1000
    for entrant in settings.entrants:
        make_player(entrant.player).close()


@pytest.mark.gnugo
def test_a_quick_study_plays_those_that_are_there(tmp_path: Path) -> None:
    told: list[str] = []
    table = run(QUICK, 1, Workbench(tmp_path, tell=told.append, data=tmp_path))
    assert "RLGO's weights are not played" in told[0]
    row = table.row(f"average liberties v {GNUGO}", SCORE.name)
    assert (row.n, len(table.rows)) == (2, 1)
    assert f">v {GNUGO}<" in draw(table, "S1-strength")


def test_a_data_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"^no folder .*nowhere: give one with the games"):
        Workbench(tmp_path, data=tmp_path / "nowhere")
