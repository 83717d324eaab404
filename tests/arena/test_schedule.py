"""Who plays whom."""

import itertools
from collections import Counter

import pytest

from katachi.arena.schedule import (
    Pair,
    Pairing,
    Schedule,
    ScheduleKind,
    information_gain,
    next_game,
    pair_of,
    rank_players,
)

NAMES: tuple[str, ...] = ("a", "b", "c", "d")
ELO = {"a": 0.0, "b": 100.0, "c": 200.0, "d": 900.0}


def play_all(schedule: Schedule, elo: dict[str, float], most: int = 10_000) -> list[Pairing]:
    """The whole schedule, as if no game changed a rating."""
    taken: dict[Pair, set[int]] = {}
    pairings: list[Pairing] = []
    while (pairing := schedule.next_pairing(elo, taken)) is not None:
        assert len(pairings) < most
        pairings.append(pairing)
        taken.setdefault(pair_of(*pairing[:2]), set()).add(pairing.number)
    return pairings


def meetings(pairings: list[Pairing]) -> Counter[Pair]:
    return Counter(pair_of(*pairing[:2]) for pairing in pairings)


def test_neighbours_play_their_games_and_nobody_else_does() -> None:
    pairings = play_all(Schedule(NAMES, ScheduleKind.NEIGHBOURS, 6), ELO)
    assert meetings(pairings) == {("a", "b"): 6, ("b", "c"): 6, ("c", "d"): 6}


def test_everyone_plays_everyone() -> None:
    pairings = play_all(Schedule(NAMES, ScheduleKind.ALL, 4), {})
    assert meetings(pairings) == dict.fromkeys(itertools.combinations(NAMES, 2), 4)


def test_colours_alternate_and_openings_are_played_twice() -> None:
    pairings = play_all(Schedule(("a", "b"), ScheduleKind.ALL, 4), {})
    assert pairings == [("a", "b", 0), ("b", "a", 1), ("a", "b", 2), ("b", "a", 3)]
    assert [pairing.opening for pairing in pairings] == [0, 0, 1, 1]


def test_a_hole_left_by_an_interruption_is_filled_first() -> None:
    assert next_game(("a", "b"), {("a", "b"): {0, 2, 3}}) == Pairing("b", "a", 1)


def test_neighbours_are_those_of_the_ranking() -> None:
    schedule = Schedule(NAMES, ScheduleKind.NEIGHBOURS, 10)
    assert set(schedule.wanted({"a": 5, "b": -5, "c": 50, "d": 20})) == {
        ("a", "b"),
        ("a", "d"),
        ("c", "d"),
    }


@pytest.mark.parametrize(
    ("elo", "order"),
    [
        ({}, "abcd"),
        ({"d": 0.0}, "abcd"),
        ({"a": 0.0, "c": -10.0}, "cdab"),
        ({"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}, "dcba"),
    ],
)
def test_players_without_rating_stand_where_the_roster_puts_them(
    elo: dict[str, float], order: str
) -> None:
    assert "".join(rank_players("abcd", elo)) == order


def test_pairs_advance_evenly() -> None:
    pairings = play_all(Schedule(NAMES, ScheduleKind.ALL, 10), {})
    for count in range(0, len(pairings), 6):
        games = meetings(pairings[:count])
        assert len(set(games.values())) <= 1


def test_single_pairs_can_play_more() -> None:
    schedule = Schedule(NAMES, ScheduleKind.NEIGHBOURS, 4, {("a", "d"): 3, ("a", "b"): 9})
    games = meetings(play_all(schedule, ELO))
    assert games == {("a", "b"): 9, ("b", "c"): 4, ("c", "d"): 4, ("a", "d"): 3}
    assert schedule.count_missing(ELO, {}) == 20
    assert schedule.count_missing(ELO, {("a", "b"): set(range(5))}) == 15


def test_equal_seeds_give_equal_schedules_and_others_do_not() -> None:
    first, same, other = (
        play_all(Schedule(NAMES, ScheduleKind.ALL, 4, seed=seed), {}) for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other
    assert meetings(first) == meetings(other)


def test_closeness_prefers_equals() -> None:
    gain = information_gain(NAMES, ELO, {}, frozenset())
    assert gain["a", "b"] > gain["a", "c"] > gain["a", "d"]


def test_closeness_prefers_those_who_have_played_little() -> None:
    taken = {("a", "b"): set(range(50))}
    gain = information_gain(NAMES, dict.fromkeys(NAMES, 0.0), taken, frozenset())
    assert gain["c", "d"] > gain["a", "c"] > gain["a", "b"]


def test_closeness_learns_nothing_from_games_between_anchors() -> None:
    gain = information_gain(NAMES, ELO, {}, frozenset({"a", "b"}))
    assert gain["a", "b"] == 0
    assert gain["b", "c"] > 0


def test_by_closeness_everyone_gets_games_and_most_with_those_near() -> None:
    pairings = play_all(Schedule(NAMES, ScheduleKind.CLOSENESS, 30, anchors=frozenset("a")), ELO)
    games = meetings(pairings)
    for name in "bcd":
        assert sum(count for pair, count in games.items() if name in pair) >= 30
    assert games["a", "b"] + games["b", "c"] > games["a", "d"]
    assert games["c", "d"] > games["a", "d"]


def test_by_closeness_equal_seeds_give_equal_schedules() -> None:
    elo: dict[str, float] = dict.fromkeys(NAMES, 0.0)
    first, same, other = (
        play_all(Schedule(NAMES, ScheduleKind.CLOSENESS, 10, seed=seed), elo) for seed in (1, 1, 4)
    )
    assert first == same
    assert first != other
    assert len(first) >= Schedule(NAMES, ScheduleKind.CLOSENESS, 10).count_missing(elo, {})
