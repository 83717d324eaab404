"""Who wins, predicted from one board by a support vector machine over any feature map.

scikit-learn is needed (`pip install katachi[svm]`) and imported when an SVM is trained.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.window_map import FeatureMap
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.point import PASS
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import PLY, WORDS, BoardState

Labels = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

FOLDS = 5
INNER_FOLDS = 4
KERNELS = ("linear", "rbf")
COSTS = (0.01, 0.1, 1.0, 10.0)


class Stage(Enum):
    """Which board of a game is looked at."""

    MIDDLE = "middle"
    """After half of its moves."""
    FINAL = "final"
    """After its last move."""


class WinnerBoards(NamedTuple):
    """One board of each of N games, and who won."""

    states: BoardState
    black_won: Labels
    """[N]"""
    identities: npt.NDArray[np.uint64]
    """[N] equal for records of one game, turned or mirrored perhaps."""
    last_movers: npt.NDArray[np.int64]
    """[N] the colour of the last stone placed; EMPTY where there is none."""
    komi: npt.NDArray[np.float64]
    """[N] points for White; 0 where a record says none."""


class Classified(NamedTuple):
    """How often the winner was predicted on games that were not learned from."""

    right: int
    games: int
    choices: list[str]
    """The kernel and C that each fold chose."""


def winner_boards(games: GameSet, stage: Stage) -> WinnerBoards:
    """The boards of the games that somebody won; raises KatachiError where there are too few."""
    records = [record for record in games if record.result.is_decided and len(record.moves)]
    if len(records) < 2 * FOLDS:
        raise KatachiError(f"{len(records)} games with a winner: at least {2 * FOLDS} are needed")
    words = np.zeros((len(records), WORDS), np.uint16)
    last = np.full(len(records), EMPTY, np.int64)
    for index, record in enumerate(records):
        count = len(record.moves) // 2 if stage is Stage.MIDDLE else len(record.moves)
        words[index] = game_from_record(record, count).words
        placed = record.colors[:count][record.moves[:count] != PASS]
        last[index] = placed[-1] if len(placed) else EMPTY
    words[:, PLY] = 0
    won = np.array([record.result.winner == BLACK for record in records], np.bool_)
    decided = np.array([r.result.is_decided and len(r.moves) > 0 for r in games], np.bool_)
    states = positions_of_stones(words)
    komi = np.array([record.komi or 0.0 for record in records])
    return WinnerBoards(states, won, games.info["identity"][decided], last, komi)


def fold_of_games(identities: npt.NDArray[np.uint64], folds: int, seed: int) -> Rows:
    """[N] a fold for each game, the same for all records of one game."""
    unique, which = np.unique(identities, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(unique))
    return np.asarray(order[which] % folds)


class Likeness(NamedTuple):
    """How alike N boards are, as two kernels see them; made once, read by every SVM."""

    products: npt.NDArray[np.float64]
    """[N, N] of their features."""

    def kernel(self, name: str, train: Rows, others: Rows) -> npt.NDArray[np.float64]:
        """[others, train]: scaled by the spread of the training boards and centred on their mean,
        so that a value of C means the same for few large features and many small ones."""
        inner, cross = self.products[np.ix_(train, train)], self.products[np.ix_(others, train)]
        lengths, own = np.diag(inner), self.products[others, others]
        spread = max(float(lengths.mean() - inner.mean()), 1e-12)
        if name == "rbf":
            distances = own[:, None] + lengths[None] - 2.0 * cross
            return np.asarray(np.exp(-distances / (2.0 * spread)))
        centred = cross - cross.mean(axis=1)[:, None] - inner.mean(axis=0)[None] + inner.mean()
        return np.asarray(centred / spread)


def classify_winners(feature_map: FeatureMap, boards: WinnerBoards, seed: int = 1) -> Classified:
    """Predicts the winner of every game by an SVM that learned from other games only.

    Games are parted into folds. Kernel and C are chosen, for each fold again, by folds inside the
    games that are learned from; features are centred and scaled by those games too.
    """
    features = feature_map.transform(boards.states).astype(np.float64)
    likeness = Likeness(features @ features.T)
    folds = fold_of_games(boards.identities, FOLDS, seed)
    right, choices = 0, []
    for fold in range(FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        inner = fold_of_games(boards.identities[train], INNER_FOLDS, seed + 1)
        choice = _choose(likeness, boards.black_won, train, inner)
        right += _count_right(likeness, boards.black_won, choice, train, test)
        choices.append(f"{choice.kernel}, C {choice.cost:g}")
    return Classified(right, len(folds), choices)


class _Choice(NamedTuple):
    kernel: str
    cost: float


def _choose(likeness: Likeness, labels: Labels, rows: Rows, folds: Rows) -> _Choice:
    """The kernel and C that tell most winners inside these games; of equals the first."""
    choices = [_Choice(kernel, cost) for kernel in KERNELS for cost in COSTS]

    def right(choice: _Choice) -> int:
        parts = [(rows[folds != fold], rows[folds == fold]) for fold in range(INNER_FOLDS)]
        return sum(_count_right(likeness, labels, choice, *part) for part in parts)

    return max(choices, key=right)


def _count_right(
    likeness: Likeness, labels: Labels, choice: _Choice, train: Rows, test: Rows
) -> int:
    """How many winners of the test games an SVM predicts that learned from the others."""
    if len(test) == 0:
        return 0
    if len(np.unique(labels[train])) < 2:
        return int((labels[test] == labels[train][0]).sum())
    svm = _new_svm(choice.cost)
    svm.fit(likeness.kernel(choice.kernel, train, train), labels[train])
    predicted = svm.predict(likeness.kernel(choice.kernel, train, test))
    return int((predicted == labels[test]).sum())


def require_sklearn() -> None:
    """Raises KatachiError where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise KatachiError("scikit-learn is needed: pip install katachi[svm]") from None


def _new_svm(cost: float) -> Any:
    require_sklearn()
    from sklearn.svm import SVC

    return SVC(C=cost, kernel="precomputed", cache_size=100)


def majority_share(labels: Sequence[bool] | Labels) -> float:
    """How often one is right who always names the colour that wins more often."""
    share = float(np.mean(labels))
    return max(share, 1.0 - share)
