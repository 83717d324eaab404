"""S1-F5: who meets whom, and the ladder's result beside the paper's."""

from pathlib import Path

import msgspec
import pytest

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import OutOfTime, Progress, Runner
from katachi.experiments.s1_local_shape.ratings import (
    ELO,
    LEARNED,
    QUICK,
    SCORE,
    RatingSettings,
    draw,
    judge,
    roster_of,
    run,
)
from tests.experiments.studies import row_named


def test_learned_players_meet_each_other_400_times_and_the_baselines() -> None:
    roster = roster_of(RatingSettings(), 1)
    assert [player.name for player in roster.players[:6]] == [
        "random",
        "influence",
        "alp",
        "B",
        "L",
        "S",
    ]
    assert [player.name for player in roster.players[6:]] == [f"gnugo-{n}" for n in (0, 1, 5, 10)]
    for pair in (("B", "L"), ("B", "S"), ("L", "S")):
        assert roster.pairs[pair] == 400
    for name in ("B", "L", "S"):
        assert roster.pairs[name, "alp"] == roster.pairs[name, "gnugo-0"] == 400
    assert {p.name: p.anchor for p in roster.players if p.anchor} == {"random": -170, "alp": 850}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the quick ladder was played, with one interruption."""
    folder = tmp_path_factory.mktemp("ratings")
    with pytest.raises(OutOfTime, match="are kept: run it again to go on"):
        run(QUICK, 1, Runner(folder, minutes=1e-9))
    return folder


def test_the_table_has_ratings_scores_and_the_papers_numbers(folder: Path) -> None:
    bench = Runner(folder)
    table = run(QUICK, 1, bench)
    assert row_named(table, "B", ELO.name).paper == 1070
    assert row_named(table, "alp", ELO.name).remark == "anchor"
    assert row_named(table, "L v B", SCORE.name).n == QUICK.learned_games
    claims = judge(table)[:3]
    assert [claim.paper.split()[0] for claim in claims] == ["liberty", "search", "search"]
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}
    assert bench.seconds > 0
    picture = draw(table, "S1-F5: ratings")
    assert ">S1-F5: ratings<" in picture
    assert "anchor: given, not fitted" in picture


def test_a_finished_ladder_plays_nothing_more(folder: Path) -> None:
    run(QUICK, 1, Runner(folder))
    events: list[Progress] = []
    table = run(QUICK, 1, Runner(folder, observe=events.append))
    assert events == []
    again = run(QUICK, 1, Runner(folder))
    assert msgspec.structs.replace(again, report={}) == msgspec.structs.replace(table, report={})


@pytest.mark.parametrize(("games", "verdict"), [((9, 9), Verdict.YES), ((9, 8), Verdict.UNDECIDED)])
def test_who_learned_from_more_games_is_not_called_stronger(
    games: tuple[int, int], verdict: Verdict
) -> None:
    rows = [SCORE.score({"player": "L", "opponent": "B"}, 300, 400)]
    rows += [LEARNED.row({"player": name}, n) for name, n in zip("LB", games, strict=True)]
    (claim,) = judge(Table(quantities=[SCORE, LEARNED], rows=rows))
    assert claim.verdict is verdict
    assert f"learned from {games[0]} and {games[1]} games" in claim.ours
