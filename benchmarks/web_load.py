"""Many pages that analyse at once: whether the server is fair, grows, and stops.

    python benchmarks/web_load.py [--json] [--pages N] [--seconds N]

Starts `katachi web`, opens so many WebSockets, and has each ask for one analysis after another, on
the positions of a 19x19 game. Goals: the slowest page has at least a third of the median page's
answers, no errors, memory that stays, and no work a second after all pages have left in the middle
of a review. Server and pages share the machine.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _report import Measurement, measured_versions, show
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

EVALUATOR = "territory"
SIZE = 19
MINUTE = 60.0
WINDOW = 0.05
"""Seconds between two looks at the server's CPU time."""
IDLE = 0.2
"""Share of a core below which nothing is worked on."""
QUIET_WINDOWS = 20
"""So many in a row, and the server has stopped."""
LAST_LOOK = 20.0


@dataclass
class Page:
    """What one page has seen."""

    answers: int = 0
    errors: list[str] = field(default_factory=list)


@dataclass
class Server:
    """The server's process, and the way to it."""

    process: "subprocess.Popen[str]"
    address: str

    def mebibytes(self) -> float:
        """Resident memory."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def cpu_seconds(self) -> float:
        """What all its threads have used."""
        text = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def running_server() -> AsyncIterator[Server]:
    """A server of its own that has compiled all it needs."""
    command = [sys.executable, "-m", "katachi", "web", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        printed = process.stdout.readline().strip()
        server = Server(process, printed.replace("http", "ws", 1) + "api/v1/live")
        async with connect(server.address) as socket:
            while (await ask(socket, "status"))["result"]["compiling"] is not None:
                await asyncio.sleep(1.0)
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


async def ask(socket: ClientConnection, op: str, **fields: Any) -> dict[str, Any]:
    """The last frame of an answer."""
    await socket.send(json.dumps({"id": 1, "op": op, "fields": fields}))
    while True:
        frame: dict[str, Any] = json.loads(await socket.recv())
        if "part" not in frame:
            return frame


async def analyse_until(end: float, socket: ClientConnection, page: Page, moves: list[str]) -> None:
    """One page that asks for the next position as soon as it has an answer."""
    number = 0
    while time.monotonic() < end:
        number = (number + 7) % (len(moves) + 1)  # early and late positions, alike for all pages
        try:
            frame = await ask(socket, "analyse", **question(moves[:number]))
        except (OSError, ConnectionClosed) as error:
            page.errors.append(str(error))
            return
        if "error" in frame:
            page.errors.append(frame["error"])
        page.answers += 1


def question(moves: list[str]) -> dict[str, Any]:
    """The fields of a request about a position."""
    return {"game": {"size": SIZE, "moves": moves, "record": True}, "evaluator": EVALUATOR}


async def watch_memory(server: Server, end: float, seen: list[float]) -> None:
    """Notes the server's memory every minute, and at the end."""
    while (left := end - time.monotonic()) > 0:
        await asyncio.sleep(min(MINUTE, left))
        seen.append(server.mebibytes())


async def seconds_after_leaving(
    server: Server, sockets: list[ClientConnection], moves: list[str]
) -> float:
    """How long the server goes on working once all pages are gone, each with a review begun."""
    for socket in sockets:
        await socket.send(json.dumps({"id": 2, "op": "review", "fields": question(moves)}))
    await asyncio.sleep(1.0)
    begin = last = time.monotonic()
    for socket in sockets:
        socket.transport.abort()
    quiet, before = 0, server.cpu_seconds()
    while quiet < QUIET_WINDOWS and time.monotonic() - begin < LAST_LOOK:
        await asyncio.sleep(WINDOW)
        now, used = time.monotonic(), server.cpu_seconds()
        is_quiet = used - before <= IDLE * WINDOW
        quiet, last = (quiet + 1, last) if is_quiet else (0, now)
        before = used
    return last - begin


async def measure(count: int, seconds: float) -> None:
    """Prints what so many pages have seen."""
    versions = measured_versions("starlette", "uvicorn", "websockets")
    async with running_server() as server:
        sockets = [await connect(server.address) for _ in range(count)]
        example = (await ask(sockets[0], "example", id="chinese"))["result"]
        moves = [node["vertex"] for node in example["nodes"]]
        await ask(sockets[0], "analyse", **question(moves))
        memory = [server.mebibytes()]
        pages, end = [Page() for _ in range(count)], time.monotonic() + seconds
        working = [
            analyse_until(end, socket, page, moves)
            for socket, page in zip(sockets, pages, strict=True)
        ]
        await asyncio.gather(watch_memory(server, end, memory), *working)
        after = await seconds_after_leaving(server, sockets, moves)
    settings = {"pages": count, "seconds": seconds, "size": SIZE, "evaluator": EVALUATOR}
    for measurement in measurements(pages, memory, after, settings):
        show(measurement, versions)


def measurements(
    pages: list[Page], memory: list[float], after: float, settings: dict[str, Any]
) -> list[Measurement]:
    """What is printed."""
    answers = sorted(page.answers for page in pages)
    median = statistics.median(answers)
    errors = [text for page in pages for text in page.errors]
    share = answers[0] / median if median else None
    spread = settings | {"min": answers[0], "median": median, "max": answers[-1]}
    grown = settings | {"each_minute": [round(each, 1) for each in memory]}
    first = memory[min(1, len(memory) - 1)]
    return [
        Measurement("answers a second, all pages", sum(answers) / settings["seconds"], None, None,
                    settings, "a second"),
        Measurement("answers of the slowest page (peer: the median)", answers[0], median, share,
                    spread, "answers"),
        Measurement("errors", len(errors), None, None, settings | {"first": errors[:3]}, "errors"),
        Measurement("memory at the end (peer: after a minute)", memory[-1], first,
                    memory[-1] / first, grown, "MiB"),
        Measurement("work after all pages have left", 1000 * after, None, None, settings, "ms"),
    ]  # fmt: skip


def main() -> None:
    """Reads the command line and prints the measurements."""
    parser = argparse.ArgumentParser(description="Many pages that analyse at once.")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--pages", type=int, default=50, metavar="N", help="open at once")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="N", help="how long")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.pages, arguments.seconds))


if __name__ == "__main__":
    main()
