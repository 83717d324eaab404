"""Letting an opening net learn from judged openings: epochs, early stopping, learning again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.opening_net import LOGITS_A_WEIGHT, OpeningNet
from katachi.features.opening_inputs import (
    OpeningInputs,
    Scales,
    differences_of,
    encode_openings,
    parts_of,
    unit_scales,
)
from katachi.features.opening_rows import ONE, Encoded
from katachi.features.units import UNIT
from katachi.learning.loop import Learned, learn
from katachi.records.openings import Opening
from katachi.rules.symmetry import SYMMETRIES
from katachi.td.opening_learning import (
    OpeningGames,
    OpeningScratch,
    fill_chances,
    learn_openings,
    new_scratch,
)
from katachi.td.targets import ErrorRule, UpdateRule

PAPER_STEP = 16.0
"""A step size of 1 of the paper's net in logits and chances: errors of P are twice those of the
chance, 1 - P^2 is four times V(1 - V), and a weight counts two logits."""
LEAST_SPREAD = 0.05
"""Inputs that vary less are not blown up to the others' size."""

Chances = npt.NDArray[np.float64]


class OpeningTraining(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a net learns; the defaults are the paper's."""

    lam: float = 0.7
    """Weight of later differences in an error, 0 to 1."""
    alpha: float = 0.5
    """Step size; with richer inputs that of each part, divided by the mean square length of its
    inputs."""
    epochs: int = 100
    """Passes over all openings, at most."""
    spread: float = 0.0
    """Standard deviation of the first weights, in the paper's units."""
    is_squared: bool = True
    """Whether steps carry the slope of the squared error, as the paper's do; else cross-entropy."""
    seed: int = 1
    """Equal seeds give equal weights."""


@dataclass(frozen=True)
class OpeningMaterial:
    """Openings of one length as a net sees them."""

    inputs: OpeningInputs
    scales: Scales
    plies: npt.NDArray[np.int64]
    """[T]: after how many moves they are looked at, from 0 on."""
    games: OpeningGames
    squares: npt.NDArray[np.float64]
    """[K]: the mean over positions of the sum of the squares of a part's inputs."""


def plies_of(length: int, every: int) -> npt.NDArray[np.int64]:
    """After 0 moves, every so many more, and the last."""
    return np.unique(np.append(np.arange(0, length, every), length)).astype(np.int64)


def fit_scales(inputs: OpeningInputs, encoded: Encoded) -> Scales:
    """[N]: what brings each input to a spread of one over these positions."""
    if inputs.kinds == ("points",):
        return unit_scales(inputs)
    count, total = parts_of(inputs).starts[-1], len(encoded.starts) - 1
    values = encoded.value / ONE
    mean = np.bincount(encoded.place, values, count) / total
    square = np.bincount(encoded.place, values**2, count) / total
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    is_constant = (spread < LEAST_SPREAD) & (np.abs(mean) > 0.5)
    scales = 1.0 / np.maximum(spread, LEAST_SPREAD)
    return np.where(is_constant, 1.0, scales).astype(np.float32)


def scales_over(openings: Sequence[Opening], inputs: OpeningInputs, every: int) -> Scales:
    """[N]: what brings each input to a spread of one over openings of one length."""
    moves = np.stack([opening.moves for opening in openings])
    plies = plies_of(moves.shape[1], every)
    return fit_scales(inputs, encode_openings(inputs, unit_scales(inputs), moves, plies))


def prepare(
    openings: Sequence[Opening],
    inputs: OpeningInputs,
    every: int = 1,
    scales: Scales | None = None,
) -> OpeningMaterial:
    """Openings, all judged and of one length, to learn from: positions after every so many moves.

    Inputs are scaled to a spread of one over these openings unless scales are given. Raises
    KatachiError where there are none, one is not judged or they differ in length or size.
    """
    if not openings:
        raise KatachiError("no openings to learn from: name other games, or filter less")
    for opening in openings:
        if opening.judgement is None:
            raise KatachiError(f"opening {opening.game + 1} has no judgement to learn from")
        if len(opening) != len(openings[0]) or opening.size != inputs.size:
            raise KatachiError(
                f"opening {opening.game + 1} has {len(opening)} moves at {opening.size}x"
                f"{opening.size}: all need {len(openings[0])} at {inputs.size}x{inputs.size}"
            )
    plies = plies_of(len(openings[0]), every)
    moves = np.stack([opening.moves for opening in openings])
    if scales is None:
        scales = scales_over(openings, inputs, every)
    encoded = encode_openings(inputs, scales, moves, plies)
    numbers = np.arange(len(openings))
    games = OpeningGames(
        differences_of(encoded, len(plies)),
        numbers * len(plies),
        np.full(len(openings), len(plies)),
        np.array([0.5 + each.judgement / 2 for each in openings if each.judgement is not None]),
        np.zeros(len(openings), np.uint8),
        np.array([opening.game for opening in openings]),
    )
    return OpeningMaterial(inputs, scales, plies, games, mean_squares(inputs, encoded))


def turn_games(games: OpeningGames) -> OpeningGames:
    """The eight mirror images of each opening, one after another."""
    turned = games.select(np.repeat(np.arange(games.size), SYMMETRIES))
    symmetry = np.tile(np.arange(SYMMETRIES, dtype=np.uint8), games.size)
    return turned._replace(symmetry=symmetry)


def cut_games(
    material: OpeningMaterial, moves: int, outcome: npt.NDArray[np.float64]
) -> OpeningGames:
    """The same openings cut after so many moves, with what came of them then."""
    count = int(np.searchsorted(material.plies, moves)) + 1
    games = material.games
    return games._replace(length=np.full(games.size, count), outcome=outcome)


def join_games(parts: Sequence[OpeningGames]) -> OpeningGames:
    """Openings over the same positions, one after another."""
    joined = [np.concatenate(each) for each in zip(*(part[1:] for part in parts), strict=True)]
    return OpeningGames(parts[0].encoded, *joined)


class JudgedOpenings(NamedTuple):
    """Openings that a kernel learns from."""

    games: OpeningGames
    net: OpeningNet
    scratch: OpeningScratch

    def learn(self, rule: UpdateRule, numbers: Sequence[int]) -> Learned:
        """Lets the net learn from these openings."""
        order, parts = np.array(numbers, np.int64), self.net.parts
        memory = (self.net.weights, self.scratch)
        learn_openings(self.games, order, parts.images, parts.part_of, rule, memory)
        outcomes = self.games.outcome[order]
        return Learned(len(order), int(self.games.length[order].sum()), float(outcomes.sum()))


class OpeningTrainer:
    """A net and the kernel that it learns by."""

    def __init__(self, settings: OpeningTraining, material: OpeningMaterial) -> None:
        """A net that has learned nothing yet."""
        self.settings = settings
        self.material = material
        self.rule = opening_rule(settings, material)
        self.begin()

    def begin(self) -> None:
        """Forgets all that was learned."""
        settings, material = self.settings, self.material
        self.net = OpeningNet(material.inputs, None, material.scales)
        self._random = np.random.default_rng(settings.seed % (1 << 64))
        if settings.spread:
            first = self._random.normal(0.0, settings.spread, len(self.net.weights))
            self.net.weights[:] = np.rint(LOGITS_A_WEIGHT * first / UNIT).astype(np.int64)
        self.done = 0
        """Epochs learned."""

    def _scratch(self) -> OpeningScratch:
        count = len(self.material.plies)
        return new_scratch(count, len(self.net.inputs.kinds), len(self.net.weights))

    def learn_epoch(self, games: OpeningGames) -> None:
        """One pass over openings, in a new random order."""
        order = self._random.permutation(games.size)
        self.learn_in_order(games, order)
        self.done += 1

    def skip_epochs(self, count: int, games: OpeningGames) -> None:
        """Draws the orders of so many epochs and learns nothing: what weights of a checkpoint need
        to go on as if it had."""
        for _ in range(count):
            self._random.permutation(games.size)
        self.done += count

    def learn_in_order(self, games: OpeningGames, order: npt.NDArray[np.int64]) -> None:
        """Learns from these openings, by number."""
        source = JudgedOpenings(games, self.net, self._scratch())
        list(learn([self.net], source, self.rule, order.tolist()))

    def chances(self, games: OpeningGames) -> Chances:
        """[L, T] Black's chance in each position of openings, all of the whole length."""
        parts = self.net.parts
        chances = np.zeros((games.size, len(self.material.plies)))
        memory = (self.net.weights, self._scratch())
        fill_chances(games, parts.images, parts.part_of, memory, UNIT, chances)
        return chances

    def rmse(self, games: OpeningGames) -> float:
        """The root mean square of z - P over all positions of openings."""
        errors = 2.0 * (games.outcome[:, None] - self.chances(games))
        return float(np.sqrt(np.mean(errors**2)))


def opening_rule(settings: OpeningTraining, material: OpeningMaterial) -> UpdateRule:
    """The shared error rule with the step sizes of these inputs' parts."""
    parts = parts_of(material.inputs)
    count = len(parts.starts) - 1
    rates = np.full(count, PAPER_STEP * settings.alpha)
    if material.inputs.kinds != ("points",):
        rates = rates / material.squares / count
    rule = ErrorRule(settings.lam, settings.is_squared, is_cascade=False)
    return UpdateRule(rule, np.ones((count, count), np.uint8), rates, UNIT)


def mean_squares(inputs: OpeningInputs, encoded: Encoded) -> npt.NDArray[np.float64]:
    """[K]: the mean over positions of the sum of the squares of a part's inputs."""
    parts = parts_of(inputs)
    squares = (encoded.value / ONE) ** 2
    sums = np.bincount(parts.part_of[encoded.place], squares, len(parts.starts) - 1)
    return np.maximum(sums / max(len(encoded.starts) - 1, 1), 1.0)


@dataclass(frozen=True)
class Stopped:
    """Where learning was best."""

    epochs: int
    """After which the error on the openings held out was smallest, one at least."""
    held_out: list[float]
    """The error on them before the first epoch and after each."""


def stop_early(
    settings: OpeningTraining,
    material: OpeningMaterial,
    learned: OpeningGames,
    held_out: OpeningGames,
) -> tuple[OpeningTrainer, Stopped]:
    """(the net at its best, how the error went) of one course of learning."""
    trainer = OpeningTrainer(settings, material)
    curve = [trainer.rmse(held_out)]
    best = trainer.net.weights.copy()
    for _ in range(settings.epochs):
        trainer.learn_epoch(learned)
        curve.append(trainer.rmse(held_out))
        if curve[-1] < min(curve[1:-1], default=math.inf):
            best = trainer.net.weights.copy()
    trainer.net.weights[:] = best
    return trainer, Stopped(1 + int(np.argmin(curve[1:])), curve)
