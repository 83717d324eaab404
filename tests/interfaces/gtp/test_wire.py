"""Any bytes become lines, and every line with a command one request."""

import random
import threading
import time

import pytest

from katachi.interfaces.gtp.wire import (
    MAX_LINE_BYTES,
    Inbox,
    Line,
    LineSplitter,
    Request,
    encode_line,
    format_error,
    format_reply,
    parse_line,
)
from tests.timing import SLACK

LONG = MAX_LINE_BYTES + 1


@pytest.mark.parametrize(
    ("sent", "lines"),
    [
        (b"name\n", ["name"]),
        (b"name\r\nversion\r\n", ["name", "version"]),
        (b"play\tb\tD4\n", ["play b D4"]),
        (b"na\0m\x7fe\x1b\n", ["name"]),
        (b"name # who?\n# interrupt\n", ["name ", ""]),
        (b"\xc3\n", ["\ufffd"]),
        (b"\n\n", ["", ""]),
    ],
)
def test_lines_lose_comments_and_control_characters(sent: bytes, lines: list[str]) -> None:
    assert [line.text for line in LineSplitter().feed(sent)] == lines


def test_lines_do_not_depend_on_how_the_bytes_arrive() -> None:
    chance = random.Random(1)
    data = chance.randbytes(50_000) + b"x" * LONG + b"\n" + b" " * LONG + b"name\nversion"
    whole, pieces = LineSplitter(), LineSplitter()
    expected = whole.feed(data)
    found: list[Line] = []
    while data:
        count = chance.choice((1, 7, 1000, 50_000))
        found += pieces.feed(data[:count])
        data = data[count:]
    assert found == expected
    assert pieces.finish() == whole.finish() == Line("version")


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        (b"x" * LONG, Line("x" * 64, is_too_long=True)),
        (b"12 play " + b"x" * LONG, Line("12 play " + "x" * 56, is_too_long=True)),
        (b" " * LONG + b"name", Line("name")),
        (b"\0" * LONG + b"name", Line("name")),
        (b"name #" + b"x" * LONG, Line("name ")),
        (b"#" + b"x" * LONG, Line("")),
    ],
)
def test_only_a_command_can_make_a_line_too_long(sent: bytes, line: Line) -> None:
    assert LineSplitter().feed(sent + b"\n") == [line]


def test_a_line_without_end_is_not_kept_in_memory() -> None:
    splitter = LineSplitter()
    for _ in range(100):
        assert splitter.feed(b"x" * LONG) == []
        assert len(splitter._kept) <= MAX_LINE_BYTES


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("name", Request("", "name", [])),
        ("12 play  b D4 ", Request("12", "play", ["b", "D4"])),
        ("12play b", Request("12", "play", ["b"])),
        ("99999999999999999999 name", Request("99999999999999999999", "name", [])),
        ("007 name", Request("007", "name", [])),
        ("12", Request("12", "", [])),
        ("-1 name", Request("", "-1", ["name"])),
        ("\u0661 name", Request("", "\u0661", ["name"])),
        ("", None),
        ("   ", None),
    ],
)
def test_a_request_is_an_id_a_command_and_arguments(text: str, request_: Request | None) -> None:
    assert parse_line(Line(text)) == request_


def test_a_reply_never_ends_before_its_end() -> None:
    request = Request("3", "x", [])
    assert format_reply(request, "", is_success=True) == b"=3\n\n"
    assert format_reply(request, "a\n\n \nb\n", is_success=True) == b"=3 a\nb\n\n"
    assert format_error(request, "a\n\nb\tc") == b"?3 a b c\n\n"
    assert format_error(request, "\ud800") == rb"?3 \ud800" + b"\n\n"
    assert format_reply(request, "a\r\nb\r\n", is_success=True) == b"=3 a\nb\n\n"
    assert format_reply(request, "a\rb\x1b", is_success=True) == rb"=3 a\x0db\x1b" + b"\n\n"


def test_a_streamed_line_is_one_line() -> None:
    assert encode_line("info \udce9\r\n\nx") == rb"info \xe9\x0d  x" + b"\n"


def test_an_inbox_wakes_at_once_and_keeps_the_line() -> None:
    gate = threading.Event()
    chunks = iter([b"name\n"])

    def read() -> bytes:
        gate.wait()
        return next(chunks, b"")

    inbox = Inbox(read)
    assert not inbox.wait(0.01)
    threading.Timer(0.05, gate.set).start()
    started = time.perf_counter()
    assert inbox.wait(30)
    assert time.perf_counter() - started < SLACK
    assert inbox.take() == Line("name")
    assert inbox.take() == Line("")
    assert inbox.wait(0)
    assert inbox.take() is None
    assert inbox.take() is None


def test_an_input_that_fails_is_at_its_end() -> None:
    def read() -> bytes:
        raise OSError("gone")

    inbox = Inbox(read)
    assert inbox.take() == Line("")
    assert inbox.take() is None
