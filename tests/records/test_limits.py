"""Records at the edge of what can be replayed, and beyond it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import GameSet, open_games, set_of_records
from katachi.records.record import GameRecord, RecordError
from katachi.records.sgf import check_record, read_games, write_game
from katachi.rules.color import BLACK, WHITE
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import CELLS, PASS


def record_of_passes(count: int) -> GameRecord:
    colors = np.tile(np.array([BLACK, WHITE], np.uint8), count)[:count]
    owners = np.zeros(25, np.int8)
    return GameRecord(
        size=5, moves=np.full(count, PASS, np.uint16), colors=colors, ownership=owners
    )


def test_the_longest_game_is_written_and_read_back(tmp_path: Path) -> None:
    record = record_of_passes(LONGEST_GAME)
    data = write_game(record)
    (tmp_path / "long.sgf").write_bytes(data)
    (again,) = read_games(data)
    (opened,) = open_games(tmp_path / "long.sgf", use_cache=False)
    (kept,) = set_of_records([record])
    for each in (again, opened, kept):
        assert len(each.moves) == LONGEST_GAME


def test_a_longer_game_is_refused_wherever_it_enters() -> None:
    record = record_of_passes(LONGEST_GAME + 1)
    text = b"(;SZ[5]" + b";B[]" * (LONGEST_GAME + 1) + b")"
    ways = (
        check_record,
        write_game,
        lambda _: set_of_records([record]),
        lambda _: next(iter(read_games(text))),
    )
    for way in ways:
        with pytest.raises(RecordError, match="more than 20,000 moves"):
            way(record)


def test_the_bulk_reader_lists_a_longer_game_and_reads_on(tmp_path: Path) -> None:
    text = "(;SZ[5]" + ";B[]" * (LONGEST_GAME + 1) + ")(;SZ[5];B[cc])"
    (tmp_path / "two.sgf").write_text(text)
    games = open_games(tmp_path / "two.sgf", use_cache=False)
    assert [len(game.moves) for game in games] == [1]
    assert [each.reason for each in games.rejections] == ["more than 20,000 moves"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"size": 26}, "board size 26"),
        ({"moves": np.array([CELLS + 5], np.uint16)}, "move 1 is off the board"),
        ({"moves": np.array([60_000], np.uint16)}, "move 1 is off the board"),
        ({"moves": np.array([31], np.uint16)}, "move 1 is off the board"),
        ({"moves": np.array([-40], np.int64)}, "move 1 is off the board"),
        ({"colors": np.array([3], np.uint8)}, "move 1 is neither Black's nor White's"),
        ({"colors": np.array([], np.uint8)}, "1 moves, but 0 colours"),
        ({"setup_black": np.array([700], np.uint16)}, "off the board"),
        ({"setup_white": np.array([PASS], np.uint16)}, "off the board"),
        ({"ownership": np.zeros(24, np.int8)}, "24 territory marks on 5x5 points"),
    ],
)
def test_arrays_that_do_not_fit_the_board_are_refused(fields: dict[str, Any], reason: str) -> None:
    right: dict[str, Any] = {
        "size": 5,
        "moves": np.array([33], np.uint16),
        "colors": np.array([1], np.uint8),
    }
    record = GameRecord(**(right | fields))
    for way in (write_game, lambda it: set_of_records([it])):
        with pytest.raises(RecordError, match=reason):
            way(record)


@pytest.mark.parametrize("row", [-1, 1])
def test_a_row_that_is_not_there_is_refused(row: int) -> None:
    games = set_of_records([record_of_passes(2)])
    with pytest.raises(KatachiError, match="not among 1 games"):
        GameSet(games.columns, np.array([row]))
