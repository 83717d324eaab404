"""Sets of games: opening, choosing, parting."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records import columns
from katachi.records.dataset import GameSet, open_games, set_of_records
from katachi.records.record import OnError, RecordError
from katachi.records.selection import GameFilter
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import BLACK, EMPTY, WHITE

MIXED = b"""
(;SZ[9]RE[B+3.5]PB[a]BR[9k]PW[b]WR[1d]DT[2010-05-01];B[ee];W[cc];B[gg])
(;SZ[9]RE[W+R]PB[c]BR[12k]PW[d]WR[3d]DT[2012];B[ee];W[cc])
(;SZ[13]RE[0]PB[e]BR[1p]PW[f]WR[9p]DT[2015-12-31];B[ee])
(;SZ[19]RE[W+0.5]HA[2]AB[dd][pp]DT[1999];W[qd])
(;SZ[19]RE[Void]AB[dd];W[qd];B[qe])
(;SZ[9];B[ee];W[];B[];TB[aa])
"""


@pytest.fixture
def mixed() -> GameSet:
    return set_of_records(read_games(MIXED))


def numbers(games: GameSet) -> list[int]:
    return [record.source.number for record in games]


@pytest.mark.parametrize(
    ("condition", "chosen"),
    [
        (GameFilter(), [1, 2, 3, 4, 5, 6]),
        (GameFilter(size=9), [1, 2, 6]),
        (GameFilter(winner=BLACK), [1]),
        (GameFilter(winner=WHITE), [2, 4]),
        (GameFilter(winner=EMPTY), [3, 5, 6]),
        (GameFilter(decided=True), [1, 2, 4]),
        (GameFilter(counted=True), [1, 3, 4]),
        (GameFilter(weakest_rank="9k"), [1, 3]),
        (GameFilter(weakest_rank="1p"), [3]),
        (GameFilter(since="2012"), [2, 3]),
        (GameFilter(until="2012"), [1, 2, 4]),
        (GameFilter(since="2010-05", until="2010-05"), [1]),
        (GameFilter(even=True), [1, 2, 3, 6]),
        (GameFilter(handicap=2), [4]),
        (GameFilter(min_moves=3), [1, 6]),
        (GameFilter(max_moves=1), [3, 4]),
        (GameFilter(owned=True), [6]),
        (GameFilter(size=9, decided=True, weakest_rank="30k"), [1, 2]),
    ],
)
def test_a_filter_chooses(mixed: GameSet, condition: GameFilter, chosen: list[int]) -> None:
    assert numbers(mixed.filter(condition)) == chosen


def test_filters_follow_one_another(mixed: GameSet) -> None:
    even = mixed.filter(GameFilter(even=True))
    assert numbers(even.filter(GameFilter(size=9, decided=True))) == [1, 2]


@pytest.mark.parametrize(
    ("condition", "message"),
    [(GameFilter(weakest_rank="strong"), "not a rank"), (GameFilter(since="once"), "not a date")],
)
def test_a_senseless_filter_is_refused(mixed: GameSet, condition: GameFilter, message: str) -> None:
    with pytest.raises(KatachiError, match=message):
        mixed.filter(condition)


def test_games_are_reached_by_number(gnugo_games: GameSet) -> None:
    records = list(gnugo_games)
    assert gnugo_games[17] == records[17]
    assert gnugo_games[-1] == records[59]
    assert list(gnugo_games[3:6]) == records[3:6]


def test_a_game_that_is_not_there_is_an_index_error(gnugo_games: GameSet) -> None:
    with pytest.raises(IndexError):
        gnugo_games[60]


def test_a_set_holds_the_same_records_as_reading_one_by_one(gnugo9: Path) -> None:
    assert list(open_games(gnugo9, use_cache=False)) == list(read_games(gnugo9))


def test_several_places_are_joined_in_order(tmp_path: Path, gnugo9: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep.SGF").write_bytes(MIXED)
    (tmp_path / "a.sgf.gz").write_bytes(gzip.compress(b"(;SZ[5];B[aa])"))
    (tmp_path / "notes.txt").write_text("not a game")
    games = open_games(tmp_path, gnugo9, use_cache=False)
    assert len(games) == 1 + 6 + 60
    assert [games[i].source.file for i in (0, 1, 7)] == [
        str(tmp_path / "a.sgf.gz"),
        str(tmp_path / "b" / "deep.SGF"),
        str(gnugo9),
    ]


def test_games_that_cannot_be_read_are_counted_with_place_and_reason(tmp_path: Path) -> None:
    file = tmp_path / "some.sgf"
    file.write_bytes(b"(;SZ[9];B[aa])\n(;SZ[9];B[aa];W[aa])\n(;SZ[99])\n(;SZ[9];B[bb])")
    games = open_games(file, use_cache=False)
    assert numbers(games) == [1, 4]
    assert [str(entry) for entry in games.rejections] == [
        f"{file} game 2: move 2, white A9, is illegal: occupied",
        f"{file} game 3: board size 99 is not playable: use 2 to 25",
    ]


def test_a_broken_game_refuses_the_whole_set_if_wanted(tmp_path: Path) -> None:
    file = tmp_path / "some.sgf"
    file.write_bytes(b"(;SZ[9];B[aa])\n(;SZ[9];B[aa];W[aa])\n(;SZ[99])")
    with pytest.raises(RecordError, match=r"some\.sgf game 2: move 2, white A9"):
        open_games(file, on_error=OnError.REFUSE, use_cache=False)


def test_a_place_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match=r"^cannot read nowhere: no such file or folder$"):
        open_games("nowhere")


def test_a_folder_without_games_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"holds no \.sgf"):
        open_games(tmp_path)


def test_naming_no_place_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match="no file or folder"):
        open_games()


def test_a_split_parts_every_game_once(gnugo_games: GameSet) -> None:
    parts = gnugo_games.split(seed=3, validation=0.2, test=0.3)
    rows = np.concatenate([part.rows for part in parts])
    assert sorted(rows.tolist()) == list(range(60))


def test_a_split_is_the_same_for_the_same_seed_only(gnugo_games: GameSet) -> None:
    first = gnugo_games.split(seed=3).train.rows.tolist()
    assert gnugo_games.split(seed=3).train.rows.tolist() == first
    assert gnugo_games.split(seed=4).train.rows.tolist() != first


def test_a_split_has_about_the_fractions_asked_for() -> None:
    rows = "".join(
        f"(;SZ[19];B[{a}{b}];W[{c}{a}];B[ss])" for a in "abcdef" for b in "ghijk" for c in "lmnop"
    )
    parts = set_of_records(read_games(rows.encode())).split(seed=1, validation=0.2, test=0.2)
    assert [len(part) for part in parts] == pytest.approx([90, 30, 30], abs=15)


def test_a_games_part_does_not_depend_on_the_set_around_it(gnugo_games: GameSet) -> None:
    train = set(gnugo_games.split(seed=3).train.rows.tolist())
    half = gnugo_games[::2].split(seed=3).train.rows.tolist()
    assert set(half) == {row for row in train if row % 2 == 0}


def test_records_of_one_game_fall_into_one_part(gnugo_games: GameSet) -> None:
    twice = set_of_records([*gnugo_games, *gnugo_games])
    parts = twice.split(seed=5, validation=0.3, test=0.3)
    for part in parts:
        assert {row % 60 for row in part.rows.tolist() if row < 60} == {
            row % 60 for row in part.rows.tolist() if row >= 60
        }


@pytest.mark.parametrize(("validation", "test"), [(-0.1, 0.1), (0.6, 0.6)])
def test_fractions_that_are_none_are_refused(
    gnugo_games: GameSet, validation: float, test: float
) -> None:
    with pytest.raises(KatachiError, match="no fractions"):
        gnugo_games.split(seed=1, validation=validation, test=test)


def test_a_shuffle_keeps_the_games(gnugo_games: GameSet) -> None:
    shuffled = gnugo_games.shuffle(seed=1)
    assert sorted(shuffled.rows.tolist()) == list(range(60))
    assert shuffled.rows.tolist() != list(range(60))


def test_a_set_made_of_records_gives_them_back(gnugo_games: GameSet) -> None:
    records = list(gnugo_games)
    assert list(set_of_records(records)) == records


def test_a_set_written_out_reads_back(gnugo_games: GameSet, tmp_path: Path) -> None:
    file = tmp_path / "all.sgf"
    file.write_bytes(b"".join(write_game(record) for record in gnugo_games))
    assert list(open_games(file, use_cache=False)) == list(gnugo_games)


def test_games_put_by_in_parts_are_the_same_games(
    gnugo_games: GameSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "PART_GAMES", 7)
    for count in (0, 6, 7, 8, 14, 60):
        assert list(set_of_records(gnugo_games[:count])) == list(gnugo_games[:count])
