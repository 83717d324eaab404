"""Whole sets of games played again in one call."""

from dataclasses import replace

import numpy as np
import pytest

from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.replay import SETUP, explain_illegal, identities_of, replay_columns
from katachi.records.sgf import read_games
from katachi.records.stones import COLOR_UNIT
from katachi.rules.legality import KO_RETAKE, LEGAL, REPETITION
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.symmetry import point_tables

pytestmark = pytest.mark.kernel

KO_GAME = b"(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb])"


def set_of(text: bytes) -> GameSet:
    return set_of_records(read_games(text))


def test_every_shipped_game_is_legal_under_superko(gnugo_games: GameSet) -> None:
    replay = gnugo_games.replay(Rules())
    assert not replay.verdicts.any()
    assert replay.illegal_at.tolist() == gnugo_games.columns.moves.lengths.tolist()


def test_the_last_hash_is_the_hash_of_the_game_played_move_by_move(gnugo_games: GameSet) -> None:
    hashes = gnugo_games.replay().hashes.tolist()
    for record, found in zip(gnugo_games, hashes, strict=True):
        assert game_from_record(record).hash == found


def test_the_last_hash_counts_setup_stones() -> None:
    games = set_of(b"(;SZ[9]AB[cc][gg]AW[cg];W[ee];B[])")
    assert games.replay().hashes.tolist() == [game_from_record(games[0]).hash]


def test_a_repetition_is_found_under_superko_and_allowed_without() -> None:
    games = set_of(KO_GAME)
    assert games.replay().verdicts.tolist() == [LEGAL]
    replay = games.replay(Rules(KoRule.POSITIONAL))
    assert (replay.verdicts.tolist(), replay.illegal_at.tolist()) == ([REPETITION], [3])


def test_a_repetition_of_the_setup_position_is_found() -> None:
    replay = set_of(KO_GAME).replay(Rules(KoRule.SITUATIONAL))
    assert replay.verdicts.tolist() == [REPETITION]


def test_the_first_illegal_move_is_reported_and_named() -> None:
    games = set_of(KO_GAME)
    columns = games.columns
    moves = columns.moves.values[[0, 3]]
    columns.moves.values[:2] = moves
    replay = replay_columns(columns, games.rows)
    assert (replay.verdicts.tolist(), replay.illegal_at.tolist()) == ([KO_RETAKE], [1])
    assert explain_illegal(columns, 0, KO_RETAKE, 1) == "move 2, white B4, is illegal: ko"


def test_impossible_setup_stones_are_reported() -> None:
    games = set_of(b"(;SZ[2]AB[aa][ab][ba])")
    columns = games.columns
    columns.setup.values[:] = columns.setup.values[0]
    assert replay_columns(columns, games.rows).illegal_at.tolist() == [SETUP]


def test_rows_may_come_in_any_order_and_twice(gnugo_games: GameSet) -> None:
    hashes = gnugo_games.replay().hashes
    rows = np.array([5, 3, 5, 59])
    assert replay_columns(gnugo_games.columns, rows).hashes.tolist() == hashes[rows].tolist()


@pytest.mark.parametrize("symmetry", range(8))
def test_a_turned_game_has_the_same_identity(gnugo_games: GameSet, symmetry: int) -> None:
    columns = gnugo_games.columns
    codes = columns.moves.values
    turned = codes // COLOR_UNIT * COLOR_UNIT + point_tables(9)[symmetry, codes % COLOR_UNIT]
    moved = replace(columns, moves=columns.moves._replace(values=turned.astype(np.uint16)))
    assert identities_of(moved).tolist() == identities_of(columns).tolist()


def test_a_game_cut_short_after_fifty_stones_has_the_same_identity() -> None:
    places = [a + b for a in "abcdefgh" for b in "abcdefgh"]
    moves = [f";{'BW'[i % 2]}[{place}]" for i, place in enumerate(places[:60])]
    whole = f"(;SZ[19]{''.join(moves)})"
    cut = f"(;SZ[19]{''.join(moves[:50])})"
    other = f"(;SZ[19]{''.join(moves[:49])})"
    identities = set_of(f"{whole}{cut}{other}".encode()).info["identity"].tolist()
    assert identities[0] == identities[1] != identities[2]


def test_different_games_have_different_identities(gnugo_games: GameSet) -> None:
    assert len(set(gnugo_games.info["identity"].tolist())) == 60
