"""S1-F4: the settings of Figure 4, and the paper's claims held against a table."""

from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.protocol import Claim, Row, Table, Verdict, label_of
from katachi.experiments.runner import Progress, Runner
from katachi.experiments.s1_local_shape import set_study9
from katachi.experiments.s1_local_shape.set_study import (
    ALONE,
    LABELS,
    QUICK,
    UP_TO,
    SetStudySettings,
    draw,
    judge,
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


def verdicts(claims: list[Claim]) -> set[Verdict]:
    return {claim.verdict for claim in claims}


def test_a_table_like_the_papers_bears_out_every_claim() -> None:
    percent = {name: 50.0 - 20 * name.endswith("LD") for name in ALL}
    percent |= {"2x2:LI": 85.0, "up to 3x3:LI": 92.0}
    games = {name: 1000.0 * count_sets(name) for name in ALL}
    claims = judge(table_of(percent, games))
    assert len(claims) == 11
    assert verdicts(claims) == {Verdict.YES}, claims
    assert claims[0].ours == "2x2:LI 85.0 %; the best of the others 1x1:LI 50.0 %"
    assert claims[-3].ours == (
        "+1,000 games a set, R squared 1.00 (18 settings, 0 censored ones left out)"
    )


def test_a_table_unlike_the_papers_bears_out_none() -> None:
    percent = {name: 10.0 + 20 * name.endswith("LD") for name in ALL} | {"3x3:LD": 70.0}
    claims = judge(table_of(percent, {}))
    assert verdicts(claims) == {Verdict.NO}
    assert not any("learn" in claim.paper for claim in claims)


def test_what_intervals_do_not_tell_is_undecided() -> None:
    """The means of the first test, each of them less sure."""
    percent = {name: 50.0 - 20 * name.endswith("LD") for name in ALL}
    percent |= {"2x2:LI": 85.0, "up to 3x3:LI": 92.0}
    games = {name: 1000.0 * count_sets(name) for name in ALL}
    claims = judge(table_of(percent, games, half=100.0))
    assert verdicts(claims[:7]) == {Verdict.UNDECIDED}


def test_a_time_that_is_a_lower_bound_is_no_part_of_the_fit() -> None:
    games = {name: 1000.0 * count_sets(name) for name in ALL}
    table = table_of({}, games | {"up to 2x1:LD": 90_000.0})
    late = {"up_to": "2x1", "location": "LD"}
    rows = [
        msgspec.structs.replace(row, remark="5 of 12 runs" if row.key == late else "")
        for row in table.rows
    ]
    claim = judge(msgspec.structs.replace(table, rows=rows))[-3]
    assert claim.verdict is Verdict.YES
    assert "17 settings, 1 censored ones left out" in claim.ours


def test_speed_is_undecided_where_most_templates_never_get_there() -> None:
    games = {f"{name}:{where}": 500.0 for name in ("2x2", "3x2") for where in ("LI", "LD")}
    claim = judge(table_of({}, games))[4]
    assert claim.verdict is Verdict.UNDECIDED
    assert claim.rule == "undecided where half of the templates are left out or more"


@pytest.mark.parametrize(
    ("slower", "half", "verdict"),
    [("LD", 0.5, Verdict.YES), ("LI", 0.5, Verdict.NO), ("LD", 50.0, Verdict.UNDECIDED)],
)
def test_sets_together_are_judged_by_their_learning_time(
    slower: str, half: float, verdict: Verdict
) -> None:
    games = {name: 2000.0 + 3000 * name.endswith(slower) for name in ALL}
    claim = judge(table_of({}, games, half))[7]
    assert claim.paper.startswith("sets together: location independent ones again learn faster")
    assert claim.verdict is verdict
    assert "over 9 templates" in claim.ours


def test_sets_together_that_never_get_there_are_left_out_of_the_learning_time() -> None:
    games = {name: 2000.0 + 3000 * name.endswith("LD") for name in ALL if "1x1" not in name}
    claim = judge(table_of({}, games))[7]
    assert claim.verdict is Verdict.YES
    assert "over 8 templates" in claim.ours
    assert "left out: up to 1x1:LI" in claim.ours


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


def test_the_study_at_9x9_meets_another_opponent(tmp_path: Path) -> None:
    quick = set_study9.QUICK
    table = set_study9.run(quick, 1, Runner(tmp_path))
    assert len(table.rows_of(set_study9.SCORE)) == 8
    assert len(set_study9.judge(table)) == 3
    assert "final score v RLGO, one set alone" in set_study9.draw(table, "S1-F4-9")
    with pytest.raises(KatachiError, match=r"rlgo-9x9-shared\.w is needed"):
        set_study9.run(msgspec.structs.replace(quick, opponent=""), 1, Runner(tmp_path))
