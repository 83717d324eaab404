"""What a review program is told of recorded games: chances and scores that agree, mistakes that
cost points, and finished games that are won."""

import json
import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from katachi.interfaces.json_analysis import answer_lines
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.records.dataset import GameSet, open_games
from katachi.records.record import GameRecord
from katachi.records.selection import GameFilter
from katachi.rules.color import BLACK, COLOR_NAMES
from katachi.rules.point import vertex_from_point
from tests.features.recorded_games import RecordedGame

SHIPPED = Path(__file__).parent.parent / "data" / "gnugo9.sgf"
Answer = dict[str, Any]


@cache
def surveyor() -> Analyst:
    player = make_player("territory")
    assert isinstance(player, Analyst)
    return player


def ask(record: GameRecord, turns: list[int], komi: float | None = None) -> list[Answer]:
    """The answers about a game after so many moves each."""
    letters = {color: name[0].upper() for color, name in COLOR_NAMES.items()}
    pairs = zip(record.colors.tolist(), record.moves.tolist(), strict=True)
    moves = [[letters[color], vertex_from_point(point, record.size)] for color, point in pairs]
    chosen = komi if komi is not None else record.komi
    query = {"id": "q", "moves": moves, "komi": 7.5 if chosen is None else chosen}
    board = {"boardXSize": record.size, "boardYSize": record.size, "rules": "chinese"}
    line = json.dumps(query | board | {"analyzeTurns": turns}).encode()
    return [json.loads(each) for each in answer_lines([line], surveyor())]


def points_lost(record: GameRecord, turns: list[int]) -> Iterator[tuple[int, float]]:
    """(who moved, what the move lost) for some moves of a game, as KaTrain counts it: the score
    before the move less the score after it, both as they stand."""
    asked = sorted({each for turn in turns for each in (turn, turn + 1)})
    answers = zip(asked, ask(record, asked), strict=True)
    leads = {turn: answer["rootInfo"]["scoreLead"] for turn, answer in answers}
    for turn in turns:
        color = int(record.colors[turn])
        lost = leads[turn] - leads[turn + 1]
        yield color, lost if color == BLACK else -lost


def winners_chance(record: GameRecord) -> float:
    """What the winner of a finished game is given at its end."""
    (answer,) = ask(record, [len(record.moves)])
    rate = float(answer["rootInfo"]["winrate"])
    return rate if record.result.winner == BLACK else 1.0 - rate


@pytest.mark.parametrize("size", [5, 9, 13])
def test_chance_and_score_never_contradict_each_other(size: int) -> None:
    source = random.Random(size)
    checked = 0
    for number in range(40 if size == 5 else 25):
        game = RecordedGame(size, number, source.randrange(size * size))
        turn, komi = len(game.record.moves), source.choice([-20.5, 0.0, 0.5, 5.5, 7.5, 30.0])
        for answer in ask(game.record, [turn], komi):
            for info in (answer["rootInfo"], *answer["moveInfos"]):
                checked += 1
                assert (info["winrate"] > 0.5) == (info["scoreLead"] > 0)
                assert (info["winrate"] < 0.5) == (info["scoreLead"] < 0)
    assert checked > 335


def test_moves_lose_points_on_the_whole() -> None:
    games = open_games(SHIPPED, use_cache=False)[:4]
    check_points_lost(games, moves=10)


def check_points_lost(games: GameSet, moves: int) -> None:
    """Over some moves of each game."""
    lost: list[float] = []
    source = random.Random(1)
    for record in games:
        last = len(record.moves) - 3
        turns = sorted(source.sample(range(last), min(moves, last)))
        lost += [each for _, each in points_lost(record, turns)]
    assert 0.0 <= mean(lost) < 2.0


def test_the_winner_of_a_finished_game_is_nearly_certain() -> None:
    games = open_games(SHIPPED, use_cache=False)[:15]
    assert median(winners_chance(record) for record in games) >= 0.9


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_recorded_games_are_reviewed_rightly() -> None:
    folder = os.environ.get("KATACHI_GAMES", "")
    file = Path(folder) / "ogs9_scored.sgf.gz"
    if not folder or not file.exists():
        pytest.skip("needs real games: set KATACHI_GAMES to a folder of .sgf.gz collections")
    games = open_games(file).filter(GameFilter(decided=True, min_moves=30)).shuffle(1)[:200]
    check_points_lost(games, moves=4)
    assert median(winners_chance(record) for record in games) >= 0.9


def test_komi_is_part_of_chance_and_score() -> None:
    record = open_games(SHIPPED, use_cache=False)[0]
    turn = len(record.moves) // 2
    low, high = (ask(record, [turn], komi)[0]["rootInfo"] for komi in (-30.0, 30.0))
    assert low["scoreLead"] - high["scoreLead"] == pytest.approx(60.0, abs=1e-3)
    assert low["winrate"] > 0.9
    assert high["winrate"] < 0.1
