"""Feature maps that the experiments of S3 compare: convolutional RBMs learned from recorded boards,
kept so that each is learned once."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.experiments.bounds import Amount
from katachi.features.crbm import CrbmFeatures
from katachi.features.window_map import (
    FeatureMap,
    Floats,
    Viewers,
    WindowMap,
    WindowTable,
    codes_of,
    count_codes,
    count_windows,
)
from katachi.learning.crbm_training import CrbmSettings, CrbmTrainer
from katachi.learning.sources import RecordedGames
from katachi.records import shipped_games
from katachi.records.dataset import GameSet, Split, open_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.state import BoardState

GNUGO = shipped_games.GNUGO.name
"""1,000 games of GNU Go against itself, which come with the package."""
SPLIT_SEED = 1
SIZE = 9
SCALED_BY = 200
"""Games whose boards say how features are scaled."""
MEASURED_BY = 20
"""Games whose boards say how long the features of a map are."""
LEAST_SPREAD = 1e-4
"""A feature that varies less than this is not made larger for it."""
STEPS = 4000
"""Batches of 100 boards that an RBM learns from by default."""


class RbmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which RBM to learn."""

    layer: CrbmSettings = CrbmSettings(rate=0.1, momentum=0.5, steps=STEPS)
    """The RBM that sees the board."""
    upper: CrbmSettings | None = None
    """A second layer, which stands on the first."""
    is_pooled: bool = False
    """Whether the orientations of a tied kernel count as one feature."""
    games: Amount = 0
    """Most games to take boards from; 0 for all."""
    is_learned: bool = True
    """Whether it learns at all; else its kernels stay random."""

    def seeded(self, seed: int) -> "RbmSettings":
        """The same RBM drawn and shown boards by another seed."""
        change = msgspec.structs.replace
        upper = None if self.upper is None else change(self.upper, seed=seed)
        return change(self, layer=change(self.layer, seed=seed), upper=upper)


def upper_layer(kernels: int, steps: int) -> CrbmSettings:
    """A second layer. It begins with small weights and a smaller step: with those of the first all
    of its hidden units are soon off for good."""
    return CrbmSettings(kernels=kernels, steps=steps, rate=0.1, first_weight=0.1, first_bias=-1.0)


@cache
def open_split(paths: tuple[Path, ...]) -> Split:
    """Games that somebody won, a tenth of them held out."""
    games = open_games(*paths)
    won = np.array([record.result.is_decided for record in games], np.bool_)
    return GameSet(games.columns, games.rows[won]).split(SPLIT_SEED, validation=0.1, test=0.0)


@cache
def learned_map(folder: Path, paths: tuple[Path, ...], settings: RbmSettings) -> CrbmFeatures:
    """The features of an RBM that learned from the boards of games, learned once a folder."""
    key = msgspec.json.encode([fingerprint(paths), settings], order="sorted")
    kept = folder / "S3-machines" / sha256(key).hexdigest()[:16]
    if not (kept / "config.json").exists():
        _learn(paths, settings).save(kept, "# An RBM of an experiment\n")
    return CrbmFeatures.load(kept)


def fingerprint(paths: tuple[Path, ...]) -> str:
    """Changes when the games do."""
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


class ScaledMap(NamedTuple):
    """Features of an RBM less their means and over their spreads."""

    map: WindowMap
    scale: Floats
    """[K]: what a feature, less its mean, was multiplied by."""


@cache
def scaled_map(features: CrbmFeatures, paths: tuple[Path, ...]) -> ScaledMap:
    """The features of an RBM that sees stones alone, centred and scaled over recorded boards, so
    that the squares of a board's features add up to its number of 2x2 windows on average: as those
    of 2x2 templates do, so equal step sizes mean the same."""
    table, size = features.table, SIZE
    if table is None or table.rows is None:
        raise KatachiError("only features of stones in windows of 3x3 or less can be scaled")
    shares = _code_shares(paths, table.side)
    mean = shares @ table.rows
    spread = np.sqrt(np.maximum(shares @ (table.rows - mean) ** 2, LEAST_SPREAD**2))
    whole = count_windows(size, 2) / (count_windows(size, table.side) * table.kinds)
    scale = np.asarray(np.sqrt(whole) / spread, np.float32)
    rows = np.asarray((table.rows - mean) * scale, np.float32)
    return ScaledMap(WindowMap("crbm, centred and scaled", WindowTable(table.side, rows)), scale)


def _seen_boards(paths: tuple[Path, ...], games: int) -> Iterator[tuple[BoardState, Viewers]]:
    """Boards of the first games that are learned from, each as whoever has just moved sees it."""
    source = RecordedGames(open_split(paths).train[:games], SPLIT_SEED)
    for number in range(len(source)):
        for color, (_, states, _) in zip((BLACK, WHITE), source.take(number), strict=True):
            if len(states.words):
                yield states, np.full(len(states.words), color, np.uint8)


def _code_shares(paths: tuple[Path, ...], side: int) -> npt.NDArray[np.float64]:
    """[codes]: how often each content of a window is seen."""
    counts = np.zeros(count_codes(side))
    for states, viewers in _seen_boards(paths, SCALED_BY):
        seen = codes_of(states, side, viewers).reshape(-1)
        counts += np.bincount(seen, minlength=len(counts))
    return np.asarray(counts / counts.sum())


@cache
def squared_length(feature_map: FeatureMap, paths: tuple[Path, ...]) -> float:
    """What the squares of a board's features add up to, on average; 64 of 2x2 templates on 9x9."""
    lengths = [
        (feature_map.transform(states, viewers) ** 2).sum(axis=1)
        for states, viewers in _seen_boards(paths, MEASURED_BY)
    ]
    return float(np.concatenate(lengths).mean())


def _learn(paths: tuple[Path, ...], settings: RbmSettings) -> CrbmFeatures:
    from katachi.nets.threads import use_one_thread

    use_one_thread()
    parts = open_split(paths)
    train = parts.train[: settings.games] if settings.games else parts.train
    trainer = CrbmTrainer(settings.layer, train, parts.validation)
    if settings.is_learned:
        trainer.learn(settings.layer.steps)
    features = trainer.model()
    if settings.upper is not None:
        above = CrbmTrainer(settings.upper, train, parts.validation, features)
        above.learn(settings.upper.steps)
        features = above.model()
    return CrbmFeatures(features.inputs, features.layers, is_pooled=settings.is_pooled)
