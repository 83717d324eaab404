"""Long random attacks on the readers of game records; minutes, so they are marked slow."""

import gzip
import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.records import cache
from katachi.records.dataset import open_games
from katachi.records.record import GameTexts, OnError
from katachi.records.sgf import check_record, read_games, write_game
from tests.records.test_charsets import LETTERS, read_twice, written

pytestmark = pytest.mark.slow

GAME = b"(;GM[1]FF[4]SZ[9]KM[7]RE[B+R];B[ee];W[gc];B[cg])"
SIGNS = b"( ) ; [ ] \\ (; \n(;GM[1] C[(;GM[1] C[CA[latin1] ~{ ~}".split(b" ")
PROPERTIES = (
    b"B[aa] W[bb] B[] W[tt] B Black[aa] b[aa] B[aa][bb] SZ[9] SZ[19] SZ[9:9] AB[aa][bb] "
    b"SZ[\xd9\xa9] "
    b"AW[cc] AE[aa] AB[aa:cc] PL[W] PL[x] TB[aa] TW[bb:cc] KM[6.5] KM[6_5] KM[1e999] HA[2] "
    b"HA[\xd9\xa2] PB[\xc0\xee] PB[\xe6\x9d\x8e] PW[x\\]y] EV[\xed\xa0\x80] RE[B+R] RE[W+3,5] "
    b"DT[2001-01-01] DT[99999999999] BR[9d] BR[\xef\xbc\x99d] GM[1] GM[2] FF[4] RU[NZ]"
).split(b" ")
CHARSETS = (
    b"GBK UTF-8 latin1 utf-16 utf-7 cp037 hz iso2022_jp shift_jis base64 utf_8_sig mbcs undefined "
    b"zlib punycode big5 johab euc-kr koi8-r x-none"
).split(b" ")
BYTES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\x8d]", b"\x83\\", b"\x1b$B", b"\x1b(B", b" ", b"\t"]
BYTES += [b"\x0b", b"\x85", b"\xc2\x85", b"\xe3\x80\x80", b"\r\n", b"\n", b"\xff\xfe", b"\x1f\x8b"]
ATOMS = [*SIGNS, *PROPERTIES, *(b"CA[%b]" % name for name in CHARSETS), *BYTES]


def soup(source: random.Random) -> bytes:
    return b"".join(source.choices(ATOMS, k=source.randrange(1, 25)))


def odd_games(source: random.Random) -> bytes:
    root = b"".join(source.choices(ATOMS, k=source.randrange(1, 8)))
    return (b"(;" + root + b";B[ee];W[cc])") * source.randrange(1, 3)


def damaged_games(source: random.Random) -> bytes:
    charset = source.choice(sorted(LETTERS))
    named = source.choice([charset, None, source.choice(sorted(LETTERS))])
    black = "".join(source.choices(LETTERS[charset], k=source.randrange(6)))
    data = bytearray(written(charset, named, black, "B+R") * 2)
    for _ in range(source.randrange(4)):
        place = source.randrange(len(data))
        data[place : place + source.randrange(3)] = source.choice(ATOMS)
    return bytes(data)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("make", [soup, odd_games, damaged_games])
def test_both_readers_read_any_text_alike(make: Callable[[random.Random], bytes]) -> None:
    source = random.Random(11)
    for _ in range(3_000):
        data = make(source)
        for text in (data, gzip.compress(data), gzip.compress(data)[: source.randrange(40)]):
            records, rejections = read_twice(text)
            assert all("\n" not in str(entry) and len(str(entry)) < 300 for entry in rejections)
            assert records or rejections


@pytest.mark.timeout(600)
def test_any_texts_are_written_and_read_back() -> None:
    source = random.Random(12)
    signs = [*"ab本ü []\\;()\n\r\t\0\x1b", "\ud800", "\udce9", "\u2028", "\ufeff", "\x85"]
    for _ in range(1_000):
        black, event = ("".join(source.choices(signs, k=source.randrange(9))) for _ in range(2))
        (game,) = read_games(GAME)
        record = check_record(type(game)(size=9, texts=GameTexts(black=black, event=event)))
        written_once = write_game(record)
        (read,) = read_games(written_once)
        assert write_game(read) == write_game(next(iter(read_games(write_game(read)))))


def odd_entry(folder: Path, source: random.Random) -> None:
    """Puts something into a folder, or does something to what is there."""
    name = source.choice(["a.sgf", "b.sgf.gz", "c.SGF", os.fsdecode(b"M\xe9.sgf"), "d\n.sgf"])
    path = folder / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    kind = source.randrange(8)
    if kind == 0:
        path.symlink_to(source.choice(["nowhere", name, ".", "/dev/zero", "a.sgf"]))
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.mkdir()
        (path / "1.sgf").write_bytes(GAME)
    elif kind > 3:
        data = b"".join(source.choices([GAME, soup(source), damaged_games(source)], k=3))
        path.write_bytes(gzip.compress(data) if source.random() < 0.5 else data)
        if source.random() < 0.3:
            os.truncate(path, source.randrange(len(data)))


@pytest.mark.timeout(600)
def test_a_folder_of_anything_reads_the_same_with_and_without_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_CLOCK_STEP_NS", 20_000_000)
    source = random.Random(13)
    folder, copies = tmp_path / "games", tmp_path / "copies"
    folder.mkdir()
    for _ in range(300):
        odd_entry(folder, source)
        time.sleep(0.025)
        try:
            plain = open_games(folder, use_cache=False)
        except KatachiError:
            continue
        for _ in range(2):
            games = open_games(folder, cache_folder=copies)
            assert list(games) == list(plain)
            assert games.rejections == plain.rejections


@pytest.mark.timeout(600)
@pytest.mark.parametrize("is_replaced", [True, False])
def test_files_that_change_under_the_reader_leave_no_wrong_copy(
    tmp_path: Path, *, is_replaced: bool
) -> None:
    versions = [GAME.replace(b"B+R", b"%c+%d" % (b"BW"[n % 2], n)) * 50 for n in range(1, 10)]
    file, copies = tmp_path / "1.sgf", tmp_path / "copies"
    file.write_bytes(versions[0])
    stopped = threading.Event()

    def change() -> None:
        source = random.Random(14)
        while not stopped.is_set():
            target = tmp_path / "new" if is_replaced else file
            target.write_bytes(source.choice(versions))
            target.replace(file)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(500):
            open_games(file, cache_folder=copies)
    finally:
        stopped.set()
        changer.join()
    for version in versions:
        file.write_bytes(version)
        plain = list(read_games(version, OnError.SKIP))
        assert list(open_games(file, cache_folder=copies)) == plain


def test_folders_may_be_as_deep_as_the_system_allows(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*["d"] * 1200)
    folders = [deepest, *deepest.parents][:1200]
    for folder in reversed(folders):
        folder.mkdir()
    (deepest / "1.sgf").write_bytes(GAME)
    assert len(open_games(tmp_path, use_cache=False)) == 1
    # Not every program that clears up later goes so deep.
    (deepest / "1.sgf").unlink()
    for folder in folders:
        folder.rmdir()
