"""Random games: uniform among the moves that are allowed, and never a repeated position."""

import math
import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from katachi._jit import kernel
from katachi.rules.area import area_difference
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.legality import is_eye
from katachi.rules.point import CELLS, PASS, point_from_vertex, points_of
from katachi.rules.random_play import (
    RandomStates,
    copy_board,
    draw_move,
    draw_unrepeated_move,
    index_from_random,
    next_random,
    play_random_game,
    play_random_moves,
    random_states,
)
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import (
    EMPTIES,
    EMPTY_COUNT,
    INDEX,
    BoardState,
    Words,
    new_states,
    state_of_game,
)
from tests.oracle.games import colors_of_stones, play_random_move, point_of
from tests.oracle.go import OracleGame, spots_of
from tests.oracle.go import is_eye as oracle_is_eye
from tests.rules.meaning import assert_same_meaning, meaning_of

DRAWS = 40_000
GAMES = {2: 60, 3: 300, 4: 60, 5: 30, 7: 8, 9: 3}
"""Random games replayed by the oracle, by size."""


@kernel
def draw_many(board: Words, color: int, count: int, seed: np.uint64, times: Words) -> None:
    """Counts how often each point is drawn, in times [CELLS]."""
    for _ in range(count):
        point, seed = draw_move(board, color, seed)
        times[point] += 1


@kernel
def draw_many_unrepeated(state: BoardState, color: int, seeds: RandomStates, times: Words) -> None:
    """The same for draws without repetition; seeds [2] holds the random state and the count."""
    random = seeds[0]
    for _ in range(seeds[1]):
        point, random = draw_unrepeated_move(state, color, 1, random)
        times[point] += 1


@cache
def middle_game() -> Game:
    """A position with eyes, captures to make and suicides to avoid."""
    game = Game(5)
    board = Board.from_diagram(
        """
        . X . X .
        X X X X X
        . O X O O
        O O O O .
        . O . O .
        """
    )
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    return game


def sensible_points(game: Game, color: int) -> list[int]:
    moves = game.legal_moves(color).tolist()
    return [point for point in moves if not is_eye(game.words, point, color)]


def chi_square(times: Words, points: list[int]) -> float:
    counts = times[points].astype(np.float64)
    expected = counts.sum() / len(points)
    return float(((counts - expected) ** 2 / expected).sum())


def is_plausible(times: Words, points: list[int]) -> bool:
    """Whether counts may come from uniform draws: five deviations above the mean of chi square,
    and a little more, for its tail is long where there are few places."""
    freedom = len(points) - 1
    return chi_square(times, points) < freedom + 5.0 * math.sqrt(2 * freedom) + 8.0


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_draws_are_uniform_over_the_sensible_moves(color: int) -> None:
    game = middle_game().copy()
    times = np.zeros(CELLS, np.uint16)
    draw_many(game.words, color, DRAWS, random_states(1, color, 1)[0], times)
    points = sensible_points(game, color)
    assert np.flatnonzero(times).tolist() == points
    assert is_plausible(times, points)


def test_draws_are_uniform_on_an_empty_19x19_board() -> None:
    times = np.zeros(CELLS, np.uint16)
    draw_many(Game(19).words, BLACK, 20 * DRAWS, random_states(2, 0, 1)[0], times)
    assert is_plausible(times, points_of(19).tolist())


def game_with_a_repetition() -> tuple[Game, int]:
    """A game, and the colour to move that has a sensible move which repeats a position."""
    for seed in range(1000):
        game, source = Game(3), random.Random(seed)
        while len(game.moves) < 30 and not game.is_over:
            play_random_move(game, source)
            color = game.to_play
            lax = Game(3, rules=Rules(KoRule.SIMPLE))
            stones = game.board
            lax.place_setup(stones.points_of_color(BLACK), stones.points_of_color(WHITE))
            allowed = sensible_points(game, color)
            refused = [p for p in sensible_points(lax, color) if game.judge(color, p) == "superko"]
            if refused and len(allowed) >= 3:
                return game, color
    raise AssertionError("no such game")


def test_draws_without_repetition_are_uniform_over_what_is_left() -> None:
    game, color = game_with_a_repetition()
    times = np.zeros(CELLS, np.uint16)
    seeds = np.array([random_states(3, 0, 1)[0], DRAWS], np.uint64)
    draw_many_unrepeated(game.state, color, seeds, times)
    points = sensible_points(game, color)
    assert np.flatnonzero(times).tolist() == points
    assert is_plausible(times, points)


def test_a_draw_passes_when_only_eyes_are_left() -> None:
    board = Board.from_diagram(
        """
        . X . X
        X X X X
        X X X X
        . X X X
        """
    )
    point, _ = draw_once(board.words, BLACK)
    assert point == PASS


@kernel
def draw_once(board: Words, color: int) -> tuple[int, np.uint64]:
    return draw_move(board, color, np.uint64(12345))


@pytest.mark.kernel
def test_a_draw_shuffles_the_empty_points_but_loses_none() -> None:
    game = middle_game().copy()
    before = meaning_of(game.words)
    for _ in range(20):
        draw_once(game.words, BLACK)
    after = meaning_of(game.words)
    assert sorted(after["EMPTIES"]) == sorted(before["EMPTIES"])
    for place in range(int(game.words[EMPTY_COUNT])):
        assert game.words[INDEX + int(game.words[EMPTIES + place])] == place


def replay_by_oracle(size: int, ko: KoRule, record: list[int]) -> OracleGame:
    """Checks each move of a random game: legal, no own eye, and a pass only without a move."""
    oracle = OracleGame(size, ko.name)
    spots = {point_of(spot): spot for spot in spots_of(size)}
    color = BLACK
    for point in record:
        spot = spots.get(point)
        if spot is None:
            assert not [
                s
                for s in oracle.legal_spots(color)
                if not oracle_is_eye(oracle.stones, size, s, color)
            ]
        else:
            assert oracle.verdict(color, spot) == "legal"
            assert not oracle_is_eye(oracle.stones, size, spot, color)
        oracle.play(color, spot)
        color = 3 - color
    return oracle


@pytest.mark.parametrize("ko", [KoRule.POSITIONAL, KoRule.SITUATIONAL])
@pytest.mark.parametrize(("size", "games"), GAMES.items())
def test_a_random_game_is_legal_and_repeats_no_position(size: int, games: int, ko: KoRule) -> None:
    seeds = random_states(size, 0, games)
    for seed in seeds:
        state = state_of_game(new_states(1, size, 1001), 0)
        record = np.zeros(1000, np.uint16)
        count, _ = play_random_game(state, BLACK, ko, record, seed)
        oracle = replay_by_oracle(size, ko, record[:count].tolist())
        assert oracle.is_over
        assert Board(state.words).colors.tolist() == colors_of_stones(oracle.stones, size)


@pytest.mark.parametrize("size", [2, 3])
def test_superko_is_met_in_such_games(size: int) -> None:
    refused: Counter[str] = Counter()
    for seed in random_states(size, 0, GAMES[size]):
        state = state_of_game(new_states(1, size, 1001), 0)
        record = np.zeros(1000, np.uint16)
        count, _ = play_random_game(state, BLACK, int(KoRule.POSITIONAL), record, seed)
        game = Game(size)
        for point in record[:count].tolist():
            refused.update(game.judge(game.to_play, int(p)) for p in points_of(size))
            game.play(game.to_play, point)
    assert refused["superko"] > 3


@pytest.mark.kernel
@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_random_moves_end_in_a_settled_board(size: int) -> None:
    state = state_of_game(new_states(1, size, 2), 0)
    moves, _ = play_random_moves(state.words, BLACK, 400, random_states(7, size, 1)[0])
    assert 0 < moves <= 400
    Board.from_colors(Board(state.words).colors, size)
    assert abs(area_difference(state.words)) <= size * size


def test_random_moves_stop_at_the_limit() -> None:
    state = state_of_game(new_states(1, 19, 2), 0)
    moves, _ = play_random_moves(state.words, BLACK, 50, random_states(7, 0, 1)[0])
    assert moves == 50
    assert np.count_nonzero(Board(state.words).colors) == 50


def test_equal_random_states_give_equal_games() -> None:
    records = []
    for _ in range(2):
        state = state_of_game(new_states(1, 9, 301), 0)
        record = np.zeros(300, np.uint16)
        play_random_game(state, BLACK, 1, record, random_states(11, 5, 1)[0])
        records.append(record.tolist())
    assert records[0] == records[1]


def test_games_of_one_run_have_states_of_their_own() -> None:
    states = random_states(1, 0, 10_000)
    assert len(np.unique(states)) == 10_000
    assert states.all()


def test_a_runs_states_do_not_depend_on_where_it_was_cut() -> None:
    assert random_states(9, 100, 5).tolist() == random_states(9, 0, 105)[100:].tolist()


@kernel
def count_indices(seed: np.uint64, times: Words) -> None:
    for _ in range(40_000):
        seed = next_random(seed)
        times[index_from_random(seed, len(times))] += 1


@pytest.mark.parametrize("count", [2, 3, 7, 81, 361])
def test_indices_are_uniform(count: int) -> None:
    times = np.zeros(count, np.uint16)
    count_indices(random_states(4, count, 1)[0], times)
    assert is_plausible(times, list(range(count)))


@kernel
def copy_once(source: Words, target: Words) -> None:
    copy_board(source, target)


@pytest.mark.kernel
def test_a_copied_board_means_the_same() -> None:
    game, source = Game(7), random.Random(1)
    for _ in range(60):
        play_random_move(game, source)
    target = new_states(1, 7, 2).words[0]
    copy_once(game.words, target)
    assert_same_meaning(meaning_of(target), meaning_of(game.words))


def test_the_center_of_a_ponnuki_is_drawn_by_no_one_who_would_die_there() -> None:
    game = Game(5)
    for vertex in ("C4", "B3", "D3", "C2"):
        game.play(BLACK, point_from_vertex(vertex, 5))
    times = np.zeros(CELLS, np.uint16)
    draw_many(game.words, WHITE, 2000, random_states(1, 0, 1)[0], times)
    assert times[point_from_vertex("C3", 5)] == 0


def test_runs_of_neighbouring_seeds_share_no_game() -> None:
    runs = [set(random_states(seed, 0, 1000).tolist()) for seed in range(8)]
    assert len(set().union(*runs)) == 8 * 1000
