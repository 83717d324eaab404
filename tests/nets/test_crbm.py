"""The convolutional RBM against the obvious one, and what it learns."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from katachi.nets.crbm import (
    Crbm,
    Room,
    Start,
    fold_windows,
    judge_reconstruction,
    lanes_of,
    new_crbm,
    sample_one,
    sample_units,
    softmax_chances,
    windows_of,
)
from katachi.nets.crbm_fitting import CrbmFitter, DivergenceSettings, SparedChannels
from katachi.nets.crbm_form import CrbmForm, VisibleKind
from tests.oracle.crbm import (
    obvious_activations,
    obvious_free_energy,
    obvious_statistics,
    obvious_top_down,
    turned_weights,
)

PLAIN = DivergenceSettings(0.5, 0.5, 1e-4, 1, False, 0.0, 0.0, seed=1)
TIED = CrbmForm(kernels=4, is_tied=True)


def random_boards(count: int, size: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    colors = torch.randint(0, 3, (count, size, size), generator=generator)
    return functional.one_hot(colors, 3).permute(0, 3, 1, 2).float()


def striped_boards(count: int, size: int, seed: int = 1) -> Tensor:
    """Rows and columns of one colour: what stands beside a stone tells what it is."""
    generator = torch.Generator().manual_seed(seed)
    lines = torch.randint(0, 3, (count, size, 1), generator=generator).expand(-1, -1, size)
    turned = torch.rand(count, 1, 1, generator=generator) < 0.5
    return functional.one_hot(torch.where(turned, lines, lines.mT), 3).permute(0, 3, 1, 2).float()


def strong_crbm(form: CrbmForm) -> Crbm:
    """A machine whose weights are not small."""
    crbm = new_crbm(form, Start(3))
    generator = torch.Generator().manual_seed(4)
    crbm.matrix += 0.5 * torch.randn(crbm.matrix.shape, generator=generator)
    crbm.visible_bias += torch.randn(crbm.visible_bias.shape, generator=generator)
    return crbm


def tensors_of(crbm: Crbm) -> tuple[Tensor, Tensor, Tensor]:
    arrays = crbm.arrays()
    names = ("weight", "hidden_bias", "visible_bias")
    return tuple(torch.from_numpy(arrays[name]) for name in names)  # type: ignore[return-value]


@pytest.mark.parametrize(("size", "side"), [(3, 3), (5, 2), (9, 3), (7, 5), (4, 1)])
def test_hidden_units_and_top_down_are_the_obvious_convolutions(size: int, side: int) -> None:
    crbm = strong_crbm(CrbmForm(kernels=6, side=side))
    weight, hidden_bias, visible_bias = tensors_of(crbm)
    boards = random_boards(4, size)
    chances = torch.sigmoid(obvious_activations(boards, weight, hidden_bias))
    torch.testing.assert_close(crbm.hidden(boards), chances)
    signal = obvious_top_down(chances, weight, visible_bias)
    torch.testing.assert_close(crbm.top_down(chances), signal)
    torch.testing.assert_close(crbm.reconstruction(boards), signal.softmax(1))


def test_free_energy_is_the_sum_over_every_hidden_state() -> None:
    crbm = strong_crbm(CrbmForm(kernels=3, side=2))
    weight, hidden_bias, visible_bias = tensors_of(crbm)
    boards = random_boards(5, 3)
    found = [obvious_free_energy(board, weight, (hidden_bias, visible_bias)) for board in boards]
    np.testing.assert_allclose(crbm.free_energy(boards).numpy(), found, rtol=1e-5)


def test_free_energy_of_real_units_has_their_own_energy() -> None:
    plain = strong_crbm(CrbmForm(kernels=3))
    real = Crbm(CrbmForm(kernels=3, visible=VisibleKind.REAL), plain.arrays())
    boards = random_boards(2, 5)
    difference = real.free_energy(boards) - plain.free_energy(boards)
    torch.testing.assert_close(difference, torch.full((2,), 12.5), atol=1e-3, rtol=0)


@pytest.mark.parametrize("has_null", [True, False])
def test_tied_kernels_share_a_softmax_over_their_orientations(*, has_null: bool) -> None:
    crbm = strong_crbm(CrbmForm(kernels=2, is_tied=True, has_null=has_null))
    weight, bias, _ = tensors_of(crbm)
    boards = random_boards(3, 5)
    turned = [obvious_activations(boards, each, bias) for each in turned_weights(weight)]
    powers = torch.stack(turned, 2).exp()
    expected = powers / (powers.sum(2, keepdim=True) + int(has_null))
    found = crbm.hidden(boards).view(3, 2, 8, 3, 3)
    torch.testing.assert_close(found.sort(2).values, expected.sort(2).values)


def test_tied_rbms_see_the_same_in_a_turned_board() -> None:
    crbm = strong_crbm(TIED)
    boards = random_boards(3, 5)
    pooled = crbm.hidden(boards).view(3, 4, 8, 3, 3).sum(2)
    turned = crbm.hidden(torch.rot90(boards, 1, [2, 3])).view(3, 4, 8, 3, 3).sum(2)
    torch.testing.assert_close(turned, torch.rot90(pooled, 1, [2, 3]))
    torch.testing.assert_close(crbm.free_energy(boards), crbm.free_energy(boards.mT))


def test_gradients_of_orientations_are_turned_back() -> None:
    crbm = strong_crbm(TIED)
    gradient = torch.randn(32, 28, generator=torch.Generator().manual_seed(1))
    back = crbm.turned_back(gradient)
    # <turned(W), G> = <W, back(G)>: the one map is the other's adjoint.
    torch.testing.assert_close((crbm.turned_matrix() * gradient).sum(), (crbm.matrix * back).sum())


def test_a_step_moves_weights_as_the_obvious_statistics_want() -> None:
    form = CrbmForm(kernels=5, visible=VisibleKind.REAL)
    settings = PLAIN._replace(momentum=0.0, decay=0.0)
    fitter = CrbmFitter(strong_crbm(form), settings)
    weight, hidden_bias, visible_bias = tensors_of(fitter.crbm)
    boards = random_boards(6, 5)
    chances = torch.sigmoid(obvious_activations(boards, weight, hidden_bias))
    drawing = torch.Generator().manual_seed(1 << 32)
    flat = chances.permute(1, 2, 3, 0).reshape(5, -1)
    drawn = fitter.crbm.sample_hidden(flat, drawing, Room(flat.device))
    hidden = drawn.view(5, 3, 3, 6).permute(3, 0, 1, 2)
    made = obvious_top_down(hidden, weight, visible_bias)
    made_chances = torch.sigmoid(obvious_activations(made, weight, hidden_bias))
    wanted = obvious_statistics(boards, chances) - obvious_statistics(made, made_chances)
    fitter.step(boards)
    moved = tensors_of(fitter.crbm)
    torch.testing.assert_close(moved[0], weight + 0.5 * wanted)
    expected = hidden_bias + 0.5 * (chances - made_chances).mean((0, 2, 3))
    torch.testing.assert_close(moved[1], expected)
    expected = visible_bias + 0.5 * (boards - made).mean((0, 2, 3))
    torch.testing.assert_close(moved[2], expected)


def test_units_are_on_as_often_as_their_chances_say() -> None:
    generator = torch.Generator().manual_seed(5)
    chances = torch.tensor([0.0, 0.001, 0.3, 0.75, 1.0])[:, None].expand(-1, 40_000).contiguous()
    shares = sample_units(chances, generator, Room(chances.device)).mean(1)
    torch.testing.assert_close(shares, chances[:, 0], atol=0.008, rtol=0)
    assert shares[0] == 0


def test_at_most_one_of_a_group_is_sampled_by_its_chance() -> None:
    generator = torch.Generator().manual_seed(5)
    chances = torch.tensor([0.1, 0.5, 0.2])[None, :, None].expand(2, -1, 20_000)
    drawn = sample_one(chances, generator)
    torch.testing.assert_close(drawn.mean(2)[0], chances[0, :, 0], atol=0.012, rtol=0)
    assert set(drawn.sum(1).flatten().tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("form", [CrbmForm(kernels=5), CrbmForm((3, 2), 5), TIED])
def test_sparing_channels_changes_nothing(form: CrbmForm) -> None:
    """The same sums as with all channels, on boards that the machine made itself."""
    crbm = strong_crbm(form)
    groups = [functional.one_hot(torch.randint(0, n, (6, 5, 5)), n) for n in form.groups]
    boards = torch.cat(groups, 3).permute(0, 3, 1, 2).float()
    spare = SparedChannels(form, Room(crbm.device), crbm.device)
    short, full = lanes_of(boards[:, spare.kept]), lanes_of(boards)
    assert len(short) == len(full) - len(form.groups)
    matrix = crbm.turned_matrix()
    windows, short_windows = windows_of(full, 3), windows_of(short, 3)
    torch.testing.assert_close(spare.shortened(matrix) @ short_windows, matrix @ windows)
    chances = crbm.chances(matrix @ windows)
    torch.testing.assert_close(
        spare.lengthened(chances @ short_windows.T), chances @ windows.T, atol=1e-4, rtol=1e-4
    )
    signal = lanes_of(crbm.top_down(crbm.hidden(boards)))
    said = spare.shortened(matrix)[:, :-1].T @ chances
    bias = spare.shortened_bias(crbm.visible_bias)
    short_signal = fold_windows(said.view(-1, 3, 3, 6), bias, 3)
    means = [
        softmax_chances(g[None], has_null=True)[0]
        for g in torch.split(short_signal, [n - 1 for n in form.groups])
    ]
    torch.testing.assert_close(torch.cat(means), crbm.means(signal)[spare.kept])
    change = short[..., 0] - short[..., 1]
    torch.testing.assert_close(
        spare.with_spared(change.mean((1, 2))), (full[..., 0] - full[..., 1]).mean((1, 2))
    )
    expected = (full[..., :1] - full[..., 1:2]).square().sum(0).mean()
    torch.testing.assert_close(spare.squared(change[..., None]), expected)


@pytest.mark.parametrize(
    ("form", "settings"),
    [
        (CrbmForm(kernels=12), PLAIN),
        (CrbmForm(kernels=12, visible=VisibleKind.REAL), PLAIN._replace(rate=0.1)),
        (CrbmForm(kernels=12, visible=VisibleKind.BINARY), PLAIN),
        (CrbmForm(kernels=4, is_tied=True), PLAIN),
        (CrbmForm(kernels=4, is_tied=True, has_null=False), PLAIN),
        (CrbmForm(kernels=12), PLAIN._replace(gibbs_steps=2)),
        (CrbmForm(kernels=12), PLAIN._replace(is_persistent=True, rate=0.2)),
    ],
    ids=["multinomial", "real", "binary", "tied", "without null", "two steps", "persistent"],
)
def test_stripes_are_learned(form: CrbmForm, settings: DivergenceSettings) -> None:
    fitter = CrbmFitter(new_crbm(form, Start(1)), settings)
    others = striped_boards(50, 5, seed=99)
    before = judge_reconstruction(fitter.crbm, others)
    for number in range(300):
        fitter.step(striped_boards(50, 5, seed=number))
    after = judge_reconstruction(fitter.crbm, others)
    assert after.squared_error < 0.6 * before.squared_error
    noise, stripes = random_boards(50, 5), striped_boards(50, 5, seed=98)
    assert fitter.crbm.free_energy(stripes).mean() < fitter.crbm.free_energy(noise).mean()


def test_units_get_as_seldom_on_as_they_should() -> None:
    settings = PLAIN._replace(sparsity=0.05, sparsity_weight=2.0)
    fitter = CrbmFitter(new_crbm(CrbmForm(kernels=8), Start(1)), settings)
    for number in range(200):
        fitter.step(striped_boards(20, 5, seed=number))
    assert fitter.crbm.hidden(striped_boards(20, 5)).mean() < 0.15


@pytest.mark.parametrize("is_persistent", [False, True])
def test_going_on_from_a_state_gives_the_same_weights(*, is_persistent: bool) -> None:
    settings = PLAIN._replace(is_persistent=is_persistent)
    whole, first, second = (CrbmFitter(new_crbm(TIED, Start(1)), settings) for _ in range(3))
    for number in range(6):
        whole.step(striped_boards(8, 5, seed=number))
        (first if number < 3 else second).step(striped_boards(8, 5, seed=number))
        if number == 2:
            second.restore(first.state())
    assert second.steps == 6
    assert torch.equal(whole.crbm.matrix, second.crbm.matrix)
    with pytest.raises(ValueError, match="matrix has shape"):
        CrbmFitter(new_crbm(CrbmForm(kernels=5), Start(1)), settings).restore(first.state())
