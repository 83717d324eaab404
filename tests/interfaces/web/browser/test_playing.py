"""Games played on the page in a browser."""

import re
from pathlib import Path

from katachi.records.sgf import read_games
from katachi.rules.point import vertex_from_point
from tests.interfaces.web.browser.conftest import NewScreen
from tests.interfaces.web.browser.screen import COLUMNS, Screen, serving
from tests.oracle.go import BLACK, WHITE, owners_of

WALL: tuple[str, ...] = ("C3", "C2", "C4", "C1", "C5", "D4", "D2", "B3")


def play_to_the_end(screen: Screen) -> list[str]:
    """Plays a wall down the middle, passes until the other side does too; returns all moves."""
    wishes: list[str] = [*WALL]
    while not screen.has("score"):
        screen.my_turn()
        count = len(screen.moves())
        free = [vertex for vertex in wishes if is_empty(screen, vertex)][:1]
        if free:
            wishes.remove(free[0])
            screen.point(free[0]).click()
        else:
            screen.part("pass").click()
        answered = '[data-test="moves"] li'
        screen.wait_for(
            """([moves, count]) => document.querySelectorAll(moves).length > count + 1
                || document.querySelector('[data-test="score"]')""",
            [answered, count],
        )
    return screen.moves()


def is_empty(screen: Screen, vertex: str) -> bool:
    rows = screen.diagram()
    return rows[len(rows) - int(vertex[1:])]["ABCDE".index(vertex[0])] == "."


def first_stone(screen: Screen) -> str:
    """Any stone on the board: its opponent plays by chance, and may have taken this one or that."""
    rows = screen.diagram()
    at = next(
        (row, column) for row, line in enumerate(rows) for column in range(5) if line[column] != "."
    )
    return f"{'ABCDE'[at[1]]}{len(rows) - at[0]}"


def count_without(rows: list[str], dead: list[str]) -> tuple[int, int]:
    """The points of Black and of White on a board without its dead stones."""
    size = len(rows)
    stones = {
        (row, column): "XO".index(sign) + 1
        for row, line in enumerate(rows)
        for column, sign in enumerate(line)
        if sign != "." and f"{COLUMNS[column]}{size - row}" not in dead
    }
    owners = list(owners_of(stones, size).values())
    return owners.count(BLACK), owners.count(WHITE)


def test_a_whole_game_is_played_counted_saved_and_kept(screen: Screen) -> None:
    screen.open().start_game("alp", 5, komi=0.5)
    moves = play_to_the_end(screen)
    assert moves[0] == "C3"
    assert moves[-2:] == ["pass", "pass"]
    screen.shows("score-result", re.compile(r"[BW]\+\d"))
    points = [float(screen.text(f"score-{color}")) for color in ("black", "white")]
    assert sum(points) == 25
    lead = points[0] - points[1] - 0.5
    result = f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"
    screen.part("accept").click()
    assert screen.text("result") == result
    (record,) = read_games(screen.download("save"))
    assert [vertex_from_point(point, 5) for point in record.moves] == moves
    assert f"RE[{result}]".encode() in screen.download("save")
    screen.page.reload()
    screen.shows("result", result)


def test_a_stone_marked_dead_changes_the_count_at_once(screen: Screen) -> None:
    screen.open().start_game("random", 5)
    screen.point("C3").click()
    screen.my_turn()
    screen.wait_for_moves(2)
    play_to_the_end(screen)
    screen.shows("score-result", re.compile(r"[BW]\+\d"))
    before = screen.dead()
    stone = first_stone(screen)
    screen.point(stone).click()
    screen.wait_for_dead_other_than(before)
    after = screen.dead()
    assert (stone in after) != (stone in before)
    shown = tuple(int(screen.text(f"score-{color}")) for color in ("black", "white"))
    assert shown == count_without(screen.diagram(), after)


def test_an_illegal_point_is_refused_with_a_line_and_undo_takes_two_moves_back(
    screen: Screen,
) -> None:
    screen.open().start_game("random", 5)
    screen.point("C3").click()
    screen.wait_for_moves(2)
    screen.point("C3").click()
    screen.shows("note", "C3 is not a legal move")
    screen.part("undo").click()
    assert screen.diagram() == ["....."] * 5
    screen.my_turn()


def test_a_handicap_game_begins_with_white(screen: Screen) -> None:
    screen.open()
    screen.part("player").select_option("random")
    screen.choose("size-9")
    screen.part("handicap").select_option("3")
    assert screen.part("komi").input_value() == "0.5"
    screen.part("start").click()
    screen.my_turn()
    rows = "".join(screen.diagram())
    assert (rows.count("X"), rows.count("O")) == (3, 1)


def test_the_keyboard_alone_starts_a_game_plays_it_and_passes(screen: Screen) -> None:
    press = screen.open().page.keyboard.press
    press_until(screen, "player", "Tab")
    screen.page.keyboard.type("random")
    press_until(screen, "start", "Tab")
    press("Enter")
    screen.my_turn()
    screen.wait_for("() => document.activeElement.dataset.test === 'board'")
    press("ArrowUp")
    press("ArrowUp")
    screen.shows("live", "E6, empty")
    press("Enter")
    screen.wait_for_moves(2)
    assert screen.moves()[0] == "E6"
    assert "random" in screen.text("side-white")
    screen.my_turn()
    press("p")
    screen.wait_for_moves(4)
    assert screen.moves()[2] == "pass"
    press("u")
    screen.wait_for_moves(2)
    press("?")
    screen.page.locator("dialog[open]").wait_for()
    press("Escape")
    screen.page.locator("dialog[open]").wait_for(state="hidden")


def press_until(screen: Screen, name: str, key: str) -> None:
    """Presses a key until the part has the focus."""
    for _ in range(40):
        if screen.page.evaluate("() => document.activeElement.dataset.test") == name:
            return
        screen.page.keyboard.press(key)
    raise AssertionError(f"{key} never comes to {name}")


def test_a_server_that_ends_is_told_of_and_the_game_goes_on_when_it_is_back(
    new_screen: NewScreen, tmp_path: Path
) -> None:
    with serving(tmp_path) as served:
        screen = new_screen(url=served.url).open()
        screen.start_game("random", 5)
        assert not screen.has("banner")
    screen.shows("banner", "The server is gone")
    screen.point("C3").click()
    port = served.url.rstrip("/").rsplit(":", 1)[1]
    with serving(tmp_path, port):
        screen.wait_for_moves(2)
        assert not screen.has("banner")
    screen.page.close()
    # The browser itself says of every attempt that it failed.
    screen.faults.clear()
