"""How long a person waits at the page of `katachi web`, in a real browser.

    python benchmarks/web_page.py [--json]

Needs Chromium and playwright (`make setup`), and compiled kernels (`katachi warmup`). Figures are
medians in milliseconds: from the command to a board on which a move can be played, the browser
being open already; from a click to the drawn answer of a player that looks one move ahead; and
from a key to the drawn territory of a position not seen before.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from _report import Measurement, measured_versions, read_options, show

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.interfaces.web.browser.screen import Screen, browsing, find_browser, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STARTS = 7
OVERLAYS = 12
PLAYERS = ("territory", "shape", "crbm", "influence", "alp")
"""They look one move ahead."""
SPOTS = [(x, y) for x in (2, 6, 4) for y in (2, 6, 4, 3, 5, 7, 1)]
"""Where is played, as far as nobody has been there before."""
EXAMPLE = "chinese"

# Milliseconds from a click on a point until the answer is drawn; null where none comes.
CLICK = """([x, y]) => new Promise((done) => {
    const moves = () => document.querySelectorAll("[data-test=moves] li").length;
    const before = moves();
    setTimeout(() => done(null), 3000);
    const begin = performance.now();
    document.querySelector(`[data-test=board] [data-x="${x}"][data-y="${y}"]`).click();
    const look = () => moves() >= before + 2 ? done(performance.now() - begin)
        : requestAnimationFrame(look);
    look();
})"""

# Milliseconds from the key that shows territory until it is drawn.
OVERLAY = """() => new Promise((done) => {
    const begin = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true }));
    const look = () => document.querySelector("[data-test=board] .owners rect")
        ? done(performance.now() - begin) : requestAnimationFrame(look);
    look();
})"""


def say(name: str, times: Sequence[float], goal: float, versions: dict[str, str]) -> None:
    """Shows the median of some waits."""
    ordered = sorted(times)
    settings = {
        "rounds": len(ordered),
        "shortest": round(ordered[0], 1),
        "longest": round(ordered[-1], 1),
        "goal": goal,
        "load": round(os.getloadavg()[0], 1),
    }
    median = round(statistics.median(ordered), 1)
    show(Measurement(name, median, None, None, settings, unit="ms"), versions)


def new_screen(browser: "Browser", url: str) -> Screen:
    """A page that remembers nothing."""
    return Screen(browser.new_context(viewport={"width": 1280, "height": 900}).new_page(), url)


def starts(browser: "Browser", folder: Path, count: int = STARTS) -> list[float]:
    """Milliseconds from the command to a board on which a move can be played."""
    found = []
    for _ in range(count):
        begin = time.perf_counter()
        with serving(folder) as served:
            screen = new_screen(browser, served.url).open()
            screen.part("start").click()
            screen.my_turn()
            found.append(1000 * (time.perf_counter() - begin))
            screen.page.context.close()
    return found


def replies(screen: Screen, player: str) -> list[float]:
    """Milliseconds from each click to the answer, but for the first, which loads the player."""
    screen.open().page.evaluate("() => localStorage.clear()")
    screen.page.reload()
    screen.start_game(player, 9)
    found: list[float] = []
    for x, y in SPOTS:
        screen.my_turn()
        if screen.diagram()[y][x] == ".":
            waited = screen.page.evaluate(CLICK, [x, y])
            if waited is None:  # it has resigned
                break
            found.append(waited)
    return found[1:]


def overlays(screen: Screen, count: int = OVERLAYS) -> list[float]:
    """Milliseconds from the key to the territory, each time one move further; then it is off."""
    found: list[float] = []
    for _ in range(count):
        screen.page.keyboard.press("ArrowRight")
        screen.rest()
        found.append(screen.page.evaluate(OVERLAY))
        screen.page.keyboard.press("t")
        screen.part("legend").wait_for(state="detached")
    return found


def open_example(screen: Screen) -> None:
    """A game of 19x19, some moves in, with the model of the overlay loaded."""
    screen.open("review").part(f"example-{EXAMPLE}").click()
    screen.part("next").wait_for()
    screen.page.keyboard.press("PageDown")
    overlays(screen, 1)


def main() -> None:
    """All figures, or a line that says what is missing."""
    read_options()
    program = find_browser()
    if program is None:
        sys.stderr.write("web_page: needs Chromium (apt-get install chromium)\n")
        return
    versions = measured_versions("starlette", "uvicorn", "websockets", "playwright")
    with browsing(program) as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        versions["chromium"] = browser.version
        # The first start reads everything from the disk.
        say("katachi web to a playable board", starts(browser, folder)[1:], 5000, versions)
        with serving(folder) as served:
            for player in PLAYERS:
                times = replies(new_screen(browser, served.url), player)
                say(f"click to the answer of {player}, 9x9", times, 150, versions)
            screen = new_screen(browser, served.url)
            open_example(screen)
            during = overlays(screen)
            screen.page.locator('[data-test^="mistake-"]').first.wait_for(timeout=120_000)
            say("territory, 19x19", overlays(screen), 300, versions)
            say("territory, 19x19, while the game is reviewed", during, 300, versions)


if __name__ == "__main__":
    main()
