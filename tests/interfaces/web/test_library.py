"""Shapes, filters and openings as the page gets them."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, Wanted, rank_set
from katachi.evaluators.shipped import load_shape
from katachi.features.units import UNIT
from katachi.interfaces.web.operations import RequestError
from tests.interfaces.web.asking import Asking, make_run


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Asking(tmp_path)


@pytest.fixture
def finished_run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "runs" / "small")


def _rows(shape: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in shape["cells"])


def test_the_best_shapes_are_those_of_the_ranking(page: Asking) -> None:
    model = load_shape("shape5")
    number = [each.name for each in model.sets].index("3x2:LI")
    best = rank_set(model, number, Wanted(5, None, Order.GAIN)).best
    found = page.ask("shapes", model="shape5", set="3x2:LI", sign="good", count=5)
    assert found["size"] == 5
    assert found["order"] == "gain"
    assert [each["gain"] for each in found["shapes"]] == [each.score * UNIT for each in best]
    for shape, ranked in zip(found["shapes"], best, strict=True):
        assert _rows(shape) == tuple(
            tuple(stone.owner for stone in row) for row in ranked.shape.rows
        )
        assert shape["value"] == ranked.units * UNIT
        assert shape["count"] == ranked.seen
        row, col = shape["played"]
        assert shape["cells"][row][col] == 1


def test_pages_follow_each_other(page: Asking) -> None:
    whole = page.ask("shapes", model="shape5", order="value", set="2x2:LD", count=40)
    parts = [
        page.ask("shapes", model="shape5", order="value", set="2x2:LD", offset=offset, count=20)
        for offset in (0, 20)
    ]
    assert whole["shapes"] == parts[0]["shapes"] + parts[1]["shapes"]
    assert page.ask("shapes", model="shape5", set="2x2:LD", offset=10**6)["shapes"] == []


@pytest.mark.parametrize("order", ["gain", "value", "count"])
def test_good_and_bad_have_their_sign_and_both_have_all(page: Asking, order: str) -> None:
    ask = {"model": "shape5", "order": order, "set": "2x2:LD"}
    good, bad, both = (page.ask("shapes", **ask, sign=sign) for sign in ("good", "bad", "both"))
    key = "gain" if order == "gain" else "value"
    assert all(each[key] > 0 for each in good["shapes"])
    assert all(each[key] < 0 for each in bad["shapes"])
    assert good["total"] + bad["total"] <= both["total"]
    sizes = [abs(each[order]) for each in both["shapes"]]
    assert sizes == sorted(sizes, reverse=True)


def test_a_drawn_pattern_finds_the_shapes_that_hold_it(page: Asking) -> None:
    cells = [[-1, -1, -1], [-1, 1, 2], [-1, 1, -1]]
    found = page.ask("shapes", model="shape5", set="3x3:LI", pattern={"cells": cells}, count=60)
    every = page.ask("shapes", model="shape5", set="3x3:LI", count=60)
    assert 0 < found["total"] < every["total"]
    for shape in found["shapes"]:
        grid = np.array(shape["cells"])
        windows = [grid[r : r + 2, c : c + 2] for r in range(2) for c in range(2)]
        turned = [np.rot90(each, turns) for each in windows for turns in range(4)]
        images = [image for each in turned for image in (each, each.T)]
        assert any(
            image[0, 0] == image[1, 0] == own and image[0, 1] == 3 - own
            for image in images
            for own in (1, 2)
        )


def test_rare_shapes_do_not_fill_the_first_pages(page: Asking) -> None:
    found = page.ask("shapes", model="shape5", count=60)
    assert all(each["used"] >= 1e-4 for each in found["shapes"])
    rare = page.ask("shapes", model="shape5", set="3x3:LD", count=60, offset=2000)
    assert any(each["used"] < 1e-4 for each in rare["shapes"])


def test_hashed_sets_are_seen_in_games(page: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katachi.interfaces.web.shape_shelf.GAMES", 2)
    found = page.ask("shapes", model="liberty9", set="2x1:LI:liberty", count=4)
    assert "2x1:LI:liberty" in found["hashed"]
    assert found["order"] == "value"
    assert found["total"] > 0
    assert any(each["liberties"] is not None for each in found["shapes"])
    assert all(each["gain"] is None for each in found["shapes"])


def test_models_of_finished_runs_can_be_asked_for(page: Asking, finished_run: Path) -> None:
    names = {each["name"]: each for each in page.ask("shapes", model="shape5")["models"]}
    assert {"shape5", "shape9", "liberty9"} < set(names)
    (name,) = (each for each in names if each.startswith("run:"))
    found = page.ask("shapes", model=name, order="count")
    assert found["size"] == 5
    assert found["sets"] == ["1x1:LI"]
    assert names[name]["about"] == finished_run.name


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"model": "shape6"}, "model"),
        ({"model": "/etc"}, "model"),
        ({"model": "../shape9"}, "model"),
        ({"model": "owners9"}, "model"),
        ({"model": "run:0123456789ab"}, "model"),
        ({"model": "shape5", "set": "4x4:LI"}, "set"),
        ({"model": "shape5", "pattern": {"cells": [[1], [1, 2]]}}, "pattern"),
        ({"model": "shape5", "pattern": {"cells": [[1] * 9]}}, "pattern"),
    ],
)
def test_what_is_not_there_is_one_line_about_its_field(
    page: Asking, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(RequestError) as caught:
        page.ask("shapes", **fields)
    assert caught.value.field == field
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fields", [{"count": 61}, {"order": "wins"}, {"offset": -1}, {"x": 1}])
def test_fields_out_of_bounds_are_refused(page: Asking, fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        page.ask("shapes", **fields)


def test_a_model_that_was_replaced_is_read_again(page: Asking, finished_run: Path) -> None:
    (name,) = (
        each["name"]
        for each in page.ask("shapes", model="shape5")["models"]
        if each["name"].startswith("run:")
    )
    page.ask("shapes", model=name)
    model = LocalShape.load(finished_run / "agent-1")
    model.weights[:] = 1 << 24
    for each in finished_run.glob("*/weights.safetensors"):
        model.save(each.parent, "")
    values = {each["value"] for each in page.ask("shapes", model=name, order="value")["shapes"]}
    assert values == {(1 << 24) * UNIT}


def test_filters_are_maps_of_every_channel(page: Asking) -> None:
    found = page.ask("filters", model="crbm9")
    assert found["channels"] == ["black", "white", "empty"]
    assert found["side"] == 3
    assert len(found["filters"]) == 105
    strengths = [each["strength"] for each in found["filters"]]
    assert strengths == sorted(strengths, reverse=True)
    for each in found["filters"][:5]:
        maps = np.array(each["maps"])
        assert maps.shape == (3, 3, 3)
        assert each["weight"] is None
        assert np.array_equal(np.array([1, 2, 0])[maps.argmax(axis=0)], each["stones"])


def test_a_linear_model_says_what_each_filter_adds(page: Asking) -> None:
    found = page.ask("filters", model="linear9")["filters"]
    weights = [abs(each["weight"]) for each in found]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0
    with pytest.raises(RequestError):
        page.ask("filters", model="shape9")


def test_openings_are_walked_with_what_they_led_to(page: Asking) -> None:
    root = page.ask("opening")
    assert root["size"] == 19
    assert root["games"] == sum(each["games"] for each in root["children"])
    assert sum(each["games"] for each in root["names"]) == root["games"]
    first = root["children"][0]
    assert 0.0 < first["value"] < 1.0
    assert -1.0 <= first["judged"] <= 1.0
    after = page.ask("opening", moves=[first["vertex"]])
    assert after["games"] == first["games"]
    assert after["position"]["number"] == 1
    assert after["position"]["to_play"] == "white"


def test_the_mirror_image_of_an_opening_is_the_same_opening(page: Asking) -> None:
    right, left = (page.ask("opening", moves=[vertex]) for vertex in ("Q16", "D4"))
    assert right["games"] == left["games"] > 0
    assert [each["games"] for each in right["children"]] == [
        each["games"] for each in left["children"]
    ]


def test_beyond_the_tree_there_are_no_games_but_a_position(page: Asking) -> None:
    found = page.ask("opening", moves=["A1", "T19"])
    assert found["games"] == 0
    assert found["children"] == []
    assert found["names"] == []
    assert found["position"]["number"] == 2
    with pytest.raises(RequestError, match="move 2"):
        page.ask("opening", moves=["D4", "D4"])
    with pytest.raises(KatachiError):
        page.ask("opening", moves=["Z99"])
