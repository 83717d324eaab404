"""Where models lie: those that come with the package, folders of models, and folders of training
runs, which hold theirs inside. Nothing is loaded here but the first words of a config. And where
the rosters and reports of the house ladders lie."""

import os
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import msgspec

from katachi.errors import KatachiError

_PACKAGE = Path(__file__).parents[1]
_REPOSITORY = _PACKAGE.parents[1]
MODELS = _PACKAGE / "models"


def _ladders(beside: str) -> Path:
    """The package's own folder of ladders, which a wheel has; else one beside `src`."""
    inside = _PACKAGE / "ladders"
    return inside if inside.is_dir() else _REPOSITORY / beside


ROSTERS, LADDER_REPORTS = _ladders("ladders"), _ladders("results")
"""The rosters of the house ladders, and the reports of what was played on them."""
CONFIG, WEIGHTS, RESULT = "config.json", "weights.safetensors", "result.json"
MODELS_OF_A_RUN = ("mean", "agent-1", "agent-2", "model")
"""Where a training run keeps its models; the first of equals is the one to play by."""
RUN = "training of "
"""How the kind of a training run begins in its config."""
LARGEST_CONFIG = 1_000_000


class Heading(msgspec.Struct, frozen=True):
    """What a model is, as far as its config says so at the top."""

    kind: str
    size: int | None = None
    """The board it is for; None for any."""
    knows_owners: bool = True
    """False of a territory model that predicts moves and judges no position."""


class FoundModel(NamedTuple):
    """A model that was asked for by name."""

    folder: Path
    """Where its weights lie: inside the folder asked for, if that is a training run."""
    heading: Heading


class _Test(msgspec.Struct):
    """Games against the average liberties player."""

    played: int
    wins: list[int]


class _Result(msgspec.Struct):
    """The last tests of a finished run."""

    final: _Test
    mean: _Test | None = None


def model_names() -> list[str]:
    """The names of all shipped models."""
    return sorted(path.parent.name for path in MODELS.glob("*/config.json"))


def find_model(name: str) -> Path:
    """The folder of a model's weights: a folder's own path, the best model of a training run's
    folder, or a shipped model by name.

    Raises KatachiError, naming what is near, where there is none.
    """
    place = _place(name)
    if place is None:
        near = nearest(name, model_names())
        raise KatachiError(f"no model {name!r}: {near}`katachi models` lists all, or give a folder")
    return _best_inside(place)


def read_model(name: str) -> FoundModel:
    """The model of a name, and what it is; raises KatachiError as `find_model` does, and where the
    config is none of a model."""
    folder = find_model(name)
    return FoundModel(folder, read_heading(folder))


def has_model(name: str) -> bool:
    """Whether a name is that of a shipped model, or the folder of a model or training run."""
    place = _place(name)
    return place is not None and (place / CONFIG).is_file()


def read_heading(folder: Path) -> Heading:
    """What the config in a folder says of a model or a run; raises KatachiError."""
    path = folder / CONFIG
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise KatachiError(f"{path} is too large for a model's config")
        return msgspec.json.decode(path.read_bytes(), type=Heading)
    except OSError as error:
        raise KatachiError(f"{folder} holds no model: {CONFIG}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise KatachiError(f"{path} is not a model's config: {error}") from None


def nearest(name: str, names: list[str]) -> str:
    """The names that look most like this one, as a question; nothing where none does."""
    found = get_close_matches(name[:100], names, n=3, cutoff=0.7)
    return f"did you mean {' or '.join(found)}? " if found else ""


def _place(name: str) -> Path | None:
    """The folder of that path, or of a shipped model; None where there is neither. A folder that
    holds no model does not stand before a shipped one."""
    places = [name, str(MODELS / name)] if name else []
    found = [Path(each) for each in places if os.path.isdir(each)]  # which takes any text
    return next((each for each in found if (each / CONFIG).exists()), found[0] if found else None)


def _best_inside(folder: Path) -> Path:
    """The folder itself, or where the best model of the training run in it lies."""
    if (folder / WEIGHTS).exists() or not (folder / CONFIG).exists():
        return folder
    inside = [folder / each for each in MODELS_OF_A_RUN if (folder / each / WEIGHTS).exists()]
    if inside:
        return max(inside, key=lambda each: _share_won(folder, each.name))
    if read_heading(folder).kind.startswith(RUN):
        raise KatachiError(f"{folder} is a training run that is not finished: it has no model yet")
    return folder


def _share_won(run: Path, model: str) -> float:
    """The share of test games that a model of a run won; 0 where nothing says so."""
    try:
        result = msgspec.json.decode((run / RESULT).read_bytes(), type=_Result)
        test = result.mean if model == "mean" else result.final
        number = int(model.removeprefix("agent-")) - 1 if model.startswith("agent-") else 0
        return 0.0 if test is None else test.wins[number] / test.played
    except (OSError, msgspec.MsgspecError, LookupError, ArithmeticError):
        return 0.0
