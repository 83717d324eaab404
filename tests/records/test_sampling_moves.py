"""Sampled moves are those of the games, turned and swapped, played again move by move."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import set_of_records
from katachi.records.sampling import NO_MOVE, MoveSampler, SampledMoves, SampleSettings
from katachi.records.sgf import read_games
from katachi.rules.point import PASS, points_of
from katachi.rules.state import colors_of
from katachi.rules.symmetry import SYMMETRIES
from tests.records.test_sampling import (
    View,
    expected_targets,
    marked,
    play,
    seen_color,
    small_games,
    turned,
)

pytestmark = pytest.mark.kernel

SETTINGS = SampleSettings(recent=3, horizon=2, stone_weight=0.25)


def expected_recent(view: View) -> list[int]:
    points = turned(view, view.record.moves[: view.ply])[::-1][: SETTINGS.recent]
    return points + [PASS] * (SETTINGS.recent - len(points))


def is_view(sampled: SampledMoves, index: int, view: View) -> bool:
    """Whether a sampled position, its past, its move and its targets are those of a view."""
    points = points_of(view.record.size).tolist()
    game = play(view, view.ply)
    color = seen_color(view, int(view.record.colors[view.ply]))
    point = turned(view, view.record.moves[view.ply : view.ply + 1])[0]
    legal = {*game.legal_moves(color).tolist(), point} - {PASS}
    # Targets look from one move earlier than those of the board after the move.
    before = view._replace(ply=view.ply - 1)
    return (
        np.array_equal(colors_of(sampled.words[index]), game.colors)
        and sampled.movers[index] == color
        and sampled.recent[index].tolist() == expected_recent(view)
        and sampled.played[index] == (NO_MOVE if point == PASS else points.index(point))
        and {points[at] for at in np.flatnonzero(sampled.legal[index])} == legal
        and sampled.known[index] == 1
        and np.allclose(sampled.targets[index], expected_targets(before, SETTINGS))
    )


def test_every_sampled_move_is_one_of_the_games_as_it_is_looked_at() -> None:
    sampled = MoveSampler(small_games(), SETTINGS, seed=3).sample(0, 32)
    views = [
        View(record, ply, symmetry, is_swapped)
        for record in small_games()
        for ply in range(len(record.moves))
        for symmetry in range(SYMMETRIES)
        for is_swapped in (False, True)
    ]
    stones: dict[bytes, list[View]] = {}
    for view in views:
        stones.setdefault(play(view, view.ply).colors.tobytes(), []).append(view)
    for index in range(32):
        same = stones[colors_of(sampled.words[index]).tobytes()]
        assert any(is_view(sampled, index, view) for view in same)


def test_games_without_owners_have_moves_but_no_targets() -> None:
    sampled = MoveSampler(set_of_records(read_games(b"(;SZ[5];B[bb];W[cc])")), SETTINGS, 1).sample(
        0, 4
    )
    assert not sampled.known.any()
    assert (sampled.targets == 0.5).all()
    assert (sampled.played >= 0).all()


def test_equal_numbers_give_equal_moves() -> None:
    sampler = MoveSampler(small_games(), SETTINGS, seed=5)
    first = sampler.sample(2, 8)
    sampler.sample(1, 8)
    again = sampler.sample(2, 8)
    assert np.array_equal(first.words, again.words)
    assert np.array_equal(first.played, again.played)


def test_games_of_several_sizes_or_without_moves_are_refused() -> None:
    with pytest.raises(KatachiError, match="of one board size are needed; the sizes here: 5, 7"):
        MoveSampler(set_of_records([marked(5, 1, 9), marked(7, 1, 9)]), SETTINGS, 1)
    with pytest.raises(KatachiError, match="no game has a move to learn from"):
        MoveSampler(set_of_records(read_games(b"(;SZ[5])")), SETTINGS, 1)
