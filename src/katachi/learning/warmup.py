"""Compiling what learning territory needs before it is needed; PyTorch must be there."""

from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.features.territory_inputs import InputSettings
from katachi.learning.territory_training import TerritorySettings, TerritoryTrainer
from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import GameSet

_GAME = b"(;GM[1]SZ[5];B[cc];W[dd];B[cd];TB[bb]TW[ee])"


def warm_kernels() -> None:
    """Learns from one small game and measures on it, so that every kernel is compiled and kept."""
    reader = BulkReader()
    reader.read_file(_GAME, "")
    columns, _ = settle_games(reader.columns())
    games = GameSet(columns)
    inputs = InputSettings((*InputSettings().inputs, "recent:1", "nearness"))
    fit_large(games, LargeSettings(bin_bits=4, table_bits=4))
    for predicts in (False, True):
        settings = TerritorySettings(
            inputs, predicts_moves=predicts, hidden=2, states=2, others=1, batch=2, steps=1
        )
        trainer = TerritoryTrainer(settings, games, games)
        trainer.learn(1)
        trainer.measure(1)
