"""Nets that learn as the paper's do: 213 openings and their mirror images, split, stopped early,
and learned from all again."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.experiments.s4_openings.material import (
    Judged,
    OpeningSettings,
    sample_paper_set,
)
from katachi.features.opening_inputs import OpeningInputs
from katachi.learning.opening_training import (
    OpeningMaterial,
    OpeningTrainer,
    OpeningTraining,
    Stopped,
    prepare,
    stop_early,
    turn_games,
)
from katachi.records.openings import Opening
from katachi.rules.symmetry import SYMMETRIES
from katachi.td.opening_learning import OpeningGames

LEARNED = 2 / 3
"""Of the openings; the others are held out."""
SPREAD = 0.01
"""Of random first weights, in the paper's units."""


class PaperSettings(OpeningSettings, frozen=True, kw_only=True):
    """How the paper's nets learn."""

    lambdas: tuple[float, ...] = (0.0, 0.3, 0.7, 1.0)
    """Weights of later differences."""
    alpha: float = 0.5
    """Step size."""
    epochs: int = 100
    """Passes over the openings, at most."""
    spread: float = 0.0
    """Of the first weights, which the paper does not tell."""
    runs: int = 10
    """Each with openings, split and order of its own."""


class PaperSet(NamedTuple):
    """The openings of one run."""

    openings: list[Opening]
    material: OpeningMaterial
    games: OpeningGames
    """All mirror images, eight an opening."""


def paper_set(judged: Judged, seed: int) -> PaperSet:
    """Openings sampled by a seed, and their mirror images."""
    openings = sample_paper_set(judged.openings, seed)
    size = openings[0].size if openings else 19
    material = prepare(openings, OpeningInputs(size=size))
    return PaperSet(openings, material, turn_games(material.games))


def training_of(settings: PaperSettings, lam: float, seed: int) -> OpeningTraining:
    """How one net learns."""
    return OpeningTraining(
        lam=lam, alpha=settings.alpha, epochs=settings.epochs, spread=settings.spread, seed=seed
    )


def split_copies(
    games: OpeningGames, seed: int, *, is_by_game: bool
) -> tuple[OpeningGames, OpeningGames]:
    """(to learn from, held out): mirror images parted at random as the paper does, so that copies
    of one game fall on both sides, or game by game."""
    random = np.random.default_rng((seed % (1 << 64), 1))
    count = games.size // SYMMETRIES if is_by_game else games.size
    is_learned = np.zeros(count, np.bool_)
    is_learned[random.permutation(count)[: round(LEARNED * count)]] = True
    mask: npt.NDArray[np.bool_] = np.repeat(is_learned, SYMMETRIES) if is_by_game else is_learned
    return games.select(mask), games.select(~mask)


def stop_as_paper(
    settings: PaperSettings, found: PaperSet, lam: float, seed: int, *, is_by_game: bool = False
) -> tuple[OpeningTrainer, Stopped]:
    """(the net that learned from two thirds and was stopped early, how it went)."""
    training = training_of(settings, lam, seed)
    learned, held_out = split_copies(found.games, seed, is_by_game=is_by_game)
    return stop_early(training, found.material, learned, held_out)


def learn_as_paper(
    settings: PaperSettings, found: PaperSet, lam: float, seed: int, *, is_by_game: bool = False
) -> tuple[OpeningTrainer, Stopped]:
    """(a net that learned from all openings for as many epochs as early stopping chose, how that
    went)."""
    _, course = stop_as_paper(settings, found, lam, seed, is_by_game=is_by_game)
    trainer = OpeningTrainer(training_of(settings, lam, seed), found.material)
    for _ in range(course.epochs):
        trainer.learn_epoch(found.games)
    return trainer, course


def lambda_name(lam: float) -> str:
    """What a setting is called."""
    return f"lambda {lam:g}"
