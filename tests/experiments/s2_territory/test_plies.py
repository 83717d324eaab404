"""S2-plies: two plies ahead against one, on each board."""

from pathlib import Path

from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.plies import (
    QUICK,
    SCORE,
    PlySettings,
    draw,
    judge,
    players_of,
    run,
)
from katachi.players.roster import make_player


def test_both_players_go_by_the_same_net() -> None:
    names = players_of("literal9")
    assert names == ("search:2:territory:literal9", "territory:literal9")
    assert [make_player(name, 1).name for name in names] == list(names)


def test_every_board_has_a_row_and_a_claim(tmp_path: Path) -> None:
    settings = PlySettings(sizes=(3, 4), games=4, block=2)
    table = run(settings, 1, Runner(tmp_path))
    assert [row.key["size"] for row in table.rows_of(SCORE)] == [3, 4]
    assert all(row.n == 4 for row in table.rows_of(SCORE))
    claims = judge(table)
    assert [claim.paper for claim in claims] == [
        "implied: two plies are stronger than one (literal9, 3x3)",
        "implied: two plies are stronger than one (literal9, 4x4)",
    ]
    assert "literal9, 3x3" in draw(table, "S2-plies")


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    first = run(QUICK, 1, Runner(tmp_path)).rows
    seen: list[int] = []
    runner = Runner(tmp_path, observe=lambda progress: seen.append(progress.done))
    assert (run(QUICK, 1, runner).rows, seen) == (first, [])
