"""Quick runs without a folder of games take small ones that are made on the spot."""

from pathlib import Path

import pytest

from katachi.experiments.results import read_result
from katachi.experiments.running import Order, carry_out
from katachi.experiments.stand_ins import NOTE, RANDOM, SHIPPED, write_stand_ins
from katachi.learning.territory_run import TerritoryPlan, open_plan
from katachi.records.dataset import open_games


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_stand_ins(tmp_path_factory.mktemp("stand-ins"))


def test_every_file_has_games_some_of_which_are_held_out(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {
        *(f"{name}.sgf.gz" for name in RANDOM),
        *SHIPPED,
    }
    for name, (size, count, moves) in RANDOM.items():
        games = open_games(folder / f"{name}.sgf.gz", use_cache=False)
        assert (len(games), set(games.info["size"].tolist())) == (count, {size})
        assert set(games.columns.moves.lengths.tolist()) == {moves}
    parts = open_plan(TerritoryPlan(games=(str(folder / "ogs9_scored.sgf.gz"),)))
    assert (parts.dropped, len(parts.validation) > 1) == (0, True)


def test_what_is_there_stays_and_what_is_missing_comes_back(folder: Path) -> None:
    lost, mine = folder / "pro9.sgf.gz", folder / "pro13.sgf.gz"
    before, kept = lost.read_bytes(), mine.read_bytes()
    lost.unlink()
    mine.write_bytes(b"mine")
    write_stand_ins(folder)
    assert (lost.read_bytes(), mine.read_bytes()) == (before, b"mine")
    mine.write_bytes(kept)


def test_a_quick_run_without_games_says_so_and_is_done(tmp_path: Path) -> None:
    told: list[str] = []
    order = Order("S2-F2b", is_quick=True, work=tmp_path / "work", out=tmp_path)
    carry_out(order, lambda _: None, told.append)
    assert told == [NOTE]
    assert read_result(tmp_path / "S2-F2b.quick.json").rows


def test_some_openings_that_stand_in_were_never_judged(tmp_path: Path) -> None:
    order = Order("S4-fresh", is_quick=True, work=tmp_path / "work", out=tmp_path)
    carry_out(order, lambda _: None, lambda _: None)
    assert read_result(tmp_path / "S4-fresh.quick.json").rows
