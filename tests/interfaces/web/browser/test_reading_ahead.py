"""A tree on the page in a browser: visits, expected lines and owners that grow."""

import re

from tests.interfaces.web.browser.screen import Screen
from tests.interfaces.web.browser.test_reviewing import (
    marks_on_board,
    open_record,
    press,
    random_record,
)

MOST = 400


def open_by(screen: Screen, evaluator: str, size: int, moves: int) -> None:
    """Opens a record and lets an evaluator show its candidates at the end."""
    open_record(screen.open(), random_record(size, moves))
    press(screen, "End")
    screen.part("evaluator-1").select_option(evaluator)
    screen.part("candidates-switch").click()


def visits_shown(screen: Screen) -> list[int]:
    """The column of visits, from the top."""
    cells = screen.part("candidates").locator("tbody .share").all_inner_texts()
    return [int(cell) for cell in cells]


def test_a_tree_shows_visits_and_owners(screen: Screen) -> None:
    open_by(screen, "tree", 9, 20)
    screen.shows("searched", f"{MOST} positions read.")
    screen.shows("visits", "Visits")
    visits = visits_shown(screen)
    assert visits == sorted(visits, reverse=True)
    assert MOST // 2 < sum(visits) < MOST
    assert visits[0] > 20
    assert marks_on_board(screen, ".owners rect") == []
    screen.choose("overlay-now")
    screen.shows("legend", f"The mean over {MOST} positions that were read ahead.")
    screen.shows("overlay-points", re.compile(r"Black .*, White .* points"))
    assert len(marks_on_board(screen, ".owners rect")) > 20
    screen.choose("overlay-after_pass")
    screen.shows("legend", "as tree sees it: the mean over all positions")


def test_the_line_of_a_move_is_seen_on_the_board(screen: Screen) -> None:
    open_by(screen, "tree", 9, 20)
    screen.shows("searched", f"{MOST} positions read.")
    best = screen.part("candidates").locator("tbody button.link").first
    screen.shows("line", re.compile(rf"Expected after {best.inner_text()}: [A-J]\d"))
    assert len(marks_on_board(screen, ".label")) > 3
    assert marks_on_board(screen, ".numbered") == []
    best.click()
    screen.page.locator("[data-test=board] .numbered").nth(1).wait_for()
    numbered = marks_on_board(screen, ".numbered")
    assert [name in numbered[0] for name in ("black", "white")] == [True, False]
    assert "white" in numbered[1]
    assert marks_on_board(screen, ".label") == []
    best.click()
    screen.page.locator("[data-test=board] .label").first.wait_for()
    assert marks_on_board(screen, ".numbered") == []


def test_visits_grow_and_begin_again_at_another_move(screen: Screen) -> None:
    open_by(screen, "tree:2000", 19, 30)
    for _ in range(2):
        screen.shows("searched", re.compile(r"Reading ahead: [\d,]+ of 2,000 positions"))
        press(screen, "ArrowLeft")
    screen.shows("searched", "Reading ahead")
    screen.part("evaluator-1").select_option("territory")
    screen.part("searched").wait_for(state="detached")
    screen.part("candidates").wait_for()
    assert not screen.has("visits")


def test_a_tree_says_why(screen: Screen) -> None:
    open_by(screen, "tree", 9, 20)
    screen.part("candidates").locator('[data-test^="why-"]').nth(1).click()
    screen.shows("why-verdict", re.compile(r"moves? for tree|tree likes it best"))
    screen.shows("why-territory", re.compile(r"Points before: .* after: .* gained"))
