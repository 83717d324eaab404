"""What is sent to a device lies there side by side."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.nets.card_memory import CardMemory


def test_the_columns_that_are_sent_are_there_side_by_side() -> None:
    rows = np.random.default_rng(1).integers(0, 1 << 16, (5, 12)).astype(np.uint16)
    parts = [slice(0, 3), slice(7, 8), slice(10, 12)]
    sent = CardMemory(torch.device("cpu")).send(rows, parts).numpy().view(np.uint16)
    assert sent.shape == (12, 5)
    for part in parts:
        np.testing.assert_array_equal(sent[part], rows[:, part].T)


def test_a_single_tensor_is_joined_to_nothing_and_several_follow_one_another() -> None:
    memory, one, other = CardMemory(torch.device("cpu")), torch.zeros(2, 3), torch.ones(1, 3)
    assert memory.joined([one]) is one
    assert memory.joined([one, other]).tolist() == [[0] * 3, [0] * 3, [1] * 3]


@pytest.mark.parametrize(("device", "number"), [("cuda", 0), ("cuda:3", 3), ("cpu", 0)])
def test_a_card_has_the_number_that_was_asked_for(device: str, number: int) -> None:
    assert CardMemory(torch.device(device)).card == number
