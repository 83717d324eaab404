import random

from hypothesis import given
from hypothesis import strategies as st

from katachi.interfaces.cgos.settings import Pairing, Waiting, noise_range, pair_players


def test_noise_spans_the_widest_gap_across_four_places() -> None:
    assert noise_range([0, 0]) == 3000
    assert noise_range([0, 10, 20, 30, 40, 50]) == 500
    assert noise_range([0, 1000, 1010, 1020, 1030, 1040]) == 1.5 * 1030


@given(st.lists(st.floats(-3000, 3000), max_size=30), st.integers(0, 1000))
def test_everyone_plays_once_and_one_of_an_odd_number_sits_out(
    ratings: list[float], seed: int
) -> None:
    waiting = [Waiting(f"player{i}", elo) for i, elo in enumerate(ratings)]
    pairs = pair_players(waiting, random.Random(seed))
    names = [name for pair in pairs for name in pair]
    assert len(set(names)) == len(names) == 2 * (len(ratings) // 2)


def test_players_meet_others_of_their_strength() -> None:
    waiting = [Waiting(f"player{i:02}", 100.0 * i) for i in range(40)]
    pairs = pair_players(waiting, random.Random(0))
    gaps = [abs(int(pair.white[6:]) - int(pair.black[6:])) for pair in pairs]
    assert max(gaps) <= 6


def test_black_goes_to_whoever_had_it_less_often() -> None:
    often, seldom = Waiting("often", 0, 5, 2), Waiting("seldom", 0, 2, 5)
    for seed in range(10):
        assert pair_players([often, seldom], random.Random(seed)) == [Pairing("often", "seldom")]


def test_colours_are_drawn_by_lot_where_nothing_speaks_for_either() -> None:
    both = [Waiting("one", 0), Waiting("two", 0)]
    whites = {pair_players(both, random.Random(seed))[0].white for seed in range(30)}
    assert whites == {"one", "two"}
