"""Streams of positions."""

from typing import Any

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.positions import (
    NO_MOVE,
    Order,
    PositionBatch,
    PositionSettings,
    Symmetry,
    positions,
)
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.point import row_col_from_point
from katachi.rules.symmetry import apply_to_grid

pytestmark = pytest.mark.kernel


def set_of(text: bytes) -> GameSet:
    return set_of_records(read_games(text))


def gather(games: GameSet, settings: PositionSettings) -> PositionBatch:
    """All positions in one batch."""
    columns: list[Any] = [
        None if column[0] is None else np.concatenate(column)
        for column in zip(*positions(games, settings), strict=True)
    ]
    return PositionBatch(*columns)


def test_positions_are_those_of_the_games_played_move_by_move(gnugo_games: GameSet) -> None:
    games = gnugo_games[:8]
    found = gather(games, PositionSettings(final=True, batch=7))
    expected = [
        game_from_record(record, moves).colors
        for record in games
        for moves in range(len(record.moves) + 1)
    ]
    np.testing.assert_array_equal(found.colors, expected)


def test_each_position_knows_its_game_move_and_player(gnugo_games: GameSet) -> None:
    games = gnugo_games[:8]
    found = gather(games, PositionSettings())
    for index, game in enumerate(found.games.tolist()):
        record, move = games[game], int(found.moves[index])
        assert found.next_moves[index] == record.moves[move]
        assert found.to_play[index] == record.colors[move]


def test_the_last_position_has_no_next_move() -> None:
    found = gather(
        set_of(b"(;SZ[5];B[aa];W[bb])(;SZ[5]HA[2]AB[aa][bb])"), PositionSettings(final=True)
    )
    assert (found.next_moves == NO_MOVE).tolist() == [False, False, True, True]
    assert found.to_play.tolist() == [BLACK, WHITE, BLACK, WHITE]


def test_a_range_of_moves_can_be_asked_for(gnugo_games: GameSet) -> None:
    found = gather(gnugo_games, PositionSettings(first=18, last=22))
    assert set(found.moves.tolist()) == {18, 19, 20, 21, 22}
    assert len(found.moves) == 5 * 60


def test_games_shorter_than_the_range_give_nothing() -> None:
    games = set_of(b"(;SZ[5];B[aa];W[bb])(;SZ[5];B[aa];W[bb];B[cc];W[dd])")
    assert gather(games, PositionSettings(first=3)).games.tolist() == [1]


def test_batches_are_full_but_the_last(gnugo_games: GameSet) -> None:
    lengths = [len(batch.moves) for batch in positions(gnugo_games, PositionSettings(batch=100))]
    assert set(lengths[:-1]) == {100}
    assert sum(lengths) == gnugo_games.columns.moves.lengths.sum()


def test_all_eight_copies_are_the_board_turned(gnugo_games: GameSet) -> None:
    plain = gather(gnugo_games[:2], PositionSettings())
    copies = gather(gnugo_games[:2], PositionSettings(symmetry=Symmetry.ALL))
    assert copies.symmetries.tolist() == list(range(8)) * len(plain.moves)
    for index, symmetry in enumerate(copies.symmetries.tolist()):
        grid = plain.colors[index // 8].reshape(9, 9)
        np.testing.assert_array_equal(
            copies.colors[index].reshape(9, 9), apply_to_grid(grid, symmetry)
        )


def test_the_next_move_turns_with_the_board(gnugo_games: GameSet) -> None:
    found = gather(gnugo_games[:5], PositionSettings(symmetry=Symmetry.RANDOM, seed=4))
    later = gather(gnugo_games[:5], PositionSettings(final=True))
    at = {(g, m): i for i, (g, m) in enumerate(zip(later.games, later.moves, strict=True))}
    for index, point in enumerate(found.next_moves.tolist()):
        if point:
            after = later.colors[at[found.games[index], found.moves[index] + 1]].reshape(9, 9)
            turned = apply_to_grid(after, int(found.symmetries[index]))
            assert turned[row_col_from_point(point)] == found.to_play[index]


def test_owners_turn_with_the_board(gnugo_games: GameSet) -> None:
    found = gather(gnugo_games[:3], PositionSettings(symmetry=Symmetry.ALL, owners=True))
    assert found.owners is not None
    for index, symmetry in enumerate(found.symmetries.tolist()):
        ownership = gnugo_games[int(found.games[index])].ownership
        assert ownership is not None
        turned = apply_to_grid(ownership.reshape(9, 9), symmetry)
        np.testing.assert_array_equal(found.owners[index].reshape(9, 9), turned)


def test_random_symmetries_are_drawn_by_the_seed(gnugo_games: GameSet) -> None:
    def drawn(seed: int) -> list[int]:
        settings = PositionSettings(symmetry=Symmetry.RANDOM, seed=seed)
        return list(gather(gnugo_games, settings).symmetries)

    assert drawn(1) == drawn(1) != drawn(2)
    assert set(drawn(1)) == set(range(8))


def test_shuffled_positions_are_all_positions_once(gnugo_games: GameSet) -> None:
    plain = gather(gnugo_games, PositionSettings())
    settings = PositionSettings(order=Order.SHUFFLED, seed=2, batch=64)
    shuffled = gather(gnugo_games, settings)
    places = np.stack([shuffled.games, shuffled.moves])
    order = np.lexsort(places[::-1])
    np.testing.assert_array_equal(shuffled.colors[order], plain.colors)
    assert shuffled.games[:64].tolist() != plain.games[:64].tolist()


def test_a_view_of_a_set_numbers_its_own_games(gnugo_games: GameSet) -> None:
    found = gather(gnugo_games[10:12], PositionSettings(last=0))
    assert found.games.tolist() == [0, 1]


def test_setup_stones_stand_in_the_first_position() -> None:
    found = gather(set_of(b"(;SZ[3]AB[aa]AW[cc];W[bb])"), PositionSettings())
    assert found.colors.reshape(3, 3).tolist() == [[BLACK, 0, 0], [0, 0, 0], [0, 0, WHITE]]
    assert found.to_play.tolist() == [opponent(BLACK)]


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        (b"(;SZ[5])(;SZ[9])", PositionSettings(), "sizes 5, 9"),
        (b"(;SZ[5])", PositionSettings(owners=True), "no final ownership"),
        (b"(;SZ[5])", PositionSettings(batch=0), "at least one position"),
    ],
)
def test_what_cannot_be_streamed_is_refused_at_once(
    text: bytes, settings: PositionSettings, message: str
) -> None:
    with pytest.raises(KatachiError, match=message):
        positions(set_of(text), settings)


def test_an_empty_set_is_refused_at_once(gnugo_games: GameSet) -> None:
    with pytest.raises(KatachiError, match="no games are left"):
        positions(gnugo_games[:0], PositionSettings())
