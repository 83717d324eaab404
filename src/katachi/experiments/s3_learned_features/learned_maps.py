"""Feature maps that the experiments of S3 compare: convolutional RBMs learned from recorded boards,
kept so that each is learned once."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from katachi.experiments.bounds import Amount
from katachi.features.crbm import CrbmFeatures
from katachi.learning.crbm_training import CrbmSettings, CrbmTrainer
from katachi.records.dataset import GameSet, Split, open_games

GNUGO = "gnugo9_1000.sgf.gz"
"""1,000 games of GNU Go against itself, in the form that `katachi games generate` writes."""
STARTER = "gnugo9.sgf.gz"
"""A smaller set of the same kind."""
SPLIT_SEED = 1
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
