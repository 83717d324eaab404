"""Territory learned from recorded games: who will own each point, and which move was chosen."""

import itertools
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.chances import DOUBT, LEAST_DOUBT
from katachi.evaluators.territory import (
    MOST_LAYERS,
    MOVE_NET_OUTPUTS,
    NetKind,
    Tables,
    Territory,
    Units,
)
from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.features.propensity import pack_scores, round_table, unpack_scores
from katachi.features.propensity_fit import PropensitySettings, fit_propensity
from katachi.features.territory_inputs import (
    InputSettings,
    moves_needed,
    needs_large,
    needs_propensity,
    plan_inputs,
    plane_count,
)
from katachi.learning.learner import Metrics, Tensors, restore_fitter
from katachi.learning.material import split_by_size
from katachi.learning.territory_batches import make_batch, make_move_batch
from katachi.learning.territory_feed import BatchFeed, SizeSamplers
from katachi.learning.territory_scores import (
    NO_SCORE,
    NONE_SCORED,
    Scores,
    judge_choices,
    judge_logits,
    judge_results,
)
from katachi.records.dataset import GameSet
from katachi.records.sampling import BoardSampler, MoveSampler, SampleSettings

if TYPE_CHECKING:
    from katachi.batch.net_cuda import CardPlaneMaker
    from katachi.nets.fitting import FitBatch, FitSettings, Fitter, MoveBatch

VALIDATION_SEED = 1 << 32
"""Added to the seed, it draws the positions that are measured on."""
VALIDATION_BATCH = 64

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Weight = Annotated[float, msgspec.Meta(ge=0)]


class TerritorySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a net learns territory; the defaults are the paper's where it states any."""

    inputs: InputSettings = InputSettings()
    """What the net sees, names with commas between (the paper's: stones, influence, propensity,
    eyes, liberties, weakest)."""
    propensity: PropensitySettings = PropensitySettings()
    """How propensity is counted."""
    large: LargeSettings = LargeSettings()
    """How that of large squares is."""
    net: NetKind = NetKind.SWEEPS
    """What the net is made of: sweeps over the board, or convolutions."""
    hidden: Units = 16
    """Hidden units of each net, or planes of a convolution."""
    states: Units = 8
    """States that each sweep passes on; a convolution has none."""
    layers: Annotated[int, msgspec.Meta(ge=1, le=MOST_LAYERS)] = 1
    """Layers of sweeps, or of convolutions."""
    is_tied: bool = False
    """Make a net of sweeps the same whichever way the board is turned."""
    later_share: Share = 0.25
    """What stones that stand soon count in the targets."""
    ahead: Annotated[int, msgspec.Meta(ge=0, le=400)] = 2
    """How soon, in moves."""
    predicts_moves: bool = msgspec.field(default=False, name="foretells")
    """Let the net also say where the next move will be; --cell-weight 0 learns only that, also from
    games whose final ownership is not known, and judges no territory."""
    others: Annotated[int, msgspec.Meta(ge=0, le=400)] = 0
    """Moves that were not played, sampled beside each that was, to learn from the choice."""
    choice_weight: Weight = 1.0
    """What the choice counts."""
    cell_weight: Weight = 1.0
    """What the owners of points count."""
    owner_share: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """Learn moves also from games whose final ownership is not marked; of each board size that has
    games where it is, at least this share of the positions is of these (0: only games where it is
    known)."""
    result_weight: Weight = 0.0
    """What the result of a game counts, by the chance to win that the owners add up to."""
    batch: Positive = 64
    """Moves in a batch."""
    rate: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 0.01
    """Step size at the beginning."""
    steps: Positive = 10_000
    """Batches in all."""
    seed: int = 1
    """Equal seeds give equal weights, on one kind of machine."""

    @property
    def learns_owners(self) -> bool:
        """Whether owners are learned, not moves alone."""
        return self.cell_weight > 0

    @property
    def learns_choice(self) -> bool:
        """Whether the choice of moves is learned from."""
        return self.choice_weight > 0 and (self.predicts_moves or self.others > 0)


class TerritoryMeasurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """How good a net is: a line of `metrics.jsonl`. Losses are cross-entropies in nats."""

    steps: int
    train_ownership_loss: float
    """With the targets, a point, in the batches since the measurement before."""
    train_policy_loss: float
    """Of the sampled choice in these batches."""
    val_ownership_loss: float | None
    """With the owners, a point, on games that are not learned from; None where there are none."""
    val_accuracy: float | None
    """Share of their points given to the right owner."""
    val_policy_loss: float | None = None
    """Of the move that was played among the legal ones, on these games; None from a net that does
    not predict moves."""
    val_top1: float | None = None
    """Share of these moves that the net thought likeliest."""
    val_value_loss: float | None = None
    """Of the result of a game, by the chance to win that the owners add up to; None from a net
    that has not learned it, and where no result is known."""
    val_value_accuracy: float | None = None
    """Share of these results, but for draws, by which the likelier side won."""


def fit_tables(train: GameSet, settings: TerritorySettings) -> Tables:
    """What the inputs need to know of the games, rounded as a model keeps it."""
    windows = large = None
    if needs_propensity(settings.inputs):
        windows = round_table(fit_propensity(train, settings.propensity))
    if needs_large(settings.inputs):
        large = fit_large(train, settings.large)
        large = large._replace(score=unpack_scores(pack_scores(large.score)))
    return Tables(windows, large)


class TerritoryTrainer:
    """Fits a net to games. The next batches are made, by threads of their own, while one is learned
    from and between calls; how many threads there are changes nothing else."""

    def __init__(
        self,
        settings: TerritorySettings,
        train: GameSet,
        validation: GameSet,
        device: str = "cpu",
        makers: int = 1,
    ) -> None:
        """All games must have their owners marked, unless the net predicts moves; raises
        KatachiError where they have not, or where there are none, and for a device that is not
        there."""
        if len(train) == 0:
            raise KatachiError("no game is left to learn from")
        self.settings = settings
        self._fitter = make_fitter(settings, device)
        plane_maker = self._new_plane_maker(device)
        self.tables = fit_tables(train, settings)
        parts, measured = split_by_size(train), split_by_size(validation)
        samplers = [
            [self._samplers(size, games, measured.get(size)) for size, games in parts.items()]
            for _ in range(max(1, makers))
        ]
        self._sizes = samplers[0]
        shares = [len(games) / len(train) for games in parts.values()]
        self.feed = BatchFeed(samplers, shares, settings.seed, settings.batch, plane_maker)
        self._losses: list[tuple[float, float]] = []
        self._coming: Generator[FitBatch | MoveBatch, None, None] | None = None
        self._fed = 0

    def _samplers(self, size: int, train: GameSet, validation: GameSet | None) -> SizeSamplers:
        settings = self.settings
        recent = moves_needed(settings.inputs)
        learned = SampleSettings(
            settings.others,
            recent,
            settings.ahead,
            settings.later_share,
            owner_share=settings.owner_share,
        )
        owners = SampleSettings(0, recent, 0, 0.0, owner_share=settings.owner_share)
        plan = plan_inputs(settings.inputs, size, *self.tables)
        sampler = MoveSampler if settings.predicts_moves else BoardSampler
        measured = None
        if validation is not None and len(validation):
            measured = sampler(validation, owners, settings.seed + VALIDATION_SEED)
        return SizeSamplers(plan, sampler(train, learned, settings.seed), measured)

    def share_batches(self, shares: Mapping[int, float]) -> None:
        """Lets each board size have this share of the batches, which make 1, instead of that of
        its games."""
        self.feed.share([shares[size.sampler.size] for size in self._sizes])
        self.close()  # the next batches were of the shares before

    def close(self) -> None:
        """Ends the threads that make the next batches, where it was not to learn them all; another
        call of `learn` makes them again."""
        if self._coming is not None:
            self._coming.close()
            self._coming = None

    @property
    def weight_count(self) -> int:
        """The number of weights that are learned."""
        return sum(value.size for value in self._fitter.weights().values())

    @property
    def done(self) -> int:
        """Batches learned from."""
        return self._fitter.steps

    def _new_plane_maker(self, device: str) -> "CardPlaneMaker | None":
        """What makes the planes of a net that predicts moves on a GPU, if Numba can use it."""
        settings = self.settings
        if device == "cpu" or not settings.predicts_moves or settings.net is NetKind.SWEEPS:
            return None
        from katachi.batch.net_cuda import CardPlaneMaker, can_make_planes
        from katachi.nets.card_memory import CardMemory

        return CardPlaneMaker(CardMemory(self._fitter.device)) if can_make_planes() else None

    def learn(self, count: int) -> None:
        """Learns from `count` more batches; raises KatachiError when the loss is no number."""
        if self._fed != self.done:  # it has been set to another step
            self.close()
        coming, self._coming = self._coming or self.feed.batches(self.done), None
        try:
            for batch in itertools.islice(coming, count):
                self._learn_from(batch)
            if self.done < self.settings.steps:
                self._coming, self._fed = coming, self.done
        finally:
            if self._coming is None:  # at the end and after an error, even one still told of
                coming.close()

    def _learn_from(self, batch: "FitBatch | MoveBatch") -> None:
        loss = self._fitter.step(batch)
        if not np.isfinite(loss.cells + loss.choice):
            raise KatachiError(
                f"the loss of batch {self.done} is no number: use a smaller step size "
                f"than {self.settings.rate:g}"
            )
        self._losses.append((loss.cells, loss.choice))

    def measure(self, batches: int = 16) -> TerritoryMeasurement:
        """How good the net is, on positions that are the same each time."""
        measured = [size for size in self._sizes if size.validation is not None]
        scores = [self._judge(size, number) for size in measured for number in range(batches)]
        # A row of sums for points, moves and results; without games to measure on all are empty.
        sums = np.array([NONE_SCORED, *scores]).sum(axis=0)
        points, moves, results = (Scores(*each) for each in sums.tolist())
        ownership, policy = np.mean(self._losses or [(0.0, 0.0)], axis=0).tolist()
        self._losses = []
        means = (*points.means(), *moves.means(), *results.means())
        return TerritoryMeasurement(self.done, ownership, policy, *means)

    def _judge(self, size: SizeSamplers, number: int) -> tuple[Scores, Scores, Scores]:
        assert size.validation is not None
        if isinstance(size.validation, MoveSampler):
            moves = make_move_batch(size.plan, size.validation, number, VALIDATION_BATCH)
            logits = self._fitter.logits(moves.planes)
            results = judge_results(logits, moves) if self.settings.result_weight else NO_SCORE
            return judge_logits(logits[:, 0], moves.targets), judge_choices(logits, moves), results
        batch = make_batch(size.plan, size.validation, number, VALIDATION_BATCH)
        logits = self._fitter.logits(batch.planes[:, 0])[:, 0]
        return judge_logits(logits, batch.targets), NO_SCORE, NO_SCORE

    def model(self) -> Territory:
        """What has been learned, as an evaluator."""
        settings = self.settings
        made = Territory(settings.inputs, self._fitter.arrays(), self.tables)
        made.knows_owners = settings.learns_owners
        if settings.predicts_moves:
            made.temperatures = {size.sampler.size: 1.0 for size in self._sizes}
        elif settings.learns_choice:
            made.temperatures = {
                size.sampler.size: self._fitter.temperature for size in self._sizes
            }
        return made

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the games."""
        return self._fitter.state()

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of other settings."""
        restore_fitter(self._fitter, tensors)


def make_fitter(settings: TerritorySettings, device: str) -> "Fitter":
    """A net with the first weights of its seed; raises KatachiError where torch is missing, or the
    device."""
    try:
        from katachi.nets.fitting import new_convolution_fitter, new_fitter
    except ImportError:
        raise KatachiError("learning territory needs PyTorch: pip install katachi[nets]") from None
    fit, seed = fit_settings(settings), settings.seed
    planes = plane_count(settings.inputs)
    outputs = MOVE_NET_OUTPUTS if settings.predicts_moves else 1
    try:
        if settings.net is NetKind.CONVOLUTION:
            plain = (sum(planes), settings.hidden, settings.layers, outputs)
            return new_convolution_fitter(plain, seed, fit, device)
        shape = (*planes, settings.hidden, settings.states, settings.layers, outputs)
        return new_fitter(shape, settings.is_tied, seed, fit, device)
    except ValueError as error:
        raise KatachiError(str(error)) from None


def fit_settings(settings: TerritorySettings) -> "FitSettings":
    """How the net is fitted."""
    from katachi.nets.fitting import FitSettings

    choice = settings.choice_weight if settings.learns_choice else 0.0
    return FitSettings(
        settings.rate,
        settings.steps,
        choice,
        settings.cell_weight,
        settings.result_weight,
        (LEAST_DOUBT, DOUBT),
    )
