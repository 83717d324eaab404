"""Records, overlays and reasons on the page in a browser."""

import re

import numpy as np
import pytest

from katachi.batch.cpu import play_games
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games, write_game
from katachi.rules.game import Game
from tests.interfaces.web.browser.screen import Screen

MOVES = 120
SIGNS = ".XO"


def random_record(size: int, moves: int = MOVES) -> GameRecord:
    """The first moves of a random game."""
    points = play_games(size, 1, seed=4).records[0, :moves].astype(np.uint16)
    colors = (1 + np.arange(len(points)) % 2).astype(np.uint8)
    return GameRecord(size=size, moves=points, colors=colors, komi=7.5)


def rows_after(record: GameRecord, count: int) -> list[str]:
    """The board after so many moves, as the page's diagram has it."""
    game = Game(record.size)
    for color, point in zip(record.colors[:count], record.moves[:count], strict=True):
        game.play(int(color), int(point))
    stones = game.colors.reshape(record.size, record.size)
    return ["".join(SIGNS[stone] for stone in row) for row in stones]


def open_record(screen: Screen, record: GameRecord) -> None:
    """Drops a record on the page that is open."""
    screen.drop("game.sgf", write_game(record))
    screen.shows("move-number", f"0 / {len(record.moves)}")
    screen.rest()


def press(screen: Screen, *keys: str) -> None:
    for key in keys:
        screen.page.keyboard.press(key)


def marks_on_board(screen: Screen, kind: str) -> list[str]:
    """What is drawn over the stones, as text that can be compared."""
    drawn: list[str] = screen.page.evaluate(
        """(kind) => [...document.querySelectorAll(`[data-test=board] .marks ${kind}`)]
            .map((mark) => mark.outerHTML)""",
        kind,
    )
    return drawn


def numbers_in(line: str) -> list[float]:
    """The signed numbers of a text."""
    found = re.findall(r"[+\-−–]?\d+(?:\.\d+)?", line)  # noqa: RUF001
    return [float(number.replace("−", "-").replace("–", "-")) for number in found]  # noqa: RUF001


def test_a_large_record_is_dropped_and_walked_by_arrow_keys(screen: Screen) -> None:
    record = random_record(19)
    open_record(screen.open(), record)
    assert screen.page.url.endswith("#review")
    press(screen, "ArrowRight", "ArrowRight", "ArrowRight")
    screen.shows("move-number", f"3 / {MOVES}")
    assert screen.diagram() == rows_after(record, 3)
    press(screen, "PageDown", "ArrowLeft")
    screen.shows("move-number", f"12 / {MOVES}")
    assert screen.diagram() == rows_after(record, 12)
    press(screen, "End")
    screen.shows("move-number", f"{MOVES} / {MOVES}")
    assert screen.diagram() == rows_after(record, MOVES)
    press(screen, "Home")
    assert screen.diagram() == rows_after(record, 0)


def test_a_file_that_is_no_record_gets_one_line(screen: Screen) -> None:
    screen.open().drop("game.sgf", b"this is no record")
    screen.page.locator('[data-test="note"] .error').wait_for()
    assert "\n" not in screen.text("note").strip()
    screen.drop("notes.txt", b"nor this")
    screen.shows("note", "no .sgf file")


def test_overlays_are_switched_and_say_their_points(screen: Screen) -> None:
    open_record(screen.open(), random_record(19))
    press(screen, "PageDown", "PageDown", "PageDown")
    assert marks_on_board(screen, ".owners rect") == []
    seen = []
    legends = {"now": "Chance that", "after_move": "same after", "after_pass": "to move passes"}
    for overlay, legend in legends.items():
        screen.choose(f"overlay-{overlay}")
        screen.shows("legend", legend)
        screen.shows("overlay-points", re.compile(r"Black .*, White .* points"))
        black, white = numbers_in(screen.text("overlay-points"))
        assert black + white == pytest.approx(361, abs=0.11)
        seen.append(marks_on_board(screen, ".owners rect"))
        assert len(seen[-1]) > 50
    assert seen[0] != seen[2] != seen[1]
    screen.choose("overlay-difference")
    screen.shows("overlay-points", re.compile(r"points for Black"))
    press(screen, "t")
    screen.part("legend").wait_for(state="detached")
    assert marks_on_board(screen, ".owners rect") == []


def test_several_evaluators_are_seen_side_by_side(screen: Screen) -> None:
    open_record(screen.open(), random_record(9, 20))
    press(screen, "End")
    screen.part("evaluator-1").select_option("territory")
    screen.part("evaluator-2").select_option("shape")
    for number in (1, 2):
        screen.shows(f"side-{number}", re.compile(r"Black has .*would play", re.DOTALL))


def test_a_move_is_explained_by_shapes_that_sum_to_its_value(screen: Screen) -> None:
    open_record(screen.open(), random_record(9, 20))
    press(screen, "PageDown")
    screen.part("evaluator-1").select_option("shape")
    screen.part("why-played").click()
    screen.shows("why-sum", "They sum exactly")
    before, listed, rest, after = numbers_in(screen.text("why-sum"))
    assert before + listed + rest == pytest.approx(after, abs=0.0021)
    shapes = screen.part("why-shapes").locator("button")
    drawn = [numbers_in(line)[0] for line in shapes.locator("strong").all_inner_texts()]
    assert sum(drawn) == pytest.approx(listed, abs=0.0006 * len(drawn))
    assert len(drawn) == 12
    shapes.first.hover()
    screen.page.locator("[data-test=board] .window").first.wait_for()


def test_a_move_is_explained_by_points_that_change_hands(screen: Screen) -> None:
    open_record(screen.open(), random_record(9, 20))
    press(screen, "End")
    screen.part("evaluator-1").select_option("territory")
    screen.part("candidates-switch").click()
    screen.page.locator('[data-test^="candidate-"]').first.wait_for()
    assert len(marks_on_board(screen, ".label")) > 3
    screen.page.locator('[data-test^="mistake-"]').first.wait_for()  # which moves what is below
    screen.page.locator('[data-test="candidates"] [data-test^="why-"]').nth(1).click()
    screen.shows("why-territory", re.compile(r"Points before: .* after: .* gained"))
    screen.shows("why-best", re.compile(r"Best was [A-J]\d"))


def test_mistakes_come_with_a_graph_and_the_annotated_record_can_be_saved(screen: Screen) -> None:
    record = random_record(9, 12)
    open_record(screen.open(), record)
    mistakes = screen.page.locator('[data-test^="mistake-"]')
    mistakes.first.wait_for()
    number = int((mistakes.first.get_attribute("data-test") or "").rsplit("-", 1)[1])
    mistakes.first.click()
    screen.shows("move-number", f"{number} / 12")
    screen.part("graph").click(position={"x": 2, "y": 20})
    screen.shows("move-number", "0 / 12")
    written = screen.download("annotate")
    (saved,) = read_games(written)
    assert saved.moves.tolist() == record.moves.tolist()
    assert b"C[" in written
