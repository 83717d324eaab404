"""A GPU sees of a position what the CPU sees, and a net on it says nearly the same."""

from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import Territory
from katachi.features.propensity import PLACES, PropensityTable, blank_table
from katachi.features.territory_inputs import InputSettings, plan_inputs, planes_of
from katachi.features.territory_planes import KINDS, InputPlan, Planes
from katachi.learning.selfplay_games import GamesTask, NetWeights, compute_on_card, play_part
from katachi.rules.kernels import play_move
from katachi.rules.point import PASS
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import BoardState, Words, new_states, recent_moves
from katachi.search.tree import node_moves
from katachi.search.tree_games import GamePlan
from katachi.search.tree_leaves import lead_of_owners, value_of_owners
from katachi.workers import Shared

WITHOUT_TABLES = tuple(name for name in KINDS if name != "recent" and "propensity" not in name)
WITH_TABLES = tuple(name for name in KINDS if name.startswith("propensity") and "large" not in name)
FUSED = 1e-6
"""What a product that is added without being rounded first may make of a mean of a few."""
TOLERANCE = 0.01
"""Of a move's share, and of a chance to win, computed with float16."""


def planes_module() -> ModuleType:
    module: ModuleType = pytest.importorskip("katachi.batch.planes_cuda", exc_type=ImportError)
    if not module.cuda.is_available():
        pytest.skip("needs a CUDA GPU, or NUMBA_ENABLE_CUDASIM=1")
    return module


def boards_of_games(size: int, games: int, moves: int) -> Words:
    """[games * moves, WORDS]: the positions of random games."""
    random, found = np.random.default_rng(1), []
    for _ in range(games):
        fresh = new_states(1, size, moves + 4)
        state = BoardState(fresh.words[0], fresh.hashes[0], fresh.keys)
        for ply in range(moves):
            color = 1 + ply % 2
            points = node_moves(state, color)
            play_move(state, int(random.choice(points)) if len(points) else PASS, color)
            found.append(state.words.copy())
    return np.array(found)


def on_both(words: Words, plan: InputPlan, size: int) -> tuple[Planes, Planes]:
    """What the CPU sees of these boards, and what a GPU sees."""
    module = planes_module()
    recent = recent_moves(words)
    expected = planes_of(positions_of_stones(words), plan, recent)
    out = module.cuda.to_device(np.full((plan.planes, size, size, len(words)), 7, np.float32))
    sent = [module.cuda.to_device(np.ascontiguousarray(each.T)) for each in (words, recent)]
    module.CardPlanes(plan, size, len(words) + 1).fill(*sent, out)
    return expected, out.copy_to_host().transpose(3, 0, 1, 2)


@pytest.mark.gpu
def test_planes_are_the_cpus_bit_for_bit() -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`)."""
    plan = plan_inputs(InputSettings((*WITHOUT_TABLES, "recent:3")), 5)
    expected, found = on_both(boards_of_games(5, 1, 24)[7::8], plan, 5)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.gpu
def test_propensity_is_the_cpus_but_for_the_last_bit() -> None:
    """A GPU adds products without rounding them first."""
    random = np.random.default_rng(2)
    score, trust = (random.random(each.shape, np.float32) for each in blank_table())
    plan = plan_inputs(InputSettings(WITH_TABLES), 5, PropensityTable(score, trust))
    expected, found = on_both(boards_of_games(5, 1, 12)[-1:], plan, 5)
    assert expected.shape[1] == 3 + PLACES
    np.testing.assert_allclose(found, expected, rtol=0, atol=FUSED)


def need_card() -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")


@pytest.mark.gpu
def test_a_net_on_a_card_says_what_it_says_on_the_cpu() -> None:
    """All of it there: planes and net."""
    need_card()
    words = boards_of_games(9, 8, 60)
    states = positions_of_stones(words)
    colors = np.resize(np.array([2, 1]), len(words))
    here, there = load_territory("selfplay9"), load_territory("selfplay9")
    compute_on_card(there, "cuda")
    for one, other in zip(says(here, states, colors), says(there, states, colors), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=TOLERANCE)


def says(
    model: Territory, states: BoardState, colors: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], ...]:
    """Shares of moves, and chances."""
    ownership, scores = model.look(states, colors)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    value = value_of_owners(ownership, lead_of_owners(ownership, 7.0))
    return shares / shares.sum(axis=1, keepdims=True), value


@pytest.mark.gpu
def test_equal_seeds_play_equal_games_on_a_card() -> None:
    """Not those of the CPU, whose numbers are more exact."""
    need_card()
    net = load_territory("selfplay9")
    shared = Shared(NetWeights(net.inputs, net.arrays, net.tables))
    plan = GamePlan(7, games=6, visits=12, quick_visits=6)
    one, other = (play_part(GamesTask(shared, plan, 8, 3, "cuda")) for _ in range(2))
    assert len(one.lengths) == 8
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_every_plane_is_made_by_one_part() -> None:
    """Whatever the inputs are; influence and placing, by one for each colour."""
    divide_plan = pytest.importorskip("katachi.batch.planes_cuda", exc_type=ImportError).divide_plan
    for names in (WITHOUT_TABLES, WITH_TABLES, ("placing",), ("edge", "influence", *WITH_TABLES)):
        plan = plan_inputs(InputSettings(names), 9, blank_table())
        parts = divide_plan(plan)
        for kind, name in enumerate(KINDS):
            views = parts.views[parts.first[:, kind] >= 0].tolist()
            if name.startswith("influence") or name == "placing":
                assert sorted(views) == ([[0, 1], [1, 2]] if name in names else [])
            else:
                assert views == ([[0, 2]] if name in names else [])
        np.testing.assert_array_equal(parts.first.max(axis=0), plan.first)
