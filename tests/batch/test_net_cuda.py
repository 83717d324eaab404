"""Boards are sent to a GPU in parts of so many, and what is made of them comes in their order."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("katachi.batch.net_cuda", exc_type=ImportError)

import torch

from katachi.batch.net_cuda import CardBoards, CardPlaneMaker, SentBoards, can_make_planes
from katachi.features.territory_inputs import InputSettings, plan_inputs
from katachi.features.territory_planes import InputPlan
from katachi.nets.card_memory import CardMemory
from katachi.nets.convolution import Convolution
from katachi.nets.search_fitting import TorchKernel
from katachi.rules.state import WORDS, Words

PLANES, SIZE = 2, 3
PLAN = plan_inputs(InputSettings(("stones",)), SIZE)
ROOM = 4
"""Planes have room for a multiple of so many positions."""


class NumberedPlanes(CardPlaneMaker):
    """Planes of boards that say in their first word which they are; no GPU is needed."""

    most = 5

    def __init__(self) -> None:
        self._memory = CardMemory(torch.device("cpu"))
        self.counts: list[int] = []

    def send(self, words: Words) -> SentBoards:
        self.counts.append(len(words))
        return SentBoards(words, None, SIZE)

    def make(self, sent: SentBoards, plan: InputPlan) -> torch.Tensor:
        count = len(sent.boards)
        planes = torch.full((PLANES, sent.size, sent.size, -(-count // ROOM) * ROOM), -1.0)
        planes[..., :count] = torch.from_numpy(sent.boards[:, 0].astype(np.float32))
        return planes


class NumberedBoards(NumberedPlanes, CardBoards):
    """A small net of such planes."""

    def __init__(self) -> None:
        super().__init__()
        self._kernel = TorchKernel(Convolution(PLANES, 2, 1, 3).arrays(), "cpu")


def numbered(count: int) -> Words:
    """Boards that say which they are."""
    words = np.zeros((count, WORDS), np.uint16)
    words[:, 0] = np.arange(count)
    return words


@pytest.mark.parametrize(("count", "parts"), [(1, [1]), (5, [5]), (6, [5, 1]), (12, [5, 5, 2])])
def test_planes_are_made_of_so_many_boards_at_most_a_launch(count: int, parts: list[int]) -> None:
    maker = NumberedPlanes()
    planes = maker.planes_of(numbered(count), PLAN)
    assert maker.counts == parts
    assert planes.shape == (count, PLANES, SIZE, SIZE)
    expected = np.broadcast_to(np.arange(count)[:, None, None, None], planes.shape)
    np.testing.assert_array_equal(planes.numpy(), expected)


@pytest.mark.parametrize(("count", "parts"), [(3, [3]), (11, [5, 5, 1])])
def test_logits_are_those_of_all_boards(count: int, parts: list[int]) -> None:
    boards = NumberedBoards()
    found = boards.logits(numbered(count), PLAN)
    assert boards.counts == parts
    planes = np.zeros((count, PLANES, SIZE, SIZE), np.float32)
    planes += np.arange(count, dtype=np.float32)[:, None, None, None]
    np.testing.assert_allclose(found, boards._kernel.logits(planes), atol=1e-5)


@pytest.mark.parametrize("is_there", [True, False])
def test_it_is_said_when_the_cpu_makes_planes(
    is_there: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("katachi.batch.net_cuda.cuda.is_available", lambda: is_there)
    assert can_make_planes() is is_there
    assert len(caplog.messages) == (0 if is_there else 1)
