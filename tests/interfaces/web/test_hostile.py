"""Hostile messages and files: each gets an answer in one line, and nothing else happens."""

import json
import logging
import random
import string
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from katachi.interfaces.web.operations import OPERATIONS
from tests.interfaces.web.conftest import Page, RunningSite

GAME = {"size": 5, "komi": 0.5, "moves": ["C3", "D3"], "black": [], "first": "black"}
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("hello", {}),
    ("status", {}),
    ("position", {"game": GAME}),
    ("handicap", {"size": 9, "count": 2}),
    ("move", {"game": GAME, "player": "alp", "seconds": 0.01}),
    ("score", {"game": GAME, "dead": ["C3"]}),
    ("analyse", {"game": GAME, "evaluator": "alp", "count": 3}),
    ("territory", {"game": GAME, "evaluator": "alp", "vertex": "A1"}),
    ("explain", {"game": GAME, "evaluator": "shape", "vertex": "A1"}),
    ("review", {"game": GAME, "evaluator": "alp"}),
    ("annotate", {"game": GAME, "evaluator": "alp", "players": {"black": "x"}}),
    ("sgf_read", {"text": "(;SZ[5];B[cc];W[dd])"}),
    ("sgf_write", {"game": GAME, "nodes": [{"parent": -1, "color": "black", "vertex": "A1"}]}),
    ("example", {"id": "chinese"}),
]
SHARP: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**53 + 1,
        -(2**63),
        10**30,
        0.5,
        1e308,
        -0.0,
        float("nan"),
    ),
    *("", " ", "\0", "pass", "resign", "A0", "T99", "b:", ":", "w:pass", "\u202e", "x" * 5000),
    *(
        "../../etc/passwd",
        "/etc/passwd",
        "gtp:sh",
        "run:x",
        "shape:/",
        "ladder",
        "é",
        "\ud83d\ude00",
    ),
    *([], [[]], {}, {"a": {}}, ["A1"] * 400, [None], {"size": 5}, [["A1"]], ["pass"] * 2001),
]


def hostile_frame(pick: random.Random, number: int) -> str | bytes:
    """A good message with something wrong somewhere, or nothing like one."""
    op, fields = pick.choice(GOOD)
    frame: dict[str, Any] = {"id": number, "op": op, "fields": msgspec.to_builtins(fields)}
    way = pick.random()
    if way < 0.6:
        spoil(frame["fields"], pick)
    elif way < 0.7:
        frame[pick.choice(("id", "op", "fields", "more"))] = pick.choice(SHARP)
    data = json.dumps(frame).encode()  # with halves of characters, and NaN
    if way < 0.85:
        return data.decode()
    if way < 0.95:
        return b"".join(flipped(data, pick))
    junk = bytes(pick.randrange(256) for _ in range(pick.randrange(60)))
    return pick.choice((junk, b"[" * 5000, b'{"a":' * 5000, b"", b"\xff\xfe", data[:-3]))


def flipped(data: bytes, pick: random.Random) -> list[bytes]:
    letters = [data[at : at + 1] for at in range(len(data))]
    for _ in range(pick.randrange(1, 6)):
        letters[pick.randrange(len(letters))] = bytes([pick.randrange(256)])
    return letters


def spoil(value: Any, pick: random.Random) -> None:
    """Replaces, adds or takes away something inside a value."""
    if isinstance(value, dict):
        if not value or pick.random() < 0.2:
            value["".join(pick.choices(string.ascii_letters, k=3))] = pick.choice(SHARP)
            return
        key = pick.choice(list(value))
    elif isinstance(value, list) and value:
        key = pick.randrange(len(value))
    else:
        return
    if isinstance(value[key], dict | list) and pick.random() < 0.6:
        spoil(value[key], pick)
    elif pick.random() < 0.1:
        del value[key]
    else:
        value[key] = pick.choice(SHARP)


def attack(page: Page, count: int, seed: int) -> None:
    """Sends so many, one after another; each must be answered once, and clearly."""
    pick = random.Random(seed)
    for number in range(count):
        frame = hostile_frame(pick, number)
        if b"cancel" in (frame if isinstance(frame, bytes) else frame.encode(errors="replace")):
            continue
        page.socket.send(frame)
        answer = page.receive()
        while "part" in answer:
            answer = page.receive()
        assert answer["id"] is None or isinstance(answer["id"], int)
        if "result" not in answer:
            text = answer["error"]
            assert text, frame
            assert "\n" not in text
            assert len(text) <= 300
            assert "wrong inside" not in text, (frame, text)
    assert page.ask("status") == {"compiling": None}


def test_every_operation_is_attacked(server: RunningSite) -> None:
    with server.page() as page:
        page.ask("hello")
    own = {"playing", "records", "seeing"}
    ours = {
        name for name, each in OPERATIONS.items() if each.handle.__module__.split(".")[-1] in own
    }
    assert ours == {op for op, _ in GOOD}


def test_hostile_messages_are_answered(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        attack(page, 500, seed=1)
    assert caplog.records == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_ten_thousand_hostile_messages_are_answered(page: Page, seed: int) -> None:
    attack(page, 1000, seed)


def hostile_file(pick: random.Random) -> str:
    """A record that is none, or too much of one."""
    good = "(;GM[1]FF[4]SZ[9]KM[6.5]AB[aa][bb]C[x\\]y];B[cc];W[dd](;B[ee];W[])(;B[ff]TB[aa]))"
    made: list[Callable[[], str]] = [
        lambda: "".join(pick.choices("();[]\\BWABCSZ 0123456789abct\n", k=pick.randrange(1, 400))),
        lambda: "".join(flipped_text(good, pick)),
        lambda: good[: pick.randrange(len(good))],
        lambda: "(" * pick.randrange(1, 5000),
        lambda: "(;" * pick.randrange(1, 3000) + ")" * pick.randrange(1, 3000),
        lambda: f"(;SZ[{pick.choice(['0', '-1', '99999999999', '19:20', 'x', '26', ''])}];B[aa])",
        lambda: f"(;SZ[9];B[{pick.choice(['zz', 'a', 'aaa', '', 'tt', '[[', 'é'])}])",
        lambda: "(;SZ[9]" + ";" * pick.randrange(19_990, 30_000) + ")",
        lambda: "(;SZ[5];B[aa])" * pick.randrange(195, 260),
        lambda: "(;SZ[9]C[" + "x" * 100_000 + "];B[aa])",
        lambda: "(;SZ[9];B[aa]" + "(;W[bb])" * pick.randrange(1000, 9000) + ")",
        lambda: "(;SZ[9]" + "AB[aa]" * 500 + ";B[aa])",
        lambda: (
            "(;CA[" + pick.choice(["utf-16", "idna", "nope", "gb2312"]) + "]PB[\u53e4\ud83d];B[aa])"
        ),
        lambda: "",
    ]
    return pick.choice(made)().encode(errors="replace").decode()


def flipped_text(text: str, pick: random.Random) -> list[str]:
    letters = list(text)
    for _ in range(pick.randrange(1, 8)):
        letters[pick.randrange(len(letters))] = pick.choice("();[]\\\0é9zB")
    return letters


def attack_with_files(page: Page, count: int, seed: int) -> None:
    pick = random.Random(seed)
    for _ in range(count):
        text = hostile_file(pick)
        answer = page.answers("sgf_read", text=text)[-1]
        if "error" in answer:
            assert answer["field"] == "text"
            assert "wrong inside" not in answer["error"], text[:200]
        else:
            assert all(len(game["nodes"]) <= 20_000 for game in answer["result"]["games"])


def test_hostile_files_are_answered(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    attack_with_files(page, 50, seed=1)
    assert caplog.records == []


@pytest.mark.slow
def test_five_hundred_hostile_files_are_answered(page: Page) -> None:
    attack_with_files(page, 500, seed=2)


def test_a_file_has_its_limits(page: Page) -> None:
    for text, words in (
        ("(;SZ[5];B[aa])" * 201, "more than 200 games"),
        ("(;SZ[9]" + ";" * 20_001 + ")", "more than 20,000 moves"),
        ("(;SZ[19]" + ";AB[aa:ss]" * 1990 + ")", "more setup stones and marks"),
        ("(;SZ[19];B[aa]" + "TB[aa:ss]" * 1990 + ")", "more setup stones and marks"),
        ("x" * 100, "no game found"),
    ):
        error, field = page.refusal("sgf_read", text=text)
        assert words in error
        assert field == "text"
    assert "base64" in page.refusal("sgf_read", text="~", base64=True)[0]
