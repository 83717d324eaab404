"""Predicting the judgement of openings whose games were never learned from."""

import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.experiments.bounds import Count, NotNegative, Rate
from katachi.experiments.runner import Runner, Task
from katachi.experiments.s4_openings.material import (
    LENGTH,
    Judged,
    OpeningSettings,
    files_of,
    open_judged,
)
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.learning import opening_training
from katachi.measure.verdicts import VERDICTS, class_shares, fit_readout
from katachi.records.dataset import open_games
from katachi.records.openings import openings_of
from katachi.statistics import NORMAL_95, Estimate
from katachi.td.opening_learning import OpeningGames

Values = npt.NDArray[np.float64]

JUDGED_MOVES = (10, 20, 30, 40, 50)
LEAST_FOLDS = 3


class NetKind(msgspec.Struct, frozen=True):
    """What a net sees and how it learns."""

    name: str
    """What it is called in the table."""
    inputs: tuple[str, ...]
    """What it sees of a board."""
    alpha: Rate
    """Step size."""
    epochs: Count
    """At most; early stopping chooses."""
    every: Count = 5
    """Positions after every so many moves are looked at."""
    graded: NotNegative = 4.0
    """z is the hyperbolic tangent of the lead over so many points while learning; 0 for the three
    values."""
    cuts: tuple[Count, ...] = JUDGED_MOVES
    """Openings are learned from cut after so many moves, each with the judgement there."""
    is_mirrored: bool = False
    """Whether all mirror images are learned from; where inputs are the same for all, that would
    say nothing new."""


NETS = (
    NetKind("raw, as the paper", RAW, 0.5, 8, 1, graded=0.0, cuts=(50,), is_mirrored=True),
    NetKind("raw", RAW, 0.003, 8, is_mirrored=True),
    NetKind("rich", RICH, 0.03, 20),
)
"""The paper's inputs with its step size and judgements, the same inputs as well as they can be
learned, and richer inputs."""


def net_named(nets: tuple[NetKind, ...], name: str) -> NetKind:
    """The net of a name."""
    return next(kind for kind in nets if kind.name == name)


class Prepared(NamedTuple):
    """What a kind of net learns from and is asked."""

    material: opening_training.OpeningMaterial
    learned: OpeningGames
    """Openings and cuts of them, without their mirror images."""
    asked: OpeningGames
    """Whole openings with z of three values."""
    z: Values
    is_mirrored: bool
    """Whether mirror images are to be learned from."""


def prepare_kind(at: Runner | Task, settings: OpeningSettings, kind: NetKind) -> Prepared:
    """The openings as a kind of net sees them. Inputs are scaled by openings that were not judged,
    where there are any."""
    return _prepare(files_of(at, settings), settings.komi, settings.band, kind)


@cache
def _prepare(files: tuple[Path, Path], komi: float, band: float, kind: NetKind) -> Prepared:
    judged = open_judged(files, komi, band)
    openings = judged.openings
    inputs = OpeningInputs(kind.inputs, openings[0].size)
    known = {opening.game for opening in openings}
    others = [o for o in openings_of(open_games(files[0]), LENGTH) if o.game not in known]
    scales = opening_training.scales_over(others or openings, inputs, kind.every)
    material = opening_training.prepare(openings, inputs, kind.every, scales)
    parts = [
        opening_training.cut_games(material, cut, _outcome(judged, kind, cut, komi))
        for cut in kind.cuts
    ]
    z = np.array([opening.judgement for opening in openings], np.float64)
    return Prepared(
        material, opening_training.join_games(parts), material.games, z, kind.is_mirrored
    )


def _outcome(judged: Judged, kind: NetKind, cut: int, komi: float) -> Values:
    """(1 + z) / 2 of each opening cut after so many moves."""
    if kind.graded == 0.0 and cut == LENGTH:
        return np.array([0.5 + (each.judgement or 0.0) / 2 for each in judged.openings])
    leads = judged.leads(cut, komi)
    lead = np.array([leads[each.game] for each in judged.openings])
    return np.asarray(0.5 + np.tanh(lead / (kind.graded or 4.0)) / 2)


class Predicted(msgspec.Struct, frozen=True):
    """What a net said of openings that it had not learned from."""

    epochs: int
    games: list[int]
    """[G] which, by number among those judged."""
    plies: list[int]
    """[T] after how many moves it was asked."""
    chances: list[list[list[float]]]
    """[T][G][3]: how likely it called each of VERDICTS."""
    baseline: list[float]
    """[3] shares of VERDICTS among the openings learned from."""


def check_folds(folds: int) -> None:
    """Raises KatachiError where no games would be left to learn from."""
    if folds < LEAST_FOLDS:
        raise KatachiError(
            f"{folds} runs: use {LEAST_FOLDS} or more, one part of the games is asked, one stops "
            "the learning, and the others are learned from"
        )


def fold_of(count: int, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """[count]: the part of each game, as even as can be, sampled by a seed."""
    return np.random.default_rng((seed % (1 << 64), 2)).permutation(count) % folds


def learn_part(
    prepared: Prepared,
    training: opening_training.OpeningTraining,
    is_left_out: npt.NDArray[np.bool_],
    is_held_out: npt.NDArray[np.bool_],
) -> tuple[opening_training.OpeningTrainer, opening_training.Stopped]:
    """(a net, how it went) that learned from openings which are neither left out nor held out [N];
    the latter stopped it."""
    numbers = np.arange(len(prepared.z))
    learned = prepared.learned.select(
        ~(is_left_out | is_held_out)[np.tile(numbers, prepared.learned.size // len(numbers))]
    )
    if prepared.is_mirrored:
        learned = opening_training.turn_games(learned)
    held_out = prepared.asked.select(is_held_out)
    return opening_training.stop_early(training, prepared.material, learned, held_out)


def predict_part(
    prepared: Prepared,
    training: opening_training.OpeningTraining,
    parts: npt.NDArray[np.int64],
    part: int,
) -> Predicted:
    """Asks a net about the openings of one part; the next part stops its learning and fits the
    readouts, all others are learned from."""
    folds = int(parts.max()) + 1
    is_asked, is_held_out = parts == part, parts == (part + 1) % folds
    trainer, course = learn_part(prepared, training, is_asked, is_held_out)
    return Predicted(
        course.epochs,
        np.flatnonzero(is_asked).tolist(),
        prepared.material.plies.tolist(),
        _read(trainer, prepared, is_asked, is_held_out),
        class_shares(prepared.z[~(is_asked | is_held_out)]).tolist(),
    )


def _read(
    trainer: opening_training.OpeningTrainer,
    prepared: Prepared,
    is_asked: npt.NDArray[np.bool_],
    is_held_out: npt.NDArray[np.bool_],
) -> list[list[list[float]]]:
    """[T][G][3]: verdicts, by a readout for each number of moves."""
    fitted = trainer.chances(prepared.asked.select(is_held_out))
    asked = trainer.chances(prepared.asked.select(is_asked))
    found = []
    for ply in range(asked.shape[1]):
        readout = fit_readout(fitted[:, ply], prepared.z[is_held_out])
        found.append(np.round(readout.probabilities(asked[:, ply]), 5).tolist())
    return found


def predict_run(settings: OpeningSettings, task: Task, kind: NetKind, lam: float) -> Predicted:
    """What a run says of its part of the games; all nets of a study have the same parts."""
    prepared = prepare_kind(task, settings, kind)
    parts = fold_of(len(prepared.z), settings.runs, task.study_seed)
    return predict_part(prepared, training_of(kind, lam, task.seed), parts, task.run - 1)


class Verdicts(NamedTuple):
    """What nets said of all openings, each asked once."""

    chances: Values
    """[T, N, 3]"""
    baseline: Values
    """[N, 3]: shares of the verdicts among what was learned from."""
    plies: list[int]

    def right(self, z: Values) -> Values:
        """[T, N]: 1 where the likeliest verdict is the judgement."""
        return np.asarray((self.chances.argmax(axis=2) - 1 == z[None, :]).astype(np.float64))

    def expected(self) -> Values:
        """[T, N]: the mean of z by the chances."""
        return np.asarray(self.chances @ np.array(VERDICTS))


def join_parts(parts: list[Predicted], count: int) -> Verdicts:
    """All parts together."""
    plies = parts[0].plies
    chances, baseline = np.zeros((len(plies), count, 3)), np.zeros((count, 3))
    for part in parts:
        chances[:, part.games] = np.array(part.chances)
        baseline[part.games] = np.array(part.baseline)
    return Verdicts(chances, baseline, plies)


def brier(chances: Values, z: Values) -> Values:
    """[..., N]: the squared distance from the verdict that was right; 0 is perfect, 2 the worst."""
    right = np.eye(3)[np.searchsorted(VERDICTS, z)]
    return np.asarray(((chances - right) ** 2).sum(axis=-1))


def log_loss(chances: Values, z: Values) -> Values:
    """[..., N]: the negative logarithm of the chance of the verdict that was right."""
    which = np.searchsorted(VERDICTS, z)
    return np.asarray(-np.log(np.maximum(chances[..., np.arange(len(z)), which], 1e-9)))


def correlation(one: Values, other: Values) -> Estimate:
    """Pearson's correlation with Fisher's 95 % interval; nothing where one does not vary."""
    if one.std() == 0 or other.std() == 0 or len(one) < 4:
        return Estimate(0.0)
    r = float(np.corrcoef(one, other)[0, 1])
    middle, half = math.atanh(max(min(r, 0.999999), -0.999999)), NORMAL_95 / math.sqrt(len(one) - 3)
    return Estimate(r, math.tanh(middle - half), math.tanh(middle + half))


def training_of(kind: NetKind, lam: float, seed: int) -> opening_training.OpeningTraining:
    """How a net of a kind learns."""
    return opening_training.OpeningTraining(
        lam=lam, alpha=kind.alpha, epochs=kind.epochs, seed=seed
    )
