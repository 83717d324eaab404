"""Judges of openings, and cross play before them."""

import sys
from functools import partial
from pathlib import Path

import pytest

from katachi.arena.opening_judges import EvaluatorJudge, ProgramJudge, make_judge
from katachi.arena.opening_play import cross_play, play_opening
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator, InfluenceEvaluator
from katachi.players.protocol import PlayerFailure
from katachi.records.judgements import DeadBand
from katachi.rules.game import Game

PROGRAM = """
import sys
for line in sys.stdin:
    name = line.split()[0]
    print("= " + ({answer!r} if name == "estimate_score" else "") + "\\n", flush=True)
    if name == "quit":
        break
"""


def program(folder: Path, answer: str) -> str:
    file = folder / "judge.py"
    file.write_text(PROGRAM.format(answer=answer))
    return f"{sys.executable} {file}"


def after(*points: int) -> Game:
    game = Game(9, 6.5)
    for point in points:
        game.play(game.to_play, point)
    return game


@pytest.mark.parametrize(
    ("answer", "lead", "z"),
    [
        ("B+3.5 (upper bound: 9.0, lower: -1.0)", 3.5, 1.0),
        ("W+12.5", -12.5, -1.0),
        ("b+1.0", 1.0, 0.0),
        ("0", 0.0, 0.0),
    ],
)
def test_a_programs_estimate_is_a_lead(tmp_path: Path, answer: str, lead: float, z: float) -> None:
    judge = ProgramJudge(program(tmp_path, answer), DeadBand(2.0))
    judgement = judge.judge(after(33, 70), 4)
    judge.close()
    assert (
        judgement.black_lead,
        judgement.z,
        judgement.index,
        judgement.moves,
        judgement.komi,
    ) == (lead, z, 4, 2, 6.5)
    assert judgement.band == DeadBand(2.0)


def test_a_program_that_tells_no_score_fails_in_one_line(tmp_path: Path) -> None:
    judge = ProgramJudge(program(tmp_path, "who knows"))
    with pytest.raises(PlayerFailure, match="with 'who knows', not with a score"):
        judge.judge(after())
    judge.close()


def test_an_evaluators_opinion_is_a_chance() -> None:
    judge = EvaluatorJudge("influence", InfluenceEvaluator(), DeadBand(chance=0.01))
    judgement = judge.judge(after(5 * 32 + 5))
    assert judgement.black_winrate is not None
    assert judgement.black_winrate > 0.5
    assert (judgement.black_lead, judgement.z, judgement.judge) == (None, 1.0, "influence")


def test_judges_have_names() -> None:
    assert isinstance(make_judge("influence"), EvaluatorJudge)
    with pytest.raises(KatachiError, match="has no opinion of single positions"):
        make_judge("playouts")
    with pytest.raises(KatachiError, match="no player 'nobody'"):
        make_judge("nobody")


def test_gnu_go_sees_who_is_ahead(gnugo: str) -> None:
    judge = ProgramJudge(f"{gnugo} --mode gtp --level 1")
    game = Game(9, 0.5)
    for ply in range(18):
        point = (3 + ply % 2 * 5) * 32 + 1 + ply // 2
        game.play(game.to_play, point)
    judgement = judge.judge(game)
    judge.close()
    assert judgement.black_lead is not None
    assert judgement.z == (judgement.black_lead > 2) - (judgement.black_lead < -2)


def test_everybody_plays_everybody_the_same_number_of_moves() -> None:
    evaluators: dict[str, Evaluator] = {"alp": AverageLiberties(), "none": ConstantEvaluator()}
    play = partial(play_opening, size=5, moves=7, komi=0.5, seed=2)
    judge = EvaluatorJudge("influence", InfluenceEvaluator())
    found = cross_play(evaluators, judge, play)
    assert list(found) == [(a, b) for a in evaluators for b in evaluators]
    assert {len(game.moves) for game, _ in found.values()} == {7}
    again = cross_play(evaluators, judge, play)
    assert [game.hash for game, _ in again.values()] == [game.hash for game, _ in found.values()]
