"""How the learning experiments of S2 learn."""

import contextlib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from katachi.experiments.s2_territory.material import open_parts
from katachi.learning.territory_run import TerritoryGames
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer

PAPER_GAMES = 3166
"""What the paper's net learned from."""
PROBE_GAMES, PROBE_STEPS, PROBE_BATCH = 40, 3, 8


def new_trainer(settings: TerritorySettings, games: TerritoryGames) -> TerritoryTrainer:
    """A trainer that computes on one thread beside the one that makes its batches: small nets are
    the slower for more, and several processes can then run at once. Raises KatachiError where
    PyTorch is missing."""
    with contextlib.suppress(ImportError):
        from katachi.nets.threads import use_one_thread

        use_one_thread()
    return TerritoryTrainer(settings, games.train, games.validation)


def count_positions(games: TerritoryGames) -> int:
    """Moves of all games to learn from: what the paper calls an epoch."""
    train = games.train
    return int(train.columns.moves.lengths[train.rows].sum())


def learning_of(path: Path, all_settings: Iterable[TerritorySettings]) -> str:
    """A fingerprint of what the code makes of these settings: the losses of a few small batches.
    It also compiles every kernel they need."""
    games = open_parts(path)
    few = TerritoryGames(games.train[:PROBE_GAMES], games.validation[:PROBE_GAMES], 0, 0)
    digest = sha256(path.read_bytes())
    for settings in all_settings:
        trainer = new_trainer(msgspec.structs.replace(settings, batch=PROBE_BATCH), few)
        trainer.train(PROBE_STEPS)
        seen = trainer.measure(1)
        losses = (seen.cells_learned, seen.choice_learned, seen.cells)
        digest.update(" ".join(f"{loss:.3f}" for loss in losses).encode())
    return digest.hexdigest()[:16]
