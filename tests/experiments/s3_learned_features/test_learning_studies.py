"""S3-1, S3-2, S3-3 and S3-td in small: every row is there, and pictures tell it."""

import gzip
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.curves import curves_of
from katachi.experiments.protocol import Row, Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s3_learned_features import bootstrap, convergence, leak, match, winners
from katachi.records.sgf import read_games
from tests.experiments.studies import row_named
from tests.interfaces.test_cli import GAMES

pytest.importorskip("torch")
pytest.importorskip("sklearn")


@pytest.fixture
def bench(tmp_path: Path) -> Runner:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("gnugo9_1000", "gnugo9", "pro9"):
        (data / f"{name}.sgf.gz").write_bytes(gzip.compress(GAMES.read_bytes()))
    return Runner(tmp_path / "work", data=data)


def test_a_match_tells_both_ways_to_count(bench: Runner) -> None:
    table = match.run(match.QUICK, 1, bench)
    assert row_named(table, "main", match.CAPPED.name).paper == pytest.approx(85.71)
    assert row_named(table, "main", match.PLAYED_OUT.name).n == 4
    assert row_named(table, "main", match.UNDECIDED.name).n == 8
    assert "played out" in match.draw(table, "S3-1")


def test_a_bootstrap_tells_every_run(bench: Runner) -> None:
    settings = msgspec.structs.replace(bootstrap.QUICK, games=101)
    table = bootstrap.run(settings, 1, bench)
    for kind in (bootstrap.LEARNS, bootstrap.STAYS):
        for run in (1, 2):
            assert row_named(table, f"{kind}, run {run}", bootstrap.LAST.name).n == 101
    assert row_named(table, "learns, median", bootstrap.GAMES.name).paper == 110
    assert "the paper: 110" in bootstrap.draw(table, "S3-2")
    assert [curve.at for curve in curves_of(table)] == [[100, 101]] * 2


@pytest.mark.parametrize(
    ("outcomes", "needed"),
    [([1.0] * 59 + [0.0] * 41, None), ([0.0] * 41 + [1.0] * 60, 101), ([1.0] * 100, 100)],
)
def test_consistently_is_sixty_of_the_last_hundred(
    outcomes: list[float], needed: int | None
) -> None:
    assert bootstrap.games_needed(outcomes) == needed


def test_winners_are_classified_by_every_feature_set(bench: Runner) -> None:
    table = winners.run(winners.QUICK, 1, bench)
    for stage in ("middle", "final"):
        for name in (winners.MAJORITY, winners.TEMPLATES, winners.MULTINOMIAL, winners.BOTH):
            assert row_named(table, f"professionals, {stage}, {name}", winners.RIGHT.name).n == 40
        row = row_named(
            table, f"professionals, {stage}, {winners.STONES_ALONE}", winners.RIGHT.name
        )
        assert row.n == 40
    assert row_named(table, winners.TEMPLATES, winners.FEATURES.name).ours == 5184
    assert {claim.rule for claim in winners.judge(table)} == {winners.LEAK}
    assert "professionals, middle" in winners.draw(table, "S3-3")


def test_sets_are_judged_on_counted_games_and_beside_stones() -> None:
    def rows(people: str, right: dict[str, int]) -> list[Row]:
        return [
            winners.RIGHT.share({"people": people, "stage": "final", "set": name}, count, 1000)
            for name, count in right.items()
        ]

    kinds = (winners.TEMPLATES, winners.MULTINOMIAL, winners.BOTH, winners.STONES_ALONE)
    leaky = rows("all", dict(zip(kinds, (500, 900, 500, 500), strict=True)))
    fair = rows(f"some{winners.COUNTED}", dict(zip(kinds, (500, 600, 500, 700), strict=True)))
    claims = winners.judge(Table(quantities=[winners.RIGHT], rows=[*leaky, *fair]))
    assert [claim.verdict for claim in claims] == [Verdict.NO, Verdict.NO]
    assert "CRBM multinomial tells 60.0 % of all boards, stones 70.0 %" in claims[1].ours


def test_who_gave_up_is_seen_by_the_last_stone(bench: Runner) -> None:
    table = leak.run(leak.QUICK, 1, bench)
    counts = [row.n for row in table.rows_of(leak.LAST)]
    assert sum(counts) == 40
    assert "who has more stones won" in leak.draw(table, "S3-leak")


@pytest.mark.parametrize(
    ("text", "ending", "last", "more"),
    [
        ("RE[B+R];B[aa];W[bb];B[cc]", leak.GIVEN_UP, 1.0, 1.0),
        ("RE[W+3.5];B[aa];W[bb];B[];W[]", leak.COUNTED, 1.0, 0.5),
        ("RE[W+T];B[aa]", leak.GIVEN_UP, 0.0, 0.0),
        ("RE[W+T];B[]", leak.GIVEN_UP, 0.5, 0.5),
    ],
)
def test_signs_of_the_winner(text: str, ending: str, last: float, more: float) -> None:
    (record,) = read_games(f"(;SZ[9]{text})".encode())
    assert leak.ending_of(record) == ending
    assert (leak.last_mover_won(record), leak.more_stones_won(record)) == (last, more)


def test_learning_by_play_is_tested_as_it_goes(bench: Runner) -> None:
    alphas = dict.fromkeys((convergence.CRBM, convergence.TEMPLATES), 0.1)
    settings = msgspec.structs.replace(convergence.QUICK, alphas=alphas)
    table = convergence.run(settings, 1, bench)
    for name in alphas:
        for games in settings.games:
            assert row_named(table, f"{name}, {games} games", convergence.AGAINST_ALP.name).n == 2
    assert row_named(table, "CRBM", convergence.AGAINST_2X2.name).n == 4
    assert "thousand games" in convergence.draw(table, "S3-td")


def test_games_that_are_not_there_are_reported(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"gnugo9_1000\.sgf\.gz is needed: give the folder"):
        match.run(match.QUICK, 1, Runner(tmp_path))
