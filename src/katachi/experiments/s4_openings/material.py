"""Openings that the experiments of S4 are done with, and nets that learn from them as the paper's
do: 213 openings and their mirror images, split, stopped early, and learned from all again."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.experiments.bounds import Count, Komi, NotNegative, Rate, Share
from katachi.experiments.claims import judge_below, slope
from katachi.experiments.protocol import Claim, Row, Settings, Value
from katachi.experiments.runner import Runner, Task
from katachi.features.opening_inputs import OpeningInputs
from katachi.learning import opening_training
from katachi.records.dataset import open_games
from katachi.records.judgements import (
    DeadBand,
    Judgement,
    check_numbers,
    judge_openings,
    leads_after,
    read_judgements,
)
from katachi.records.openings import Opening, Style, openings_of
from katachi.rules.symmetry import SYMMETRIES
from katachi.td.opening_learning import OpeningGames

LENGTH = 50
"""Moves of an opening."""
CELLS: dict[Style, tuple[int, int, int]] = {
    Style.TWO_STAR: (18, 9, 17),
    Style.THREE_STAR: (19, 23, 15),
    Style.CHINESE: (13, 13, 39),
    Style.SHUSAKU: (3, 9, 19),
    Style.MISC: (2, 5, 9),
}
"""Of the paper's 213 openings (its Table 1, an eighth): favourable to Black, to White, even."""
VERDICTS = (1.0, -1.0, 0.0)
"""z in the order of the paper's tables."""
REBUILT = (
    "The paper's openings and their judgements are in no public source. Ours are drawn from "
    "professional games by style and judgement so that each of its counts is met where there are "
    "enough; the judge is a strong program's lead after move 50, less than {band:g} points even, "
    "not a professional."
)


class OpeningSettings(Settings, frozen=True, kw_only=True):
    """Which openings are used."""

    games: str = "fuseki19.sgf.gz"
    """Their file."""
    judgements: str = "fuseki19_judged.jsonl.gz"
    """Who was ahead in them."""
    komi: Komi = 6.5
    """The komi that they were judged with."""
    band: NotNegative = 2.0
    """Points ahead, less than which is even."""


class Judged(NamedTuple):
    """Openings whose judgement is known."""

    openings: list[Opening]
    judgements: list[Judgement]

    def leads(self, moves: int, komi: float) -> dict[int, float]:
        """Black's lead after so many moves, by game; raises KatachiError where one is missing."""
        found = leads_after(self.judgements, moves, komi)
        leads = {game: each.black_lead for game, each in found.items()}
        missing = [each.game for each in self.openings if leads.get(each.game) is None]
        if missing:
            raise KatachiError(
                f"the judgements tell no lead of game {missing[0] + 1} after move {moves} with "
                f"komi {komi:g}"
            )
        return {game: lead for game, lead in leads.items() if lead is not None}


def files_of(at: Runner | Task, settings: OpeningSettings) -> tuple[Path, Path]:
    """(games, judgements); raises KatachiError where one is not there."""
    return at.require_file(settings.games), at.require_file(settings.judgements)


@cache
def open_judged(files: tuple[Path, Path], komi: float, band: float) -> Judged:
    """All openings of 50 moves that were judged."""
    games = open_games(files[0])
    check_numbers(games)
    openings = openings_of(games, LENGTH)
    judgements = read_judgements(files[1])
    judged = judge_openings(openings, judgements, komi=komi, band=DeadBand(lead=band))
    return Judged(judged, judgements)


def judged_of(at: Runner | Task, settings: OpeningSettings) -> Judged:
    """The openings of an experiment."""
    return open_judged(files_of(at, settings), settings.komi, settings.band)


def sample_paper_set(openings: list[Opening], seed: int) -> list[Opening]:
    """As many openings of each style and judgement as the paper has, sampled by a seed; fewer where
    there are not so many."""
    random = np.random.default_rng(seed % (1 << 64))
    sampled: list[Opening] = []
    for style, counts in CELLS.items():
        for verdict, count in zip(VERDICTS, counts, strict=True):
            cell = [o for o in openings if (o.style, o.judgement) == (style, verdict)]
            chosen = random.permutation(len(cell))[:count]
            sampled += [cell[index] for index in sorted(chosen.tolist())]
    return sampled


def fingerprint(runner: Runner, settings: OpeningSettings) -> str:
    """Of what the files say, and how this code learns from them."""
    digest = sha256()
    files = files_of(runner, settings)
    for path in files:
        digest.update(path.read_bytes())
    openings = openings_of(open_games(files[0])[:4], LENGTH)
    judged = [opening.judged(1.0 - number / 2) for number, opening in enumerate(openings)]
    for kinds in (("points",), ("turn", "map", "shapes", "influence", "blocks", "pairs")):
        trainer = opening_training.OpeningTrainer(
            opening_training.OpeningTraining(epochs=1),
            opening_training.prepare(judged, OpeningInputs(kinds), every=10),
        )
        trainer.learn_epoch(trainer.material.games)
        digest.update(f"{np.abs(trainer.net.weights).sum() / 2**20:.0f}".encode())
    return digest.hexdigest()[:16]


LEARNED = 2 / 3
"""Of the openings; the others are held out."""
SPREAD = 0.01
"""Of random first weights, in the paper's units."""


class PaperSettings(OpeningSettings, frozen=True, kw_only=True):
    """How the paper's nets learn."""

    lambdas: tuple[Share, ...] = (0.0, 0.3, 0.7, 1.0)
    """Weights of later differences."""
    alpha: Rate = 0.5
    """Step size."""
    epochs: Count = 100
    """Passes over the openings, at most."""
    spread: NotNegative = 0.0
    """Of the first weights, which the paper does not tell."""
    runs: Count = 10
    """Each with openings, split and order of its own."""


class PaperSet(NamedTuple):
    """The openings of one run."""

    openings: list[Opening]
    material: opening_training.OpeningMaterial
    games: OpeningGames
    """All mirror images, eight an opening."""


def paper_set(at: Runner | Task, settings: OpeningSettings, seed: int) -> PaperSet:
    """Openings sampled by a seed, and their mirror images."""
    openings = sample_paper_set(judged_of(at, settings).openings, seed)
    size = openings[0].size if openings else 19
    material = opening_training.prepare(openings, OpeningInputs(size=size))
    return PaperSet(openings, material, opening_training.turn_games(material.games))


def training_of(settings: PaperSettings, lam: float, seed: int) -> opening_training.OpeningTraining:
    """How one net learns."""
    return opening_training.OpeningTraining(
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
) -> tuple[opening_training.OpeningTrainer, opening_training.Stopped]:
    """(the net that learned from two thirds and was stopped early, how it went)."""
    training = training_of(settings, lam, seed)
    learned, held_out = split_copies(found.games, seed, is_by_game=is_by_game)
    return opening_training.stop_early(training, found.material, learned, held_out)


def learn_as_paper(
    settings: PaperSettings, found: PaperSet, lam: float, seed: int, *, is_by_game: bool = False
) -> tuple[opening_training.OpeningTrainer, opening_training.Stopped]:
    """(a net that learned from all openings for as many epochs as early stopping chose, how that
    went)."""
    _, course = stop_as_paper(settings, found, lam, seed, is_by_game=is_by_game)
    trainer = opening_training.OpeningTrainer(training_of(settings, lam, seed), found.material)
    for _ in range(course.epochs):
        trainer.learn_epoch(found.games)
    return trainer, course


def lambda_name(lam: Value) -> str:
    """What a setting is called."""
    return f"lambda {float(lam):g}"


def claims_of_lambda(rows: Sequence[Row], what: str) -> list[Claim]:
    """Whether errors fall as lambda rises, over all lambdas, and over all but the largest."""
    values = [float(row.key["lam"]) for row in rows]
    claims = []
    for count in (len(rows), len(rows) - 1):
        if count < 2:
            continue
        some = ", ".join(f"{each:g}" for each in values[:count])
        by = slope(values[:count], rows[:count])
        numbers = ", ".join(f"{row.ours:.3f}" for row in rows[:count])
        words = f"a higher lambda has a lower error (lambda {some}; {what})", numbers
        claims.append(judge_below(words, by))
    return claims
