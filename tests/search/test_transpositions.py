"""The table keeps the deeper entry, merges bounds, and tells apart what must not be mixed up."""

import numpy as np
import pytest

from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.search.transpositions import (
    NO_BOUND,
    Entry,
    Table,
    find_entry,
    keep_entry,
    key_of,
    new_table,
)

pytestmark = pytest.mark.kernel

KEY, OTHER = np.uint64(0x0123_4567_89AB_CDEF), np.uint64(0xFEDC_BA98_7654_3210)
UNKNOWN = Entry(0, -NO_BOUND, NO_BOUND, PASS)


def kept(*entries: Entry, key: np.uint64 = KEY, generation: int = 1) -> Table:
    """A table of one slot after these entries of one position."""
    table = new_table(0)
    for entry in entries:
        keep_entry(table, key, generation, entry)
    return table


def found(table: Table, key: np.uint64 = KEY, generation: int = 1) -> Entry:
    entry = find_entry(table, key, generation)
    return Entry(*(int(number) for number in entry))


def test_an_empty_table_knows_nothing() -> None:
    assert found(new_table(4)) == UNKNOWN
    assert found(new_table(4), np.uint64(0)) == UNKNOWN


def test_what_is_kept_is_found() -> None:
    entry = Entry(3, -(1 << 30), (1 << 30) + 1, 859)
    assert found(kept(entry)) == entry


def test_another_position_or_search_does_not_find_it() -> None:
    table = kept(Entry(3, 5, 5, 40))
    assert found(table, OTHER) == UNKNOWN
    assert found(table, generation=2) == UNKNOWN


def test_a_deeper_entry_of_this_search_stays() -> None:
    table = kept(Entry(3, 5, 5, 40))
    keep_entry(table, OTHER, 1, Entry(2, 7, 7, 41))
    assert found(table) == Entry(3, 5, 5, 40)
    keep_entry(table, OTHER, 1, Entry(3, 7, 7, 41))
    assert found(table) == UNKNOWN
    assert found(table, OTHER) == Entry(3, 7, 7, 41)


def test_an_entry_of_another_search_makes_room() -> None:
    table = kept(Entry(9, 5, 5, 40))
    keep_entry(table, OTHER, 2, Entry(1, 7, 7, 41))
    assert found(table, OTHER, 2) == Entry(1, 7, 7, 41)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([Entry(2, 3, 90, 40), Entry(2, -90, 8, 0)], Entry(2, 3, 8, 40)),
        ([Entry(2, -90, 8, 0), Entry(2, 3, 90, 40)], Entry(2, 3, 8, 40)),
        ([Entry(2, 3, 90, 40), Entry(2, 5, 90, 41)], Entry(2, 5, 90, 41)),
        ([Entry(2, 3, 90, 40), Entry(3, -90, 8, 0)], Entry(3, -90, 8, 40)),
        ([Entry(2, 9, 90, 40), Entry(2, -90, 8, 0)], Entry(2, -90, 8, 40)),
    ],
    ids=["lower then upper", "upper then lower", "higher", "deeper", "in contradiction"],
)
def test_bounds_of_one_depth_are_merged(entries: list[Entry], expected: Entry) -> None:
    assert found(kept(*entries)) == expected


def key(game: Game, side: int) -> int:
    return int(key_of(game.state, side))


def played(*vertices: str) -> Game:
    game = Game(5)
    for vertex in vertices:
        game.play(game.to_play, point_from_vertex(vertex, 5))
    return game


def test_the_order_of_moves_does_not_change_a_key() -> None:
    one, other = played("A1", "B2", "C3", "D4"), played("C3", "D4", "A1", "B2")
    assert key(one, BLACK) == key(other, BLACK)


def test_the_side_to_move_and_a_pass_before_change_a_key() -> None:
    game, passed = played("A1", "B2"), played("A1", "B2", "pass")
    keys = {key(game, BLACK), key(game, WHITE), key(passed, BLACK), key(passed, WHITE)}
    assert len(keys) == 4


def test_a_ko_that_may_not_be_retaken_changes_a_key() -> None:
    taken = played("B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2")
    assert taken.judge(BLACK, point_from_vertex("C2", 5)) == "ko"
    later = taken.copy()
    for vertex in ("E5", "E4"):
        later.play(later.to_play, point_from_vertex(vertex, 5))
    before = played("B1", "C1", "A2", "D2", "B3", "C3", "E5", "E4", "C2", "B2")
    assert before.board.hash == later.board.hash
    assert key(before, BLACK) != key(later, BLACK)
