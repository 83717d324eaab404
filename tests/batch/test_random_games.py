import numpy as np
import pytest

from katachi.batch import cpu
from katachi.batch.random_games import RandomGames
from katachi.rules.area import area_difference, count_filled_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.random_play import play_random_moves, random_states
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import empty_words


def is_same(a: RandomGames, b: RandomGames) -> bool:
    arrays = ("records", "lengths", "margins", "randoms")
    same = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)
    return same and np.array_equal(a.states.hashes, b.states.hashes)


@pytest.mark.kernel
@pytest.mark.parametrize("rule", list(KoRule))
def test_a_recorded_game_replays_through_the_game_object(rule: KoRule) -> None:
    games = cpu.play_games(5, 4, seed=11, ko_rule=rule)
    for index, length in enumerate(games.lengths.tolist()):
        game = Game(5, komi=0, rules=Rules(rule))
        for ply, point in enumerate(games.records[index, :length].tolist()):
            game.play(BLACK if ply % 2 == 0 else WHITE, point)
        assert game.area_score() == games.margins[index]
        assert game.hash == games.states.hashes[index, length]


def test_threads_do_not_change_the_games() -> None:
    assert is_same(cpu.play_games(7, 31, seed=5), cpu.play_games(7, 31, seed=5, threads=3))


def test_a_games_random_numbers_depend_on_its_number_not_on_the_batch() -> None:
    long = cpu.play_games(5, 20, seed=9)
    short = cpu.play_games(5, 3, seed=9)
    assert np.array_equal(long.records[:3], short.records)


def test_other_seeds_are_other_games() -> None:
    one, two = cpu.play_games(5, 8, seed=1), cpu.play_games(5, 8, seed=2)
    assert not np.array_equal(one.records, two.records)


def test_superko_games_repeat_no_position() -> None:
    games = cpu.play_games(3, 200, seed=4)
    for index, length in enumerate(games.lengths.tolist()):
        record = games.records[index, :length]
        hashes = games.states.hashes[index, 1 : length + 1][record != 0] & ~np.uint64(1)
        assert len(set(hashes.tolist())) == len(hashes)


def test_filled_boards_are_counted_as_any_other() -> None:
    for size in (2, 5, 9, 19):
        for seed in random_states(1, 0, 30):
            board = empty_words(size)
            play_random_moves(board, BLACK, 10_000, seed)
            assert count_filled_area(board) == area_difference(board)


def test_unrecorded_games_count_their_moves() -> None:
    moves = cpu.play_unrecorded(9, 500, seed=3)
    assert 95 < moves / 500 < 125
    assert cpu.play_exactly(9, 500, seed=3) == moves


@pytest.mark.gpu
@pytest.mark.parametrize("rule", list(KoRule))
def test_the_card_plays_the_cpus_games_move_for_move(rule: KoRule) -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`)."""
    cuda = pytest.importorskip("katachi.batch.cuda", exc_type=ImportError)
    if not cuda.cuda.is_available():
        pytest.skip("needs a CUDA GPU, or NUMBA_ENABLE_CUDASIM=1")
    assert is_same(cuda.play_games(4, 3, seed=2, ko_rule=rule), cpu.play_games(4, 3, 2, rule))
