"""How often a shape was learned from, where 32 bits no longer hold it."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, Wanted, rank_set
from katachi.features.shape_sets import parse_sets
from katachi.features.shape_tables import layout_of
from katachi.files.shipped_folders import MODELS
from katachi.learning.curriculum import Curriculum, Plan
from katachi.learning.shape_training import ShapeTrainer, TrainingSettings, mean_of
from katachi.rules.game import Game
from katachi.rules.point import PASS

MANY = 2**32 - 100
SETTINGS = TrainingSettings(sets="1x1-2x2:LI,1x1:LI:liberty", bins=50)
SHIPPED = {"shape5": 0, "shape9": 0, "cascade9": 0, "liberty9": 0.1, "shape19": 0.1}
"""How far counts may be off: those of packed models are not exact."""


def agents(count: int, seen: int) -> list[LocalShape]:
    sets = parse_sets(SETTINGS.sets)
    made = [LocalShape(sets, SETTINGS.size, SETTINGS.bins) for _ in range(count)]
    for agent in made:
        agent.seen[:] = seen
    return made


def test_games_count_on_beyond_32_bits() -> None:
    fresh, old = ShapeTrainer(SETTINGS, agents(2, 0)), ShapeTrainer(SETTINGS, agents(2, MANY))
    for trainer in (fresh, old):
        trainer.learn(5)
    for new, other in zip(fresh.agents, old.agents, strict=True):
        assert np.array_equal(new.seen + np.uint64(MANY), other.seen)
        assert other.seen.max() > 2**32


@pytest.mark.parametrize("sets", ["1x1:LI", "1x1:LI:liberty"])
def test_positions_count_on_beyond_32_bits(sets: str) -> None:
    model = LocalShape(parse_sets(sets), 19, 50)
    model.seen[:] = MANY
    game = Game(19)
    game.play(game.to_play, PASS)
    model.nudge(game.states, np.ones((1, 1), np.int64))
    assert int(model.seen.max()) == MANY + 361


def test_a_mean_has_seen_what_all_have_seen() -> None:
    assert set(mean_of(agents(3, 3_000_000_000)).seen.tolist()) == {9_000_000_000}


@pytest.mark.parametrize(("seen", "kept"), [(2**32 - 1, "uint32"), (2**32, "uint64")])
def test_a_model_keeps_its_counts_in_no_more_bits_than_they_need(
    tmp_path: Path, seen: int, kept: str
) -> None:
    (model,) = agents(1, seen)
    model.save(tmp_path, "a card")
    assert load((tmp_path / "weights.safetensors").read_bytes())["seen"].dtype == kept
    again = LocalShape.load(tmp_path)
    assert again.seen.dtype == np.uint64
    assert set(again.seen.tolist()) == {seen}


@pytest.mark.parametrize("seen", [7, 2**33])
def test_a_checkpoint_keeps_its_counts(seen: int) -> None:
    before = Curriculum(ShapeTrainer(SETTINGS, agents(2, seen)), Plan(games=10))
    after = Curriculum(ShapeTrainer(SETTINGS), Plan(games=10))
    after.load_state(load(save(before.state())))
    for agent in after.trainer.agents:
        assert set(agent.seen.tolist()) == {seen}


def test_impact_is_ordered_by_products_of_any_length() -> None:
    weights = np.array([0, 2**30, 2**29], np.int32)
    seen = np.array([1, 2**34, 2**20], np.uint64)
    model = LocalShape(parse_sets("1x1:LI"), 5, 10, weights, seen)
    ranking = rank_set(model, 0, Wanted(2, 0, Order.IMPACT))
    assert [each.seen for each in ranking.best] == [2**34, 2**20]


@pytest.mark.parametrize("weights", [np.zeros(2, np.int32), np.zeros(3, np.int64)])
def test_weights_that_do_not_fit_the_sets_are_refused(weights: np.ndarray) -> None:
    with pytest.raises(KatachiError, match="need 3 weights"):
        LocalShape(parse_sets("1x1:LI"), 5, 10, weights)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_counts_are_the_same_with_and_without_the_place(name: str) -> None:
    model = LocalShape.load(MODELS / name)
    layouts = dict(zip(model.sets, layout_of(model.sets, model.size, model.bins), strict=True))
    everywhere, by_place = (layouts[each] for each in parse_sets("1x1:LI+LD"))
    counts = model.seen[by_place.first : by_place.end].reshape(-1, 3).sum(axis=0)
    found = model.seen[everywhere.first : everywhere.end].tolist()
    assert found == pytest.approx(counts.tolist(), rel=SHIPPED[name], abs=0)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_counts_of_neighbors_are_those_of_their_points(name: str) -> None:
    """Each point is part of as many pairs of neighbours as it has neighbours."""
    model = LocalShape.load(MODELS / name)
    layouts = dict(zip(model.sets, layout_of(model.sets, model.size, model.bins), strict=True))
    points, pairs = (layouts[parse_sets(each)[0]] for each in ("1x1:LD", "2x1:LI"))
    ends = np.zeros(3, np.int64)
    for window, (first, _) in points.classes.items():
        neighbors = 4 - (window.row == 0) - (window.col == 0)
        ends += neighbors * model.seen[first : first + 3].astype(np.int64)
    nothing, own, other, own_own, own_other, other_other = model.seen[
        pairs.first : pairs.end
    ].tolist()
    sums = [
        2 * nothing + own + other,
        2 * own_own + own + own_other,
        2 * other_other + other + own_other,
    ]
    assert ends.tolist() == pytest.approx(sums, rel=SHIPPED[name], abs=0)
