"""A falling step size and averaged weights: the same however the games are divided."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.learning import shape_training
from katachi.learning.curriculum import Curriculum, Plan
from katachi.learning.shape_config import ShapeConfig, model_card
from katachi.learning.shape_metrics import Measurement
from katachi.learning.shape_run import ShapeRun, extend_run, read_result
from katachi.learning.shape_training import (
    ShapeTrainer,
    SourceKind,
    TrainingSettings,
    mean_of,
)
from katachi.td.shape_learning import learning_rates
from tests.learning.test_loop import agents_at_play, assert_same_agents
from tests.learning.test_training_run import go, kept, one_by_one

__all__ = ["one_by_one"]

SETTINGS = TrainingSettings(
    sets="1x1-2x2:LI", alpha=0.5, alphas={"2x2:LI": 0.2}, horizon=33, final_alpha=0.05
)
PLAN = Plan(games=33, test_every=11, test_games=2, final_games=10)
REQUEST = ShapeConfig(SETTINGS, PLAN)
SAMPLED = (20, 25, 30, 33)
"""With blocks of 5 games: what lies after 60 % of 33."""


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 5 games."""
    monkeypatch.setattr(shape_training, "BLOCK", 5)


def assert_same_samples(one: ShapeTrainer, other: ShapeTrainer) -> None:
    """Fails unless both have learned and sampled the same, to the last bit."""
    assert_same_agents(one, other)
    assert one.samples == other.samples
    assert np.array_equal(one.sums, other.sums)


def test_the_step_size_falls_block_by_block_and_every_sets_alike() -> None:
    trainer = ShapeTrainer(SETTINGS)
    first = learning_rates(trainer.agents[0].tables, [0.5, 0.5, 0.2])
    for games in range(40):
        share = min(1.0, games // 5 * 5 / 33) if games < 33 else 1.0
        np.testing.assert_allclose(trainer.rates(), first * 0.1**share, rtol=1e-12)
        trainer.learn(1)


def test_what_is_learned_is_what_each_blocks_rates_say() -> None:
    """Block by block with a constant step size, by hand; halves are exact in floating point."""
    falling = TrainingSettings(sets="1x1-2x2:LI", alpha=0.5, horizon=20, final_alpha=0.5 / 16)
    trainer = ShapeTrainer(falling)
    trainer.learn(28)
    by_hand = ShapeTrainer(TrainingSettings(sets="1x1-2x2:LI"))
    sums = np.zeros(by_hand.sums.shape, np.int64)
    for block, count in enumerate((5, 5, 5, 5, 8)):
        settings = TrainingSettings(sets="1x1-2x2:LI", alpha=0.5 / 2**block)
        by_hand = ShapeTrainer(settings, by_hand.agents, 5 * block)
        by_hand.learn(count)
        if by_hand.games in (15, 20):
            sums += [agent.weights for agent in by_hand.agents]
    assert_same_agents(trainer, by_hand)
    assert np.array_equal(trainer.sums, sums)


def test_samples_are_taken_in_the_last_part_up_to_the_horizon_and_not_again() -> None:
    trainer = ShapeTrainer(SETTINGS)
    for games in range(1, 45):
        trainer.learn(1)
        trainer.learn(0)
        assert trainer.samples == sum(games >= each for each in SAMPLED)
        assert trainer.has_averaged == (games >= 33)
        final, present = trainer.final_agents()[0], trainer.agents[0]
        is_averaged = not np.array_equal(final.weights, present.weights)
        assert is_averaged == (games >= 33)


def test_without_a_horizon_nothing_falls_and_nothing_is_sampled() -> None:
    plain = msgspec.structs.replace(SETTINGS, horizon=0, final_alpha=None)
    one, other = ShapeTrainer(plain), ShapeTrainer(msgspec.structs.replace(SETTINGS, horizon=0))
    one.learn(12)
    other.learn(12)
    assert_same_samples(one, other)
    assert other.samples == 0
    assert other.final_agents() is other.agents


def test_without_a_final_step_size_weights_are_averaged_all_the_same() -> None:
    still = msgspec.structs.replace(SETTINGS, final_alpha=None)
    trainer, plain = ShapeTrainer(still), ShapeTrainer(msgspec.structs.replace(still, horizon=0))
    trainer.learn(33)
    plain.learn(33)
    assert_same_agents(trainer, plain)
    assert trainer.samples == len(SAMPLED)


@pytest.mark.parametrize("counts", [[1] * 40, [4, 1, 0, 17, 11, 7], [33, 7], [25, 0, 15]])
def test_calls_may_divide_the_games_in_any_way(counts: list[int]) -> None:
    whole, parts = ShapeTrainer(SETTINGS), ShapeTrainer(SETTINGS)
    whole.learn(40)
    for count in counts:
        parts.learn(count)
    assert_same_samples(whole, parts)


@pytest.mark.parametrize("source", SourceKind)
@pytest.mark.parametrize("cascade", [False, True])
def test_the_fused_kernel_learns_what_the_plain_loop_does(
    source: SourceKind, cascade: bool
) -> None:
    settings = msgspec.structs.replace(SETTINGS, source=source, cascade=cascade, lam=0.5)
    fused, plain = ShapeTrainer(settings), ShapeTrainer(settings, make_source=agents_at_play)
    fused.learn(36)
    plain.learn(36)
    assert fused.samples == len(SAMPLED)
    assert_same_samples(fused, plain)


def test_only_the_last_board_has_a_horizon_and_earlier_games_count() -> None:
    plan = Plan(games=33, test_every=4, test_games=1, grow_to=7, grow_share=0.0)
    curriculum = Curriculum(ShapeTrainer(SETTINGS), plan)
    horizons = set()
    while not curriculum.is_finished:
        curriculum.advance(3)
        horizons.add((curriculum.size, curriculum.trainer.horizon))
    assert horizons == {(5, None), (6, None), (7, 25)}
    assert curriculum.trainer.samples == 2  # after 20 and 25 games of 7x7
    assert curriculum.trainer.has_averaged


def test_a_horizon_that_smaller_boards_used_up_is_not_none_at_all() -> None:
    plan = Plan(games=60, test_every=40, test_games=1, grow_to=6, grow_share=0.0)
    curriculum = Curriculum(ShapeTrainer(SETTINGS), plan)
    while not curriculum.is_finished:
        curriculum.advance(20)
    trainer = curriculum.trainer
    first = learning_rates(trainer.agents[0].tables, [0.5, 0.5, 0.2])
    np.testing.assert_allclose(trainer.rates(), first * 0.1, rtol=1e-12)
    assert (curriculum.size, trainer.horizon, trainer.samples) == (6, 0, 0)
    assert trainer.final_agents() is trainer.agents


@pytest.mark.parametrize(
    ("size", "size_games", "words"),
    [
        (7, 25, "- step size 0.5 falling to 0.05 at 33 games, exploration"),
        (6, 4, "- step size 0.5 (it falls on 7x7 only, which was not reached), exploration"),
        (7, 0, "- step size 0.5, on 7x7 0.05, exploration"),
    ],
    ids=["in time", "never", "late"],
)
def test_the_card_of_a_board_that_grew_tells_the_steps_that_were_taken(
    size: int, size_games: int, words: str
) -> None:
    config = ShapeConfig(SETTINGS, Plan(games=33, grow_to=7))
    test = Measurement(33, size, size_games, 2, (1,), ((0.0, 1.0),))
    assert words in model_card(ShapeTrainer(SETTINGS).agents[0], 0, config, test)


def test_games_after_the_horizon_would_change_nothing_and_are_refused(
    whole: Path, tmp_path: Path
) -> None:
    before = all_kept(whole)
    with pytest.raises(KatachiError, match="averages its weights up to game 33, and later games"):
        extend_run(whole, 34, "")
    assert all_kept(whole) == before
    assert read_result(whole) is not None
    longer = ShapeConfig(SETTINGS, msgspec.structs.replace(PLAN, games=34))
    with pytest.raises(KatachiError, match="a horizon of 33 games in a run of 34: weights are"):
        ShapeRun.begin(tmp_path / "longer", longer)
    assert not (tmp_path / "longer").exists()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped; no test changes it."""
    folder = tmp_path_factory.mktemp("steady") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape_training, "BLOCK", 5)
        go(ShapeRun.begin(folder, REQUEST))
    return folder


def all_kept(folder: Path) -> dict[str, bytes]:
    """What equal runs have in common, the mean among it."""
    files = [folder / "mean" / name for name in ("README.md", "weights.safetensors")]
    return kept(folder) | {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("games", [1, 19, 20, 21, 25, 28, 30, 32])
def test_a_stopped_run_goes_on_to_the_same_end(games: int, whole: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    go(ShapeRun.begin(parts, REQUEST), until=games)
    tensors = load(max((parts / "checkpoints").iterdir()).read_bytes())
    assert ("sums" in tensors) == (games >= SAMPLED[0])
    go(ShapeRun.resume(parts))
    assert all_kept(parts) == all_kept(whole)


def test_the_models_are_averaged_and_the_mean_is_theirs(whole: Path) -> None:
    trainer = ShapeTrainer(SETTINGS)
    trainer.learn(33)
    agents = [LocalShape.load(whole / f"agent-{number}") for number in (1, 2)]
    for agent, expected, sums in zip(agents, trainer.averaged(), trainer.sums, strict=True):
        assert np.array_equal(agent.weights, expected.weights)
        assert np.abs(agent.weights - sums / len(SAMPLED)).max() <= 0.5
    mean = LocalShape.load(whole / "mean")
    both = agents[0].weights.astype(np.int64) + agents[1].weights
    assert np.abs(mean.weights - both / 2).max() <= 0.5
    assert np.array_equal(mean.seen, agents[0].seen + agents[1].seen)
    assert mean.training["samples"] == len(SAMPLED)
    assert "the mean of 4 samples up to game 33" in (whole / "mean" / "README.md").read_text()


def test_the_last_tests_are_those_of_the_models(whole: Path) -> None:
    result = read_result(whole)
    assert result is not None
    assert result.mean is not None
    trainer = ShapeTrainer(SETTINGS)
    trainer.learn(33)
    assert list(result.final.wins) == trainer.test(10, trainer.averaged())
    assert list(result.mean.wins) == trainer.test(10, [mean_of(trainer.averaged())])


@pytest.mark.parametrize(
    "settings",
    [
        msgspec.structs.replace(SETTINGS, horizon=0),
        msgspec.structs.replace(SETTINGS, horizon=34),
        msgspec.structs.replace(SETTINGS, source=SourceKind.SELF),
    ],
    ids=["no horizon", "a horizon not reached", "one agent"],
)
def test_without_two_averaged_agents_there_is_no_mean(
    settings: TrainingSettings, tmp_path: Path
) -> None:
    go(ShapeRun.begin(tmp_path / "run", ShapeConfig(settings, PLAN)))
    assert not (tmp_path / "run" / "mean").exists()
    result = read_result(tmp_path / "run")
    assert result is not None
    assert result.mean is None


@pytest.mark.parametrize("alpha", [0.0, -1.0, 0.51, float("nan"), float("inf")])
def test_a_final_step_size_out_of_range_is_one_clear_line(alpha: float) -> None:
    with pytest.raises(KatachiError, match=r"^final step size"):
        ShapeTrainer(msgspec.structs.replace(SETTINGS, final_alpha=alpha))


def test_a_horizon_behind_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match=r"^a horizon of -1 games: use 0 or more$"):
        ShapeTrainer(msgspec.structs.replace(SETTINGS, horizon=-1))
