"""Runs of every kind can be looked at by their files alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from katachi.errors import KatachiError
from katachi.learning.run_view import RunView, is_run


def _run(path: Path, kind: str, config: dict[str, Any], lines: list[dict[str, Any]]) -> Path:
    (path / "checkpoints").mkdir(parents=True)
    (path / "config.json").write_text(json.dumps({"kind": kind, "format": 1} | config))
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_losses_and_shares_of_a_net_are_columns(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"steps": 10, "train_ownership_loss": 0.6, "val_accuracy": 0.7, "val_top1": None},
        {"steps": 20, "train_ownership_loss": 0.5, "val_accuracy": 0.8, "val_top1": 0.2},
    ]
    settings = {"settings": {"steps": 50, "seed": 3}, "plan": {"games": ["a.sgf"]}}
    view = RunView(_run(tmp_path, "training of territory", settings, lines))
    assert (view.learner, view.size, view.goal, view.done) == ("territory", None, 50, 20)
    assert [(each.name, each.unit) for each in view.columns()] == [
        ("train_ownership_loss", "nats"),
        ("val_accuracy", "share"),
        ("val_top1", "share"),
    ]
    assert view.rows[1]["val_accuracy"] == 0.8
    assert view.columns()[1].title == "validation accuracy"
    assert view.rating() is None


def test_the_rating_is_that_of_the_better_agent(tmp_path: Path) -> None:
    test = {"size": 5, "size_games": 9, "played": 100, "wins": [40, 60]}
    line = {"games": 9, "intervals": [[0.3, 0.5], [0.5, 0.7]]} | test
    plan = {"settings": {"size": 5}, "plan": {"games": 90}}
    elo = RunView(_run(tmp_path, "training of local shape", plan, [line])).rating()
    assert elo is not None
    assert elo.low < 850 + 1e-9 < elo.value < elo.high


def test_epochs_and_words_of_earlier_versions_are_known(tmp_path: Path) -> None:
    openings = _run(
        tmp_path / "a", "training of openings", {"settings": {"epochs": 9}}, [{"epochs": 4}]
    )
    linear = _run(
        tmp_path / "b", "training of linear", {"settings": {"lessons": 70}}, [{"lessons": 7}]
    )
    assert (RunView(openings).done, RunView(openings).goal) == (4, 9)
    assert (RunView(linear).done, RunView(linear).goal) == (7, 70)


def test_a_folder_without_a_run_is_none(tmp_path: Path) -> None:
    model = _run(tmp_path / "model", "local shape", {}, [])
    for path in (tmp_path, model, tmp_path / "nothing"):
        assert not is_run(path)
        with pytest.raises(KatachiError, match="no training run"):
            RunView(path)
