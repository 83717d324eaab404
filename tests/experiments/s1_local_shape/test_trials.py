"""How agents learn and are tested, counted by hand."""

import msgspec
import pytest

from katachi.experiments.s1_local_shape.trials import (
    EARLY,
    FINAL,
    HALF_TIME,
    Trial,
    TrialSettings,
    behaviour_of,
    cost_of,
    final_percent,
    games_to_half,
    learn,
    percent_after,
    trial_rows,
)
from katachi.learning.shape_training import Loss, ShapeTrainer

SETTINGS = TrialSettings(games=2000, test_every=500, test_games=100, final_games=1000)
SMALL = TrialSettings(games=40, test_every=20, test_games=4, final_games=6)


def trial(*tests: tuple[int, int], final: tuple[int, int] = (0, 0)) -> Trial:
    return Trial([list(each) for each in tests], list(final))


def test_final_percent_is_the_mean_of_both_agents() -> None:
    assert final_percent(SETTINGS, trial(final=(900, 700))) == 80.0


@pytest.mark.parametrize(
    ("tests", "games"),
    [
        ([(51, 51)], 500),
        ([(50, 99), (99, 50), (60, 51)], 1500),
        ([(99, 50), (50, 99)], None),
        ([(0, 0), (0, 0), (0, 0), (100, 51)], 2000),
    ],
)
def test_both_agents_must_exceed_half_in_the_same_test(
    tests: list[tuple[int, int]], games: int | None
) -> None:
    assert games_to_half(SETTINGS, trial(*tests)) == games


@pytest.mark.parametrize(("games", "percent"), [(500, 5.0), (1000, 25.0), (900, 25.0), (9999, 70)])
def test_percent_after_so_many_games_is_that_of_the_test_then(games: int, percent: float) -> None:
    run = trial((10, 0), (20, 30), (50, 60), (80, 60))
    assert percent_after(SETTINGS, run, games) == percent


def test_rows_tell_how_many_runs_got_there() -> None:
    runs = [trial((60, 60), (9, 9), final=(800, 900)), trial((9, 9), (9, 9), final=(500, 600))]
    rows = {row.quantity: row for row in trial_rows(SETTINGS, {"set": "2x2:LI"}, runs)}
    assert (rows[FINAL.name].ours, rows[FINAL.name].n) == (70.0, 2)
    assert (rows[HALF_TIME.name].ours, rows[HALF_TIME.name].remark) == (1250.0, "1 of 2 runs")
    assert rows[EARLY.name].ours == 9.0
    never = trial_rows(SETTINGS, {"set": "2x2:LI"}, runs[1:])[1]
    assert (never.ours, never.remark) == (None, "never")
    always = trial_rows(SETTINGS, {"set": "2x2:LI"}, runs[:1])[1]
    assert (always.ours, always.remark) == (500.0, "")


def test_a_trial_is_what_the_trainer_does_test_by_test() -> None:
    training = SMALL.training("1x1-2x2:LI", 5)
    found, trainer = learn(SMALL, training)
    again = ShapeTrainer(training)
    curve = []
    for games in (20, 20):
        again.learn(games)
        curve.append(again.test(4))
    assert found == Trial(curve, again.test(6))
    assert trainer.games == 40
    assert learn(SMALL, training)[0] == found


def test_behaviour_is_that_of_the_settings() -> None:
    plain = SMALL.training("1x1-2x2:LI", 1)
    same = behaviour_of([plain])
    assert behaviour_of([plain]) == same
    others = [
        behaviour_of([msgspec.structs.replace(plain, loss=Loss.CROSS_ENTROPY)]),
        behaviour_of([msgspec.structs.replace(plain, seed=2)]),
        behaviour_of([plain], grows_to=6),
        behaviour_of([plain, plain]),
    ]
    assert len({same, *others}) == 5


def test_more_sets_cost_more_and_hashed_ones_most() -> None:
    names = ["2x2:LI", "1x1-3x3:LI", "1x1-3x3:LI+LD", "1x1-5x5:LI", "1x1-5x5:LI+LD"]
    costs = [cost_of(name, 5) for name in names]
    assert costs == sorted(costs)
