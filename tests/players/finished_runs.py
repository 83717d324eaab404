"""Folders as finished training runs leave them, made in no time."""

import json
from pathlib import Path

from tests.evaluators.shape_models import random_model


def write_shape_run(folder: Path, wins: tuple[int, int] = (5, 7), mean: int | None = None) -> Path:
    """A run of local shape at 5x5 whose agents, and their mean, won so many of 10 test games."""
    names = ["agent-1", "agent-2", *([] if mean is None else ["mean"])]
    for name in names:
        random_model("1x1:LI").save(folder / name, "")
    write_config(folder, "training of local shape")
    result = {"final": {"played": 10, "wins": wins}}
    if mean is not None:
        result["mean"] = {"played": 10, "wins": (mean,)}
    (folder / "result.json").write_text(json.dumps(result))
    return folder


def write_config(folder: Path, kind: str) -> Path:
    """What a run writes first."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"kind": kind, "format": 1}))
    return folder
