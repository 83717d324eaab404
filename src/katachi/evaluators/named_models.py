"""Shape models by name or folder, one or two to be looked at side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.files.model_folder import WEIGHTS_FILE

MOST_MODELS = 2
MEAN = "mean"
"""What the mean of a run's agents is called in its folder."""


class NamedModel(NamedTuple):
    """A model and what it is called here."""

    name: str
    model: LocalShape

    @property
    def is_cascade(self) -> bool:
        """Whether each of its sets learned what the more general ones leave over."""
        return _is_cascade(self.model.training)

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        model = self.model
        learning = ", learned as a cascade" if self.is_cascade else ""
        counts = f"{len(model.sets)} sets, {len(model.weights):,} weights"
        return f"{model.size}x{model.size}, {counts}{learning}"


def _is_cascade(training: Any) -> bool:
    """Whether the account of a training says so, at the top or in its settings."""
    if not isinstance(training, dict):
        return False
    return training.get("cascade") is True or _is_cascade(training.get("settings"))


def load_models(names: Sequence[str]) -> list[NamedModel]:
    """The models of one or two names: folders, runs that hold models, or shipped models.

    Raises KatachiError for a name without a model, and where there are more than two.
    """
    folders = {title: folder for name in names for title, folder in find_models(name).items()}
    if len(folders) > MOST_MODELS:
        raise KatachiError(
            f"two models at most are shown, not {len(folders)}: {', '.join(folders)}"
        )
    if not folders:
        raise KatachiError("no model given: name a folder that holds one, or a shipped model")
    return [NamedModel(title, LocalShape.load(folder)) for title, folder in folders.items()]


def find_models(name: str) -> dict[str, Path]:
    """The folders of the models that a name means, by what to call them: the folder itself, those
    inside it (a run's agents, or their mean where the run has one), or a shipped one.

    Raises KatachiError when there is none.
    """
    folder = Path(name)
    if not folder.is_dir():
        from katachi.files.shipped_folders import find_model

        return {name: find_model(name)}
    if not (folder / WEIGHTS_FILE).exists():
        inside = sorted(file.parent for file in folder.glob(f"*/{WEIGHTS_FILE}"))
        inside = [folder / MEAN] if folder / MEAN in inside else inside
        if inside:
            return {str(each): each for each in inside}
    return {name: folder}
