"""The DAG-RNN: both ways to compute it are the obvious one, and the board may be turned."""

from collections.abc import Callable, Iterator

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from katachi.nets.dag_rnn import DagRnn  # noqa: E402
from katachi.nets.waves import wave_logits  # noqa: E402
from tests.oracle.dag_rnn import obvious_logits  # noqa: E402

Forward = Callable[[Tensor], Tensor]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make_net(
    windowed: int,
    local: int,
    hidden: int = 16,
    states: int = 8,
    layers: int = 1,
    outputs: int = 1,
    *,
    is_tied: bool = False,
) -> DagRnn:
    torch.manual_seed(7)
    return DagRnn(windowed, local, hidden, states, layers, outputs, is_tied=is_tied)


def make_planes(boards: int, net: DagRnn, size: int) -> Tensor:
    planes = net.shape.windowed + net.shape.local
    random = torch.Generator().manual_seed(boards + size)
    found: Tensor = torch.rand(boards, planes, size, size, generator=random)
    return found * 2 - 1


def by_waves(net: DagRnn) -> Forward:
    def forward(planes: Tensor) -> Tensor:
        return wave_logits(planes, net.shape.windowed, net.layer_weights(), net.output_weights())

    return forward


def gradients(net: DagRnn, forward: Forward, planes: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Logits, and gradients of a sum in which no two points weigh the same."""
    net.zero_grad()
    logits = forward(planes)
    (logits * torch.arange(logits.numel()).cos().view(logits.shape)).sum().backward()
    found = [parameter.grad for parameter in net.parameters()]
    return logits.detach(), [gradient.clone() for gradient in found if gradient is not None]


def assert_same_everywhere(net: DagRnn, one: Forward, other: Forward, planes: Tensor) -> None:
    logits, by_weights = gradients(net, one, planes)
    expected, expected_gradients = gradients(net, other, planes)
    torch.testing.assert_close(logits, expected, atol=1e-6, rtol=0)
    assert len(by_weights) == len(expected_gradients) == len(list(net.parameters()))
    for found, wanted in zip(by_weights, expected_gradients, strict=True):
        torch.testing.assert_close(found, wanted, atol=2e-6 * float(wanted.abs().max()), rtol=0)


@pytest.mark.parametrize(
    ("shape", "size", "boards"),
    [
        pytest.param((6, 15, 16, 8, 1), 9, 5, marks=pytest.mark.slow),
        ((6, 15, 16, 8, 2), 5, 9),
        ((1, 0, 8, 8, 1), 5, 16),
        ((2, 3, 5, 3, 1, 3), 6, 2),
        ((2, 1, 20, 11, 3, 2), 5, 3),
        ((1, 2, 16, 8, 1), 2, 1),
    ],
)
@pytest.mark.parametrize("way", ["tiles", "waves"])
def test_logits_and_gradients_are_those_of_a_loop_over_points(
    shape: tuple[int, ...], size: int, boards: int, way: str
) -> None:
    net = make_net(*shape).double()
    forward = net if way == "tiles" else by_waves(net)
    planes = make_planes(boards, net, size).double()
    assert_same_everywhere(net, forward, lambda p: obvious_logits(net, p), planes)


@pytest.mark.parametrize("boards", [7, 10, 11, 15, 17, 33])
def test_tiles_of_any_number_of_boards_have_the_same_gradients(boards: int) -> None:
    net = make_net(2, 3, layers=2).double()
    assert_same_everywhere(net, net, by_waves(net), make_planes(boards, net, 4).double())


def test_tied_weights_have_the_same_gradients_either_way() -> None:
    net = make_net(2, 3, layers=2, is_tied=True).double()
    assert_same_everywhere(net, net, by_waves(net), make_planes(3, net, 5).double())


@pytest.mark.parametrize("way", ["tiles", "waves"])
@pytest.mark.parametrize("layers", [1, 2])
def test_gradients_are_finite_differences(way: str, layers: int) -> None:
    net = make_net(1, 1, 3, 2, layers=layers).double()
    planes = make_planes(2, net, 3).double()
    forward = net if way == "tiles" else by_waves(net)
    weights = list(net.parameters())

    def logits(*_: Tensor) -> Tensor:
        return forward(planes)

    assert torch.autograd.gradcheck(logits, weights, atol=1e-5, fast_mode=True)


def test_gradients_by_the_planes_are_finite_differences() -> None:
    net = make_net(1, 1, 3, 2).double()
    planes = make_planes(1, net, 3).double().requires_grad_()
    assert torch.autograd.gradcheck(net, [planes])


@pytest.mark.parametrize("inputs", [(6, 15), (6, 11), (8, 0)])
def test_the_paper_s_net_has_64_weights_an_input_and_1385_more(inputs: tuple[int, int]) -> None:
    windowed, local = inputs
    weights = sum(parameter.numel() for parameter in DagRnn(windowed, local).parameters())
    assert weights == 64 * (9 * windowed + local) + 1385


@pytest.mark.parametrize("size", [5, 7, 9, 16, 25])
def test_one_net_takes_boards_of_any_size(size: int) -> None:
    net = make_net(6, 15)
    planes = make_planes(2, net, size)
    logits = net(planes)
    assert logits.shape == (2, 1, size, size)
    torch.testing.assert_close(logits, by_waves(net)(planes), atol=2e-6, rtol=0)


def test_single_precision_gradients_are_those_of_double() -> None:
    net = make_net(6, 15)
    planes = make_planes(20, net, 6)
    _, found = gradients(net, net, planes)
    double = net.double()
    _, expected = gradients(double, double, planes.double())
    for single, wanted in zip(found, expected, strict=True):
        assert float((single - wanted).abs().max()) < 1e-4 * float(wanted.abs().max()) + 1e-5


def test_boards_of_one_batch_do_not_see_each_other() -> None:
    net = make_net(6, 15)
    planes = make_planes(35, net, 6)
    alone = torch.cat([net(planes[i : i + 1]) for i in range(35)])
    torch.testing.assert_close(net(planes), alone, atol=1e-6, rtol=0)


def test_several_threads_give_the_same_gradients() -> None:
    net = make_net(6, 15)
    planes = make_planes(40, net, 5)
    alone, expected = gradients(net, net, planes)
    torch.set_num_threads(2)
    shared, found = gradients(net, net, planes)
    torch.testing.assert_close(shared, alone)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


SYMMETRIES = [
    lambda board: board.flip(-1),
    lambda board: board.flip(-2),
    lambda board: board.transpose(-1, -2),
    lambda board: board.rot90(1, (-2, -1)),
    lambda board: board.rot90(2, (-2, -1)),
    lambda board: board.rot90(3, (-2, -1)),
    lambda board: board.rot90(1, (-2, -1)).flip(-1),
]


@pytest.mark.parametrize("turn", SYMMETRIES)
@pytest.mark.parametrize("layers", [1, 2])
def test_a_tied_net_turns_with_the_board(turn: Forward, layers: int) -> None:
    net = make_net(3, 2, layers=layers, is_tied=True)
    planes = make_planes(3, net, 7)
    torch.testing.assert_close(net(turn(planes)), turn(net(planes)), atol=1e-6, rtol=0)


@pytest.mark.parametrize("sweep", [1, 2, 3])
@pytest.mark.parametrize("layers", [1, 2])
def test_mirroring_the_board_makes_one_sweep_another(sweep: int, layers: int) -> None:
    net = make_net(2, 1, layers=layers)
    states = net.shape.states
    axes = [axis for axis, bit in ((-2, 2), (-1, 1)) if sweep & bit]
    planes = make_planes(2, net, 6)
    weight = net.output.hidden.weight
    with torch.no_grad():
        weight[:, : 19 + states * 4] = 0
        first = torch.rand(net.shape.hidden, states)
        weight[:, 19 : 19 + states] = first
        expected = net(planes)
        weight[:, 19 : 19 + states] = 0
        weight[:, 19 + sweep * states : 19 + (sweep + 1) * states] = first
        mirrored = net(planes.flip(axes)).flip(axes)
    torch.testing.assert_close(mirrored, expected, atol=1e-6, rtol=0)


def test_an_untied_net_is_not_blind_to_the_way_the_board_lies() -> None:
    net = make_net(3, 2)
    planes = make_planes(1, net, 7)
    turned = planes.transpose(-1, -2)
    assert not torch.allclose(net(turned), net(planes).transpose(-1, -2), atol=1e-4)


def test_it_learns_what_lies_in_a_far_corner() -> None:
    torch.manual_seed(3)
    net = DagRnn(1, 0, 8, 4)
    optimiser = torch.optim.Adam(net.parameters(), 0.02)
    planes = torch.zeros(32, 1, 5, 5)
    planes[:, 0, 0, 0] = torch.arange(32) % 2 * 2.0 - 1
    target = ((planes[:, :, :1, :1] + 1) / 2).expand(-1, -1, 5, 5)
    loss = torch.nn.BCEWithLogitsLoss()
    for _ in range(150):
        optimiser.zero_grad()
        loss(net(planes), target).backward()
        optimiser.step()
    assert loss(net(planes), target).item() < 0.1
