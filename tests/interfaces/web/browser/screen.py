"""A real browser, a real `katachi web`, and the eyes and hands of a person at its page."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Playwright, Request

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30_000
"""Milliseconds that anything on a page may take on a busy machine."""
COLUMNS = "ABCDEFGHJKLMNOPQRST"
DIMMED = """[...document.querySelectorAll("[data-test=board] .shudan-dimmed")]
    .map(({ dataset }) => [Number(dataset.x), Number(dataset.y)])"""
"""JavaScript: columns and rows of the stones that are drawn as dead."""
TABS = ("play", "review", "library", "learning", "ladder")


def find_browser() -> str | None:
    """The chromium on the path."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def browsing(program: str) -> Iterator["Browser"]:
    """The installed chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, _launched(playwright, program) as browser:
        yield browser


def _launched(playwright: "Playwright", program: str) -> "Browser":
    # Root and containers often lack what the sandbox and /dev/shm need; the page is our own.
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    return playwright.chromium.launch(executable_path=program, args=arguments)


@dataclass
class Served:
    """A `katachi web` that runs."""

    url: str
    process: "subprocess.Popen[str]"

    def close(self) -> None:
        """Ends it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE / 1000)


@contextmanager
def serving(folder: Path, port: str = "0") -> Iterator[Served]:
    """`katachi web` in a folder, which also keeps the runs that pages begin."""
    command = [sys.executable, "-m", "katachi", "web", "--no-open", "--port", port]
    environment = os.environ | {"XDG_DATA_HOME": str(folder / "data")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment
    ) as process:
        assert process.stdout is not None
        served = Served(process.stdout.readline().strip(), process)
        try:
            yield served
        finally:
            served.close()


class Screen:
    """One page in a browser. What goes wrong on it behind the scenes is kept in `faults`."""

    def __init__(self, page: "Page", url: str) -> None:
        self.page = page
        self.url = url
        self.faults: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._watch)

    def _hear(self, message: "ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(message.text)

    def _watch(self, request: "Request") -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"a request to {request.url}")

    def open(self, tab: str = "play") -> "Screen":
        """The page, once it can be used."""
        self.page.goto(f"{self.url}#{tab}")
        self.page.locator("main section").first.wait_for()
        return self

    def part(self, name: str) -> "Locator":
        """The element that tests know by this name."""
        return self.page.locator(f'[data-test="{name}"]')

    def text(self, name: str) -> str:
        return self.part(name).inner_text()

    def shows(self, name: str, line: str | re.Pattern[str]) -> None:
        """Waits until a part holds a text."""
        from playwright.sync_api import expect

        expect(self.part(name)).to_contain_text(line, timeout=PATIENCE)

    def wait_for(self, condition: str, value: Any = None) -> None:
        """Waits until an expression of JavaScript, or a function of the value, is true."""
        self.page.wait_for_function(condition, arg=value)

    def rest(self) -> None:
        """Waits for the next picture: what is just drawn hears the keyboard only then."""
        self.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))")

    def wait_for_moves(self, count: int) -> None:
        """Waits until the game has so many moves."""
        self.wait_for(
            "(count) => document.querySelectorAll('[data-test=moves] li').length === count", count
        )

    def choose(self, name: str) -> None:
        """Takes one of a row of choices, as a click on its words does."""
        self.page.locator(f'label:has([data-test="{name}"])').click()

    def start_game(self, player: str, size: int, komi: float | None = None) -> None:
        self.part("player").select_option(player)
        self.choose(f"size-{size}")
        if komi is not None:
            self.part("komi").fill(str(komi))
        self.part("start").click()
        self.my_turn()

    def my_turn(self) -> None:
        """Waits until a move can be played."""
        self.page.locator('[data-test="pass"]:not([disabled])').wait_for()

    def point(self, vertex: str) -> "Locator":
        """A point of the board, by Shudan's own columns and rows."""
        x, y = COLUMNS.index(vertex[0]), self.size() - int(vertex[1:])
        return self.part("board").locator(f'.shudan-vertex[data-x="{x}"][data-y="{y}"]')

    def size(self) -> int:
        """Lines of the board."""
        vertices = self.part("board").locator('.shudan-vertex[data-y="0"]')
        return vertices.count()

    def diagram(self) -> list[str]:
        """Rows of the board from the top: X, O and dots."""
        rows: list[str] = self.page.evaluate(
            """() => {
                const rows = [];
                const points = "[data-test=board] .shudan-vertex";
                for (const vertex of document.querySelectorAll(points)) {
                    const { x, y } = vertex.dataset;
                    const sign = vertex.classList.contains("shudan-sign_1") ? "X"
                        : vertex.classList.contains("shudan-sign_-1") ? "O" : ".";
                    (rows[y] ??= [])[x] = sign;
                }
                return rows.map((row) => row.join(""));
            }"""
        )
        return rows

    def dead(self) -> list[str]:
        """The stones that are drawn as dead, row by row from the top."""
        spots: list[tuple[int, int]] = self.page.evaluate(f"() => {DIMMED}")
        return [f"{COLUMNS[x]}{self.size() - y}" for x, y in spots]

    def wait_for_dead_other_than(self, dead: list[str]) -> None:
        """Waits until other stones than these are drawn as dead."""
        spots = [[COLUMNS.index(vertex[0]), self.size() - int(vertex[1:])] for vertex in dead]
        self.wait_for(f"(spots) => String({DIMMED}) !== String(spots)", spots)

    def moves(self) -> list[str]:
        """The moves of the game in progress, as listed."""
        items = self.part("moves").locator("li").all_inner_texts() if self.has("moves") else []
        return [item.split()[-1] for item in items]

    def has(self, name: str) -> bool:
        """Whether a part is on the page now."""
        return self.part(name).count() > 0

    def drop(self, name: str, content: bytes) -> None:
        """Drops a file on the board."""
        files = self.page.evaluate_handle(
            """([name, text]) => {
                const data = new DataTransfer();
                data.items.add(new File([text], name));
                return data;
            }""",
            [name, content.decode()],
        )
        for event in ("dragenter", "dragover", "drop"):
            self.part("board").dispatch_event(event, {"dataTransfer": files})

    def download(self, name: str) -> bytes:
        """The file that a button saves."""
        with self.page.expect_download() as waiting:
            self.part(name).click()
        return Path(waiting.value.path()).read_bytes()
