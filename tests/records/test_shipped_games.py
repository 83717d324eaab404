"""The games that come with the package: what they are, and that a name alone opens them."""

from pathlib import Path

import pytest

from katachi.records.dataset import open_games
from katachi.records.shipped_games import GNUGO, place_of_games


def test_a_thousand_games_of_gnu_go_are_legal_counted_and_have_owners() -> None:
    games = open_games(GNUGO, use_cache=False)
    assert (len(games), len(games.rejections)) == (1000, 0)
    assert set(games.info["size"].tolist()) == {9}
    assert set(games.info["komi"].tolist()) == {5.5}
    players = {games[number].texts.black for number in range(0, 1000, 100)}
    assert players == {"GNU Go 3.8"}
    assert sum(games[number].ownership is not None for number in range(1000)) > 900


def test_a_shipped_name_opens_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of_games(Path(GNUGO.name)) == GNUGO
    assert place_of_games(Path("folder") / GNUGO.name) == Path("folder") / GNUGO.name
    assert place_of_games(Path("x" * 10_000)) == Path("x" * 10_000)


def test_a_file_of_ones_own_stands_before_a_shipped_one_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(GNUGO.name).write_bytes(b"mine")
    assert place_of_games(Path(GNUGO.name)) == Path(GNUGO.name)
