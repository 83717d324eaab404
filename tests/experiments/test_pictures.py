"""Bars and curves show what they are given, to scale."""

from xml.etree import ElementTree as ET

import pytest

from katachi.pictures.charts import Bar, Curves, Line, Panel, Spot, draw_panels

SVG = "{http://www.w3.org/2000/svg}"
BLUE, ORANGE = "#2b6cb0", "#c05621"


def elements(picture: str, tag: str) -> list[ET.Element]:
    return ET.fromstring(picture).findall(f".//{SVG}{tag}")


def texts(picture: str) -> list[str | None]:
    return [element.text for element in elements(picture, "text")]


def bars(picture: str, color: str) -> list[tuple[float, float]]:
    """(top, height) of each bar; those of the legend are as high as wide."""
    found = [box for box in elements(picture, "rect") if box.get("fill") == color]
    boxes = [[float(box.get(key, 0)) for key in ("y", "width", "height")] for box in found]
    return [(y, height) for y, width, height in boxes if width != height]


def picture(*groups: list[Bar], top: float | None = None, is_log: bool = False) -> str:
    names = [f"group {number}" for number in range(len(groups))]
    lines = () if is_log else (Line(50.0, "half < all"),)
    panel = Panel("wins & losses", "%", names, list(groups), top, lines, is_log)
    return draw_panels("Title", "what it is", ["ours", "theirs"], [panel])


def test_bars_are_to_scale() -> None:
    drawn = picture([Bar(80.0), Bar(20.0)], [Bar(40.0), Bar(0.0)], top=100.0)
    heights = [height for _, height in bars(drawn, BLUE)]
    assert heights == pytest.approx([152.0, 76.0], abs=0.1)
    assert bars(drawn, ORANGE)[0][1] == pytest.approx(38.0)


def test_a_logarithmic_scale_counts_zeros() -> None:
    drawn = picture([Bar(10.0), Bar(1000.0)], is_log=True)
    assert bars(drawn, ORANGE)[0][1] == pytest.approx(3 * bars(drawn, BLUE)[0][1], abs=0.3)


def test_a_bar_below_zero_hangs_from_it() -> None:
    drawn = picture([Bar(-25.0), Bar(75.0)], top=75.0)
    (top, height), (other_top, other) = bars(drawn, BLUE)[0], bars(drawn, ORANGE)[0]
    assert top == pytest.approx(other_top + other, abs=0.1)
    assert other == pytest.approx(3 * height, abs=0.3)


def test_words_stand_where_there_is_no_bar() -> None:
    drawn = picture([Bar(None, words="never"), Bar(20.0, words="7 of 12 runs")])
    assert bars(drawn, BLUE) == []
    assert {"never", "7 of 12 runs"} <= set(texts(drawn))


def test_everything_is_named() -> None:
    drawn = picture([Bar(10.0, 5.0, 15.0), Bar(20.0)])
    assert {"Title", "what it is", "ours", "theirs", "wins & losses", "%"} <= set(texts(drawn))
    assert {"group 0", "half < all", "whiskers: 95 % interval"} <= set(texts(drawn))


def test_whiskers_are_explained_only_where_there_are_any() -> None:
    assert "whiskers: 95 % interval" not in texts(picture([Bar(10.0), Bar(20.0)]))


def test_panels_lie_in_columns_without_touching() -> None:
    panel = Panel("one", "%", ["a"], [[Bar(1.0)]])
    drawn = draw_panels("T", "", [], [panel] * 4, columns=2)
    places = [
        (float(element.get("x", 0)), float(element.get("y", 0)))
        for element in elements(drawn, "text")
        if element.text == "one"
    ]
    assert len({x for x, _ in places}) == 2
    assert len({y for _, y in places}) == 2
    root = ET.fromstring(drawn)
    assert max(x for x, _ in places) < float(root.get("width", 0))


def spots(picture: str, color: str) -> list[tuple[float, float]]:
    found = [dot for dot in elements(picture, "circle") if dot.get("fill") == color]
    return [(float(dot.get("cx", 0)), float(dot.get("cy", 0))) for dot in found]


def test_curves_are_to_scale() -> None:
    blue, orange = [Spot(0, 100), Spot(10, 50), Spot(40, 0)], [Spot(20, 25)]
    panel = Curves("share", "%", "stones & moves", [blue, orange], 100.0, (Line(50.0, "half"),))
    drawn = draw_panels("Title", "", ["ours", "theirs"], [panel])
    (x0, y0), (x1, y1), (x2, y2) = spots(drawn, BLUE)
    assert x2 - x0 == pytest.approx(4 * (x1 - x0), abs=0.3)
    assert y2 - y0 == pytest.approx(190.0)
    assert y2 - y1 == pytest.approx(95.0)
    assert spots(drawn, ORANGE)[0][1] == pytest.approx(y2 - 47.5, abs=0.1)
    assert {"stones & moves", "half", "ours", "theirs", "share"} <= set(texts(drawn))
    assert len(elements(drawn, "polyline")) == 2
    assert "whiskers: 95 % interval" not in texts(drawn)


def test_curves_and_bars_share_a_picture() -> None:
    curves = Curves("one", "", "x", [[Spot(1, 2, 1, 3)]])
    drawn = draw_panels("T", "", ["a"], [Panel("two", "%", ["g"], [[Bar(1.0)]]), curves])
    assert {"one", "two", "whiskers: 95 % interval"} <= set(texts(drawn))


def test_words_over_a_bar_stay_inside_the_panel() -> None:
    drawn = picture([Bar(80.0, 60.0, 100.0, "10 of 12 runs"), Bar(20.0)])
    frame = max(elements(drawn, "rect")[1:], key=lambda box: float(box.get("width", 0)))
    (words,) = [text for text in elements(drawn, "text") if text.text == "10 of 12 runs"]
    assert float(words.get("y", 0)) - 5.5 * len("10 of 12 runs") > float(frame.get("y", 0))


def test_what_a_line_means_stands_above_the_panel() -> None:
    drawn = picture([Bar(80.0), Bar(90.0)])
    frame = max(elements(drawn, "rect")[1:], key=lambda box: float(box.get("width", 0)))
    (words,) = [text for text in elements(drawn, "text") if text.text == "half < all"]
    assert float(words.get("y", 0)) < float(frame.get("y", 0))
    both = Panel("wins", "%", ["a"], [[Bar(1.0)]], lines=(Line(2.5, "paper"), Line(5.0, "even")))
    assert "paper (2.5), even (5)" in texts(draw_panels("Title", "words", [], [both]))


def test_no_whisker_ends_on_the_frame() -> None:
    drawn = picture([Bar(-20.0, -40.0, 10.0), Bar(20.0, -5.0, 60.0)])
    frame = max(elements(drawn, "rect")[1:], key=lambda box: float(box.get("width", 0)))
    top = float(frame.get("y", 0))
    bottom = top + float(frame.get("height", 0))
    whiskers = [
        float(line.get(key, 0))
        for line in elements(drawn, "line")
        if line.get("stroke") == "#1a202c" and not line.get("stroke-dasharray")
        for key in ("y1", "y2")
    ]
    assert top + 5 < min(whiskers)
    assert max(whiskers) < bottom - 5
