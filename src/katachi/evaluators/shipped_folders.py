"""Where the models that come with the package lie."""

from pathlib import Path

from katachi.rules.errors import KatachiError

MODELS = Path(__file__).parents[1] / "models"


def model_names() -> list[str]:
    """The names of all shipped models."""
    return sorted(path.parent.name for path in MODELS.glob("*/config.json"))


def find_model(name: str) -> Path:
    """The folder of a model: a folder's own path, or the name of a shipped one.

    Raises KatachiError, naming the shipped ones, where there is neither.
    """
    for folder in (Path(name), MODELS / name):
        if name and folder.is_dir():
            return folder
    names = ", ".join(model_names())
    raise KatachiError(f"no model {name!r}: give its folder or one of {names}")
