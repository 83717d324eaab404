"""Our client against servers that lie, babble or say nothing."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.career import Patience
from katachi.interfaces.cgos.client import ClientSettings
from tests.interfaces.cgos.playground import LOCAL, PASSWORD, QUICK, make_client, run

SETUP = b"setup 1 5 7.0 60000 you(1500) liar(1500)\n"


class Liar:
    """Logs everyone in, then says its lines and listens for a while."""

    def __init__(self, words: bytes, *, logs_in: bool = True, repeats: bool = False) -> None:
        self.words = words
        self.logs_in = logs_in
        self.repeats = repeats
        self.connections = 0
        self.heard: list[bytes] = []

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            if self.logs_in:
                for question in (b"protocol genmove_analyze\n", b"username\n", b"password\n"):
                    writer.write(question)
                    await reader.readuntil(b"\n")
            writer.write(self.words)
            await writer.drain()
            while self.repeats:
                writer.write(self.words)
                await writer.drain()
            while line := await reader.readline():
                self.heard.append(line)
        writer.close()


@contextlib.asynccontextmanager
async def listening(liar: Liar) -> AsyncIterator[int]:
    server = await asyncio.start_server(liar.meet, LOCAL, 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])
        server.close()


def suffer(liar: Liar, patience: Patience = QUICK) -> tuple[str, list[str]]:
    """How the client ended, and its log."""
    log: list[str] = []

    async def meet() -> str:
        async with listening(liar) as port:
            client = make_client("liar", port, None, log=log.append, patience=patience)
            with pytest.raises(KatachiError) as caught:
                await client.run()
            await asyncio.sleep(0.05)
            return str(caught.value)

    return run(meet()), log


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (b"\xff\xfe\x00\x01garbage\n" * 50, "no Computer Go Server"),
        (b"GET / HTTP/1.1\n" * 50, "no Computer Go Server"),
        (b"x" * 400_000, "longer than"),
        (b"info " + b"x" * 400_000 + b"\n", "longer than"),
        (b"setup 1 99 7.0 60000 a b\n", "size 99"),
        (b"setup 1 1 7.0 60000 a b\n", "size 1"),
        (b"setup 1 9 7.0 60000\n", "4 words"),
        (SETUP + b"play b A1 1\nplay w A1 1\n", "occupied"),
        (SETUP + b"play w A1 1\n", "whose turn it is not"),
        (SETUP + b"genmove b 1000\ngenmove b 1000\n", "asked for twice"),
        (SETUP + b"genmove b forever\n", "'forever'"),
        (SETUP + b"play b Q19 1\n", "not on a 5x5 board"),
        (b"genmove b 1000\n", "before any game"),
        (b"info welcome\nError: you are not wanted\n", "not wanted"),
        (b"info welcome\nError: I know your password " + PASSWORD.encode() + b"\n", r"\*\*\*"),
    ],
)
def test_a_lie_ends_in_one_clear_line(words: bytes, complaint: str) -> None:
    liar = Liar(words)
    text, log = suffer(liar)
    assert liar.connections == QUICK.tries
    assert text.startswith(f"given up after {QUICK.tries} tries: 127.0.0.1 port ")
    assert any(_has(line, complaint) for line in log)
    for line in [text, *log]:
        assert line.isprintable()
        assert len(line) < 400
        assert PASSWORD not in line


def _has(line: str, complaint: str) -> bool:
    return complaint.replace("\\", "") in line


def test_a_refused_login_is_not_tried_again() -> None:
    liar = Liar(b"Error: the password " + PASSWORD.encode() + b" does not match\n")
    text, _ = suffer(liar)
    assert "refused the login" in text
    assert PASSWORD not in text
    assert liar.connections == 1


def test_a_flood_of_lines_is_cut_off() -> None:
    text, log = suffer(Liar(b"info x\n" * 1000, repeats=True), replace(QUICK, tries=2))
    assert "given up" in text
    assert any("talks without end" in line for line in log)


@pytest.mark.parametrize("logs_in", [True, False])
def test_a_silent_server_is_left(logs_in: bool) -> None:
    patience = replace(QUICK, tries=2, login=0.2, long_silence=0.3)
    text, _ = suffer(Liar(b"", logs_in=logs_in), patience)
    assert "silent" in text


def test_nobody_there_is_one_line() -> None:
    async def call() -> None:
        server = await asyncio.start_server(lambda _r, _w: None, LOCAL, 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        await make_client("nobody", port).run()

    with pytest.raises(KatachiError, match="given up after 5 tries: 127"):
        run(call())


def answers(milliseconds: bytes) -> list[bytes]:
    """What a client says to `genmove` with this time, and to the end of the game after it."""

    async def meet() -> list[bytes]:
        liar = Liar(SETUP + b"genmove b " + milliseconds + b"\n")
        async with listening(liar) as port:
            client = make_client("liar", port, 1)
            task = asyncio.create_task(client.run())
            async with asyncio.timeout(30):
                while not liar.heard:
                    await asyncio.sleep(0.01)
            client.request_end()
            client.request_end()
            await task
        return liar.heard

    return run(meet())


@pytest.mark.parametrize("milliseconds", [b"0", b"-1000", b"1", b"999999999999999"])
def test_absurd_times_get_a_legal_move(milliseconds: bytes) -> None:
    [answer] = answers(milliseconds)
    assert answer.endswith(b"\n")
    assert answer.split()[0] != b"pass"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "x"}, "no name"),
        ({"name": "a b c"}, "no name"),
        ({"password": ""}, "password must not be empty"),
        ({"password": "pass word"}, "password must not"),
        ({"password": "pass\tword"}, "password must not"),
        ({"password": "pass\x00word"}, "password must not"),
        ({"port": 0}, "no port"),
        ({"games": 0}, "0 games"),
        ({"lag": -1.0}, "lag"),
    ],
)
def test_settings_no_server_would_take(change: dict[str, object], words: str) -> None:
    good: dict[str, object] = {"host": LOCAL, "port": 1, "name": "name", "password": PASSWORD}
    with pytest.raises(KatachiError, match=words) as caught:
        ClientSettings(**{**good, **change})  # type: ignore[arg-type]
    assert "word" not in str(caught.value).replace("password", "")


def test_the_wait_before_another_try_doubles_up_to_a_limit() -> None:
    patience = Patience()
    waits = [patience.retry_delay(failures, 1.0) for failures in (1, 2, 3, 7, 1000)]
    assert waits == [1.0, 2.0, 4.0, 60.0, 60.0]
    assert patience.retry_delay(3, 0.0) == 2.0
