"""S1-F4: the settings of Figure 4, and the paper's claims held against a table."""

from pathlib import Path

import pytest

from katachi.experiments.protocol import Row, Table, label_of
from katachi.experiments.runner import Progress, Runner
from katachi.experiments.s1_local_shape.set_study import (
    ALONE,
    LABELS,
    QUICK,
    UP_TO,
    SetStudySettings,
    claims_of,
    draw,
    run,
    sets_of,
)
from katachi.experiments.s1_local_shape.trials import EARLY, FINAL, HALF_TIME

KEYS = {
    label_of(LABELS, key): key for kind in (ALONE, UP_TO) for key in SetStudySettings().keys(kind)
}
SETS = {name: sets_of(key) for name, key in KEYS.items()}
ALL = list(KEYS)


def test_the_defaults_are_the_papers() -> None:
    settings = SetStudySettings()
    assert (settings.runs, settings.games, settings.size) == (50, 100_000, 5)
    assert (settings.test_every, settings.test_games, settings.final_games) == (500, 100, 1000)
    assert (settings.alpha, settings.epsilon, settings.bins) == (0.1, 0.1, 100_000)


def test_each_of_18_sets_is_learned_alone_and_with_the_more_general_ones() -> None:
    assert len(SETS) == 36
    assert SETS["3x2:LD"] == "3x2:LD"
    assert SETS["up to 2x2:LI"] == "1x1:LI,2x1:LI,2x2:LI"
    assert SETS["up to 2x1:LD"] == "1x1:LI,1x1:LD,2x1:LI,2x1:LD"
    counts = [sets.count(",") + 1 for name, sets in SETS.items() if name.startswith("up to")]
    assert counts == [*range(1, 10), *range(2, 20, 2)]


def count_sets(name: str) -> int:
    """Sets of a setting, or of its whole where it is alone."""
    key = KEYS[name]
    whole = {UP_TO: key.get(UP_TO, key.get(ALONE)), "location": key["location"]}
    return sets_of(whole).count(",") + 1


def row_of(name: str, quantity: str, ours: float | None, half: float) -> Row:
    """A number that is so sure; one that is none has no interval."""
    ends = (None, None) if ours is None else (ours - half, ours + half)
    return Row(key=KEYS[name], quantity=quantity, ours=ours, low=ends[0], high=ends[1], n=9)


def table_of(percent: dict[str, float], games: dict[str, float], half: float = 0.5) -> Table:
    rows = []
    for name in ALL:
        ours = percent.get(name, 10.0)
        rows.append(row_of(name, FINAL.name, ours, half))
        rows.append(row_of(name, EARLY.name, ours / 3, half))
        rows.append(row_of(name, HALF_TIME.name, games.get(name), 300 * half))
    return Table(quantities=[FINAL, HALF_TIME, EARLY], rows=rows, labels=LABELS)


def test_a_table_like_the_papers_bears_out_every_claim() -> None:
    percent = {name: 50.0 - 20 * name.endswith("LD") for name in ALL}
    percent |= {"2x2:LI": 85.0, "up to 3x3:LI": 92.0}
    games = {name: 1000.0 * count_sets(name) for name in ALL}
    claims = claims_of(SetStudySettings(), table_of(percent, games))
    assert len(claims) == 8
    assert all(claim.holds for claim in claims), claims
    assert claims[0].ours == "2x2:LI does best, 85.0 %"
    assert "R squared of a line is 1.00 (18 of 18 settings)" in claims[-1].ours


def test_a_table_unlike_the_papers_bears_out_none() -> None:
    percent = {name: 10.0 + 20 * name.endswith("LD") for name in ALL} | {"3x3:LD": 70.0}
    claims = claims_of(SetStudySettings(), table_of(percent, {}))
    assert {claim.holds for claim in claims} == {False, None}
    undecided = [claim.ours for claim in claims if claim.holds is None]
    assert undecided == [
        "for 0 of 5 templates up to 3x3, the other way for 0; the intervals of 5 overlap",
        "too few settings get there (0 of 18 settings)",
    ]


def test_what_intervals_do_not_tell_is_not_decided() -> None:
    """The means of the first test, each of them less sure."""
    percent = {name: 50.0 - 20 * name.endswith("LD") for name in ALL}
    percent |= {"2x2:LI": 85.0, "up to 3x3:LI": 92.0}
    games = {name: 1000.0 * count_sets(name) for name in ALL}
    claims = claims_of(SetStudySettings(), table_of(percent, games, half=40.0))
    assert [claim.holds for claim in claims[:-1]] == [None] * 7
    assert {claim.verdict for claim in claims[:-1]} == {"not decided"}
    words = "for 0 of 9 templates, the other way for 0; the intervals of 9 overlap"
    assert claims[3].ours == words


def test_pairs_that_part_are_counted_on_either_side() -> None:
    percent = {"1x1:LI": 20.0, "2x1:LD": 20.0, "2x2:LI": 10.4}
    claim = claims_of(SetStudySettings(), table_of(percent, {}))[3]
    assert claim.ours == "for 1 of 9 templates, the other way for 1; the intervals of 7 overlap"
    assert claim.holds is None


def test_a_set_that_never_learns_is_slower_than_one_that_does() -> None:
    games = {"1x1:LI": 500.0, "2x1:LI": 500.0, "2x2:LI": 500.0}
    claim = claims_of(SetStudySettings(), table_of({}, games))[4]
    assert claim.ours.startswith("for 3 of 5 templates up to 3x3, the other way for 0")
    assert claim.holds


def test_the_four_charts_show_each_template(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    picture = draw(table, "S1-F4")
    for words in ("(a) wins", "(d) games", "4x3", "above 80 %", "above 90 %", "mean of 2 runs"):
        assert words in picture
    assert picture.count("<title>") == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_an_interrupted_study_ends_as_an_uninterrupted_one(tmp_path: Path, seed: int) -> None:
    expected = run(QUICK, seed, Runner(tmp_path / "whole"))

    def stop_after_five(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(QUICK, seed, Runner(tmp_path / "parts", observe=stop_after_five))
    assert run(QUICK, seed, Runner(tmp_path / "parts")) == expected
