"""A bar chart shows what it is given, to scale."""

from xml.etree import ElementTree as ET

import pytest

from katachi.experiments.pictures import Bar, Line, Panel, draw_panels

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
