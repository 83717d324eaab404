"""A run begun on the page and watched there, the library, and the ladder."""

import re

import pytest

from tests.interfaces.web.browser.screen import Screen

POINTS = "() => document.querySelectorAll('[data-test=run] .chart .series').length >= 2"
PASSED = """() => [...document.querySelectorAll("[data-test=run] .chart svg")].some((chart) =>
    /ALP, last (5[1-9]|[6-9]\\d|100)\\s%/.test(chart.ariaLabel))"""


def start_run(screen: Screen) -> None:
    """Begins a run and waits for the first points of its curves."""
    screen.open("learning").part("train").click()
    screen.shows("run-status", "Learning")
    screen.wait_for(POINTS)


def play_against_run(screen: Screen) -> None:
    """Two moves against the learner that is shown."""
    screen.page.locator('[data-test="play-run"]:not([disabled])').click()
    assert "your learner" in screen.part("player").locator("option:checked").inner_text()
    screen.part("start").click()
    for count, vertex in ((2, "C3"), (4, "A1")):
        screen.my_turn()
        screen.point(vertex).click()
        screen.wait_for_moves(count)
    assert screen.size() == 5
    assert "your learner" in screen.text("side-white")


def test_a_run_is_begun_watched_until_it_passes_alp_and_played_against(screen: Screen) -> None:
    start_run(screen)
    assert screen.part("train").is_disabled()
    screen.shows("run-status", "games/s")
    screen.part("samples").wait_for()
    screen.wait_for(PASSED)
    screen.page.set_default_timeout(120_000)
    play_against_run(screen)
    screen.part("tab-learning").click()
    screen.shows("run-status", "Done: 120,000 of 120,000")
    assert screen.part("train").is_enabled()


@pytest.mark.slow
def test_a_run_can_be_stopped_on_the_page(screen: Screen) -> None:
    start_run(screen)
    screen.part("stop-run").click()
    screen.shows("run-status", re.compile(r"Done: [\d,]+ of 120,000"))
    screen.part("stop-run").wait_for(state="detached")


def test_shapes_are_found_by_drawing_stones(screen: Screen) -> None:
    screen.open("library").part("shapes").locator("li").first.wait_for()
    title = screen.part("shapes").locator("h2")
    every = title.inner_text()
    screen.part("pattern-1-1").click()
    screen.part("pattern-1-2").click()
    screen.part("pattern-1-2").click()
    screen.wait_for(
        """(every) => { const now = document.querySelector("[data-test=shapes] h2").innerText;
            return now !== every && /\\d/.test(now); }""",
        every,
    )


def test_the_opening_tree_is_walked_on_the_board(screen: Screen) -> None:
    screen.open("library")
    screen.choose("shelf-openings")
    first = screen.part("opening-moves").locator("button").first
    vertex = first.inner_text()
    games = screen.text("opening-games")
    screen.point(vertex).click()
    screen.shows("opening-path", vertex)
    screen.wait_for(
        "(old) => document.querySelector('[data-test=opening-games]')?.innerText !== old", games
    )
    assert "".join(screen.diagram()).count("X") == 1


def test_the_games_of_a_pair_open_in_review_whoever_was_black(screen: Screen) -> None:
    screen.open("ladder")
    small = screen.part("ladder").locator("option", has_text="small ladder")
    screen.part("ladder").select_option(small.get_attribute("value"))
    screen.shows("ranking", "small ladder")
    screen.part("cross").locator("button").first.click()
    screen.part("games").locator('[data-test^="game-"]').first.click()
    screen.part("record").wait_for()
    assert screen.page.url.endswith("#review")
