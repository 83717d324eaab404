"""Recorded positions and all that legal moves lead to, against games played one by one."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet, open_games, set_of_records
from katachi.records.sgf import read_games
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import PLY, colors_of
from katachi.search.recorded_moves import MoveRange, recorded_positions
from tests.interfaces.test_cli import GAMES


def few_games() -> GameSet:
    return open_games(GAMES, use_cache=False)[:3]


def test_every_position_and_afterstate_is_the_games_own() -> None:
    games = few_games()
    seen = []
    for group in recorded_positions(games, MoveRange()):
        places = zip(group.games.tolist(), group.moves.tolist(), strict=True)
        spans = {row: k for k, row in enumerate(group.rows.tolist())}
        for row, (index, number) in enumerate(places):
            record = games[index]
            game = game_from_record(record, number - 1, Rules(KoRule.SIMPLE))
            color, point = int(record.colors[number - 1]), int(record.moves[number - 1])
            assert np.array_equal(colors_of(group.before.words[row]), game.colors)
            assert int(group.before.hashes[row, 0]) == game.hash
            assert (group.colors[row], group.lengths[row]) == (color, len(record.moves))
            assert (row in spans) == (point != PASS)
            seen.append((index, number))
            if row in spans and number % 7 == 1:
                first, end = group.starts[spans[row] : spans[row] + 2].tolist()
                moves = game.legal_moves(color).tolist()
                assert end - first == len(moves)
                assert moves[group.played[spans[row]] - first] == point
                for at, move in enumerate(moves, first):
                    after = game.copy()
                    after.play(color, move)
                    assert np.array_equal(colors_of(group.after.words[at]), after.colors)
                    words, hashes = group.after.words[at], group.after.hashes[at]
                    assert int(hashes[words[PLY]]) == after.hash
    expected = [(i, n) for i, r in enumerate(games) for n in range(1, len(r.moves) + 1)]
    assert seen == expected


def test_only_wanted_moves_come() -> None:
    groups = list(recorded_positions(few_games(), MoveRange(18, 22)))
    moves = np.concatenate([group.moves for group in groups])
    assert moves.tolist() == 3 * [18, 19, 20, 21, 22]


def test_games_too_short_give_nothing() -> None:
    assert list(recorded_positions(few_games(), MoveRange(500))) == []


def test_suicide_is_a_move_where_the_games_rules_have_it() -> None:
    counts = []
    for rules in (b"Chinese", b"NZ"):
        text = b"(;SZ[5]RU[%s]AB[aa]AW[ab][bb][ca];B[ee])" % rules  # B5 takes two own stones
        (group,) = recorded_positions(set_of_records(read_games(text)), MoveRange())
        counts.append(int(group.starts[-1]))
    assert counts == [20, 21]


@pytest.mark.parametrize(("first", "last"), [(0, 5), (5, 4), (-1, None)])
def test_a_range_without_moves_is_refused(first: int, last: int | None) -> None:
    with pytest.raises(KatachiError, match="count from 1"):
        MoveRange(first, last)
