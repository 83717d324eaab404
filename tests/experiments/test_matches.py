"""Matches of the experiments: each seat has chance of its own."""

from dataclasses import replace

import pytest

from katachi.arena.pairs import seat_seed
from katachi.arena.settings import GameSettings
from katachi.experiments import matches
from katachi.experiments.matches import fingerprint_players, play_block
from katachi.players.kinds import KINDS
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


def test_games_of_a_player_that_has_come_to_play_otherwise_are_not_mixed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def keys() -> list[str]:
        names = ("alp", "shape:shape5", "tree:alp", "phases:5:tree:alp,alp")
        return [fingerprint_players([name]) for name in names]

    before = keys()
    tree = replace(KINDS["tree"], version=KINDS["tree"].version + 1)
    monkeypatch.setitem(KINDS, "tree", tree)
    assert [old == new for old, new in zip(before, keys(), strict=True)] == [
        True,
        True,
        False,
        False,
    ]
