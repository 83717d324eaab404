"""One browser and one server for the tests of the page in a browser, in each process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from katachi.arena.database import Database
from tests.arena.stored_games import SETTINGS, contestant, new_game
from tests.interfaces.web.browser.screen import Screen, Served, browsing, find_browser, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NewScreen = Callable[..., Screen]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what needs the browser, so that `-m "not browser"` holds."""
    item.add_marker("browser")


@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """The installed chromium. Without it the tests are skipped."""
    pytest.importorskip("playwright", reason="needs playwright, which `make setup` installs")
    program = find_browser()
    if program is None:
        pytest.skip("needs Chromium, which is not installed (apt-get install chromium)")
    with browsing(program) as found:
        yield found


def write_ladder(path: Path) -> None:
    """A ladder of six games between three players."""
    with Database(path) as database:
        database.agree_on(SETTINGS, {"name": "small ladder"})
        a, b = database.enter(contestant("a")), database.enter(contestant("b", anchor=850.0))
        c = database.enter(contestant("c"))
        for number in range(4):
            database.add_game(new_game(a, b, number))
        database.add_game(new_game(b, c, 0))
        database.add_game(new_game(c, a, 0))


@pytest.fixture(scope="package")
def served(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`katachi web` as a process of its own, in a folder with a ladder."""
    folder = tmp_path_factory.mktemp("served")
    write_ladder(folder / "small.db")
    with serving(folder) as found:
        yield found


@pytest.fixture
def new_screen(browser: "Browser", served: Served) -> Iterator[NewScreen]:
    """Makes pages that know nothing of each other. None may have had a fault when the test ends."""
    made: list[Screen] = []

    def new(url: str = served.url, **options: Any) -> Screen:
        desk = {"viewport": {"width": 1280, "height": 900}}
        settings: dict[str, Any] = desk | options
        page = browser.new_context(**settings).new_page()
        made.append(Screen(page, url))
        return made[-1]

    yield new
    for screen in made:
        screen.page.context.close()
    assert [fault for screen in made for fault in screen.faults] == []


@pytest.fixture
def screen(new_screen: NewScreen) -> Screen:
    """A page on a desk."""
    return new_screen()
