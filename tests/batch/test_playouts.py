"""Random games from many positions end on a card as they end on the CPU, game for game."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from katachi.batch.packed import pack, packing_of, read_packed
from katachi.batch.playouts import Endings, finish_game, new_endings, owner_at
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import place_stones
from katachi.rules.limits import MAX_SIZE, MIN_SIZE
from katachi.rules.random_play import play_random_moves, random_states
from katachi.rules.state import SIZE, Words, empty_words


def positions_of(size: int, count: int) -> Words:
    """Positions of random games, ever later ones."""
    words = np.stack([empty_words(size) for _ in range(count)])
    for number, (board, random) in enumerate(zip(words, random_states(5, 0, count), strict=True)):
        play_random_moves(board, BLACK, number * 3 * size * size // (2 * count), random)
    return words


def play_on_cpu(words: Words, sides: npt.NDArray[np.uint8], count: int, komi: float) -> Endings:
    """What a card should find for seed 3: one game after another."""
    size = int(words[0, SIZE])
    found = new_endings(len(words), size)
    randoms = random_states(3, 0, len(words) * count)
    for number, random in enumerate(randoms):
        at = number // count
        board = words[at].copy()
        moves, margin = finish_game(board, int(sides[at]), random)
        found.wins[at] += int(margin > komi) + int(margin >= komi)
        found.margins[at] += margin
        found.moves[at] += moves
        found.owned[at] += [owner_at(board, index, size) for index in range(size * size)]
    return found


def is_same(a: Endings, b: Endings) -> bool:
    return all(np.array_equal(ours, theirs) for ours, theirs in zip(a, b, strict=True))


def as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


@pytest.mark.parametrize("size", [2, 5])
def test_a_packed_game_is_the_same_game(size: int) -> None:
    """As plain Python, whose sums of bytes would be bytes."""
    packing = packing_of(size, np.uint16)
    finish = read_packed(finish_game, packing, as_it_is)
    owner = read_packed(owner_at, packing, as_it_is)
    words = positions_of(size, 4)
    for board, packed, random in zip(
        words, pack(words, packing), random_states(8, 0, 4), strict=True
    ):
        with np.errstate(over="ignore"):
            packed_end = finish(packed, WHITE, random)
        assert packed_end == finish_game(board, WHITE, random)
        for index in range(size * size):
            assert owner(packed, index, size) == owner_at(board, index, size)


def test_a_kernel_that_reads_what_is_not_packed_is_refused() -> None:
    with pytest.raises(KeyError, match="PAST"):
        read_packed(place_stones, packing_of(9), as_it_is)


def test_the_games_of_neighbouring_lanes_begin_in_different_banks() -> None:
    for size in range(MIN_SIZE, MAX_SIZE + 1):
        packing = packing_of(size)
        assert packing.bytes_a_game % 8 == 4
        assert max(packing.constants.values()) < packing.words


def card_module() -> ModuleType:
    module: ModuleType = pytest.importorskip("katachi.batch.cuda_playouts", exc_type=ImportError)
    if not module.cuda.is_available():
        pytest.skip("needs a CUDA card, or NUMBA_ENABLE_CUDASIM=1")
    return module


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:overflow")
def test_the_card_ends_games_as_the_cpu_does() -> None:
    """On a card, or in the CUDA simulator (`make test-cudasim`), whose random numbers overflow."""
    words, sides = positions_of(4, 3), np.array([BLACK, WHITE, BLACK], np.uint8)
    card = card_module()
    for count in (1, 3):
        assert is_same(
            card.play_out(words, sides, count, 0.5, 3), play_on_cpu(words, sides, count, 0.5)
        )


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:overflow")
def test_the_layout_does_not_change_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    words, sides = positions_of(3, 2), np.full(2, BLACK, np.uint8)
    card = card_module()
    monkeypatch.setattr(card, "FEW_GAMES", 1)
    whole = card.play_out(words, sides, 5, 0.0, 3)
    assert is_same(whole, play_on_cpu(words, sides, 5, 0.0))
    monkeypatch.setattr(card, "MOST_GAMES", 6)
    for memory in card.Memory:
        layout = card.Layout(memory, games=4, lanes=2)
        assert is_same(card.play_out(words, sides, 5, 0.0, 3, layout), whole)
