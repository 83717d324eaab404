"""The record of behaviour: what counts as a difference, and that its tables name what exists."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from katachi.experiments.catalogue import CATALOGUE

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture
def behaviour(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("behaviour")


def test_equal_records_do_not_differ(behaviour: ModuleType) -> None:
    record = {"learners/a w": "12", "learners/b w": [1.0, 2.0]}
    assert behaviour.differences(record, dict(record)) == []


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"a x": "1"}, {"a x": "2"}, ["a x: differs"]),
        ({"a x": "1"}, {}, ["a x: gone"]),
        ({}, {"a x": "1"}, ["a x: new"]),
        ({"a x": [1.0]}, {"a x": [1.0 + 5e-7]}, []),
        ({"a x": [1.0]}, {"a x": [1.00001]}, ["a x: differs"]),
        ({"a x": [1.0]}, {"a x": [1.0, 1.0]}, ["a x: differs"]),
        ({"a x": "1"}, {"a y": "1"}, []),
        ({"a x": "1"}, {"b x": "1"}, ["a x: gone", "b x: new"]),
    ],
)
def test_what_differs(
    behaviour: ModuleType, old: dict[str, object], new: dict[str, object], lines: list[str]
) -> None:
    assert behaviour.differences(old, new) == lines


def test_every_experiment_is_recorded_or_left_out_with_a_reason(behaviour: ModuleType) -> None:
    tables = importlib.import_module("behaviour_cases")
    assert {*tables.EXPERIMENTS, *tables.LEFT_OUT} == set(CATALOGUE)
    assert {name.split("/")[0] for name in behaviour.cases(None)} >= {"learners", "experiments"}
