"""How the page looks and reads: on a phone, in the dark, to those who see it otherwise."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interfaces.web.browser.conftest import NewScreen
from tests.interfaces.web.browser.screen import TABS, Screen

PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


ANSWERED = {
    "play": "[data-test=start]",
    "review": "[data-test=open]",
    "library": "[data-test=shapes] li",
    "learning": "[data-test=train]",
    "ladder": "[data-test=cross]",
    "openings": "[data-test=opening-moves]",
    "filters": "[data-test=filters] li",
}
"""What is there once the server has said what a view shows."""


def every_view(screen: Screen) -> Iterator[str]:
    """Goes through all tabs, and the shelves of the library; their names."""
    screen.open()
    for tab in TABS:
        screen.part(f"tab-{tab}").click()
        screen.page.locator(ANSWERED[tab]).first.wait_for()
        yield tab
    screen.part("tab-library").click()
    for shelf in ("openings", "filters"):
        screen.choose(f"shelf-{shelf}")
        screen.page.locator(ANSWERED[shelf]).first.wait_for()
        yield shelf


def luminance(screen: Screen, selector: str, which: str) -> float:
    """How bright a colour of the first such element is, from 0 to 255."""
    found: float = screen.page.evaluate(
        """([selector, which]) => {
            const style = getComputedStyle(document.querySelector(selector));
            const [r, g, b] = style[which].match(/[\\d.]+/g).map(Number);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        }""",
        [selector, which],
    )
    return found


def overhang(screen: Screen) -> int:
    """Pixels by which the page is wider than the window."""
    found: int = screen.page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


def test_a_phone_shows_every_tab_without_scrolling_sideways(new_screen: NewScreen) -> None:
    screen = new_screen(**PHONE)
    wide = {name: overhang(screen) for name in every_view(screen)}
    assert wide == dict.fromkeys(wide, 0)


def test_on_a_phone_the_first_tap_aims_and_the_second_plays(new_screen: NewScreen) -> None:
    screen = new_screen(**PHONE).open()
    screen.start_game("random", 19)
    box = screen.part("board").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert 330 <= box["width"] <= 360
    screen.point("Q16").tap()
    screen.shows("board-confirm", "Play Q16")
    assert "X" not in "".join(screen.diagram())
    screen.point("Q16").tap()
    screen.wait_for_moves(2)
    assert screen.moves()[0] == "Q16"


def test_dark_is_dark_by_the_system_and_by_choice(new_screen: NewScreen) -> None:
    dark = new_screen(color_scheme="dark").open()
    light = new_screen(color_scheme="light").open()
    for screen, is_dark in ((dark, True), (light, False)):
        assert (luminance(screen, "body", "backgroundColor") < 60) == is_dark
        assert (luminance(screen, "body", "color") > 180) == is_dark
    light.part("theme").select_option("dark")
    light.wait_for("() => document.documentElement.dataset.theme === 'dark'")
    assert luminance(light, "body", "backgroundColor") < 60
    light.page.reload()
    light.part("start").wait_for()
    assert luminance(light, "body", "backgroundColor") < 60


def faults_of(screen: Screen, colors: str) -> list[str]:
    """What axe calls serious or critical: rule, how often, and the first element.

    In the dark only colours differ: the other rules are tried in the light.
    """
    from axe_playwright_python.sync_playwright import Axe

    # The first few of a long list are enough: axe takes seconds for hundreds of small pictures.
    screen.page.evaluate(
        "() => document.querySelectorAll('main li:nth-child(n+7)').forEach((each) => each.remove())"
    )
    rules = {"runOnly": ["color-contrast", "link-in-text-block"]} if colors == "dark" else {}
    options = {"resultTypes": ["violations"]} | rules
    found = Axe().run(screen.page, options=options).response["violations"]
    return [
        f"{each['id']} x{len(each['nodes'])}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("colors", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault_on_any_tab(new_screen: NewScreen, colors: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="needs axe, which `make setup` installs")
    screen = new_screen(color_scheme=colors, bypass_csp=True, reduced_motion="reduce")
    faults = {name: faults_of(screen, colors) for name in every_view(screen)}
    assert faults == {name: [] for name in faults}


@pytest.mark.parametrize("colors", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault_in_a_game_with_reasons(
    new_screen: NewScreen, colors: str
) -> None:
    pytest.importorskip("axe_playwright_python", reason="needs axe, which `make setup` installs")
    screen = new_screen(color_scheme=colors, bypass_csp=True, reduced_motion="reduce").open()
    screen.start_game("random", 9)
    screen.page.keyboard.press("t")
    screen.page.keyboard.press("c")
    screen.part("evaluator-1").select_option("shape")
    screen.page.locator('[data-test="candidates"] [data-test^="why-"]').first.click()
    screen.shows("why-sum", "They sum exactly")
    assert faults_of(screen, colors) == []
    screen.page.keyboard.press("?")
    screen.page.locator("dialog[open]").wait_for()
    assert faults_of(screen, colors) == []
