"""Agreement with OpenSpiel's Go on random games.

Where its rules are the same as ours: no suicide, simple ko, area scoring with all stones alive, two
passes end. Where they differ: a move that repeats an earlier position is legal there and ends the
game as a draw, and so does a game of twice as many moves as the board has points end, by its score.
So legal moves are compared with those of our simple-ko rules, up to the first repetition, and
results only of games that two passes ended. Its actions count points row by row from the *bottom*.
"""

import random
from collections import Counter

import pytest

from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.legality import is_eye
from katachi.rules.point import PASS, point_from_row_col
from katachi.rules.ruleset import KoRule, Rules

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install open_spiel)")


def point_of_action(action: int, size: int) -> int:
    if action == size * size:
        return PASS
    row, col = divmod(action, size)
    return point_from_row_col(size - 1 - row, col)


def play_both(size: int, komi: float, source: random.Random) -> str:
    """Plays a game in both programs, comparing legal moves at every ply; how it ended."""
    theirs = pyspiel.load_game(f"go(board_size={size},komi={komi})").new_initial_state()
    ours = Game(size, komi, Rules(KoRule.SIMPLE))
    positions = {0}
    while not theirs.is_terminal():
        color = (BLACK, WHITE)[theirs.current_player()]
        actions = {point_of_action(a, size): a for a in theirs.legal_actions()}
        assert sorted(actions) == [PASS, *ours.legal_moves(color).tolist()]
        points = [p for p in actions if p != PASS and not is_eye(ours.words, p, color)]
        point = source.choice(points) if points and source.random() < 0.99 else PASS
        theirs.apply_action(actions[point])
        ours.play(color, point)
        is_repeated = point != PASS and ours.hash & ~1 in positions
        assert theirs.is_terminal() or not is_repeated
        positions.add(ours.hash & ~1)
        if is_repeated:
            assert theirs.returns() == [0.0, 0.0]
            return "repetition"
    if not ours.is_over:
        return "length"
    score = ours.area_score()
    assert theirs.returns() == ([1.0, -1.0] if score > 0 else [-1.0, 1.0])
    return "black" if score > 0 else "white"


@pytest.mark.parametrize(
    ("size", "games"), [(2, 100), (3, 100), (4, 60), (5, 60), (7, 30), (9, 20), (13, 4), (19, 2)]
)
def test_legal_moves_and_results_agree_with_openspiel(size: int, games: int) -> None:
    source = random.Random(size)
    komi = 0.5
    ends = Counter(play_both(size, komi, source) for _ in range(games))
    if 3 <= size <= 9:
        assert ends["black"] > 0
        assert ends["white"] > 0


def test_a_repetition_ends_their_game_as_a_draw() -> None:
    source = random.Random(1)
    ends = Counter(play_both(2, 0.5, source) for _ in range(200))
    assert ends["repetition"] > 0
