"""S2-F3: the paper's game where it is there, and a stand-in by a rule where it is not."""

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.one_move import (
    FIRST,
    LEGAL,
    QUICK,
    RANK,
    OneMoveSettings,
    Reading,
    Scene,
    black_moves,
    choose,
    draw,
    find_game,
    judge,
    outstanding,
    run,
)
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.sgf import read_games
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from tests.experiments.studies import row_named

MOVES = ";B[cc];W[dd];B[cd];W[dc];B[ee];W[aa]"
SETTINGS = OneMoveSettings(black="A", white="B", date="2000-10-22", vertex="C2", fewest=3)


def games(*headers: str) -> GameSet:
    text = "".join(f"(;SZ[5]{header}{MOVES})" for header in headers)
    return set_of_records(read_games(text.encode()))


def scene(number: int, rank: int, gain: float = 1.0, vertex: str = "A1") -> Scene:
    return Scene(number, vertex, "B2", rank, 10, gain, 2.0)


def test_the_papers_game_is_found_by_players_and_day() -> None:
    known = games(
        "PB[A]PW[B]DT[1999-01-01]", "PB[A]PW[B]DT[2000-10-22]", "PB[B]PW[A]DT[2000-10-22]"
    )
    record, is_papers = find_game(known, SETTINGS)
    assert is_papers
    assert (record.texts.black, record.texts.date) == ("A", "2000-10-22")


def test_in_its_place_stands_the_first_of_the_same_players() -> None:
    known = games("PB[C]PW[B]DT[1990]", "PB[A]PW[B]DT[2008-01-01]", "PB[A]PW[B]DT[2004-01-01]")
    record, is_papers = find_game(known, SETTINGS)
    assert (is_papers, record.texts.date) == (False, "2004-01-01")
    record, is_papers = find_game(games("PB[C]", "PB[D]"), SETTINGS)
    assert (is_papers, record.texts.black) == (False, "C")
    with pytest.raises(KatachiError, match=r"^no game of pro19\.sgf\.gz has 82 moves$"):
        find_game(games("PB[C]"), OneMoveSettings())


def test_moves_are_chosen_by_the_rule() -> None:
    scenes = [scene(1, 1, 0.5), scene(3, 2, vertex="C2"), scene(5, 1, 0.7)]
    assert choose(SETTINGS, scenes, is_papers=True).number == 3
    assert choose(SETTINGS, scenes, is_papers=False).number == 5
    found = outstanding(scenes)
    assert found is not None
    assert found.number == 5
    assert outstanding(scenes[1:2]) is None


def test_only_stones_of_black_are_looked_at() -> None:
    (record,) = games("")
    seen = [(number, len(game.moves)) for number, game, _ in black_moves(record, 2)]
    assert seen == [(3, 2), (5, 4)]


def test_a_move_is_ranked_among_all_legal_ones() -> None:
    game = Game(5)
    centre, corner = (point_from_vertex(name, 5) for name in ("C3", "A1"))
    middle = judge(AverageLiberties(), game, centre, 1)
    assert (middle.rank, middle.legal) == (1, 25)
    assert middle.gain == middle.best_gain > 0
    assert judge(AverageLiberties(), game, corner, 1).rank == 1 + 9 + 12
    assert judge(ConstantEvaluator(), game, corner, 1).rank == 1


def test_a_quick_study_tells_and_shows_the_move(bench: Runner, model: str) -> None:
    settings = msgspec.structs.replace(QUICK, model=model, file="pro13.sgf.gz")
    table = run(settings, 1, bench)
    reading = msgspec.convert(table.report, Reading)
    name = f"the move by the rule: 21, {reading.chosen.vertex}"
    assert row_named(table, name, RANK.name).ours == reading.chosen.rank
    assert row_named(table, name, RANK.name).paper == 1
    assert row_named(table, name, LEGAL.name).ours == reading.chosen.legal
    assert row_named(table, "all moves of Black", FIRST.name).n == reading.moves == 21
    assert np.array(reading.chances).shape == (3, 169)
    assert any("is not in pro13.sgf.gz" in note for note in table.notes)
    picture = draw(table, "S2-F3")
    for words in ("S2-F3", "now", "after a pass", f"after Black {reading.pictured.vertex}"):
        assert f">{words}<" in picture
