"""Territory models that have learned nothing but have weights, for tests of what is done with
them."""

from functools import cache

import numpy as np

from katachi.evaluators.territory import Arrays, Tables, Territory, TerritoryConfig, array_shapes
from katachi.features.large_propensity import LargeTable
from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.features.propensity import PropensityTable, pack_scores, round_table, unpack_scores
from katachi.features.propensity_fit import PropensitySettings, fit_propensity
from katachi.features.territory_inputs import InputSettings, needs_large, needs_propensity
from katachi.records.dataset import set_of_records
from tests.features.recorded_games import RecordedGame

STONES = InputSettings(("stones",))


def random_arrays(config: TerritoryConfig, seed: int = 1) -> Arrays:
    """Weights of a net."""
    random = np.random.default_rng(seed)
    shapes = array_shapes(config)
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


@cache
def windows_table() -> PropensityTable:
    """Propensity in a few random games, as a model keeps it."""
    games = set_of_records(RecordedGame(size, size, 60).record for size in (5, 7, 9))
    return round_table(fit_propensity(games, PropensitySettings(doubt=2)))


@cache
def large_table() -> LargeTable:
    """The same of large squares."""
    games = set_of_records(RecordedGame(size, size, 60).record for size in (5, 7, 9))
    table = fit_large(games, LargeSettings(fewest=2, bin_bits=12, table_bits=12))
    return table._replace(score=unpack_scores(pack_scores(table.score)))


def random_territory(
    inputs: InputSettings = STONES,
    hidden: int = 4,
    states: int = 3,
    layers: int = 1,
    outputs: int = 1,
) -> Territory:
    """A model with random weights and what its inputs need."""
    config = TerritoryConfig(inputs, hidden, states, layers, outputs)
    windows = windows_table() if needs_propensity(inputs) else None
    large = large_table() if needs_large(inputs) else None
    return Territory(inputs, random_arrays(config), Tables(windows, large))
