"""S2-T2: every set, range of moves and player has a line, and nothing learned from is measured."""

from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.simple import ConstantEvaluator
from katachi.experiments.protocol import Table, Verdict, label_of
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.material import SCORED9
from katachi.experiments.s2_territory.move_prediction import (
    LABELS,
    QUICK,
    TEMPERATURE,
    UNIFORM,
    Case,
    PredictionSettings,
    Shared,
    cases_of,
    choose_games,
    draw,
    judge,
    run,
)
from katachi.experiments.s2_territory.predicted_moves import (
    LOG,
    MEAN,
    TOP1,
    MoveSet,
    parts_of,
    predict_moves,
)
from katachi.records.dataset import open_games
from katachi.search.recorded_moves import MoveRange
from tests.experiments.studies import row_named


def test_the_moves_are_the_papers() -> None:
    settings = PredictionSettings()
    moves = {each.size: (each.first, each.last) for each in settings.sets}
    assert moves == {9: (18, 22), 13: (36, 40), 19: (80, 83)}
    cases = cases_of(settings, ["territory9"])
    assert len(cases) == len(settings.sets) * 2 * 2
    names = [label_of(LABELS, case.key) for case in cases]
    assert "professionals 19x19, moves 80-83: territory9" in names
    assert "amateurs 9x9, whole games: uniform" in names


def test_more_games_of_a_size_are_judged_by_the_best_model_alone() -> None:
    places = [("amateurs", -1.86), ("strong amateurs", -1.86), ("professionals", -2.7)]
    rows = [
        LOG.row({"games": games, "moves": "moves 18-22", "player": player}, -2.0, 9, paper)
        for games, paper in places
        for player in ("literal9", "paper9", "moves9", "small19")
    ]
    claims = judge(Table(quantities=[LOG], rows=rows))
    assert len(claims) == 3 + 1 + 3
    assert sum("strong amateurs" in claim.paper for claim in claims) == 1


def test_the_papers_chances_are_those_it_prints() -> None:
    rows = [
        LOG.row({"games": games, "moves": "moves", "player": "moves9"}, -2.0, 9, paper)
        for games, paper in (("9x9", -1.86), ("13x13", -2.27), ("19x19", -2.7))
    ]
    claims = judge(Table(quantities=[LOG], rows=rows))
    assert [claim.paper.split(", ")[2].split(" (")[0] for claim in claims] == [
        "1 move in 7",
        "1 move in 10",
        "1 move in 15",
    ]


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_line(bench: Runner, model: str) -> None:
    settings = msgspec.structs.replace(QUICK, models=(model, "nowhere9"))
    table = run(settings, 1, bench)
    uniform = row_named(table, "amateurs 9x9, moves 18-22: uniform", LOG.name)
    assert uniform.ours == pytest.approx(-4.13, abs=0.05)
    assert uniform.paper == -4.13
    ours = row_named(table, "amateurs 9x9, moves 18-22: newborn", LOG.name)
    assert (ours.paper, ours.n) == (-1.86, 2)
    mean = row_named(table, "amateurs 9x9, moves 18-22: newborn", MEAN.name)
    assert mean.paper == -1.86
    assert (mean.ours or 0.0) >= (ours.ours or 0.0)
    assert row_named(table, "professionals 13x13, moves 36-40: newborn", TEMPERATURE.name).n == 2
    assert row_named(table, "professionals 13x13, whole games: newborn", LOG.name).paper is None
    ranked = row_named(table, "amateurs 9x9, 9 kyu or better, moves 18-22: uniform", LOG.name)
    assert (ranked.ours, ranked.remark) == (None, "too few games")
    assert len(judge(table)) == 4
    assert not any(claim.verdict is Verdict.YES for claim in judge(table))
    assert "The model nowhere9 is not here, and not measured." in table.notes
    picture = draw(table, "S2-T2")
    for words in ("uniform", "newborn", "the paper", "amateurs 9x9, moves 18-22"):
        assert f">{words}<" in picture
    assert f">{TOP1.name}, whole games<" in picture


def test_temperatures_are_fitted_to_games_that_are_not_measured(data: Path, model: str) -> None:
    settings = PredictionSettings()
    amateurs = settings.sets[0]
    other = MoveSet(name="b", file="pro13.sgf.gz", size=13, first=36, last=40)
    for each in (amateurs, other):
        case = Case(each, False, model)
        fitting, measured = choose_games(Shared(data, [model], 1), settings, case)
        assert len(fitting) > 0
        assert len(measured) > 0
        assert not set(fitting.info["identity"]) & set(measured.info["identity"])


def test_one_move_in_so_many_is_predicted(data: Path) -> None:
    games = open_games(data / "pro13.sgf.gz")
    whole = MoveRange()
    assert parts_of(whole, 1, games) == [whole]
    parts = parts_of(whole, 20, games)
    assert [(each.first, each.last) for each in parts] == [(1, 1), (21, 21), (41, 41)]
    model = ConstantEvaluator()
    scores = predict_moves(model, (games, games), whole, 20).scores
    assert scores is not None
    assert (scores.games, scores.moves) == (10, 30)


def test_the_same_games_are_measured_for_every_player(data: Path, model: str) -> None:
    settings = msgspec.structs.replace(QUICK, models=(model,))
    cases = [Case(QUICK.sets[0], False, player) for player in (UNIFORM, model)]
    shared = Shared(data, [model], 1)
    (_, one), (_, other) = (choose_games(shared, settings, case) for case in cases)
    assert one.rows.tolist() == other.rows.tolist()


def test_what_the_paper_compares_with_stands_beside_ours(bench: Runner) -> None:
    settings = PredictionSettings(
        models=(),
        sets=(MoveSet(name="p", file="pro19.sgf.gz", size=19, first=80, last=83, whole_games=1),),
    )
    table = run(settings, 1, bench)
    assert row_named(table, "p, moves 80-83: Boltzmann5", LOG.name).paper == -5.55
    assert row_named(table, "p, moves 80-83: BoltzmannLiberties", LOG.name).paper == -5.27
    assert row_named(table, "p, moves 80-83: uniform", LOG.name).paper == -5.64
    assert ">uniform<" in draw(table, "S2-T2")


def test_games_that_are_not_there_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=rf"^no {SCORED9} in "):
        run(QUICK, 1, Runner(tmp_path / "work", data=tmp_path))
