from katachi.records.dataset import GameSet, set_of_records
from katachi.records.sgf import read_games
from katachi.records.statistics import Count, Statistics, collect_statistics

GAMES = b"""
(;SZ[9]KM[5.5]RE[B+3.5]BR[9k]WR[1d]DT[2010-05-01];B[ee];W[cc];B[gg];TB[aa])
(;SZ[9]KM[5.5]RE[W+R]BR[12k]WR[3d]DT[2012];B[ee];W[cc])
(;SZ[13]RE[0]BR[1p]WR[9p]DT[1999-12-31];B[ee])
(;SZ[19]KM[0]RE[W+T]HA[2]AB[dd][pp];W[qd];B[qq];W[];B[])
"""


def counts_of(statistics: Statistics, title: str) -> list[Count]:
    (table,) = [table for table in statistics.tables if table.title == title]
    return list(table.counts)


def collect() -> Statistics:
    return collect_statistics(set_of_records(read_games(GAMES)))


def test_the_totals_are_counted() -> None:
    found = collect()
    assert (found.games, found.moves, found.marked, found.draws) == (4, 10, 1, 1)
    assert found.total == Count("all", 4, 1, 2)


def test_games_are_counted_by_board() -> None:
    assert counts_of(collect(), "board") == [
        Count("9x9", 2, 1, 1),
        Count("13x13", 1, 0, 0),
        Count("19x19", 1, 0, 1),
    ]


def test_games_are_counted_by_the_weaker_player() -> None:
    names = [(entry.name, entry.games) for entry in counts_of(collect(), "weaker rank")]
    assert names == [("1p", 1), ("9k", 1), ("12k", 1), ("unknown", 1)]


def test_games_are_counted_by_decade() -> None:
    names = [(entry.name, entry.games) for entry in counts_of(collect(), "decade")]
    assert names == [("unknown", 1), ("1990s", 1), ("2010s", 2)]


def test_games_are_counted_by_ending_handicap_and_komi() -> None:
    found = collect()
    assert [entry.name for entry in counts_of(found, "ending")] == ["count", "resignation", "time"]
    assert [entry.name for entry in counts_of(found, "handicap")] == ["none", "2"]
    assert [entry.name for entry in counts_of(found, "komi")] == ["0", "5.5", "unknown"]


def test_every_table_counts_every_game_once(gnugo_games: GameSet) -> None:
    for table in collect_statistics(gnugo_games).tables:
        assert sum(entry.games for entry in table.counts) == 60


def test_lengths_are_reported_by_quantiles() -> None:
    assert dict(collect().length_quantiles)[0.0] == 1
    assert dict(collect().length_quantiles)[0.5] == 2
    assert dict(collect().length_quantiles)[1.0] == 4


def test_an_empty_set_has_statistics(gnugo_games: GameSet) -> None:
    assert collect_statistics(gnugo_games[:0]).length_quantiles == ()
