"""Planes are the oracle's numbers, and turn and swap with the position."""

from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.features.large_propensity import (
    LargeTable,
    empty_table,
    new_hashes,
    read_large,
    square_keys,
)
from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.features.propensity import (
    PropensityTable,
    blank_table,
    new_scratch,
    read_propensity,
    window_tables,
)
from katachi.features.propensity_fit import PropensitySettings, fit_propensity
from katachi.features.territory_inputs import (
    INPUTS,
    InputSettings,
    plan_inputs,
    plane_count,
    plane_groups,
    planes_of,
    recent_count,
)
from katachi.features.territory_planes import KINDS, Planes
from katachi.records.dataset import set_of_records
from katachi.rules.board import Board
from katachi.rules.game import Game
from katachi.rules.point import CELLS, PASS, Points, points_of, row_col_from_point
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import BoardState
from katachi.rules.symmetry import SYMMETRIES, apply_to_grid, index_tables, point_tables
from tests.features.recorded_games import RecordedGame
from tests.oracle.games import stones_of
from tests.oracle.go import (
    BLACK,
    WHITE,
    Spot,
    Stones,
    liberties_of,
    neighbors_of,
    play_stone,
    region_of,
    spots_of,
)
from tests.oracle.territory import (
    count_true_eyes,
    influence_of,
    liberty_orders,
    strength_of,
    weakest_enemies,
)

EVERYTHING = InputSettings(inputs=(*(each for each in INPUTS if each != "recent"), "recent:3"))

SMALL_FIT = LargeSettings(fewest=2, bin_bits=16, table_bits=16)

games_of = st.builds(
    RecordedGame, st.integers(5, 19), st.integers(0, 2**32 - 1), st.integers(0, 150)
)


@cache
def fitted_table() -> PropensityTable:
    games = [RecordedGame(size, size, 60) for size in (5, 7, 9, 11)]
    return fit_propensity(set_of_records(g.record for g in games), PropensitySettings(doubt=2))


@cache
def fitted_large() -> LargeTable:
    games = [RecordedGame(size, size, 60) for size in (5, 7, 9, 11)]
    return fit_large(set_of_records(g.record for g in games), SMALL_FIT)


def states_of(*boards: Board) -> BoardState:
    words = np.stack([board.words for board in boards])
    return positions_of_stones(words)


def recent_of(game: Game) -> Points:
    """The last three moves, [1, 3]."""
    points = [point for _, point in game.moves[::-1]][:3]
    return np.array([points + [0] * (3 - len(points))], np.uint16)


def planes(game: Game, choice: InputSettings) -> Planes:
    plan = plan_inputs(choice, game.size, fitted_table(), fitted_large())
    return planes_of(states_of(game.board), plan, recent_of(game))


def moved_planes(game: Game, symmetry: int, *, is_swapped: bool) -> Planes:
    """Those of the position moved by a symmetry, with the colours exchanged or not."""
    colors = game.colors[index_tables(game.size)[symmetry]]
    if is_swapped:
        colors = np.array([0, WHITE, BLACK], np.uint8)[colors]
    plan = plan_inputs(EVERYTHING, game.size, fitted_table(), fitted_large())
    recent = point_tables(game.size)[symmetry][recent_of(game)]
    return planes_of(states_of(Board.from_colors(colors, game.size)), plan, recent)


def swap_order(settings: InputSettings) -> tuple[np.ndarray, Planes]:
    """(order [C], sign [C]): planes[:, order] * sign[:, None, None] are those of the position with
    the colours exchanged."""
    order, sign = [], []
    for group in plane_groups(settings):
        kind = group.kind
        order += [group.first + each for each in kind.swapped]
        sign += [kind.sign] * kind.planes
    return np.array(order, np.int64), np.array(sign, np.float32)


def turn_order(settings: InputSettings, symmetry: int) -> np.ndarray:
    """[C]: how a symmetry of the board permutes the planes; only the windows of propensity,
    which lie around a point, change places."""
    order = np.arange(sum(plane_count(settings)))
    for group in plane_groups(settings):
        if group.name == "propensity:windows":
            windows = group.first + index_tables(3)[symmetry]
            order[group.first : group.first + 9] = windows
    return order


def swap_planes(planes: Planes, settings: InputSettings) -> Planes:
    """Planes [B, C, N, N] of the positions with the colours exchanged."""
    order, sign = swap_order(settings)
    return np.asarray(planes[:, order] * sign[:, None, None], np.float32)


def turn_planes(planes: Planes, settings: InputSettings, symmetry: int) -> Planes:
    """Planes [B, C, N, N] of the positions moved by a symmetry."""
    turned = apply_to_grid(planes[:, turn_order(settings, symmetry)], symmetry)
    return np.asarray(turned, np.float32)


@given(games_of, st.integers(0, SYMMETRIES - 1), st.booleans())
@settings(max_examples=60)
def test_planes_turn_and_swap_with_the_position(
    recorded: RecordedGame, symmetry: int, is_swapped: bool
) -> None:
    found = planes(recorded.game, EVERYTHING)
    if is_swapped:
        found = swap_planes(found, EVERYTHING)
    expected = moved_planes(recorded.game, symmetry, is_swapped=is_swapped)
    np.testing.assert_allclose(turn_planes(found, EVERYTHING, symmetry), expected, atol=1e-5)


@given(games_of)
@settings(max_examples=30)
def test_all_numbers_lie_between_minus_one_and_one(recorded: RecordedGame) -> None:
    found = planes(recorded.game, EVERYTHING)
    assert np.abs(found).max() <= 1 + 1e-6
    assert found.dtype == np.float32


def block_numbers(stones: Stones, size: int, spot: Spot) -> dict[str, list[float]]:
    """Eyes, liberties and weakest enemies at a spot."""
    if spot not in stones:
        return {"eyes": [0.0], "liberties": [0.0] * 4, "weakest": [0.0] * 10}
    block = region_of(stones, size, spot)
    orders = zip(liberty_orders(stones, size, block), (10, 15, 20, 20), strict=True)
    enemies = [
        enemy_numbers(stones, size, each) for each in weakest_enemies(stones, size, block)[:2]
    ]
    enemies += [[0.0, 0.0, 1.0, 0.0, 0.0]] * (2 - len(enemies))
    return {
        "eyes": [min(count_true_eyes(stones, size, block), 2) / 2],
        "liberties": [min(count, cap) / cap for count, cap in orders],
        "weakest": enemies[0] + enemies[1],
    }


def enemy_numbers(stones: Stones, size: int, block: set[Spot]) -> list[float]:
    color = stones[min(block)]
    eyes, liberties, _ = strength_of(stones, size, block)
    colors = [float(color == BLACK), float(color == WHITE), 0.0]
    return [*colors, min(liberties, 10) / 10, min(eyes, 2) / 2]


def spot_numbers(game: Game, recent: Points) -> dict[str, list[list[float]]]:
    """The oracle's numbers of every input but propensity: input, spot, plane."""
    stones, size = stones_of(game), game.size
    spots = spots_of(size)
    fields = {
        name: [
            influence_of(stones, size, color, "distance", is_strict=is_strict)
            for color in (BLACK, WHITE)
        ]
        for name, is_strict in (("influence", False), ("influence:strict", True))
    }
    numbers = {
        name: [[field[s] / (1 + field[s]) for field in found] for s in spots]
        for name, found in fields.items()
    }
    numbers["stones"] = [[float(stones.get(s, 0) == c) for c in (1, 2, 0)] for s in spots]
    lines = [min(*s, size - 1 - s[0], size - 1 - s[1]) + 1 for s in spots]
    numbers["edge"] = [[min(line, 5) / 5] for line in lines]
    points = points_of(size).tolist()
    numbers["recent"] = [[float(p == r) for r in recent[0].tolist()] for p in points]
    before = int(recent[0, 1])
    numbers["nearness"] = [[nearness(p, before)] for p in points]
    last = int(recent[0, 0])
    numbers["nearness:last"] = [[nearness(p, last)] for p in points]
    numbers["last"] = [[float(p == last and last != PASS)] for p in points]
    numbers["danger"] = [danger_numbers(stones, size, s) for s in spots]
    numbers["placing"] = [
        [part for color in (BLACK, WHITE) for part in placing_numbers(stones, size, s, color)]
        for s in spots
    ]
    found = [block_numbers(stones, size, s) for s in spots]
    for name in ("eyes", "liberties", "weakest"):
        numbers[name] = [each[name] for each in found]
    return numbers


def danger_numbers(stones: Stones, size: int, spot: Spot) -> list[float]:
    """One part in the liberties of a black and of a white stone's block."""
    if spot not in stones:
        return [0.0, 0.0]
    share = 1 / len(liberties_of(stones, size, region_of(stones, size, spot)))
    return [share * (stones[spot] == color) for color in (BLACK, WHITE)]


def placing_numbers(stones: Stones, size: int, spot: Spot, color: int) -> list[float]:
    """Liberties of a stone's block, stones it takes, the enemy it leaves weakest."""
    if spot in stones:
        return [0.0] * 3
    outcome = play_stone(stones, size, spot, color)
    after = outcome.stones
    if spot not in after:
        return [0.0] * 3
    taken = len(stones) + 1 - len(after)
    beside = {s for s in neighbors_of(spot, size) if after.get(s, color) != color}
    left = [len(liberties_of(after, size, region_of(after, size, s))) for s in beside]
    breath = len(liberties_of(after, size, region_of(after, size, spot)))
    return [min(breath, 5) / 5, taken / (1 + taken), 1 / min(left) if left else 0.0]


def nearness(point: int, before: int) -> float:
    """1 at the move before the last, halved every two steps."""
    if before == PASS:
        return 0.0
    (row, col), (down, across) = row_col_from_point(point), row_col_from_point(before)
    steps = abs(row - down), abs(col - across)
    return float(0.5 ** ((sum(steps) + max(steps)) / 4))


@given(games_of)
@settings(max_examples=25)
def test_planes_are_the_oracles(recorded: RecordedGame) -> None:
    game = recorded.game
    found = planes(game, EVERYTHING)[0]
    numbers = spot_numbers(game, recent_of(game))
    numbers.update(propensity_numbers(game))
    assert set(numbers) == set(KINDS)
    for group in plane_groups(EVERYTHING):
        part = found[group.first : group.first + group.kind.planes].reshape(group.kind.planes, -1)
        np.testing.assert_allclose(part.T, numbers[group.name], atol=1e-5, err_msg=group.name)


def propensity_numbers(game: Game) -> dict[str, list[list[float]]]:
    """As the kernel reads them, which has its own oracle."""
    scratch = new_scratch()
    read_propensity(game.words, window_tables(game.size), fitted_table(), scratch)
    points = points_of(game.size)
    said = np.zeros(CELLS, np.float32)
    read_large(game.words, square_keys(), fitted_large(), new_hashes(), said)
    return {
        "propensity:large": said[points, None].tolist(),
        "propensity": scratch.mean[points, None].tolist(),
        "propensity:deviation": scratch.deviation[points, None].tolist(),
        "propensity:weighted": scratch.weighted[points, None].tolist(),
        "propensity:windows": scratch.windows[:, points].T.tolist(),
    }


def test_the_papers_inputs_are_sixty_nine() -> None:
    windowed, local = plane_count(InputSettings())
    assert (windowed, local) == (6, 15)
    assert 9 * windowed + local == 69


@pytest.mark.parametrize("name", [each for each in INPUTS if each != "recent"])
def test_each_input_alone_is_its_part_of_the_whole(name: str) -> None:
    game = RecordedGame(9, 11, 50).game
    whole = planes(game, EVERYTHING)
    group = next(each for each in plane_groups(EVERYTHING) if each.name == name)
    alone = planes(game, InputSettings(inputs=(name,)))
    np.testing.assert_array_equal(alone, whole[:, group.first :][:, : group.kind.planes])


def test_windowed_planes_come_first_whatever_the_order_of_names() -> None:
    choice = InputSettings(inputs=("eyes", "stones", "recent:2"))
    assert [(each.name, each.first) for each in plane_groups(choice)] == [
        ("stones", 0),
        ("eyes", 3),
        ("recent", 4),
    ]
    assert plane_count(choice) == (3, 3)
    assert recent_count(choice) == 2


def test_passes_and_missing_moves_leave_no_mark() -> None:
    game = Game(5)
    plan = plan_inputs(InputSettings(inputs=("recent:4",)), 5)
    recent = np.array([[0, int(points_of(5)[7])]], np.uint16)
    found = planes_of(states_of(game.board), plan, recent)
    assert found.sum() == 1
    assert found[0, 1, 1, 2] == 1
    assert not planes_of(states_of(game.board), plan).any()


@pytest.mark.kernel
def test_an_empty_board_shows_empty_points_and_its_edge() -> None:
    plan = plan_inputs(EVERYTHING, 5, blank_table(), empty_table())
    found = planes_of(states_of(Game(5).board), plan)[0]
    first = {each.name: each.first for each in plane_groups(EVERYTHING)}
    edge, placing = first["edge"], first["placing"]
    assert found[2].tolist() == np.ones((5, 5)).tolist()
    assert found[edge, 2] == pytest.approx([0.2, 0.4, 0.6, 0.4, 0.2])
    assert found[placing, 0] == pytest.approx([0.4, 0.6, 0.6, 0.6, 0.4])
    assert not np.delete(found, [2, edge, placing, placing + 3], axis=0).any()


def test_one_call_fills_many_positions() -> None:
    games = [RecordedGame(7, seed, 10 * seed).game for seed in range(5)]
    plan = plan_inputs(InputSettings(), 7, fitted_table())
    together = planes_of(states_of(*(game.board for game in games)), plan)
    for index, game in enumerate(games):
        np.testing.assert_array_equal(together[index], planes(game, InputSettings())[0])


def test_settings_survive_being_written() -> None:
    data = msgspec.json.encode(EVERYTHING)
    assert msgspec.json.decode(data, type=InputSettings) == EVERYTHING


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (InputSettings(inputs=("stone",)), "no input 'stone'"),
        (InputSettings(inputs=("recent",)), "no input 'recent'"),
        (InputSettings(inputs=("recent:0",)), "no input 'recent:0'"),
        (InputSettings(inputs=("stones", "stones")), "each of them once"),
        (InputSettings(inputs=("recent:1", "recent:2")), "each of them once"),
        (InputSettings(inputs=()), "a net needs inputs"),
        (InputSettings(eye_cap=0), "1 to 1000"),
    ],
)
def test_settings_that_make_no_sense_are_refused(choice: InputSettings, message: str) -> None:
    with pytest.raises(KatachiError, match=message):
        plan_inputs(choice, 9, blank_table())


def test_propensity_needs_a_table_and_room() -> None:
    with pytest.raises(KatachiError, match="table fitted on games"):
        plan_inputs(InputSettings(), 9)
    with pytest.raises(KatachiError, match="large propensity needs a table"):
        plan_inputs(InputSettings(inputs=("propensity:large",)), 9)
    with pytest.raises(KatachiError, match="3x3 or more, not 2x2"):
        plan_inputs(InputSettings(), 2, blank_table())
    assert plan_inputs(InputSettings(inputs=("stones",)), 2).planes == 3
