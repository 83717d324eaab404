"""Files made to break a reader."""

import gzip
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import open_games
from katachi.records.record import OnError
from katachi.records.sgf import read_games

GAME = b"(;GM[1]FF[4]SZ[9]KM[7];B[ee];W[gc];B[cg])"
DEEP = b"(;B[aa]" * 1_000_000

HOSTILE = {
    "empty": b"",
    "one zero": b"\0",
    "zeros": b"\0" * 1_000_000,
    "open parentheses": b"(" * 1_000_000,
    "nested": b"(;" * 1_000_000,
    "nested moves": DEEP,
    "nested and closed": b"(;" * 100_000 + b")" * 100_000,
    "variations side by side": b"(;GM[1]" + b"(;B[aa])" * 200_000 + b")",
    "empty nodes": b"(;GM[1]" + b";" * 300_000 + b")",
    "endless value": b"(;GM[1]C[" + b"x" * 1_000_000,
    "endless escapes": b"(;GM[1]C[" + b"\\" * 1_000_001,
    "endless list": b"(;GM[1]AB" + b"[aa]" * 150_000 + b")",
    "endless name": b"(;" + b"A" * 1_000_000 + b"[x])",
    "huge size": b"(;SZ[" + b"9" * 100_000 + b"])",
    "no values": b"(;GM SZ KM;B;W)",
    "only values": b"(;[aa][bb])",
    "a name outside": b"(GM[1];B[aa])",
    "high bytes": bytes(range(128, 256)) * 1000,
    "cut gzip": gzip.compress(GAME * 1000)[:-20],
    "bad gzip": b"\x1f\x8b" + b"\xff" * 1000,
    "many moves": b"(;SZ[9]" + b";B[]" * 20_001 + b")",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_refused_in_one_clear_line(data: bytes) -> None:
    with pytest.raises(KatachiError) as caught:
        list(read_games(data))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_both_readers_reject_the_same(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "hostile.sgf"
    file.write_bytes(data)
    reader = read_games(file, OnError.SKIP)
    records = list(reader)
    games = open_games(file, use_cache=False)
    assert list(games) == records
    assert list(games.rejections) == reader.rejections


def test_what_is_absurd_but_harmless_is_read_as_unknown() -> None:
    digits = b"9" * 100_000
    (record,) = read_games(b"(;KM[" + digits + b"]HA[" + digits + b"]RE[B+" + digits + b"])")
    assert (record.komi, record.handicap, record.result.margin) == (None, 0, None)


def test_a_komi_with_an_underscore_is_no_number() -> None:
    assert [record.komi for record in read_games(b"(;KM[6_5])(;KM[6,5])")] == [None, 6.5]


def test_a_value_of_100_megabytes_is_refused_with_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "huge.sgf.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(b"(;GM[1]SZ[9]C[")
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
        stream.write(b"])\n" + GAME)
    before = peak_megabytes()
    reader = read_games(file, OnError.SKIP)
    assert len(list(reader)) == 1
    assert [entry.reason for entry in reader.rejections] == ["longer than 8 MiB"]
    assert peak_megabytes() - before < 60


@pytest.mark.slow
def test_200_hostile_files_leave_memory_flat() -> None:
    for data in HOSTILE.values():
        list(read_games(data, OnError.SKIP))
    before = resident_megabytes()
    for data in hostile_variants(200):
        list(read_games(data, OnError.SKIP))
    assert resident_megabytes() - before <= 16


def test_cut_anywhere_a_game_is_whole_or_refused() -> None:
    for end in range(len(GAME)):
        reader = read_games(GAME[:end], OnError.SKIP)
        assert list(reader) == []
        assert len(reader.rejections) == 1


def test_a_long_run_of_broken_games_takes_linear_time(tmp_path: Path) -> None:
    file = tmp_path / "broken.sgf"
    file.write_bytes(b"(;GM[1]SZ[9];B[aa]\n" * 20_000)
    begin = time.process_time()
    games = open_games(file, use_cache=False)
    assert len(games.rejections) == 20_000
    assert time.process_time() - begin < 20


def test_random_damage_never_raises_anything_but_a_clear_error() -> None:
    source = random.Random(5)
    for _ in range(2000):
        data = bytearray(GAME + b"\n" + GAME)
        for _ in range(source.randrange(1, 6)):
            data[source.randrange(len(data))] = source.randrange(256)
        reader = read_games(bytes(data), OnError.SKIP)
        assert len(list(reader)) + len(reader.rejections) >= 1


def hostile_variants(count: int) -> Iterator[bytes]:
    source = random.Random(7)
    kinds = list(HOSTILE.values())
    for index in range(count):
        data = kinds[index % len(kinds)]
        cut = source.randrange(len(data) + 1)
        yield data[:cut] if index >= len(kinds) else data


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
