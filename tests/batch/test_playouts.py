"""Random games from many positions end on a GPU as they end on the CPU, game for game."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

import katachi
from katachi.batch.packed import MAX_BYTE_SIZE, pack, packing_of, read_packed
from katachi.batch.playouts import Endings, finish_game, owner_at, play_out
from katachi.errors import KatachiError
from katachi.rules.area import area_difference
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import place_stones
from katachi.rules.limits import MAX_SIZE, MIN_SIZE
from katachi.rules.random_play import play_random_moves, random_states
from katachi.rules.state import Words, empty_words


def positions_of(size: int, count: int) -> Words:
    """Positions of random games, ever later ones."""
    words = np.stack([empty_words(size) for _ in range(count)])
    for number, (board, random) in enumerate(zip(words, random_states(5, 0, count), strict=True)):
        play_random_moves(board, BLACK, number * 3 * size * size // (2 * count), random)
    return words


def is_same(a: Endings, b: Endings) -> bool:
    return [each.tolist() for each in a] == [each.tolist() for each in b]


def test_endings_are_those_of_the_games() -> None:
    words, sides = positions_of(5, 3), np.array([BLACK, WHITE, WHITE], np.uint8)
    found = play_out(words, sides, 4, 1.0, seed=3)
    for index, randoms in enumerate(random_states(3, 0, 12).reshape(3, 4)):
        margins = []
        for random in randoms:
            board = words[index].copy()
            play_random_moves(board, int(sides[index]), 75, random)
            margins.append(area_difference(board))
        assert found.margins[index] == found.owned[index].sum() == sum(margins)
        assert found.wins[index] == sum(2 * (m > 1) + (m == 1) for m in margins)


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


@pytest.mark.slow
@pytest.mark.parametrize("size", [9, 13, 19])
def test_a_packed_game_in_bytes_is_the_same_game(size: int) -> None:
    packing = packing_of(size)
    build = numba.jit(nopython=True)  # noqa: TID251 (`kernel` would keep it as that of `rules`)
    finish = read_packed(finish_game, packing, build)
    words = positions_of(size, 300)
    packs, randoms = pack(words, packing), random_states(8, 0, 300)
    for board, packed, random in zip(words, packs, randoms, strict=True):
        assert finish(packed, WHITE, random) == finish_game(board, WHITE, random)


def test_numbers_of_a_board_fit_into_bytes_up_to_the_size_that_is_said() -> None:
    for size in range(MIN_SIZE, MAX_BYTE_SIZE + 1):
        points = size * size
        liberties = max(min(2 * s + 2, 4 * (points - s)) for s in range(1, points))
        assert max(liberties, points, packing_of(size).constants["CELLS"]) < 256


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
        pytest.skip("needs a CUDA GPU, or NUMBA_ENABLE_CUDASIM=1")
    return module


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:overflow")
def test_the_card_ends_games_as_the_cpu_does() -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`), whose random numbers overflow."""
    words, sides = positions_of(4, 3), np.array([BLACK, WHITE, BLACK], np.uint8)
    card = card_module()
    for count in (1, 3):
        assert is_same(
            card.play_out(words, sides, count, 0.5, 3), play_out(words, sides, count, 0.5, 3)
        )


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:overflow")
def test_how_games_are_laid_over_threads_does_not_change_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words, sides = positions_of(3, 2), np.full(2, BLACK, np.uint8)
    card = card_module()
    expected = play_out(words, sides, 5, 0.0, 3)
    assert is_same(card.play_out(words, sides, 5, 0.0, 3, lanes=4), expected)
    monkeypatch.setattr(card, "MOST_GAMES", 6)
    assert is_same(card.play_out(words, sides, 5, 0.0, 3, lanes=2), expected)


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_tree_search_has_its_random_games_played_by_the_card() -> None:
    card_module()
    leaves = pytest.importorskip("katachi.batch.card_leaves")
    words, sides = positions_of(3, 2), np.array([BLACK, WHITE])
    play = leaves.play_on_card(seed=6)
    for seed in (6, 7):
        wins, ownership = play(words, sides, 2, 0.5)
        expected = play_out(words, sides.astype(np.uint8), 2, 0.5, seed)
        assert wins.tolist() == (expected.wins / 4).tolist()
        assert ownership.tolist() == ((expected.owned / 2 + 1) / 2).tolist()


def test_without_a_card_one_line_says_so() -> None:
    with pytest.raises(KatachiError, match="no device 'gpu' for random games"):
        katachi.playouts(katachi.Game(5), 10, device="gpu")
    with pytest.raises(KatachiError, match="alp grows no tree"):
        katachi.load_player("alp", device="cuda")
    if not pytest.importorskip("numba.cuda").is_available():
        with pytest.raises(KatachiError, match="no CUDA GPU"):
            katachi.playouts(katachi.Game(5), 10, device="cuda")
        with pytest.raises(KatachiError, match="no CUDA GPU"):
            katachi.load_player("tree:10:alp", device="cuda")


@pytest.mark.gpu
def test_a_tree_player_finds_a_capture_with_the_cards_random_games() -> None:
    if card_module().config.ENABLE_CUDASIM:
        pytest.skip("a search is too long for the simulator")
    game = katachi.Game(5, komi=0.5)
    for move in ("B2", "C3", "B4", "A3", "C2", "B3", "A2", "E5", "A4", "E4", "C4", "E3"):
        game.play(move)
    player = katachi.load_player("tree:200:alp", seed=1, device="cuda")
    choice = player.choose(game, game.to_play)
    player.close()
    assert choice.point == katachi.point_from_vertex("D3", 5)
