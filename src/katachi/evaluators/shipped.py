"""The models that come with the package, and a shape evaluator for every board size."""

from functools import cache

import numpy as np
import numpy.typing as npt

from katachi.evaluators.linear import Linear
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.opening_net import OpeningNet
from katachi.evaluators.protocol import Abilities, Evaluation
from katachi.evaluators.territory import Territory
from katachi.files.shipped_folders import find_model
from katachi.rules.state import SIZE, BoardState

SHAPE_BY_SIZE = {5: "shape5", 9: "shape9", 19: "shape19"}
"""The local shape models that `shape` plays by."""
TERRITORY = "owners9"
"""The territory model that `territory` judges owners by, and plays by on small boards."""
SELFPLAY = "selfplay9"
"""One that learned from its own games, and plays best on small boards."""
LINEAR = "linear9"
"""The linear model over the features of a convolutional RBM that `crbm` plays by."""
LITERAL = "literal9"
"""The paper's net by its recipe alone: its inputs and number of games, and owners only."""
BY_POINTS = "paper9"
"""One of its size that chooses by the points a move leads to, too, but learned to choose."""
PREDICTING = "moves9"
"""One of that size that predicts moves directly."""
FEWER_GAMES = "moves9_3166"
"""The same, learned from the paper's number of games."""
SMALL19, LARGE19 = "small19", "moves19"
"""Two that predict moves and learned at 19x19: of less than 10,000 weights, and the largest."""
OWNERS19 = "owners19"
"""One that learned owners and moves at 19x19: a search of large boards asks it alone, which takes a
quarter of the time of `LARGE19` with `TERRITORY`."""
LARGE_FROM = 13
"""The smallest board on which those that learned at 19x19 are better."""

OPENING = "opening19"
"""The opening model that `opening` plays by."""


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
def load_linear(name: str = "") -> Linear:
    """A linear model by folder or name, the shipped one unless named; the same object each
    time."""
    return Linear.load(find_model(name or LINEAR))


@cache
def load_opening(name: str = "") -> OpeningNet:
    """An opening model by folder or name, the shipped one unless named; the same object each
    time."""
    return OpeningNet.load(find_model(name or OPENING))


class TerritoryOfEverySize:
    """Owners by one model on any board, for it knows them better than random games do up to 19x19;
    moves by the model that knows them best on boards of that size. On small boards both are by one
    model, which may be another; so they are on large boards where a model for those is named."""

    def __init__(
        self, name: str = "territory", small: str = TERRITORY, large: str | None = None
    ) -> None:
        """`small` is the model for small boards, `large` the one for large ones; models are loaded
        when they are needed."""
        self.name = name
        self._small = small
        self._large = large
        self._device = ""
        self._on_device: dict[str, Territory] = {}

    def on(self, device: str) -> "TerritoryOfEverySize":
        """The same evaluator with its nets on a device; raises KatachiError as `Territory.on`."""
        made = TerritoryOfEverySize(self.name, self._small, self._large)
        made._device = device
        made._load(self._small)  # so that a device that is not there is told now
        return made

    @property
    def abilities(self) -> Abilities:
        """Moves, and temperatures that fit."""
        return Abilities(True, self.move_scores, self.look, temperature=self.temperature)

    def evaluate(self, states: BoardState) -> Evaluation:
        """Chances and owners of B positions of one board size."""
        return self._owner_model(int(states.words.flat[SIZE])).evaluate(states)

    def move_scores(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """[B, size * size] how likely it is that the mover plays on each point next, as a logit."""
        return self.model(int(states.words.flat[SIZE])).move_scores(states, colors)

    def look(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
        """Owners and move scores at one look; two where two models say them."""
        size = int(states.words.flat[SIZE])
        known, model = self._owner_model(size), self.model(size)
        owners, scores = known.look(states, colors)
        if model is not known:
            scores = model.look(states, colors)[1]
        return owners, scores

    def temperature(self, size: int) -> float | None:
        """The temperature that fits the moves on boards of a size."""
        return self.model(size).temperature(size)

    def model(self, size: int) -> Territory:
        """The model that says where moves are likely on boards of a size."""
        return self._load(self._small if size < LARGE_FROM else self._large or LARGE19)

    def _owner_model(self, size: int) -> Territory:
        return self._load(self._small if size < LARGE_FROM else self._large or TERRITORY)

    def _load(self, name: str) -> Territory:
        if not self._device:
            return load_territory(name)
        if name not in self._on_device:
            self._on_device[name] = load_territory(name).on(self._device)
        return self._on_device[name]


class ShapeOfEverySize:
    """Local shape on any board: the shipped model of that size, or the nearest larger one, or the
    largest, fitted to it."""

    name = "local shape"

    def __init__(self) -> None:
        """Models are loaded when a board of their size comes."""
        self._models: dict[int, LocalShape] = {}

    @property
    def abilities(self) -> Abilities:
        """The shapes of the model of each size."""
        return Abilities(shapes=self.model)

    def model(self, size: int) -> LocalShape:
        """The model for boards of a size."""
        if size not in self._models:
            nearest = min((s for s in SHAPE_BY_SIZE if s >= size), default=max(SHAPE_BY_SIZE))
            model = load_shape(SHAPE_BY_SIZE[nearest])
            made = model if nearest == size else model.resized(size)
            # Two threads may come here at once: both must go on with the same one.
            self._models.setdefault(size, made)
        return self._models[size]

    def evaluate(self, states: BoardState) -> Evaluation:
        """Black's chance to win in each of B positions."""
        return self.model(int(states.words.flat[SIZE])).evaluate(states)
