"""Fitting a net: the losses are what they say, they fall, and fitting goes on where it stood."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.nets.fitting import FitBatch, FitSettings, MoveBatch, new_fitter

if TYPE_CHECKING:
    from katachi.nets.fitting import Fitter

SHAPE = (2, 1, 4, 3, 1)
SIZE = 5
CELLS_ONLY = FitSettings(rate=0.02, steps=100, choice_weight=0.0, cell_weight=1.0)
BOTH = FitSettings(rate=0.02, steps=100, choice_weight=1.0, cell_weight=1.0)


def fitter(settings: FitSettings = BOTH, seed: int = 1, **options: Any) -> "Fitter":
    return new_fitter(SHAPE, seed=seed, settings=settings, **{"is_tied": False, **options})


def batch(number: int, others: int = 3, count: int = 6) -> FitBatch:
    """Boards on which the first plane tells who will own a cell, and the chooser takes most."""
    random = np.random.default_rng(number)
    planes = random.uniform(-1, 1, (count, 1 + others, 3, SIZE, SIZE)).astype(np.float32)
    signs = random.choice([-1, 1], count).astype(np.float32)
    planes[:, 0, 0] += 0.5 * signs[:, None, None]
    targets = (planes[:, 0, 0] > 0).astype(np.float32)
    return FitBatch(planes, targets, signs, np.full(count, 1 + others))


def numbers(made: "Fitter") -> dict[str, np.ndarray]:
    return {name: np.asarray(value) for name, value in made.state().items()}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


def test_both_losses_fall_on_a_tiny_set() -> None:
    made = fitter()
    first = made.step(batch(0))
    last = first
    for _ in range(40):
        last = made.step(batch(0))
    assert last.cells < 0.8 * first.cells
    assert last.choice < 0.8 * first.choice
    assert made.temperature != 1.0


def test_the_cells_loss_is_the_cross_entropy_of_the_chosen_boards() -> None:
    made, given = fitter(CELLS_ONLY), batch(1)
    logits = made.logits(given.planes[:, 0])[:, 0].astype(float)
    chance = 1 / (1 + np.exp(-logits))
    expected = -(given.targets * np.log(chance) + (1 - given.targets) * np.log(1 - chance)).mean()
    loss = made.step(given)
    assert loss.cells == pytest.approx(expected, rel=1e-5)
    assert loss.choice == 0.0


def test_the_choice_loss_is_a_softmax_where_every_other_board_is_there() -> None:
    made, given = fitter(), batch(2)
    count, boards = given.planes.shape[:2]
    logits = made.logits(given.planes.reshape(-1, 3, SIZE, SIZE))[:, 0].astype(float)
    sums = (1 / (1 + np.exp(-logits))).sum((1, 2)).reshape(count, boards)
    scores = np.exp(sums * given.signs[:, None])
    expected = -np.log(scores[:, 0] / scores.sum(1)).mean()
    assert made.step(given).choice == pytest.approx(expected, rel=1e-5)


def test_sampled_boards_stand_for_those_that_were_not_sampled() -> None:
    """Three equal boards among four count as one that was drawn of the three."""
    given = batch(3)
    planes = np.concatenate([given.planes[:, :1], np.repeat(given.planes[:, 1:2], 3, 1)], 1)
    whole = fitter().step(given._replace(planes=planes))
    drawn = fitter().step(given._replace(planes=np.ascontiguousarray(given.planes[:, :2])))
    assert drawn.choice == pytest.approx(whole.choice, rel=1e-5)


def test_where_there_was_no_choice_none_is_learned() -> None:
    given = batch(4)
    forced = given._replace(choices=np.array([0, 1, 4, 4, 4, 4]))
    rest = FitBatch(given.planes[2:], given.targets[2:], given.signs[2:], given.choices[2:])
    assert fitter().step(forced).choice == pytest.approx(fitter().step(rest).choice, rel=1e-5)
    assert fitter().step(given._replace(choices=np.zeros(6, np.int64))).choice == 0.0


@pytest.mark.parametrize("settings", [CELLS_ONLY, BOTH], ids=["cells", "both"])
@pytest.mark.parametrize("steps", [0, 3])
def test_going_on_from_a_state_gives_the_same_steps(settings: FitSettings, steps: int) -> None:
    made = fitter(settings)
    for number in range(steps):
        made.step(batch(number))
    state = made.state()
    again = fitter(settings, seed=9)
    again.step(batch(50))
    again.restore(state)
    for number in range(steps, steps + 3):
        assert made.step(batch(number)) == again.step(batch(number))
    assert_same(numbers(made), numbers(again))


def move_batch(number: int, count: int = 6) -> MoveBatch:
    """Boards whose second plane is largest at the chosen cell."""
    random = np.random.default_rng(number)
    planes = random.uniform(-1, 1, (count, 3, SIZE, SIZE)).astype(np.float32)
    free = random.random((count, SIZE * SIZE)) < 0.8
    chosen = np.where(free, planes[:, 1].reshape(count, -1), -np.inf).argmax(1)
    chosen[0] = -1
    known = (np.arange(count) > 1).astype(np.float32)
    targets = (planes[:, 0] > 0).astype(np.float32)
    won = np.array([-1.0, 0.0, 0.5, 1.0, 1.0, 0.0], np.float32)[np.arange(count) % 6]
    outputs, deductions = random.integers(1, 3, count), np.full(count, 1.5, np.float32)
    return MoveBatch(planes, targets, known, outputs, free, chosen, deductions, won)


def test_the_losses_of_chosen_cells_are_those_of_the_formulas_and_fall() -> None:
    made = new_fitter((*SHAPE, 3), False, 1, BOTH)
    given = move_batch(1)
    logits = made.logits(given.planes).astype(float)
    nats = []
    for row in range(1, 6):
        scores = logits[row, given.outputs[row]].reshape(-1)
        total = np.log(np.exp(scores[given.free[row]]).sum())
        nats.append(total - scores[given.chosen[row]])
    owned = logits[2:, 0]
    cells = np.logaddexp(0, np.where(given.targets[2:] > 0, -owned, owned)).mean()
    loss = made.step(given)
    assert loss.choice == pytest.approx(np.mean(nats), rel=1e-5)
    assert loss.cells == pytest.approx(cells, rel=1e-5)
    last = loss
    for _ in range(40):
        last = made.step(given)
    assert last.choice < 0.8 * loss.choice
    assert last.cells < 0.9 * loss.cells


RESULTS_ONLY = FitSettings(0.02, 100, 0.0, 0.0, result_weight=1.0, doubt=(1.0, 0.125))


def move_fitter(settings: FitSettings) -> "Fitter":
    """Of a net that also says which cell each side chooses."""
    return new_fitter((*SHAPE, 3), False, 1, settings)


def total_loss(made: "Fitter", given: MoveBatch) -> float:
    """The loss whose gradient is followed."""
    tensors = [torch.as_tensor(each) for each in given]
    return float(made._move_losses(tensors)[0].detach())


def winning_logit(logits: np.ndarray, handicap: float, doubt: tuple[float, float]) -> float:
    """By the chances of the cells of one board, one after the other."""
    lead, variance = -float(handicap), 0.0
    for logit in logits.reshape(-1).tolist():
        chance = 1 / (1 + math.exp(-logit))
        lead += chance - (1 - chance)
        variance += 4 * chance * (1 - chance)
    return lead / math.sqrt(doubt[0] + doubt[1] * SIZE * variance)


def test_the_result_loss_is_the_cross_entropy_of_what_the_cells_add_up_to() -> None:
    settings = FitSettings(0.02, 100, 1.0, 1.0, result_weight=0.7, doubt=(2.0, 0.3))
    deductions = np.linspace(-6, 6, 6).astype(np.float32)
    made, given = move_fitter(settings), move_batch(1)._replace(deductions=deductions)
    logits = made.logits(given.planes)[:, 0]
    nats = []
    for row in np.flatnonzero(given.results >= 0):
        chance = 1 / (1 + math.exp(-winning_logit(logits[row], deductions[row], (2.0, 0.3))))
        result = float(given.results[row])
        nats.append(-result * math.log(chance) - (1 - result) * math.log(1 - chance))
    assert len(nats) == 5
    found = total_loss(made, given)
    loss = made.step(given)
    assert found == pytest.approx(loss.cells + loss.choice + 0.7 * np.mean(nats), rel=1e-5)


def test_the_result_loss_falls() -> None:
    made, given = move_fitter(RESULTS_ONLY), move_batch(1)
    first = total_loss(made, given)
    for _ in range(40):
        made.step(given)
    assert total_loss(made, given) < 0.8 * first


@pytest.mark.parametrize(("result", "sign"), [(1.0, 1), (0.0, -1)])
def test_a_win_makes_large_cells_likelier_and_a_loss_less(result: float, sign: int) -> None:
    made = move_fitter(RESULTS_ONLY)
    given = move_batch(1)._replace(results=np.full(6, result, np.float32))
    before = made.logits(given.planes)[:, 0].mean()
    for _ in range(5):
        made.step(given)
    assert sign * (made.logits(given.planes)[:, 0].mean() - before) > 0.01


def test_unknown_results_teach_nothing() -> None:
    made = move_fitter(RESULTS_ONLY)
    before = made.weights()
    made.step(move_batch(1)._replace(results=np.full(6, -1, np.float32)))
    assert_same(made.weights(), before)


def test_planes_that_lie_on_the_device_are_learned_from_like_others() -> None:
    given = move_batch(1)
    one, other = move_fitter(BOTH), move_fitter(BOTH)
    sent = given._replace(planes=torch.from_numpy(given.planes))
    assert one.step(given) == other.step(sent)
    assert_same(numbers(one), numbers(other))


def test_a_state_does_not_change_with_later_steps() -> None:
    made = fitter()
    made.step(batch(0))
    state = made.state()
    before = {name: np.array(value) for name, value in state.items()}
    made.step(batch(1))
    assert_same({name: np.asarray(value) for name, value in state.items()}, before)


def test_the_state_of_another_net_is_refused_and_nothing_changes() -> None:
    made = fitter()
    made.step(batch(0))
    before = numbers(made)
    other = new_fitter((2, 1, 4, 2, 1), False, 1, BOTH).state()
    with pytest.raises(ValueError, match="has shape"):
        made.restore(other)
    deeper = new_fitter((2, 1, 4, 3, 2), False, 1, BOTH)
    with pytest.raises(KeyError, match=r"layers\.1"):
        deeper.restore(made.state())
    assert_same(numbers(made), before)


def test_equal_seeds_begin_alike_and_leave_torchs_own_randomness_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    one, again, other = fitter(), fitter(), fitter(seed=2)
    assert torch.equal(torch.rand(3), expected)
    assert_same(numbers(one), numbers(again))
    assert any((numbers(one)[name] != numbers(other)[name]).any() for name in numbers(one))


def test_the_step_size_falls_to_nothing() -> None:
    made = fitter(FitSettings(rate=0.02, steps=2, choice_weight=0.0, cell_weight=1.0))
    for number in range(2):
        made.step(batch(number))
    before = made.weights()
    made.step(batch(2))
    for name, value in made.weights().items():
        np.testing.assert_array_equal(value, before[name])


def test_a_tied_net_is_the_same_whichever_way_the_board_lies() -> None:
    made = fitter(CELLS_ONLY, is_tied=True)
    made.step(batch(0))
    planes = batch(1).planes[:, 0]
    turned = np.ascontiguousarray(planes[..., ::-1].swapaxes(-1, -2))
    found = made.logits(turned).swapaxes(-1, -2)[..., ::-1]
    np.testing.assert_allclose(found, made.logits(planes), atol=1e-5)


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("cuda", "no device 'cuda' here: PyTorch finds no CUDA GPU; use cpu"),
        ("cuda:7", "no device 'cuda:7' here"),
        ("tpu", "no device 'tpu': use cpu, cuda or cuda:N"),
        ("cuda:", "no device 'cuda:': use cpu"),
        ("", "no device '': use cpu"),
    ],
)
def test_a_device_that_is_not_there_is_one_clear_line(
    device: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"^no device") as caught:
        fitter(device=device)
    assert words in str(caught.value)
