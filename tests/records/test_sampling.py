"""Sampled boards are those of the games, turned and swapped, played again move by move."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.record import GameRecord
from katachi.records.sampling import BoardSampler, SampledBoards, SampleSettings
from katachi.records.sgf import read_games
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import colors_of
from katachi.rules.symmetry import SYMMETRIES, apply_to_grid, point_tables
from tests.features.recorded_games import RecordedGame

pytestmark = pytest.mark.kernel

SETTINGS = SampleSettings(negatives=3, recent=3, horizon=2, stone_weight=0.25)
SETUP = b"(;SZ[5]AB[bb][cb]AW[bc][cc];W[dd];B[];W[ab];B[ba];TB[aa]TW[ee])"


class View(NamedTuple):
    """A game as it is looked at, before one of its moves."""

    record: GameRecord
    ply: int
    symmetry: int
    is_swapped: bool


def marked(size: int, seed: int, length: int) -> GameRecord:
    """A random game with captures and passes; who owns what is sampled too."""
    owners = np.random.default_rng(seed).integers(-1, 2, size * size).astype(np.int8)
    return dataclasses.replace(RecordedGame(size, seed, length).record, ownership=owners)


def small_games() -> GameSet:
    made = [*read_games(SETUP), marked(5, 1, 40), marked(5, 2, 3), marked(5, 3, 60)]
    return set_of_records(made)


def turned(view: View, points: np.ndarray) -> list[int]:
    table = point_tables(view.record.size)[view.symmetry]
    return [int(table[int(point)]) for point in points]


def seen_color(view: View, color: int) -> int:
    return 3 - color if view.is_swapped else color


def play(view: View, moves: int) -> Game:
    """The first moves of a game as it is looked at."""
    record = view.record
    game = Game(record.size, rules=Rules(KoRule.SIMPLE))
    setup = [turned(view, record.setup_black), turned(view, record.setup_white)]
    game.place_setup(*(setup[::-1] if view.is_swapped else setup))
    for point, color in zip(turned(view, record.moves), record.colors.tolist(), strict=True):
        if len(game.moves) == moves:
            break
        game.play(seen_color(view, color), point)
    return game


def expected_targets(view: View, settings: SampleSettings) -> np.ndarray:
    size = view.record.size
    assert view.record.ownership is not None
    owners = apply_to_grid(view.record.ownership.reshape(size, size), view.symmetry).reshape(-1)
    final = 0.5 + 0.5 * owners.astype(float) * (-1 if view.is_swapped else 1)
    later = view.ply + 1 + settings.horizon
    if later > len(view.record.moves):
        return final
    stones = np.array([0.5, 1.0, 0.0])[play(view, later).colors]
    return (1 - settings.stone_weight) * final + settings.stone_weight * stones


def expected_recent(view: View, settings: SampleSettings) -> list[int]:
    points = turned(view, view.record.moves[: view.ply + 1])[::-1][: settings.recent]
    return points + [PASS] * (settings.recent - len(points))


def is_view(sampled: SampledBoards, index: int, view: View, settings: SampleSettings) -> bool:
    """Whether a sampled move, its recent moves and its targets are those of a view."""
    return (
        np.array_equal(colors_of(sampled.words[index, 0]), play(view, view.ply + 1).colors)
        and sampled.movers[index] == seen_color(view, int(view.record.colors[view.ply]))
        and sampled.recent[index, 0].tolist() == expected_recent(view, settings)
        and np.allclose(sampled.targets[index], expected_targets(view, settings))
    )


def check_others(sampled: SampledBoards, index: int, view: View, settings: SampleSettings) -> None:
    """The other boards are those after other legal moves, and the rest of the past is the same."""
    before = play(view, view.ply)
    color = int(sampled.movers[index])
    legal = before.legal_moves(color).tolist()
    played = expected_recent(view, settings)
    assert sampled.legal[index] == (0 if played[0] == PASS else len(legal))
    for number in range(1, 1 + settings.negatives):
        other, *rest = sampled.recent[index, number].tolist()
        assert rest == played[1:]
        game = play(view, view.ply)
        if other == PASS:
            assert len(legal) < 2
        else:
            assert other in legal
            assert other != played[0]
            game.play(color, other)
        assert np.array_equal(colors_of(sampled.words[index, number]), game.colors)


def test_every_sampled_board_is_one_of_the_games_as_it_is_looked_at() -> None:
    games = small_games()
    sampled = BoardSampler(games, SETTINGS, seed=3).sample(0, 48)
    views = [
        View(record, ply, symmetry, is_swapped)
        for record in games
        for ply in range(len(record.moves))
        for symmetry in range(SYMMETRIES)
        for is_swapped in (False, True)
    ]
    stones: dict[bytes, list[View]] = {}
    for view in views:
        stones.setdefault(play(view, view.ply + 1).colors.tobytes(), []).append(view)
    found = set()
    for index in range(48):
        same = stones[colors_of(sampled.words[index, 0]).tobytes()]
        fitting = [view for view in same if is_view(sampled, index, view, SETTINGS)]
        assert fitting
        check_others(sampled, index, fitting[0], SETTINGS)
        found.add((fitting[0].symmetry, fitting[0].is_swapped))
    assert len(found) > SYMMETRIES


def test_all_other_moves_are_sampled_in_the_end() -> None:
    games = set_of_records(read_games(b"(;SZ[3];B[bb];TB[aa])"))
    sampled = BoardSampler(games, SampleSettings(negatives=100, recent=1), seed=1).sample(0, 2)
    for index in range(2):
        assert sampled.legal[index] == 9
        others = set(sampled.recent[index, 1:, 0].tolist())
        assert len(others) == 8
        assert int(sampled.recent[index, 0, 0]) not in others


def test_a_forced_move_has_no_others() -> None:
    """Black captures on the only empty point: the boards beside are as before."""
    games = set_of_records(read_games(b"(;SZ[2]AB[aa][ab]AW[ba];B[bb];TB[ba])"))
    sampled = BoardSampler(games, SampleSettings(negatives=2, recent=1), seed=1).sample(0, 1)
    assert sampled.legal.tolist() == [1]
    assert sampled.recent[0, 0, 0] != PASS
    assert sampled.recent[0, 1:, 0].tolist() == [PASS, PASS]
    assert (colors_of(sampled.words[0, 1]) > 0).sum() == 3


def test_equal_numbers_give_equal_boards(gnugo_games: GameSet) -> None:
    one, again, other = (
        BoardSampler(gnugo_games, SETTINGS, seed).sample(5, 8) for seed in (1, 1, 2)
    )
    for name in one._fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(again, name), err_msg=name)
    assert not np.array_equal(one.words, other.words)
    sampler = BoardSampler(gnugo_games, SETTINGS, 1)
    sampler.sample(0, 8)
    assert np.array_equal(sampler.sample(5, 8).words, one.words)
    assert not np.array_equal(sampler.sample(6, 8).words, one.words)


def test_without_stones_that_stand_later_targets_are_the_owners(gnugo_games: GameSet) -> None:
    sampled = BoardSampler(gnugo_games, SampleSettings(stone_weight=0.0), 1).sample(0, 16)
    assert set(np.unique(sampled.targets)) <= {0.0, 0.5, 1.0}
    assert sampled.words.shape[1] == 1
    assert sampled.recent.shape == (16, 1, 0)
    assert not sampled.legal.any()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b"(;SZ[5];B[aa];TB[bb])(;SZ[6];B[aa];TB[bb])",
            "one board size are needed; the sizes here: 5, 6",
        ),
        (b"(;SZ[5];B[aa])(;SZ[5];B[aa];TB[bb])", "no final ownership"),
        (b"(;SZ[5]AB[aa]TB[bb])", "no game has a move"),
    ],
)
def test_what_cannot_be_sampled_from_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(KatachiError, match=message):
        BoardSampler(set_of_records(read_games(text)), SETTINGS, 1)


def test_an_empty_set_is_refused(gnugo_games: GameSet) -> None:
    with pytest.raises(KatachiError, match="the sizes here: none"):
        BoardSampler(gnugo_games[:0], SETTINGS, 1)


def test_games_without_moves_are_never_sampled() -> None:
    games = set_of_records(read_games(b"(;SZ[5]TB[bb])(;SZ[5];B[cc];TB[bb])"))
    sampled = BoardSampler(games, SampleSettings(), 1).sample(0, 20)
    assert all(colors_of(words[0]).any() for words in sampled.words)
