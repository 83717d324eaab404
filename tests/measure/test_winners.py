"""Winners classified from boards: what can be learned is learned, and what cannot is not."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.templates import template_map
from katachi.features.window_map import Floats, Viewers, WindowTable
from katachi.measure.winners import (
    Stage,
    WinnerBoards,
    classify_winners,
    fold_of_games,
    winner_boards,
)
from katachi.records.conversion import game_from_record
from katachi.rules.state import BoardState, colors_of
from tests.learning.territory_games import gnugo_games

pytest.importorskip("sklearn")


class Oracle:
    """A feature that knows the winner, among others that know nothing."""

    name = "oracle"
    table: WindowTable | None = None

    def __init__(self, boards: WinnerBoards) -> None:
        self.answers = boards.black_won

    def count(self, size: int) -> int:
        return size

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        noise = np.random.default_rng(1).random((len(states.words), 9), np.float32)
        noise[:, 0] = 5 * self.answers
        return noise


def test_boards_are_those_of_the_middle_and_of_the_end() -> None:
    games = gnugo_games()[:12]
    for stage in Stage:
        boards = winner_boards(games, stage)
        for index, record in enumerate(games):
            count = len(record.moves) // (2 if stage is Stage.MIDDLE else 1)
            wanted = game_from_record(record, count).colors
            assert np.array_equal(colors_of(boards.states.words[index]), wanted)


def test_records_of_one_game_fall_into_one_fold() -> None:
    identities = np.array([7, 3, 7, 9, 3, 11, 12], np.uint64)
    folds = fold_of_games(identities, 3, 1)
    assert folds[0] == folds[2]
    assert folds[1] == folds[4]


def test_a_feature_that_knows_the_winner_is_found() -> None:
    boards = winner_boards(gnugo_games()[:40], Stage.FINAL)
    classified = classify_winners(Oracle(boards), boards)
    assert classified.games == 40
    assert classified.right > 0.9 * classified.games


def test_answers_that_mean_nothing_are_not_learned() -> None:
    """No answer of the classified games leaks into the SVM that classifies them."""
    boards = winner_boards(gnugo_games(), Stage.MIDDLE)
    lots = np.random.default_rng(3).random(len(boards.black_won)) < 0.5
    classified = classify_winners(template_map(1), boards._replace(black_won=lots))
    assert 0.2 < classified.right / classified.games < 0.75


def test_too_few_games_are_refused() -> None:
    with pytest.raises(KatachiError, match="at least 10 are needed"):
        winner_boards(gnugo_games()[:4], Stage.FINAL)
