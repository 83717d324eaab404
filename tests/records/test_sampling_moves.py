"""Sampled moves are those of the games, turned and swapped, played again move by move."""

import dataclasses

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.game_results import UNKNOWN, results_of
from katachi.records.record import GameTexts
from katachi.records.result import Ending
from katachi.records.sampling import (
    NO_MOVE,
    MoveSampler,
    SampledMoves,
    SampleSettings,
)
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE
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
ENDS = (("B+3.5", 6.5), ("W+R", 0.5), ("0", 7.0), ("B+T", 6.5))
"""Results and komi of the small games, one after the other."""


def ended_games() -> GameSet:
    """The small games with results."""
    return set_of_records(
        dataclasses.replace(record, komi=komi, texts=GameTexts(result=text))
        for record, (text, komi) in zip(small_games(), ENDS, strict=True)
    )


def expected_end(view: View) -> tuple[float, float]:
    """(komi, what Black has won) of a game as it is looked at."""
    winner, komi = view.record.result.winner, view.record.komi
    if view.record.result.ending is Ending.TIME or komi is None:
        return 0.0, UNKNOWN
    if view.is_swapped:
        winner, komi = {BLACK: WHITE, WHITE: BLACK}.get(winner, winner), -komi
    return komi, {BLACK: 1.0, WHITE: 0.0}.get(winner, 0.5)


def expected_recent(view: View) -> list[int]:
    points = turned(view, view.record.moves[: view.ply])[::-1][: SETTINGS.recent]
    return points + [PASS] * (SETTINGS.recent - len(points))


def is_view(sampled: SampledMoves, index: int, view: View) -> bool:
    """Whether a sampled position, its past, its move, its targets and its end are those of a
    view."""
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
        and (sampled.komi[index], sampled.results[index]) == expected_end(view)
    )


def test_every_sampled_move_is_one_of_the_games_as_it_is_looked_at() -> None:
    sampled = MoveSampler(ended_games(), SETTINGS, seed=3).sample(0, 32)
    views = [
        View(record, ply, symmetry, is_swapped)
        for record in ended_games()
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


def one_move(text: str) -> GameSet:
    """A game of one black move whose root says this."""
    return set_of_records(read_games(f"(;SZ[5]{text};B[bb])".encode()))


@pytest.mark.parametrize(
    ("text", "komi", "result"),
    [
        ("KM[6.5]RE[B+3.5]", 6.5, 1.0),
        ("KM[6.5]RE[W+0.5]", 6.5, 0.0),
        ("KM[-3.5]RE[W+R]", -3.5, 0.0),
        ("KM[0]RE[B+R]", 0.0, 1.0),
        ("KM[7.5]RE[B+]", 7.5, 1.0),
        ("KM[7.5]RE[W+illegal move]", 7.5, 0.0),
        ("KM[24.5]RE[B+R]", 24.5, 1.0),
        ("KM[-25]RE[B+R]", -25.0, 1.0),
        ("KM[7]RE[0]", 7.0, 0.5),
        ("KM[7]RE[Draw]", 7.0, 0.5),
        ("HA[2]AB[aa][ee]KM[0.5]RE[W+R]", 0.5, 0.0),
    ],
)
def test_a_result_is_that_of_the_game_with_its_komi(text: str, komi: float, result: float) -> None:
    found = results_of(one_move(text).info)
    assert (found.komi.tolist(), found.results.tolist()) == ([komi], [result])


@pytest.mark.parametrize(
    "text",
    [
        "KM[6.5]RE[B+T]",
        "KM[6.5]RE[W+F]",
        "KM[6.5]RE[Void]",
        "KM[6.5]RE[?]",
        "KM[6.5]",
        "RE[B+R]",
    ],
)
def test_a_result_of_a_clock_or_a_referee_or_without_komi_is_unknown(text: str) -> None:
    found = results_of(one_move(text).info)
    assert (found.komi.tolist(), found.results.tolist()) == ([0.0], [UNKNOWN])


@pytest.mark.parametrize(
    ("size", "komi"), [(19, 375), (19, 65), (9, 65), (9, 275), (5, 25.5), (5, -25.5)]
)
def test_a_komi_that_nobody_gives_says_that_the_result_is_unknown(size: int, komi: float) -> None:
    games = set_of_records(read_games(f"(;SZ[{size}]KM[{komi}]RE[B+R];B[bb])".encode()))
    found = results_of(games.info)
    assert (found.komi.tolist(), found.results.tolist()) == ([0.0], [UNKNOWN])


@pytest.mark.parametrize(
    ("text", "plain", "exchanged"),
    [
        ("KM[6.5]RE[B+3.5]", (6.5, 1.0), (-6.5, 0.0)),
        ("KM[-3.5]RE[W+R]", (-3.5, 0.0), (3.5, 1.0)),
        ("KM[7]RE[0]", (7.0, 0.5), (-7.0, 0.5)),
        ("KM[6.5]RE[B+T]", (0.0, UNKNOWN), (0.0, UNKNOWN)),
        ("RE[B+R]", (0.0, UNKNOWN), (0.0, UNKNOWN)),
    ],
)
def test_komi_and_result_turn_round_where_colours_are_exchanged(
    text: str, plain: tuple[float, float], exchanged: tuple[float, float]
) -> None:
    sampled = MoveSampler(one_move(text), SETTINGS, 1).sample(0, 16)
    ends = list(zip(sampled.komi.tolist(), sampled.results.tolist(), strict=True))
    assert set(sampled.movers.tolist()) == {BLACK, WHITE}
    assert ends == [plain if mover == BLACK else exchanged for mover in sampled.movers]


def games_with_marks(marked_count: int, others: int) -> GameSet:
    """Games of five moves, some with their owners marked among others without."""
    unmarked = [
        dataclasses.replace(marked(5, 1 + seed, 5), ownership=None) for seed in range(others)
    ]
    return set_of_records([*unmarked, *(marked(5, 100 + each, 5) for each in range(marked_count))])


@pytest.mark.parametrize(
    ("marked_count", "others", "share", "expected"),
    [
        (1, 9, 0.0, 0.1),
        (1, 9, 0.05, 0.1),
        (1, 9, 0.2, 0.2),
        (1, 9, 0.5, 0.5),
        (4, 6, 0.45, 0.45),
        (4, 6, 0.5, 0.5),
        (6, 4, 0.5, 0.6),
        (2, 3, 0.9999999, 1.0),
        (3, 0, 0.5, 1.0),
        (0, 3, 0.5, 0.0),
    ],
)
def test_positions_of_marked_games_make_at_least_the_owner_share(
    marked_count: int, others: int, share: float, expected: float
) -> None:
    games = games_with_marks(marked_count, others)
    sampled = MoveSampler(games, SETTINGS._replace(owner_share=share), seed=1).sample(0, 1000)
    assert sampled.known.mean() == pytest.approx(expected, abs=0.05)


def test_every_game_is_sampled_beside_an_owner_share() -> None:
    games = games_with_marks(3, 7)
    sampler = MoveSampler(games, SETTINGS._replace(owner_share=0.6), seed=1)
    rows, times = np.unique(sampler._choose(0, 3000).rows, return_counts=True)
    assert rows.tolist() == games.rows.tolist()
    assert times[:7] == pytest.approx(3000 * 0.4 / 7, rel=0.3)
    assert times[7:] == pytest.approx(3000 * 0.6 / 3, rel=0.3)
