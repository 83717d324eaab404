"""Input that no engine should ever meet, and does."""

import gzip
import os
import random
from collections.abc import Callable
from pathlib import Path

NUMBERS = (
    *("0", "-1", "1", "2", "5", "9", "19", "25", "26", "1000", "2147483648", "9" * 30, "9" * 5000),
    *("nan", "inf", "-inf", "1e308", "1e999", "-1e999", "0x10", "1_000", "3.5", ".", "-", "1e-400"),
)
WORDS = (
    *(
        "b",
        "w",
        "B",
        "White",
        "black",
        "x",
        "pass",
        "PASS",
        "resign",
        "A1",
        "d4",
        "T19",
        "Z25",
        "I9",
    ),
    *("a0", "A", "Z99", "j10", "none", "byoyomi", "canadian", "fischer", "alive", "dead", "after"),
    *("interval", "ownership", "true", "false", "avoid", "allow", "rootInfo", "maxmoves", "all"),
    *(
        "chinese",
        "japanese",
        '{"ko":"SIMPLE"}',
        '{"ko":',
        "[" * 3000,
        "{}",
        "A1,B2,C3",
        ",",
        "%s%n",
    ),
    *(
        "../x.sgf",
        "/nonexistent/y.sgf",
        ".",
        "",
        "\u0661",
        "\u2028",
        "\ud7ff",
        "ko",
        "SIMPLE",
        "maxTime",
    ),
)
BYTES = (b"\0", b"\xff", b"\xc3", b"\xe2\x82", b"\x7f", b"\r", b"\t", b"\x1b[2J", b"\x85", b"\x0b")

TEMPLATES = (
    *("play C V", "play C V", "play C V", "play C pass", "genmove C", "genmove C", "reg_genmove C"),
    *(
        "undo",
        "gg-undo N",
        "boardsize N",
        "boardsize 5",
        "clear_board",
        "komi N",
        "fixed_handicap N",
    ),
    *(
        "place_free_handicap N",
        "set_free_handicap V V V",
        "set_position C V C V C V",
        "final_score",
    ),
    *("final_status_list dead", "kgs-genmove_cleanup C", "kata-analyze C N ownership true"),
    *("lz-analyze N avoid C V,V N", "kata-genmove_analyze C allow C V,V,V N", "kata-raw-nn all"),
    *("cgos-genmove_analyze C", "gogui-play_sequence C V C V C V C V", "gogui-setup C V C V"),
    *(
        "time_settings N N N",
        "time_left C N N",
        "kgs-time_settings canadian N N N",
        "kgs-rules aga",
    ),
    *("kata-set-rules tromp-taylor", "kata-set-rule ko SIMPLE", "katachi-ownership after V"),
    *("katachi-features V", "katachi-explain V", "showboard", "printsgf", "printsgf written.sgf"),
    *("loadsgf written.sgf N", "gogui-rules_legal_moves", "gomill-describe_engine", "katachi-help"),
)
"""Commands in form, at whatever time: C is a colour, V a vertex, N a number."""


def hostile_lines(count: int, commands: list[str], seed: int) -> list[bytes]:
    """So many lines without their ends; none of them is `quit`."""
    chance = random.Random(seed)
    known = [command for command in commands if command != "quit"]
    return [_line(chance, known) for _ in range(count)]


def _line(chance: random.Random, commands: list[str]) -> bytes:
    kind = chance.random()
    if kind < 0.12:
        return chance.randbytes(chance.randrange(300)).replace(b"\n", b"")
    if kind < 0.125:
        return _long_line(chance, commands)
    if kind < 0.5:
        return " ".join(_fill(chance, word) for word in chance.choice(TEMPLATES).split()).encode()
    words = [chance.choice(commands)]
    words += [_argument(chance) for _ in range(chance.choice((0, 1, 1, 2, 2, 2, 3, 4, 6, 12)))]
    if chance.random() < 0.3:
        words.insert(0, chance.choice(("7", "2147483647", "99999999999", "-3", "007", "1" * 400)))
    line = " ".join(words).encode()
    for _ in range(chance.choice((0, 0, 0, 1, 3))):
        place = chance.randrange(len(line) + 1)
        line = line[:place] + chance.choice(BYTES) + line[place:]
    return line


def _fill(chance: random.Random, word: str) -> str:
    vertices = [_vertex(chance) for _ in range(word.count("V"))]
    if vertices:
        return ",".join(vertices)
    if word == "N":
        return str(chance.choice((chance.randrange(30), chance.choice(NUMBERS))))
    return chance.choice("bwBW") if word == "C" else word


def _vertex(chance: random.Random) -> str:
    return f"{chance.choice('ABCDEFGHJKLMNOPQRST')}{chance.randrange(1, 20)}"


def _argument(chance: random.Random) -> str:
    if chance.random() < 0.6:
        return chance.choice((_vertex(chance), chance.choice("bw")))
    return chance.choice(chance.choice((NUMBERS, WORDS)))


def _long_line(chance: random.Random, commands: list[str]) -> bytes:
    start = chance.choice((b"", b"   ", b"#", b"12 ", b"name #", chance.choice(commands).encode()))
    body = chance.choice((b" ", b"\0", b"A1 ", b"x", b"\xff", b"b D4 ", b"\t"))
    return start + body * (chance.randrange(65_000, 200_000) // len(body))


def is_answered(line: bytes) -> bool:
    """Whether a line holds a command: something but blanks and control characters, uncommented."""
    return any(byte > 32 and byte != 127 for byte in line.split(b"#")[0])


GOOD_GAME = b"(;GM[1]FF[4]SZ[9]KM[7.5]RE[B+1.5]AB[cc][gg]AW[cg];B[ee];W[dd];B[];W[tt])"

MakeFile = Callable[[random.Random], bytes]


def _bomb(chance: random.Random) -> bytes:
    return gzip.compress(chance.choice((b"\0", b"(", b"(;B[aa]")) * (40 << 20 >> 3), 6)


MAKERS: tuple[MakeFile, ...] = (
    lambda _: b"",
    lambda _: b"(;" * 1_000_000,
    lambda _: b"(;B[aa]" * 1_000_000 + b")" * 1_000_000,
    lambda _: b"(" * 1_000_000,
    lambda _: b"(;" + b"[" * 1_000_000,
    lambda _: b"(;C[" + b"x\\" * 1_000_000,
    lambda _: b"(;SZ[9]" + b";B[ee]" * 300_000 + b")",
    lambda _: b"(;SZ[25]" + b";B[];W[]" * 30_000 + b")",
    _bomb,
    lambda chance: chance.randbytes(chance.randrange(5000)),
    lambda chance: GOOD_GAME[: chance.randrange(len(GOOD_GAME))],
    lambda chance: _swapped(GOOD_GAME, chance),
    lambda chance: b"(;SZ[%s])" % chance.choice(NUMBERS).encode(),
    lambda chance: b"(;SZ[9]KM[%s];B[aa])" % chance.choice(NUMBERS).encode(),
    lambda chance: b"(;SZ[9]HA[%s]AB[aa:zz])" % chance.choice(NUMBERS).encode(),
    lambda _: b"(;SZ[9]AB[aa:ii])",
    lambda _: b"(;SZ[9];B[aa];W[aa])",
    lambda _: b"(;SZ[9];B[zz];W[aaa])",
    lambda _: GOOD_GAME.decode().encode("utf-16"),
    lambda _: b"\0" * 100_000 + GOOD_GAME,
    lambda _: b"(;GM[2]SZ[8])",
    lambda _: GOOD_GAME,
)


def _swapped(game: bytes, chance: random.Random) -> bytes:
    data = bytearray(game)
    for _ in range(chance.randrange(1, 8)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def hostile_files(count: int, folder: Path, seed: int) -> list[Path]:
    """So many paths that should not be loaded carelessly: bad games, and no files at all."""
    chance = random.Random(seed)
    (folder / "folder.sgf").mkdir()
    os.mkfifo(folder / "pipe.sgf")
    (folder / "loop.sgf").symlink_to("loop.sgf")
    names = ("folder.sgf", "pipe.sgf", "loop.sgf", "missing.sgf", "n" * 5000)
    places = [folder / name for name in names] + [Path("/dev/zero"), Path("/dev/null")]
    for number in range(count - len(places)):
        place = folder / f"game{number}.sgf"
        place.write_bytes(MAKERS[number % len(MAKERS)](chance))
        places.append(place)
    return places
