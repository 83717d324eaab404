"""Territory is learned from games: equal seeds give equal weights, whatever happens in between."""

import itertools
import sys
import threading
from contextlib import closing
from typing import Any

import msgspec
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.errors import KatachiError
from katachi.evaluators.territory import NetKind
from katachi.features.board_views import fold_views, show_views
from katachi.features.large_propensity_fit import LargeSettings
from katachi.features.propensity import round_table
from katachi.features.propensity_fit import fit_propensity
from katachi.features.territory_inputs import InputSettings, moves_needed, planes_of
from katachi.features.territory_planes import InputPlan
from katachi.learning.material import split_by_size
from katachi.learning.territory_batches import make_move_batch
from katachi.learning.territory_feed import BatchFeed, SampledBatch
from katachi.learning.territory_scores import judge_choices
from katachi.learning.territory_training import (
    TerritoryMeasurement,
    TerritorySettings,
    TerritoryTrainer,
)
from katachi.nets.fitting import MoveBatch
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.sampling import BoardSampler, MoveSampler
from katachi.records.sgf import read_games
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import BoardState, Words, recent_moves
from tests.learning.territory_games import SMALL, drawn_games, gnugo_games


@pytest.fixture(scope="module")
def games() -> GameSet:
    return gnugo_games()


def trainer(games: GameSet, **changes: Any) -> TerritoryTrainer:
    """One that learns from all but the first ten games."""
    return TerritoryTrainer(msgspec.structs.replace(SMALL, **changes), games[10:], games[:10])


def assert_same(one: TerritoryTrainer, other: TerritoryTrainer) -> None:
    found, expected = one.state(), other.state()
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[name], expected[name]) for name in found)


def test_equal_seeds_give_equal_weights_in_whatever_pieces(games: GameSet) -> None:
    whole, parts, other = trainer(games), trainer(games), trainer(games, seed=2)
    whole.learn(5)
    for count in (1, 3, 1):
        parts.learn(count)
    other.learn(5)
    assert_same(whole, parts)
    name = "net.output.out.bias"
    assert not np.array_equal(whole.state()[name], other.state()[name])
    assert whole.measure(2) == parts.measure(2)


@pytest.mark.parametrize("makers", [2, 5])
def test_threads_that_make_batches_change_nothing(makers: int) -> None:
    games = drawn_games(5, 7, 5)
    one, several = (TerritoryTrainer(SMALL, games, games, "cpu", count) for count in (1, makers))
    for count in (1, 2, 7):
        one.learn(count)
        several.learn(count)
    assert one.done == several.done == 10
    assert_same(one, several)


@pytest.mark.parametrize("others", [0, 2])
def test_going_on_from_a_state_gives_the_same_weights(games: GameSet, others: int) -> None:
    whole, stopped, resumed = (trainer(games, others=others) for _ in range(3))
    whole.learn(4)
    stopped.learn(2)
    resumed.load_state(stopped.state())
    assert resumed.done == 2
    resumed.learn(2)
    assert_same(whole, resumed)


def test_it_learns(games: GameSet) -> None:
    made = trainer(games, steps=150, batch=32, rate=0.05)
    before = made.measure(2)
    made.learn(20)
    early = made.measure(2)
    made.learn(130)
    after = made.measure(2)
    assert before.val_ownership_loss is not None
    assert after.val_ownership_loss is not None
    assert after.val_accuracy is not None
    assert after.val_ownership_loss < 0.63 < before.val_ownership_loss
    assert after.val_accuracy > 0.65
    assert after.train_ownership_loss < early.train_ownership_loss
    assert after.train_policy_loss < early.train_policy_loss


def states_of(words: Words) -> BoardState:
    """These positions, without history."""
    return positions_of_stones(words)


def test_a_model_says_what_the_net_says(games: GameSet) -> None:
    made = trainer(games)
    made.learn(3)
    model = made.model()
    [size] = made._sizes
    assert isinstance(size.validation, BoardSampler)
    words = size.validation.sample(0, 8).words[:, 0]
    found = model.evaluate(states_of(words)).ownership
    assert found is not None
    views = show_views(words, moves_needed(model.inputs))
    planes = planes_of(states_of(views.words), size.plan, recent_moves(views.words))
    chances = 1 / (1 + np.exp(-made._fitter.logits(planes)[:, 0].reshape(16, 81)))
    plain, swapped = fold_views(chances.astype(np.float32), views)
    np.testing.assert_allclose(found, (plain + 1 - swapped) / 2, atol=1e-5)
    assert model.temperatures.keys() == {9}
    assert not trainer(games, others=0).model().temperatures


def size_of(made: TerritoryTrainer, step: int) -> int:
    """The board size of a batch."""
    batch = made.feed.sample_batch(step)
    assert not isinstance(batch, SampledBatch)
    return int(batch.planes.shape[-1])


def test_games_of_several_sizes_are_learned_from_by_their_number() -> None:
    games = drawn_games(5, 7, 5, 5, 7, 6)
    assert {size: len(part) for size, part in split_by_size(games).items()} == {5: 3, 6: 1, 7: 2}
    made = TerritoryTrainer(SMALL, games, drawn_games(7, 9))
    sizes = [size_of(made, step) for step in range(60)]
    assert set(sizes) == {5, 6, 7}
    assert sizes.count(5) > sizes.count(6)
    made.learn(6)
    measured = made.measure(1)
    assert measured.val_ownership_loss is not None  # those of 7x7
    assert made.model().temperatures.keys() == {5, 6, 7}


def test_propensity_is_counted_on_the_games_to_learn_from_and_rounded(games: GameSet) -> None:
    inputs = InputSettings(("stones", "propensity"))
    made = trainer(games, inputs=inputs)
    expected = round_table(fit_propensity(games[10:], SMALL.propensity))
    assert made.tables.windows is not None
    assert all(np.array_equal(a, b) for a, b in zip(made.tables.windows, expected, strict=True))
    assert made.tables.large is None


def test_large_squares_can_be_inputs(games: GameSet) -> None:
    few = LargeSettings(bin_bits=12, table_bits=12)
    made = trainer(games, inputs=InputSettings(("stones", "propensity:large")), large=few)
    made.learn(1)
    large = made.model().tables.large
    assert large is not None
    assert large.key.any()


def test_without_games_to_measure_on_there_is_no_measurement() -> None:
    made = TerritoryTrainer(SMALL, drawn_games(5), drawn_games(7))
    made.learn(1)
    measured = made.measure()
    assert (measured.val_ownership_loss, measured.val_accuracy) == (None, None)
    assert measured.train_ownership_loss > 0


def test_a_loss_that_is_no_number_is_one_clear_line(games: GameSet) -> None:
    made = trainer(games, rate=1000.0)
    with pytest.raises(KatachiError, match=r"^the loss of batch \d is no number: use a smaller"):
        made.learn(6)


def set_of(text: bytes) -> GameSet:
    return set_of_records(read_games(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "no game is left to learn from"),
        (b"(;SZ[5];B[aa];W[bb])", "some games have no final ownership"),
        (b"(;SZ[5]TB[aa])", "no game has a move to learn from"),
        (b"(;SZ[2];B[aa];TB[bb])", "propensity needs a board of 3x3 or more, not 2x2"),
    ],
)
def test_games_that_cannot_be_learned_from_are_one_clear_line(text: bytes, words: str) -> None:
    games = set_of(text) if text else drawn_games(5)[:0]
    settings = msgspec.structs.replace(SMALL, inputs=InputSettings(("stones", "propensity")))
    with pytest.raises(KatachiError, match=words):
        TerritoryTrainer(settings, games, games)


def test_the_state_of_other_settings_is_one_clear_line(games: GameSet) -> None:
    for other in (trainer(games, states=2), trainer(games, layers=2)):
        with pytest.raises(KatachiError, match=r"^the checkpoint is of another net: "):
            other.load_state(trainer(games).state())


def test_an_unknown_input_is_one_clear_line(games: GameSet) -> None:
    with pytest.raises(KatachiError, match="no input 'luck': there are stones"):
        trainer(games, inputs=InputSettings(("stones", "luck")))


def test_without_torch_the_line_says_what_to_install(
    games: GameSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "katachi.nets.fitting", None)
    with pytest.raises(KatachiError, match=r"needs PyTorch: pip install katachi\[nets\]"):
        trainer(games)


def test_the_defaults_are_the_papers() -> None:
    settings = TerritorySettings()
    assert (settings.hidden, settings.states, settings.later_share, settings.ahead) == (
        *(16, 8, 0.25, 2),
    )


MOVES = InputSettings(("stones", "last", "placing"))


def test_foretelling_is_learned_from_games_whose_owners_are_unknown() -> None:
    games = set_of_records(read_games(b"(;SZ[5];B[cc];W[bb];B[bc];W[cb])"))
    settings = msgspec.structs.replace(
        SMALL, inputs=MOVES, predicts_moves=True, cell_weight=0.0, steps=60, batch=16, rate=0.05
    )
    made = TerritoryTrainer(settings, games, games)
    made.learn(60)
    measured = made.measure(2)
    assert measured.val_policy_loss is not None
    assert measured.val_policy_loss < 2.0 < np.log(23)
    assert measured.val_ownership_loss is None
    assert made.model().predicts_moves
    assert made.model().temperatures == {5: 1.0}


def test_a_model_foretells_what_the_net_does(games: GameSet) -> None:
    made = trainer(games, predicts_moves=True, inputs=MOVES)
    made.learn(3)
    [size] = made._sizes
    assert isinstance(size.validation, MoveSampler)
    batch = make_move_batch(size.plan, size.validation, 0, 8)
    sampled = size.validation.sample(0, 8)
    found = made.model().move_scores(states_of(sampled.words), sampled.movers)
    views = show_views(sampled.words, moves_needed(MOVES))
    planes = planes_of(states_of(views.words), size.plan, recent_moves(views.words))
    outputs = np.concatenate([sampled.movers, 3 - sampled.movers])
    logits = made._fitter.logits(planes)[np.arange(16), outputs].reshape(16, -1)
    np.testing.assert_allclose(found, fold_views(logits, views).mean(axis=0), atol=1e-5)
    scores = judge_choices(made._fitter.logits(batch.planes), batch)
    assert scores.total == (batch.chosen >= 0).sum()
    assert scores.nats / scores.total == pytest.approx(np.log(batch.free.sum(1)).mean(), rel=0.2)


ALL = msgspec.structs.replace(
    SMALL, inputs=MOVES, others=0, predicts_moves=True, owner_share=0.5, result_weight=0.5, steps=30
)
"""Moves of all games, owners where they are known, and results."""
SAME_MOVES = b"(;SZ[5]KM[0.5]RE[B+R];B[cc];W[bb];B[bc];W[cb])"


def mixed_games() -> GameSet:
    """Two games with owners and one without, which has a result."""
    return set_of_records([*drawn_games(5, 5), *read_games(SAME_MOVES)])


def all_trainer(makers: int = 1, **changes: Any) -> TerritoryTrainer:
    settings = msgspec.structs.replace(ALL, **changes)
    return TerritoryTrainer(settings, mixed_games(), mixed_games(), "cpu", makers)


def maker_threads(before: set[threading.Thread]) -> set[threading.Thread]:
    """Threads that were begun since."""
    return set(threading.enumerate()) - before


@pytest.mark.parametrize("makers", [1, 3])
def test_moves_owners_and_results_are_learned_alike_in_whatever_pieces(makers: int) -> None:
    whole, parts = all_trainer(), all_trainer(makers)
    whole.learn(9)
    for count in (1, 2, 5, 1):
        parts.learn(count)
    assert_same(whole, parts)
    assert whole.measure(2) == parts.measure(2)


@pytest.mark.parametrize("makers", [1, 3])
def test_a_batch_made_ahead_is_learned_from_by_the_next_call(
    makers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, sampled, sample_batch = all_trainer(makers), [], BatchFeed.sample_batch

    def note(self: BatchFeed, step: int, maker: int) -> Any:
        sampled.append(step)
        return sample_batch(self, step, maker)

    monkeypatch.setattr(BatchFeed, "sample_batch", note)
    for count in (1, 3, 2):
        made.learn(count)
    made.share_batches({5: 1.0})
    assert sorted(sampled) == list(range(6 + makers))


def test_set_to_another_step_it_learns_from_the_batches_of_that_step() -> None:
    whole, again = all_trainer(2), all_trainer(2)
    whole.learn(6)
    again.learn(2)
    state = again.state()
    again.learn(3)
    again.load_state(state)
    again.learn(4)
    assert_same(whole, again)


def test_new_shares_of_board_sizes_hold_from_the_next_batch_on() -> None:
    games = drawn_games(5, 7)
    made, told = (TerritoryTrainer(SMALL, games, games) for _ in range(2))
    made.share_batches({5: 1.0, 7: 0.0})
    made.learn(2)
    told.load_state(made.state())
    for each in (made, told):
        each.share_batches({5: 0.0, 7: 1.0})
        each.learn(2)
    assert_same(made, told)


def interrupt(_: object) -> None:
    raise KeyboardInterrupt


def test_interrupted_it_leaves_no_thread_and_goes_on_to_the_same_weights() -> None:
    whole, stopped = all_trainer(), all_trainer(3)
    whole.learn(5)
    before = set(threading.enumerate())
    stopped.learn(2)
    assert maker_threads(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stopped._fitter, "step", interrupt)
        with pytest.raises(KeyboardInterrupt) as caught:
            stopped.learn(1)
    assert caught.type is KeyboardInterrupt
    assert not maker_threads(before)
    stopped.learn(3)
    assert_same(whole, stopped)


def test_after_the_last_step_no_thread_is_left() -> None:
    before = set(threading.enumerate())
    made = all_trainer(2, steps=3)
    made.learn(2)
    assert maker_threads(before)
    made.learn(1)
    assert not maker_threads(before)


class PlainPlaneMaker:
    """Makes planes as a GPU does: of many boards at once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked: list[int] = []

    def planes_of(self, words: Words, plan: InputPlan) -> torch.Tensor:
        self.asked.append(len(words))
        return torch.from_numpy(planes_of(states_of(words), plan, recent_moves(words)))


@pytest.mark.parametrize("step", [0, 2])
@pytest.mark.parametrize(("most", "together"), [(3 * ALL.batch + 1, 3), (ALL.batch - 1, 1)])
def test_planes_made_for_several_batches_at_once_are_those_of_each(
    step: int, most: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, made, maker = all_trainer(), all_trainer(2), PlainPlaneMaker(most)
    monkeypatch.setattr(made.feed, "_plane_maker", maker)
    with closing(made.feed.batches(step)) as feed:
        for number, batch in enumerate(itertools.islice(feed, 6)):
            expected = plain.feed.sample_batch(step + number)
            assert isinstance(expected, MoveBatch)
            for name in expected._fields:
                found = np.asarray(getattr(batch, name))
                np.testing.assert_array_equal(found, getattr(expected, name), err_msg=name)
    assert maker.asked == [together * ALL.batch] * (6 // together)


def test_where_numba_finds_no_gpu_a_line_says_who_makes_planes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    net_cuda = pytest.importorskip("katachi.batch.net_cuda", exc_type=ImportError)
    monkeypatch.setattr(net_cuda.cuda, "is_available", lambda: False)
    made = all_trainer(net=NetKind.CONVOLUTION)
    assert not caplog.messages
    assert made._new_plane_maker("cuda") is None
    assert caplog.messages == [
        "Numba cannot use the GPU: planes are made by the CPU, which is slower"
    ]


QUICKLY = msgspec.structs.replace(ALL, hidden=8, batch=16, rate=0.1, steps=60)


def test_moves_of_games_without_owners_are_learned_beside_the_owners_of_others() -> None:
    losses = []
    for train in (mixed_games(), drawn_games(5, 5)):
        made = TerritoryTrainer(QUICKLY, train, set_of(SAME_MOVES))
        made.learn(QUICKLY.steps)
        measured = made.measure(2)
        assert measured.val_ownership_loss is None
        assert measured.val_policy_loss is not None
        losses.append(measured.val_policy_loss)
    assert losses[0] < 2.5 < np.log(23) < losses[1]


@pytest.fixture(scope="module")
def of_one_side() -> tuple[TerritoryMeasurement, TerritoryMeasurement]:
    """Before and after learning, on a game that belongs to one side, beside one without owners."""
    owned = set_of(b"(;SZ[5]AB[bb][db][bd][dd]KM[0.5]RE[B+R];B[cc];W[];TB[aa:ee])")
    games = set_of_records([*owned, *read_games(SAME_MOVES)])
    made = TerritoryTrainer(QUICKLY, games, owned)
    before = made.measure(2)
    made.learn(QUICKLY.steps)
    return before, made.measure(2)


def test_owners_are_learned_where_they_are_known_beside_games_without(
    of_one_side: tuple[TerritoryMeasurement, TerritoryMeasurement],
) -> None:
    before, after = (each.val_ownership_loss for each in of_one_side)
    assert before is not None
    assert after is not None
    assert after < 0.8 * before


def test_results_are_learned(
    of_one_side: tuple[TerritoryMeasurement, TerritoryMeasurement],
) -> None:
    before, after = (each.val_value_loss for each in of_one_side)
    assert before is not None
    assert after is not None
    assert after < 0.5 * before


def test_a_result_is_measured_only_where_it_is_learned() -> None:
    assert all_trainer(result_weight=0.0).measure(1).val_value_loss is None
    measured = all_trainer().measure(1)
    assert measured.val_value_loss is not None
    assert measured.val_value_loss > 0
    assert measured.val_value_accuracy is not None
    assert 0 <= measured.val_value_accuracy <= 1


def test_closed_it_leaves_no_thread_and_goes_on_to_the_same_weights() -> None:
    whole, closed = all_trainer(), all_trainer(2)
    whole.learn(4)
    before = set(threading.enumerate())
    closed.learn(1)
    closed.close()
    assert not maker_threads(before)
    closed.learn(1)
    closed.share_batches({5: 1.0})
    assert not maker_threads(before)
    closed.learn(2)
    assert_same(whole, closed)


@pytest.mark.parametrize("text", [b"(;SZ[5]KM[0.5]RE[B+T];B[cc];W[])", b"(;SZ[5]RE[B+R];B[cc])"])
def test_without_a_known_result_none_is_measured(text: bytes) -> None:
    made = TerritoryTrainer(ALL, mixed_games(), set_of(text))
    measured = made.measure(1)
    assert (measured.val_value_loss, measured.val_value_accuracy) == (None, None)
