"""Every evaluator of the package keeps the contract: exchanged colours exchange its answer, the
eight mirror images have one, and a batch is judged as its positions are."""

import inspect
import pkgutil
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest

import katachi.evaluators
from katachi.evaluators.linear import Linear
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.evaluators.opening_net import OpeningNet
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.rlgo import RlgoEvaluator
from katachi.evaluators.shipped import SELFPLAY, ShapeOfEverySize, TerritoryOfEverySize
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.evaluators.territory import NetKind, Territory, TerritoryConfig
from katachi.features.opening_inputs import RAW, RICH
from katachi.features.territory_inputs import InputSettings
from katachi.features.window_map import WindowMap, WindowTable, count_codes
from katachi.rules.symmetry import index_tables
from tests.checks import EVERY_SIZE, Twins, check_evaluator
from tests.evaluators.rlgo_files import random_weights
from tests.evaluators.territory_models import STONES, random_arrays, random_territory
from tests.evaluators.test_linear import SIZE, weighted
from tests.evaluators.test_local_shape import SETS, model
from tests.evaluators.test_opening_net import random_net

PAPER = InputSettings()
EVERY_INPUT = InputSettings((*PAPER.inputs, "influence:strict", "propensity:large", "edge"))


class Case(NamedTuple):
    """An evaluator and where it is tried."""

    make: Callable[[], Evaluator]
    sizes: Iterable[int] = EVERY_SIZE
    tolerance: float = 1e-9
    twins: Callable[[Any], Twins] | None = None


def turned_linear(one: Linear, symmetry: int) -> Linear:
    """A model over windows whose places and contents are moved by a symmetry."""
    part = one.parts[0]
    table = part.map.table
    assert table is not None
    powers = 3 ** np.arange(table.side**2)
    digits = np.arange(count_codes(table.side))[:, None] // powers % 3
    images = digits[:, index_tables(table.side)[symmetry]] @ powers
    windows = index_tables(one.size - table.side + 1)[symmetry]
    theta = part.theta.reshape(len(windows), -1)[windows]
    rows = table.rows
    if rows is None:
        theta[:, images] = theta.copy()
    else:
        rows = rows[np.argsort(images)]
    twin = Linear([WindowMap("turned", WindowTable(table.side, rows))], one.size)
    twin.parts[0].restore(theta.reshape(-1))
    return twin


def linear_twins(one: Linear) -> Twins:
    """Own stones are one colour for both; each window has weights of its own."""
    return Twins(partial(turned_linear, one), one)


def turned_net(net: OpeningNet, symmetry: int) -> OpeningNet:
    """A net whose points are moved by a symmetry."""
    weights = np.zeros_like(net.weights)
    weights[net.parts.images[symmetry]] = net.weights
    return OpeningNet(net.inputs, weights, net.scales)


def inverted_net(net: OpeningNet) -> OpeningNet:
    """A net in whose openings White moves first: the constant is the other's, and so is the turn;
    all other inputs count for Black what they count against White."""
    weights = net.weights.copy()
    weights[0] = -weights[0]
    if net.inputs.kinds[0] == "turn":
        weights[0] -= weights[1]
    return OpeningNet(net.inputs, weights, net.scales)


def net_twins(net: OpeningNet) -> Twins:
    return Twins(partial(turned_net, net), inverted_net(net))


def convolution() -> Territory:
    config = TerritoryConfig(STONES, 6, 1, 3, 3, net=NetKind.CONVOLUTION)
    return Territory(STONES, random_arrays(config))


def rlgo(size: int) -> RlgoEvaluator:
    return RlgoEvaluator(random_weights(size), size)


NETS = (5, 6, 9, 13, 19)
CASES = {
    "constant": Case(ConstantEvaluator),
    "average liberties": Case(AverageLiberties),
    "influence": Case(InfluenceEvaluator),
    "territory, stones": Case(partial(random_territory, STONES), NETS, 1e-6),
    "territory, small and large": Case(random_territory, (2, 3, 4, 25), 1e-6),
    "territory, paper": Case(partial(random_territory, PAPER), NETS, 1e-6),
    "territory, every input": Case(partial(random_territory, EVERY_INPUT), NETS, 1e-6),
    "territory, convolution": Case(convolution, (5, 9), 1e-5),
    "territory of every size": Case(TerritoryOfEverySize, (5, 9), 1e-5),
    "selfplay": Case(partial(TerritoryOfEverySize, "selfplay", SELFPLAY), (9,), 1e-5),
    "local shape of every size": Case(ShapeOfEverySize, (5, 8, 9, 19)),
    "linear, templates 2x2": Case(partial(weighted, "templates 2x2"), [SIZE], 1e-6, linear_twins),
    "linear, templates 3x3": Case(partial(weighted, "templates 3x3"), [SIZE], 1e-6, linear_twins),
    "linear, learned": Case(partial(weighted, "learned"), [SIZE], 1e-6, linear_twins),
    "linear, shapes": Case(partial(weighted, "shapes"), [SIZE]),
    "opening, points": Case(partial(random_net, RAW), [5], 1e-6, net_twins),
    "opening, rich": Case(partial(random_net, RICH), [5], 1e-6, net_twins),
}
CASES |= {f"rlgo, {size}": Case(partial(rlgo, size), [size]) for size in (9, 19)}
CASES |= {
    f"local shape, {name}, {size}": Case(partial(model, sets, size), [size])
    for name, sets in SETS.items()
    for size in (5, 6, 9)
}
SMALL = {
    "average liberties": Case(AverageLiberties, (2, 3)),
    "influence": Case(InfluenceEvaluator, (2, 3)),
    "local shape": Case(partial(model, "1x1-2x2:LI+LD", 3), [3]),
    "rlgo": Case(partial(rlgo, 3), [3]),
}


def check(case: Case) -> None:
    evaluator = case.make()
    twins = None if case.twins is None else case.twins(evaluator)
    check_evaluator(evaluator, case.sizes, tolerance=case.tolerance, twins=twins)


@pytest.mark.parametrize("name", CASES)
def test_evaluator_keeps_the_contract(name: str) -> None:
    check(CASES[name])


@pytest.mark.kernel
@pytest.mark.parametrize("name", SMALL)
def test_evaluator_keeps_the_contract_on_small_boards(name: str) -> None:
    check(SMALL[name])


def test_no_evaluator_is_left_out() -> None:
    found = set()
    for module in pkgutil.iter_modules(katachi.evaluators.__path__, "katachi.evaluators."):
        for _, each in inspect.getmembers(import_module(module.name), inspect.isclass):
            if hasattr(each, "evaluate") and each.__module__.startswith("katachi.evaluators."):
                found.add(each)
    frames: set[Any] = {Evaluator, LinearEvaluator}
    assert found - frames == {type(case.make()) for case in CASES.values()}
