"""A run that learns territory: its games, its model and the model's card."""

from typing import Annotated, ClassVar

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.territory import NetKind, Territory, check_memory, pack_tables
from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.features.territory_inputs import InputSettings
from katachi.learning.material import (
    Material,
    RecordPlan,
    RunGames,
    digest_of_arrays,
    part_games,
    read_games,
)
from katachi.learning.run import Place, Run, RunConfig
from katachi.learning.territory_training import (
    TerritoryMeasurement,
    TerritorySettings,
    TerritoryTrainer,
    make_fitter,
)
from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import GameSet
from katachi.records.final_ownership import settle_ownership
from katachi.records.game_results import UNKNOWN, results_of


class TerritoryPlan(RecordPlan, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    sizes: tuple[int, ...] = ()
    """Board sizes to learn from; may be given several times (all there are)."""
    patience: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Stop after so many measurements without a better one, and keep the best (never)."""


TerritoryConfig = RunConfig[TerritorySettings, TerritoryPlan]
TerritoryGames = RunGames


def open_plan(plan: TerritoryPlan, *, needs_owners: bool = True) -> TerritoryGames:
    """Reads the games and settles who owned what, if that is needed; raises KatachiError where none
    is left."""
    games = read_games(plan.games)
    rejected, dropped = len(games.rejections), 0
    if plan.sizes:
        wanted = np.isin(games.info["size"], plan.sizes)
        games = GameSet(games.columns, games.rows[wanted])
        if len(games) == 0:
            sizes = ", ".join(map(str, plan.sizes))
            raise KatachiError(f"none of the games is of size {sizes}")
    if needs_owners and not np.all(games.columns.owners.lengths[games.rows]):
        settled = settle_ownership(games)
        dropped = len(games) - len(settled.games)
        games = settled.games
    found = part_games(games, plan, dropped, rejected)
    if len(found.train) == 0:
        what = "game with a known final ownership" if needs_owners else "game with a move"
        why = f": {dropped} have none" if dropped else ""
        raise KatachiError(f"no {what} is left to learn from{why}")
    return found


def open_games_of(config: TerritoryConfig) -> TerritoryGames:
    """The games of a run: with unknown owners too where only moves are learned, or moves of all
    games are asked for; raises KatachiError where none is left that it needs."""
    settings = config.settings
    needs_owners = settings.learns_owners or not settings.predicts_moves
    needs_owners = needs_owners and settings.owner_share == 0
    games = open_plan(config.plan, needs_owners=needs_owners)
    train = games.train
    if settings.owner_share and not train.columns.owners.lengths[train.rows].any():
        raise KatachiError(
            "no game with a marked final ownership is left to learn from: without an owner share "
            "it is settled where that can be"
        )
    if settings.result_weight and not np.any(results_of(train.info).results != UNKNOWN):
        raise KatachiError(
            "no game that play decided, with a komi, is left to learn results from: use a result "
            "weight of 0"
        )
    return games


class TerritoryRun(Run[TerritoryConfig, TerritoryTrainer, TerritoryMeasurement]):
    """A run that learns territory. With patience the model has the best weights."""

    kind = "training of territory"
    old_metrics: ClassVar[dict[str, str]] = {
        "cells_learned": "train_ownership_loss",
        "choice_learned": "train_policy_loss",
        "cells": "val_ownership_loss",
        "right": "val_accuracy",
        "choice": "val_policy_loss",
        "first": "val_top1",
    }

    @classmethod
    def checked(cls, config: TerritoryConfig, place: Place) -> TerritoryConfig:
        """The config; raises KatachiError for what cannot be learned."""
        check_settings(config.settings)
        check_memory(config.settings.inputs)
        make_fitter(config.settings, place.device)
        return config

    def make_learner(self, place: Place) -> TerritoryTrainer:
        """A net that has learned nothing yet, and its games."""
        games = self.games = open_games_of(self.config)
        return TerritoryTrainer(self.config.settings, games.train, games.validation, *place[:2])

    def close(self) -> None:
        """Ends the threads that make batches, and lets another process go on in the folder."""
        try:
            self.learner.close()
        finally:
            super().close()

    @property
    def patience(self) -> int:
        """The plan's."""
        return self.config.plan.patience

    def material(self) -> Material:
        """Digests of the games and of the tables fitted to them."""
        tables = pack_tables(self.learner.tables)
        return super().material() | (
            {"the tables of its inputs": digest_of_arrays(tables)} if tables else {}
        )

    def loss(self, metrics: TerritoryMeasurement) -> float | None:
        """On games that are not learned from, if there are any."""
        settings = self.config.settings
        parts = [
            (settings.cell_weight, metrics.val_ownership_loss),
            (settings.choice_weight, metrics.val_policy_loss),
            (settings.result_weight, metrics.val_value_loss),
        ]
        known = [weight * loss for weight, loss in parts if loss is not None]
        return sum(known) if known else None

    def card(self, model: Territory, last: TerritoryMeasurement) -> str:
        """What the model says about itself: Markdown."""
        return territory_card(self.config, model.weight_count, self.counts, last)


def check_settings(settings: TerritorySettings) -> None:
    """Raises KatachiError for settings that do not go together: what is asked for would not be
    learned, or nothing that can be used."""
    if settings.predicts_moves and settings.choice_weight == 0:
        raise KatachiError("a net that predicts moves learns them: give a choice weight above 0")
    if settings.predicts_moves and settings.others:
        raise KatachiError("a net that predicts moves sees every move at once: give it no others")
    if settings.owner_share and not (settings.predicts_moves and settings.learns_owners):
        raise KatachiError(
            "a share of games with known owners is for a net that learns moves and owners: "
            "predict moves, with a cell weight above 0"
        )
    if settings.result_weight and not (settings.predicts_moves and settings.learns_owners):
        raise KatachiError(
            "results are learned by a net that learns moves and owners: predict moves, with a cell "
            "weight above 0"
        )
    if not (settings.predicts_moves or settings.learns_owners):
        raise KatachiError("without owners a net must predict moves: give a cell weight above 0")
    plain = TerritorySettings()
    is_plain = settings.states == plain.states and not settings.is_tied
    if settings.net is NetKind.CONVOLUTION and not is_plain:
        raise KatachiError("a convolution has no states and cannot be tied: that is for sweeps")


def territory_card(
    config: TerritoryConfig, weights: int, games: dict[str, int], last: TerritoryMeasurement
) -> str:
    """What a model tells about itself: Markdown."""
    settings = config.settings
    measured = _measured_words(settings, last)
    others = f"on positions drawn from {games['validation']:,} other games: {measured}"
    return config.card(
        "Territory" if settings.learns_owners else "Moves",
        f"{_subject(settings)}, by {_net_words(settings)}; one set of weights for boards of every "
        "size.",
        [
            f"inputs: {', '.join(settings.inputs.inputs)}",
            f"weights: {weights:,} ({_width_words(settings)}, layers: {settings.layers})",
            f"learned from: {games['train']:,} recorded games, {last.steps:,} batches of "
            f"{settings.batch} moves",
            others if measured else "no other games were measured on",
            *([f"made by: `{config.command}`"] if config.command else []),
        ],
    )


def _subject(settings: TerritorySettings) -> str:
    """What a net says."""
    if not settings.learns_owners:
        return "Where each side moves next, and nothing of who will own what"
    if settings.predicts_moves:
        return "Who will own each point, and where each side moves next"
    if settings.learns_choice:
        return "Who will own each point, learned from owners and from the choice of moves"
    return "Who will own each point"


def _net_words(settings: TerritorySettings) -> str:
    if settings.net is NetKind.CONVOLUTION:
        return "a plain convolutional net, not the recursive one of Wu and Baldi (2006)"
    return "a recursive net over the whole board (Wu and Baldi, 2006)"


def _width_words(settings: TerritorySettings) -> str:
    if settings.net is NetKind.CONVOLUTION:
        return f"{settings.hidden} planes"
    return f"{settings.hidden} hidden units, {settings.states} states"


def _measured_words(settings: TerritorySettings, last: TerritoryMeasurement) -> str:
    """How good a net is in what it has learned."""
    words = []
    loss, accuracy = last.val_ownership_loss, last.val_accuracy
    if settings.learns_owners and loss is not None and accuracy is not None:
        words.append(f"{loss:.3f} nats a point, {accuracy:.1%} of points given to the right owner")
    if last.val_policy_loss is not None and last.val_top1 is not None:
        moves = f"{last.val_top1:.1%} of moves predicted"
        words.append(f"{last.val_policy_loss:.3f} nats a move, {moves}")
    if last.val_value_loss is not None:
        words.append(f"{last.val_value_loss:.3f} nats a result")
    if last.val_value_accuracy is not None:
        words.append(f"{last.val_value_accuracy:.1%} of winners told")
    return "; ".join(words)


def warm_kernels() -> None:
    """Learns from one small game and measures on it, so that every kernel is compiled and kept;
    PyTorch must be there."""
    reader = BulkReader()
    reader.read_file(b"(;GM[1]SZ[5];B[cc];W[dd];B[cd];TB[bb]TW[ee])", "")
    columns, _ = settle_games(reader.columns())
    games = GameSet(columns)
    inputs = InputSettings((*InputSettings().inputs, "recent:1", "nearness"))
    fit_large(games, LargeSettings(bin_bits=4, table_bits=4))
    for predicts in (False, True):
        settings = TerritorySettings(
            inputs, predicts_moves=predicts, hidden=2, states=2, others=1, batch=2, steps=1
        )
        trainer = TerritoryTrainer(settings, games, games)
        trainer.learn(1)
        trainer.measure(1)
