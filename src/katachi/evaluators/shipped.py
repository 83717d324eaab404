"""The models that come with the package, and a shape evaluator for every board size."""

from functools import cache
from pathlib import Path

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.opening_net import OpeningNet
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.territory import Territory
from katachi.rules.errors import KatachiError
from katachi.rules.state import SIZE, BoardState

MODELS = Path(__file__).parents[1] / "models"
SHAPE_BY_SIZE = {5: "shape5", 9: "shape9", 19: "shape19"}
"""The local shape models that `shape` plays by."""
TERRITORY = "territory9"
"""The territory model that `territory` plays by."""
FORETELLING = "moves9"
"""The territory model that learned to foretell moves; of the paper's size."""
FEWER_GAMES = "moves9_3166"
"""The same, learned from the paper's number of games: for the experiments, where it is there."""

OPENING = "opening19"
"""The opening model that `opening` plays by."""


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


@cache
def load_shape(name: str) -> LocalShape:
    """A local shape model by folder or name; the same object each time."""
    return LocalShape.load(find_model(name))


@cache
def load_territory(name: str = "") -> Territory:
    """A territory model by folder or name, the shipped one unless named; the same object each
    time."""
    return Territory.load(find_model(name or TERRITORY))


@cache
def load_opening(name: str = "") -> OpeningNet:
    """An opening model by folder or name, the shipped one unless named; the same object each
    time."""
    return OpeningNet.load(find_model(name or OPENING))


class ShapeOfEverySize:
    """Local shape on any board: the shipped model of that size, or the nearest larger one, or the
    largest, fitted to it."""

    name = "local shape"

    def __init__(self) -> None:
        """Models are loaded when a board of their size comes."""
        self._models: dict[int, LocalShape] = {}

    def model(self, size: int) -> LocalShape:
        """The model for boards of a size."""
        if size not in self._models:
            nearest = min((s for s in SHAPE_BY_SIZE if s >= size), default=max(SHAPE_BY_SIZE))
            model = load_shape(SHAPE_BY_SIZE[nearest])
            self._models[size] = model if nearest == size else model.resized(size)
        return self._models[size]

    def evaluate(self, states: BoardState) -> Evaluation:
        """Black's chance to win in each of B positions."""
        return self.model(int(states.words.flat[SIZE])).evaluate(states)
