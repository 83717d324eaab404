"""Matches of the experiments: each seat has chance of its own."""

import pytest

from katachi.arena.pairs import seat_seed
from katachi.arena.settings import GameSettings
from katachi.experiments import matches
from katachi.experiments.matches import play_block
from katachi.players.protocol import Player
from katachi.players.roster import make_player


def test_the_two_players_of_a_match_have_seeds_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[tuple[str, int]] = []

    def make(name: str, seed: int) -> Player:
        given.append((name, seed))
        return make_player(name, seed)

    monkeypatch.setattr(matches, "make_player", make)
    terms = GameSettings(5, 0.5, opening_moves=0)
    assert play_block(("random", "random"), terms, 2, seed=3).games == 2
    assert [name for name, _ in given] == ["random", "random"]
    assert given[0][1] != given[1][1]


def test_no_seat_has_the_seed_of_another_block() -> None:
    seeds = [seat_seed(seed, seat) for seed in range(1000) for seat in (0, 1)]
    assert len(set(seeds)) == len(seeds)
