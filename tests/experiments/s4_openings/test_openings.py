"""The experiments of S4 measure what they say, on the openings that come with the package."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE, load_experiment
from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s4_openings import fresh_openings
from katachi.experiments.s4_openings.best_openings import PAPER as BEST
from katachi.experiments.s4_openings.cross_play import ALL, PAPER_POINTS, quantity_of
from katachi.experiments.s4_openings.cross_play import PAPER as CROSS
from katachi.experiments.s4_openings.first_hits import (
    PAPER_GAMES,
    PAPER_HITS,
    count_hits,
    first_stone,
)
from katachi.experiments.s4_openings.lambda_study import COLUMNS, MAJORITY, RIGHT
from katachi.experiments.s4_openings.material import (
    CELLS,
    Judged,
    OpeningSettings,
    judged_of,
    paper_set,
    sample_paper_set,
    split_copies,
)
from katachi.experiments.s4_openings.prediction import (
    brier,
    correlation,
    fold_of,
    log_loss,
)
from katachi.experiments.s4_openings.value_by_move import _scale
from katachi.records.judgements import Judgement
from katachi.records.openings import Style
from katachi.rules.color import BLACK, EMPTY, WHITE
from tests.experiments.studies import row_named
from tests.opening_games import random_opening

EXPERIMENTS = [name for name in CATALOGUE if name.startswith("S4")]


def quick_table(name: str, bench: Runner, **changes: object) -> Table:
    experiment = load_experiment(name)
    settings = msgspec.structs.replace(experiment.quick, **changes)
    table = experiment.run(settings, 1, bench)
    assert experiment.draw(table, name).startswith("<svg")
    return table


@pytest.mark.parametrize("name", ["S4-T1", "S4-F2", "S4-a", "S4-T3"])
def test_a_table_of_the_paper_is_complete(name: str, bench: Runner) -> None:
    experiment = load_experiment(name)
    fewer = {"lambdas": (0.7,)} if name == "S4-T3" else {}
    table = quick_table(name, bench, **fewer)
    assert experiment.settings.runs in (1, 10)
    assert any(row.paper is not None for row in table.rows)
    names = {quantity.name for quantity in table.quantities}
    assert {row.quantity for row in table.rows} == names


def test_the_papers_numbers_add_up_as_it_says() -> None:
    hits, games = (np.array([each[s] for s in Style]) for each in (PAPER_HITS, PAPER_GAMES))
    assert games.sum(axis=0).tolist() == [440, 472, 792]
    assert hits.sum(axis=0).tolist() == [110, 236, 198]
    assert np.array_equal(games // 8, np.array([CELLS[style] for style in Style]))
    # every cell of a column is the same share: what the page calls an artefact
    assert np.allclose(hits / games, [0.25, 0.5, 0.25])
    assert set(BEST) == set(CROSS) == {0.0, 0.3, 0.7, 1.0}
    assert sum(PAPER_POINTS[word] == 0 for row in CROSS.values() for word in row.values()) == 10


def test_hits_depend_on_the_first_stone_only(bench: Runner) -> None:
    table = quick_table("S4-T2", bench)
    claim = load_experiment("S4-T2").judge(table)[0]
    assert claim.verdict is Verdict.NO
    assert "add up to 100 % for first stones" in claim.ours
    for stone in {table.label(row) for row in table.rows if "stone" in table.label(row)}:
        rates = [row.ours or 0.0 for row in table.rows if table.label(row) == stone][:-1]
        assert len(rates) < 3 or sum(rates) == pytest.approx(100.0, abs=0.1)


def test_a_perfect_prediction_hits_every_game(bench: Runner) -> None:
    found = paper_set(bench, OpeningSettings(), 1)
    z = np.repeat([each.judgement or 0.0 for each in found.openings], 8)
    perfect = count_hits(found, z)
    assert perfect.hits == perfect.games
    assert {first_stone(each) for each in found.openings} <= {"3-4", "4-4", "3-3"}


def test_the_papers_split_leaks_and_ours_does_not(bench: Runner) -> None:
    games = paper_set(bench, OpeningSettings(), 2).games
    shared = []
    for is_by_game in (False, True):
        learned, held_out = split_copies(games, 3, is_by_game=is_by_game)
        assert learned.size + held_out.size == games.size
        shared.append(len(set(learned.game.tolist()) & set(held_out.game.tolist())))
    assert shared[0] > 0
    assert shared[1] == 0


def test_the_paper_set_has_no_more_of_a_cell_than_the_paper(bench: Runner) -> None:
    judged = judged_of(bench, OpeningSettings())
    drawn = sample_paper_set(judged.openings, 5)
    assert [each.game for each in drawn] == [
        each.game for each in sample_paper_set(judged.openings, 5)
    ]
    assert len({each.game for each in drawn}) == len(drawn)
    for style, counts in CELLS.items():
        assert sum(each.style is style for each in drawn) <= sum(counts)


def test_every_game_is_asked_once_and_in_both_protocols(bench: Runner) -> None:
    nets = load_experiment("S4-lambda").quick.nets[1:]  # type: ignore[attr-defined]
    table = quick_table("S4-lambda", bench, lambdas=(0.7,), nets=nets)
    rich = row_named(table, "rich, lambda 0.7", RIGHT.name)
    assert rich.n == 100
    assert rich.low is not None
    assert {row.quantity for row in table.rows if table.label(row).startswith("raw, lambda")} == {
        quantity.name for quantity in COLUMNS
    }
    assert row_named(table, MAJORITY, RIGHT.name).ours == pytest.approx(40.0, abs=4)
    assert {table.label(row).partition(", lambda")[0] for row in table.rows} >= {
        "213, random split",
        "213, split by game",
    }


@pytest.mark.slow
def test_the_value_is_reported_by_move(bench: Runner) -> None:
    table = quick_table("S4-value", bench)
    assert load_experiment("S4-value").judge(table)
    assert {table.label(row) for row in table.rows} >= {"raw, after move 0", "rich, after move 50"}


@pytest.mark.parametrize("name", ["S4-lambda", "S4-value"])
def test_too_few_parts_are_refused(name: str, bench: Runner) -> None:
    with pytest.raises(KatachiError, match="2 runs: use 3 or more"):
        quick_table(name, bench, runs=2)


def test_the_judge_is_measured_by_the_winners() -> None:
    openings = [
        replace(random_opening(number, 3), winner=winner, komi=6.5)
        for number, winner in enumerate((BLACK, BLACK, WHITE, EMPTY))
    ]
    judgements = [
        Judgement(index, 50, komi, None, chance)
        for index, chance in enumerate((0.6, 0.4, 0.1, 0.9))
        for komi in (6.5, 7.5)
    ]
    assert "in 66.7 % of the 3 games" in _scale(Judged(openings, judgements))
    assert "no chance" in _scale(Judged(openings, []))


def test_openings_against_a_program_are_judged(bench: Runner) -> None:
    table = quick_table("S4-b", bench)
    rows = table.rows_of(table.quantities[0])
    assert [(table.label(row), row.n) for row in rows] == [
        ("lambda 0 v average liberties", 2),
        ("lambda 1 v average liberties", 2),
    ]
    claims = load_experiment("S4-b").judge(table)
    assert [claim.paper.rpartition("(")[2] for claim in claims] == ["lambda 0)", "lambda 1)"]


def test_fresh_openings_are_those_nobody_judged(bench: Runner, tmp_path: Path) -> None:
    assert bench.data is not None
    with pytest.raises(KatachiError, match=r"no opening of fuseki19\.sgf\.gz is left"):
        quick_table("S4-fresh", bench)
    for name in ("fuseki19.sgf.gz", "fuseki19_judged.jsonl.gz"):
        data = gzip.decompress((bench.data / name).read_bytes())
        data = data.replace(b"SZ[19];B[pp]", b"SZ[19]RE[W+R];B[pp]").replace(
            b"SZ[19];", b"SZ[19]RE[B+R];"
        )
        if name.endswith(".jsonl.gz"):
            lines = data.splitlines(keepends=True)
            data = b"".join(line for line in lines if json.loads(line)["index"] < 60)
        (tmp_path / name).write_bytes(gzip.compress(data))
    nets = load_experiment("S4-fresh").quick.nets[:1]  # type: ignore[attr-defined]
    few = Runner(tmp_path / "fresh", data=tmp_path)
    table = quick_table("S4-fresh", few, nets=nets)
    rows = table.rows_of(fresh_openings.WITH_WINNER)
    assert [table.label(row) for row in rows] == [
        "raw, lambda 0",
        "raw, lambda 0.7",
        "judge alp",
        "judge the strong program",
    ]
    assert [row.n for row in rows] == [10, 10, 10, 5]
    assert len(load_experiment("S4-fresh").judge(table)) == 1


def test_a_higher_lambda_is_judged_with_white_and_with_either_colour() -> None:
    names = ["lambda 0", "lambda 0.3", "lambda 0.7"]
    rows = [
        quantity_of(white).score({"net": black}, 0.0 if black < white else 90.0, 100)
        for black in names
        for white in names
    ]
    table = Table(quantities=[quantity_of(name) for name in names], rows=rows)
    white, both, color = load_experiment("S4-F3").judge(table)
    assert white.paper.startswith("with White a net mostly wins")
    assert (white.ours, white.verdict) == ("100 % of the points in 300 openings", Verdict.YES)
    assert both.verdict is Verdict.YES
    assert color.paper == "White mostly wins (all raw nets)"
    assert color.verdict is Verdict.NO


def test_a_rule_that_can_not_say_no_says_so(bench: Runner) -> None:
    claims = load_experiment("S4-a").judge(quick_table("S4-a", bench, runs=2))
    assert claims
    assert all("it can never say no" in claim.rule for claim in claims)


def test_cross_play_is_a_matrix(bench: Runner) -> None:
    table = quick_table("S4-F3", bench)
    for black in ("lambda 0", "lambda 1"):
        for white in ("lambda 0", "lambda 1"):
            assert (row_named(table, black, quantity_of(white).name).ours or 0.0) in (
                0.0,
                50.0,
                100.0,
            )
    both = [row_named(table, name, ALL.name).ours or 0.0 for name in ("lambda 0", "lambda 1")]
    assert sum(both) == pytest.approx(100.0)


def test_scores_of_verdicts() -> None:
    chances = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    z = np.array([1.0, -1.0])
    assert brier(chances, z) == pytest.approx([0.04 + 0.09 + 0.25, 0.0])
    assert log_loss(chances, z) == pytest.approx([np.log(2), 0.0])
    assert np.bincount(fold_of(23, 5, 1)).tolist() == [5, 5, 5, 4, 4]
    r = correlation(np.arange(9.0), np.arange(9.0) ** 2)
    assert r.low is not None
    assert r.low < r.value < (r.high or 0.0)


def test_without_the_openings_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"fuseki19\.sgf\.gz is needed: give the folder"):
        load_experiment("S4-T1").run(load_experiment("S4-T1").quick, 1, Runner(tmp_path))
