import asyncio
import socket

import pytest

from katachi.interfaces.cgos.wire import (
    LONGEST_MILLISECONDS,
    LineStream,
    ProtocolError,
    Setup,
    TimedMove,
    bare_name,
    is_name,
    is_one_word,
    is_password,
    milliseconds_from_text,
    open_stream,
    setup_from_words,
    shown,
)
from tests.interfaces.cgos.playground import run


def test_a_setup_line_reads_back_as_it_was_written() -> None:
    moves = (TimedMove("D4", 299_000), TimedMove("pass", 300_000))
    setup = Setup("17", 9, 7.5, 300_000, "strong(1873)", "new(1500?)", moves)
    assert setup_from_words(str(setup).split()) == setup
    assert str(setup).startswith("17 9 7.5 300000 strong(1873) new(1500?) D4 299000 pass")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "0 words"),
        ("1 9 7.0 300000 one", "5 words"),
        ("1 9 7.0 300000 one two D4", "7 words"),
        ("1 1 7.0 300000 one two", "size 1"),
        ("1 99 7.0 300000 one two", "size 99"),
        ("1 nine 7.0 300000 one two", "'nine'"),
        ("1 9 nan 300000 one two", "'nan'"),
        ("1 9 1e400 300000 one two", "komi"),
        ("1 9 x 300000 one two", "komi"),
        ("1 9 7.0 soon one two", "'soon'"),
        ("1 9 7.0 1e9 one two", "time"),
        ("1 9 7.0 99999999999999999999999999 one two", "time"),
        ("../1 9 7.0 300000 one two", "game called"),
    ],
)
def test_a_setup_that_cannot_be_played_is_reported_in_one_line(line: str, words: str) -> None:
    with pytest.raises(ProtocolError, match=words) as caught:
        setup_from_words(line.split())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0", 0), ("-5", 0), ("1500", 1500), ("999999999999999", LONGEST_MILLISECONDS)],
)
def test_absurd_times_are_cut_to_what_a_game_may_last(text: str, milliseconds: int) -> None:
    assert milliseconds_from_text(text) == milliseconds


def test_names_and_passwords() -> None:
    assert all(map(is_name, ("abc", "GNU-Go.3_8", "_x1", "a" * 18)))
    assert not any(map(is_name, ("ab", "1abc", "a" * 19, "a b", "naïve", "abc\n", "")))
    assert all(map(is_password, ("123", "a" * 16)))
    assert not any(map(is_password, ("12", "a" * 17, "a b c", "pass\n")))
    assert bare_name("one(1500?)") == bare_name("one") == "one"


def test_a_password_may_be_any_word_that_fits_on_a_line() -> None:
    assert all(map(is_one_word, ("x", "s3cret!longer-than-16-letters", "pässwörd", "a" * 500)))
    assert not any(map(is_one_word, ("", "a b", "a\tb", "a\n", "a\u2028b", "\x1b", "\ud800")))


def test_a_line_is_kept_alive() -> None:
    async def connect() -> list[int]:
        server = await asyncio.start_server(lambda _r, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            stream = await open_stream("127.0.0.1", server.sockets[0].getsockname()[1])
            line = stream._writer.get_extra_info("socket")
            options = [line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)]
            if hasattr(socket, "TCP_KEEPIDLE"):
                options.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE))
            stream.close()
            await stream.wait_closed()
            server.close()
        return options

    options = run(connect())
    assert options[0]
    assert all(seconds <= 60 for seconds in options[1:])


def test_what_strangers_write_is_fit_for_one_line() -> None:
    assert shown("a\x1b[31mred\r\n\x00b") == "a [31mred b"
    assert len(shown("x" * 1000)) == 200


def feed(*chunks: bytes, longest: int = 100) -> list[str | ProtocolError | None]:
    """What a stream makes of these pieces."""

    async def read() -> list[str | ProtocolError | None]:
        reader = asyncio.StreamReader()
        for chunk in chunks:
            reader.feed_data(chunk)
        reader.feed_eof()
        stream = LineStream(reader, None)  # type: ignore[arg-type]
        stream.longest = longest
        lines: list[str | ProtocolError | None] = []
        while not lines or isinstance(lines[-1], str):
            try:
                lines.append(await stream.read_line())
            except ProtocolError as error:
                lines.append(error)
        return lines

    return run(read())


def test_lines_are_cut_wherever_the_pieces_end() -> None:
    assert feed(b"on", b"e\ntw", b"o\r\n\nthree") == ["one", "two", "", None]


def test_bytes_that_are_no_text_are_kept_as_a_line() -> None:
    assert feed(b"\xff\xfe\x00\n") == ["��\x00", None]


@pytest.mark.parametrize("data", [b"x" * 101, b"x" * 101 + b"\n", b"ok\n" + b"x" * 5000])
def test_a_line_without_end_is_refused(data: bytes) -> None:
    assert isinstance(feed(data)[-1], ProtocolError)
