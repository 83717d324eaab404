"""Requests about shapes, runs and ladders that make no sense: each gets one clear line."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.interfaces.web import ladders, library, runs
from katachi.interfaces.web.clients import read_fields
from katachi.interfaces.web.operations import OPERATIONS
from katachi.interfaces.web.run_shelf import RunShelf, identity_of
from tests.interfaces.web.asking import Asking, make_run
from tests.interfaces.web.test_hostile import SHARP, spoil

PATTERN = {"cells": [[1, 2, -1], [0, -1, 1], [-1, -1, -1]]}
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("shapes", {"model": "shape5", "order": "value", "set": "2x2:LI", "pattern": PATTERN}),
    ("shapes", {"model": "shape5", "sign": "bad", "set": "2x1:LD", "offset": 3, "count": 5}),
    ("filters", {"model": "crbm9"}),
    ("opening", {"moves": ["Q16", "D4", "R4"]}),
    ("runs", {}),
    ("run", {"id": "ID"}),
    ("watch", {"id": "ID"}),
    ("start", {"preset": "shape5", "seed": 3}),
    ("stop", {"id": "ID"}),
    ("ladders", {}),
    ("ladder", {"id": "ID"}),
    ("ladder_games", {"id": "ID", "black": "alp", "white": "random", "offset": 0, "count": 2}),
    ("ladder_game", {"id": "ID", "number": 1}),
]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(RunShelf, "start", lambda *_: tmp_path)
    make_run(tmp_path / "runs" / "small", games=10)
    return Asking(tmp_path)


def test_every_operation_is_attacked() -> None:
    names = {module.__name__ for module in (ladders, library, runs)}
    ours = {name for name, each in OPERATIONS.items() if each.handle.__module__ in names}
    assert ours == {name for name, _ in GOOD}


def _attack(page: Asking, count: int, seed: int) -> None:
    pick = random.Random(seed)
    ids = [identity_of(page.folder / "runs" / "small"), *page_ids(page)]
    for _ in range(count):
        name, fields = copy.deepcopy(pick.choice(GOOD))
        if fields.get("id") == "ID":
            fields["id"] = pick.choice(ids)
        if pick.random() < 0.7:
            spoil(fields, pick)
        elif pick.random() < 0.5:
            fields[pick.choice(["id", "path", "folder", "model", "x"])] = pick.choice(SHARP)
        error = _complaint(page, name, fields)
        assert "\n" not in error
        assert str(page.folder) not in error, (name, fields)


def _complaint(page: Asking, name: str, fields: dict[str, Any]) -> str:
    """What is wrong with a request that comes as JSON; nothing where it is answered."""
    try:
        page.steps(name, read_fields(json.dumps(fields).encode()))
    except (KatachiError, msgspec.ValidationError) as error:
        return str(error)
    return ""


def page_ids(page: Asking) -> list[str]:
    return [each["id"] for each in page.ask("ladders")["ladders"]]


def test_requests_that_make_no_sense_get_one_line(page: Asking) -> None:
    _attack(page, 300, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_thousands_of_them_do(page: Asking, seed: int) -> None:
    _attack(page, 2500, seed)
