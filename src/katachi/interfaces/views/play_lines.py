"""What to type to play with a model, and which model of a training run it is."""

import os
import shlex
from pathlib import Path

from katachi.files.shipped_folders import read_model
from katachi.players.kinds import KINDS, model_of, parts_of, player_of_model


def play_lines(folder: Path) -> list[str]:
    """The lines to paste that play with the model of a folder, or of the training run there; none
    where nobody plays by it."""
    name = player_name(folder)
    if name is None:
        return []
    word = shlex.quote(name)
    return [f"play it:   katachi gtp --player {word}", f"match it:  katachi match {word} alp"]


def player_name(folder: Path) -> str | None:
    """How the player is named that plays by the model of a folder; None where there is none."""
    name = str(folder)
    if player_of_model(name) is None:
        return None
    return f".{os.sep}{name}" if name.partition(":")[0] in KINDS else name


def chosen_models(*names: str) -> list[str]:
    """A line for each training run that players are named by: which of its models it is."""
    models = dict.fromkeys(model_of(part) for name in names for part in parts_of(name))
    lines = []
    for model in filter(None, models):
        found = read_model(model).folder
        if os.path.isdir(model) and found != Path(model):
            lines.append(f"{model} is a training run: its best model, {found.name}, plays")
    return lines
