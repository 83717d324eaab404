"""The fast reader against sgfmill."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.records.bulk import BulkReader, settle_games
from katachi.records.columns import Columns
from katachi.records.record import OnError
from katachi.records.replay import final_colors
from katachi.records.scan import GAMES, POSITION, new_scanned, scan_games
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import RULESETS
from tests.records.sgfmill_reading import read_with_sgfmill, reading_of, sgf_place


def read_fast(data: bytes) -> Columns:
    reader = BulkReader()
    reader.read_file(data, "")
    assert not reader.rejections
    columns, illegal = settle_games(reader.columns())
    assert not illegal
    return columns


def count_scanned(data: bytes) -> int:
    """Games the kernel alone reads from the start."""
    scanned = new_scanned(len(data))
    scan_games(np.frombuffer(data, np.uint8), scanned)
    return int(scanned.cursor[GAMES])


def assert_same_as_sgfmill(columns: Columns, row: int, text: bytes) -> None:
    record = columns.record(row)
    assert reading_of(record, final_colors(columns, row).tolist()) == read_with_sgfmill(text)


@st.composite
def game_texts(draw: st.DrawFn) -> bytes:
    """A random legal game in one of the many ways to write it."""
    source = draw(st.randoms(use_true_random=False))
    size = source.choice([2, 3, 5, 9, 13, 19, 20, 25])
    game = Game(size, rules=RULESETS["simple-ko"])
    blank = source.choice(["", "", "\n", " \r\n"])
    root = ["GM[1]", f"SZ[{size}]"]
    root += source.sample(["FF[4]", "CA[UTF-8]", "PB[Ann 本]", "KM[6.5]", "C[a:b]", r"PW[\]\\]"], 3)
    if source.random() < 0.3 and size > 5:
        stones = source.sample([(0, 0), (1, 1), (2, 2)], 2)
        points = [32 * (row + 1) + col + 1 for row, col in stones]
        root.append("AB" + "".join(f"[{sgf_place(point)}]" for point in points))
        game.place_setup(points, [])
    nodes = [random_node(game, source) for _ in range(source.randrange(40))]
    if source.random() < 0.5:
        nodes.append(random_marks(size, source))
    if source.random() < 0.2:
        nodes.append("(;B[])(;W[aa];B[])")
    return ("(;" + blank.join(root) + blank + blank.join(nodes) + blank + ")").encode()


def random_node(game: Game, source: random.Random) -> str:
    color = BLACK if source.random() < 0.5 else WHITE
    moves = [*game.legal_moves(color).tolist(), PASS]
    point = source.choice(moves)
    game.play(color, point)
    place = sgf_place(point)
    if point == PASS and game.size <= 19 and source.random() < 0.5:
        place = "tt"
    extra = source.choice(["", "", "", "BL[17.5]OB[3]", r"C[x\]y;(é)]", "N[]", "CR[aa][bb:cc]"])
    name = "B" if color == BLACK else "W"
    return f";{name}[{place}]{extra}" if source.random() < 0.9 else f";{extra};{name}[{place}]"


def random_marks(size: int, source: random.Random) -> str:
    letters = "abcdefghijklmnopqrstuvwxy"[:size]
    places = [a + b for a in letters for b in letters]
    chosen = source.sample(places, source.randrange(2, len(places)))
    half = len(chosen) // 2
    black = "".join(f"[{place}]" for place in chosen[:half])
    white = "".join(f"[{place}]" for place in chosen[half:])
    return source.choice([f";TB{black}TW{white}", f";TW{white}", f";TB{black}"]) if half else ";"


@given(st.lists(game_texts(), min_size=1, max_size=4))
def test_every_way_to_write_a_game_reads_as_sgfmill_reads_it(texts: list[bytes]) -> None:
    columns = read_fast(b"\n".join(texts))
    assert len(columns) == len(texts)
    for row, text in enumerate(texts):
        assert_same_as_sgfmill(columns, row, text)


@given(st.lists(game_texts(), min_size=1, max_size=3))
def test_fast_and_careful_reading_give_the_same_records(texts: list[bytes]) -> None:
    data = b"\n".join(texts)
    columns = read_fast(data)
    assert [columns.record(row) for row in range(len(columns))] == list(read_games(data))


@given(game_texts(), st.randoms(use_true_random=False))
def test_a_damaged_game_is_read_alike_by_both_readers(text: bytes, source: random.Random) -> None:
    data = bytearray(text + b"\n" + text)
    for _ in range(source.randrange(1, 4)):
        data[source.randrange(len(data))] = source.choice(b"()[];\\:aztBWTSZ\n\x00\xe9")
    reader = BulkReader()
    reader.read_file(bytes(data), "")
    columns, illegal = settle_games(reader.columns())
    careful = read_games(bytes(data), OnError.SKIP)
    assert [columns.record(row) for row in range(len(columns))] == list(careful)
    rejected = sorted(reader.rejections + illegal, key=lambda entry: entry.source.number)
    assert rejected == careful.rejections


def test_the_shipped_games_read_as_sgfmill_reads_them(gnugo9: Path) -> None:
    columns = read_fast(gnugo9.read_bytes())
    for row, line in enumerate(gnugo9.read_bytes().splitlines()):
        assert_same_as_sgfmill(columns, row, line)


def test_the_shipped_games_all_go_the_fast_way(gnugo9: Path) -> None:
    assert count_scanned(gnugo9.read_bytes()) == 60


@pytest.mark.kernel
@pytest.mark.parametrize(
    "text",
    [
        b"(;SZ[9])",
        b"(;SZ[9];B[aa];W[tt])",
        b"(;B[];W[ss];TB[aa][bb]TW[cc])",
        b"(;SZ[19]PB[x]\n;B[aa]BL[3]\n;W[bb]C[a\\]b])",
        b"(;GM[1];;;B[aa])",
    ],
)
def test_plain_games_are_scanned(text: bytes) -> None:
    assert count_scanned(text) == 1


@pytest.mark.kernel
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"(",
        b"(;",
        b"(;SZ[9];B[aa]",
        b"(;SZ[9];B[a",
        b"(;SZ[9:9];B[aa])",
        b"(;SZ[26];B[aa])",
        b"(;SZ[9];B[jj])",
        b"(;SZ[21];B[tt:aa])",
        b"(;SZ[9];B[aa][bb])",
        b"(;SZ[9];B[aa]W[bb])",
        b"(;SZ[9];AB[aa];B[bb])",
        b"(;SZ[9];TB[aa:bb])",
        b"(;SZ[9];TB[aa]TW[aa])",
        b"(;SZ[9];TB[aa];B[bb])",
        b"(;SZ[9];B[aa](;W[bb])(;W[cc]))",
        b"(;SZ[9];Black[aa])",
        b"(;PB[a\\]b];B[aa])",
        b"x(;SZ[9])",
    ],
)
def test_anything_else_is_left_to_sgfmill(text: bytes) -> None:
    assert count_scanned(text) == 0


@pytest.mark.kernel
def test_the_scan_stops_in_front_of_the_first_unusual_game() -> None:
    plain = b"(;SZ[9];B[aa])\n"
    data = plain * 2 + b"(;SZ[9];B[aa](;W[bb]))" + plain
    scanned = new_scanned(len(data))
    scan_games(np.frombuffer(data, np.uint8), scanned)
    assert scanned.cursor[GAMES] == 2
    assert scanned.cursor[POSITION] == len(plain) * 2 - 1


def test_games_across_pieces_of_a_large_file_are_read_once(tmp_path: Path) -> None:
    game = b"(;SZ[9]PB[x]" + b";B[ee];W[]" + b";B[];W[]" * 100 + b")\n"
    count = (5 << 20) // len(game)
    file = tmp_path / "large.sgf"
    file.write_bytes(game * count)
    reader = BulkReader()
    reader.read_file(file, "large")
    columns = reader.columns()
    assert columns.info["number"].tolist() == list(range(1, count + 1))
    assert set(columns.moves.lengths.tolist()) == {202}
