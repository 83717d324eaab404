"""Who owned what at the end, as marks, counts and playouts tell it."""

import dataclasses

import numpy as np
import pytest

from katachi.records.dataset import GameSet, set_of_records
from katachi.records.final_ownership import Settlement, final_ownership, settle_ownership
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games

# Black holds the left two columns of 5x5, White the right two; the middle one is filled by both.
MOVES = (
    b"".join(b";B[b%c];W[d%c]" % (row, row) for row in b"abcde")
    + b";B[ca];W[cb];B[cc];W[cd];B[ce];W[];B[]"
)
# The same with a white stone that cannot live inside Black's territory.
DEAD = MOVES.replace(b";W[];B[]", b";W[ac];B[];W[]")


def game(moves: bytes, result: bytes, komi: bytes = b"0.5", more: bytes = b"") -> GameRecord:
    (record,) = read_games(b"(;SZ[5]KM[%s]RE[%s]%s%s)" % (komi, result, more, moves))
    return record


def unmarked(record: GameRecord) -> GameRecord:
    return dataclasses.replace(record, ownership=None)


def test_marks_are_believed_without_a_question() -> None:
    marked = final_ownership(game(b";B[cc];W[];B[];TB[aa]", b"W+99.5"))
    assert marked.settlement is Settlement.MARKED
    assert marked.owners is not None
    assert marked.owners.sum() == 2


def test_a_finished_position_is_counted_as_it_stands() -> None:
    settled = final_ownership(game(MOVES, b"B+0.5"))
    assert settled.settlement is Settlement.COUNTED
    assert settled.owners is not None
    rows = settled.owners.reshape(5, 5)
    assert (rows[:, :2] == 1).all()
    assert (rows[:, 3:] == -1).all()
    assert rows[:, 2].tolist() == [1, -1, 1, -1, 1]


def test_dead_stones_are_lifted_where_that_gives_the_result() -> None:
    settled = final_ownership(game(DEAD, b"B+0.5"))
    assert settled.settlement is Settlement.PLAYOUTS
    assert settled.owners is not None
    assert (settled.owners.reshape(5, 5)[:, :2] == 1).all()


@pytest.mark.parametrize(
    ("result", "komi", "expected"),
    [
        (b"B+1.5", b"0.5", True),  # territory rules may count a point more
        (b"B+2.5", b"0.5", False),
        (b"W+6.5", b"7.5", True),
        (b"B+6.5", b"7.5", False),
        (b"0", b"1", True),
        (b"B+", b"0.5", True),  # won, two passes, no margin
        (b"W+", b"0.5", False),
        (b"B+R", b"0.5", False),
        (b"B+T", b"0.5", False),
        (b"Void", b"0.5", False),
        (b"", b"0.5", False),
    ],
)
def test_a_count_must_agree_with_the_result(result: bytes, komi: bytes, expected: bool) -> None:
    settled = final_ownership(game(MOVES, result, komi))
    assert (settled.owners is not None) == expected
    assert (settled.settlement is Settlement.UNSETTLED) != expected


def test_without_komi_nothing_agrees() -> None:
    record = dataclasses.replace(game(MOVES, b"B+0.5"), komi=None)
    assert final_ownership(record).settlement is Settlement.UNSETTLED


def test_a_win_without_margin_must_have_been_passed_out() -> None:
    record = game(MOVES.replace(b";W[];B[]", b""), b"B+")
    assert final_ownership(record).settlement is Settlement.UNSETTLED


def test_white_may_be_paid_for_handicap_stones() -> None:
    setup = MOVES.replace(b";B[ba]", b"", 1).replace(b";B[bb]", b"", 1)
    moves = b";W[da]" + setup.replace(b";W[da]", b"", 1)
    for result in (b"B+0.5", b"W+1.5"):
        settled = final_ownership(game(moves, result, more=b"HA[2]AB[ba][bb]"))
        assert settled.owners is not None, result
    assert final_ownership(game(moves, b"W+4.5", more=b"HA[2]AB[ba][bb]")).owners is None


def test_owners_found_are_those_that_gnu_go_marked(gnugo_games: GameSet) -> None:
    settled = [(record, final_ownership(unmarked(record))) for record in gnugo_games]
    known = [(record, found) for record, found in settled if found.owners is not None]
    assert len(known) >= 0.9 * len(gnugo_games)
    same = [np.mean(found.owners == record.ownership) for record, found in known]
    assert np.mean(same) > 0.999


def test_settled_games_are_marked_in_order_and_the_rest_is_counted() -> None:
    good, bad = game(MOVES, b"B+0.5"), game(MOVES, b"B+R")
    marked = game(b";B[cc];W[];B[];TB[aa]", b"B+24.5")
    heard: list[int] = []
    settled = settle_ownership(
        set_of_records([bad, unmarked(good), marked, bad]), lambda: heard.append(1)
    )
    assert settled.counts == {
        Settlement.MARKED: 1,
        Settlement.COUNTED: 1,
        Settlement.PLAYOUTS: 0,
        Settlement.UNSETTLED: 2,
    }
    assert len(heard) == 4
    assert [len(record.moves) for record in settled.games] == [len(good.moves), len(marked.moves)]
    owners = final_ownership(good).owners
    kept = settled.games[0].ownership
    assert owners is not None
    assert kept is not None
    assert np.array_equal(kept, owners)


def test_a_set_of_which_nothing_is_settled_is_empty() -> None:
    settled = settle_ownership(set_of_records([game(MOVES, b"B+R")]))
    assert len(settled.games) == 0
    assert settled.counts[Settlement.UNSETTLED] == 1


def test_a_draw_is_a_result() -> None:
    assert final_ownership(game(MOVES, b"Draw", b"1")).owners is not None
