"""The fit against an independent one, and its intervals against simulation."""

import itertools

import choix
import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped]

from katachi.arena.rating import (
    ELO_SCALE,
    Fit,
    FitSettings,
    PairScore,
    connected_groups,
    fit_ratings,
)
from katachi.errors import KatachiError
from katachi.statistics import expected_score

LADDER = [
    PairScore("random", "influence", 9, 0, 91),
    PairScore("influence", "random", 93, 1, 6),
    PairScore("influence", "alp", 31, 2, 67),
    PairScore("alp", "influence", 72, 0, 28),
    PairScore("alp", "gnugo", 4, 0, 96),
    PairScore("gnugo", "alp", 98, 0, 2),
    PairScore("random", "alp", 1, 0, 19),
]


def comparisons(scores: list[PairScore], names: list[str]) -> list[tuple[int, int]]:
    """(winner, loser) of each game as choix reads them; a draw is half of two games."""
    pairs: list[tuple[int, int]] = []
    for score in scores:
        black, white = names.index(score.black), names.index(score.white)
        pairs += [(black, white)] * round(2 * score.wins + score.draws)
        pairs += [(white, black)] * round(2 * score.losses + score.draws)
    return pairs


def choix_elo(scores: list[PairScore], anchors: dict[str, float]) -> dict[str, float]:
    """The maximum of choix's likelihood with the anchors held, found by SciPy."""
    names = sorted({name for score in scores for name in (score.black, score.white)})
    data = comparisons(scores, names)
    free = [i for i, name in enumerate(names) if name not in anchors]
    place = np.array([anchors.get(name, 0.0) for name in names]) / ELO_SCALE

    def loss(values: npt.NDArray[np.float64]) -> float:
        moved = place.copy()
        moved[free] = values
        return -float(choix.log_likelihood_pairwise(data, moved))

    place[free] = minimize(loss, place[free], method="BFGS").x
    return dict(zip(names, place * ELO_SCALE, strict=True))


def by_name(fit: Fit) -> dict[str, tuple[float, float]]:
    return {rating.name: (rating.elo, rating.error) for rating in fit.ratings}


def test_without_prior_the_fit_is_that_of_choix() -> None:
    names = ["alp", "gnugo", "influence", "random"]
    params = choix.opt_pairwise(4, comparisons(LADDER, names), alpha=0.0, tol=1e-9)
    elo = fit_ratings(LADDER, FitSettings({"alp": 850.0}, prior_draws=0.0)).elo()
    for i, name in enumerate(names):
        assert elo[name] == pytest.approx(850 + ELO_SCALE * (params[i] - params[0]), abs=0.1)


def test_without_prior_two_anchors_agree_with_the_likelihood_of_choix() -> None:
    anchors = {"random": -170.0, "alp": 850.0}
    expected = choix_elo(LADDER, anchors)
    elo = fit_ratings(LADDER, FitSettings(anchors, prior_draws=0.0)).elo()
    for name, value in expected.items():
        assert elo[name] == pytest.approx(value, abs=0.5)


def test_the_prior_stays_within_the_interval_of_choix() -> None:
    anchors = {"random": -170.0, "alp": 850.0}
    expected = choix_elo(LADDER, anchors)
    for name, (elo, error) in by_name(fit_ratings(LADDER, FitSettings(anchors))).items():
        assert abs(elo - expected[name]) <= error + 1e-6


def test_anchors_stay_where_they_are_and_have_no_error() -> None:
    fit = fit_ratings(LADDER, FitSettings({"random": -170.0, "alp": 850.0}))
    ratings = {rating.name: rating for rating in fit.ratings}
    assert (ratings["alp"].elo, ratings["alp"].error) == (850.0, 0.0)
    assert (ratings["random"].elo, ratings["random"].error) == (-170.0, 0.0)
    assert ratings["alp"].is_anchor
    assert not ratings["gnugo"].is_anchor
    assert [rating.name for rating in fit.ratings] == ["gnugo", "alp", "influence", "random"]


def test_games_and_points_are_counted() -> None:
    ratings = {rating.name: rating for rating in fit_ratings(LADDER).ratings}
    assert ratings["influence"].games == 400
    assert ratings["influence"].score == 91 + 93.5 + 32 + 28


def test_two_players_have_the_textbook_interval() -> None:
    fit = fit_ratings([PairScore("a", "b", 30, 0, 70)], FitSettings({"b": 0.0}, prior_draws=0.0))
    elo, error = by_name(fit)["a"]
    assert elo == pytest.approx(400 * np.log10(30 / 70))
    assert error == pytest.approx(1.96 * ELO_SCALE / np.sqrt(100 * 0.3 * 0.7), rel=1e-4)


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    settings = FitSettings({"b": 0.0})
    drawn = fit_ratings([PairScore("a", "b", 5, 10, 5)], settings)
    decided = fit_ratings([PairScore("a", "b", 10, 0, 10)], settings)
    assert by_name(drawn) == by_name(decided)


@pytest.mark.parametrize("games", [1, 100, 1_000_000])
def test_a_perfect_score_stays_finite_and_uncertain(games: int) -> None:
    fit = fit_ratings([PairScore("a", "b", games, 0, 0)], FitSettings({"b": 0.0}))
    elo, error = by_name(fit)["a"]
    # Two virtual draws, one of each player, are one virtual loss.
    assert elo == pytest.approx(ELO_SCALE * np.log(games + 1), abs=0.01)
    assert error > 300


def test_a_perfect_score_without_prior_is_reported() -> None:
    with pytest.raises(KatachiError, match="won or lost every game"):
        fit_ratings([PairScore("a", "b", 10, 0, 0)], FitSettings({"b": 0.0}, prior_draws=0.0))


def test_without_anchors_the_mean_is_zero() -> None:
    elo = fit_ratings(LADDER).elo()
    assert sum(elo.values()) == pytest.approx(0.0, abs=1e-6)


def test_groups_that_lead_to_no_anchor_are_reported_and_not_rated() -> None:
    scores = [PairScore("a", "b", 3, 0, 1), PairScore("c", "d", 2, 0, 2)]
    fit = fit_ratings(scores, FitSettings({"a": 100.0}), players=["lonely"])
    assert {rating.name for rating in fit.ratings} == {"a", "b"}
    assert fit.unrated == (("c", "d"), ("lonely",))


def test_without_anchors_several_groups_are_all_unrated() -> None:
    fit = fit_ratings([PairScore("a", "b", 3, 0, 1), PairScore("c", "d", 2, 0, 2)])
    assert fit.ratings == ()
    assert fit.unrated == (("a", "b"), ("c", "d"))


def test_groups_with_an_anchor_each_stand_on_one_scale() -> None:
    scores = [PairScore("a", "b", 5, 0, 5), PairScore("c", "d", 5, 0, 5)]
    fit = fit_ratings(scores, FitSettings({"a": 0.0, "c": 1000.0}))
    assert fit.unrated == ()
    assert fit.elo() == pytest.approx({"a": 0.0, "b": 0.0, "c": 1000.0, "d": 1000.0}, abs=1e-6)


@pytest.mark.parametrize(
    ("players", "anchors"), [([], {}), (["a"], {}), ([], {"a": 5.0}), (["a", "b"], {"a": 5.0})]
)
def test_without_games_only_anchors_are_rated(
    players: list[str], anchors: dict[str, float]
) -> None:
    settings = FitSettings(anchors, with_black_advantage=True)
    assert fit_ratings([], settings, players).elo() == anchors


def test_groups_are_joined_by_chains_of_games() -> None:
    scores = [PairScore(a, b, 1, 0, 0) for a, b in ("ab", "cd", "ef", "de", "fc")]
    assert connected_groups("abcdefg", scores) == (("c", "d", "e", "f"), ("a", "b"), ("g",))


def test_the_advantage_of_black_is_found() -> None:
    truth = {"a": 0.0, "b": 120.0, "c": -80.0}
    scores = [
        PairScore(black, white, 10_000 * chance, 0, 10_000 * (1 - chance))
        for black in truth
        for white in truth
        if black != white
        for chance in [expected_score(truth[black] - truth[white] + 50)]
    ]
    fit = fit_ratings(scores, FitSettings({"a": 0.0}, with_black_advantage=True))
    assert fit.black_advantage == pytest.approx(50, abs=1)
    assert fit.black_advantage_error is not None
    assert 0 < fit.black_advantage_error < 5
    assert fit.elo() == pytest.approx(truth, abs=1)


def test_black_winning_every_game_stays_finite() -> None:
    scores = [PairScore("a", "b", 50, 0, 0), PairScore("b", "a", 50, 0, 0)]
    fit = fit_ratings(scores, FitSettings({"a": 0.0}, with_black_advantage=True))
    assert fit.black_advantage is not None
    assert 500 < fit.black_advantage < 1000
    assert fit.elo()["b"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("scores", "settings", "words"),
    [
        ([PairScore("a", "a", 1, 0, 0)], FitSettings(), "with itself"),
        ([PairScore("a", "b", 5, 0, -1)], FitSettings(), "no counts"),
        ([PairScore("a", "b", float("nan"), 0, 0)], FitSettings(), "no counts"),
        ([], FitSettings({"a": float("nan")}), "the anchor of a is nan"),
        ([], FitSettings({"a": 1e6}), "the anchor of a is 1e"),
        ([], FitSettings(prior_draws=-1), "prior"),
    ],
)
def test_what_cannot_be_fitted_is_reported(
    scores: list[PairScore], settings: FitSettings, words: str
) -> None:
    with pytest.raises(KatachiError, match=words):
        fit_ratings(scores, settings)


def test_the_intervals_hold_the_truth_nineteen_times_in_twenty() -> None:
    truth = {"anchor": 0.0, "a": 150.0, "b": 250.0, "c": 400.0}
    names = list(truth)
    random = np.random.default_rng(7)
    hits = np.zeros(2)
    for _ in range(400):
        scores = []
        for black, white in itertools.pairwise(names):
            wins = int(random.binomial(100, expected_score(truth[black] - truth[white])))
            scores.append(PairScore(black, white, wins, 0, 100 - wins))
        for rating in fit_ratings(scores, FitSettings({"anchor": 0.0})).ratings:
            if not rating.is_anchor:
                low, high = rating.interval
                hits += (low <= truth[rating.name] <= high, 1)
    coverage = hits[0] / hits[1]
    # 1,200 intervals, of which those of one run hang together: two standard errors are about 0.02.
    assert 0.925 <= coverage <= 0.975
