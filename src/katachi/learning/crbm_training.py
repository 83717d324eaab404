"""Features learned from positions alone: a convolutional RBM is shown boards of recorded games."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.board_channels import GROUPS, channels_of, check_inputs
from katachi.features.crbm import CrbmFeatures, CrbmLayer
from katachi.features.window_map import count_windows
from katachi.learning.learner import Metrics, Tensors, restore_fitter
from katachi.nets.crbm_form import CrbmForm, VisibleKind
from katachi.records.dataset import GameSet
from katachi.records.sampling import BoardSampler, SampleSettings
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import BoardState

if TYPE_CHECKING:
    from katachi.nets.crbm import Crbm
    from katachi.nets.crbm_fitting import CrbmFitter

VALIDATION_SEED = 1 << 32
"""Added to the seed, it draws the boards that are measured on."""
MEASURED_BOARDS = 1024
LEAST_CHANCE = 1e-3
"""The first visible biases know how frequent each channel is, but none is thought impossible."""

Floats = npt.NDArray[np.float32]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Weight = Annotated[float, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]


class CrbmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How kernels are learned. The paper states 105 kernels of 3x3 and nothing of the rest."""

    inputs: tuple[str, ...] = ("stones",)
    """What is seen of a board: stones, or with commas between stones, liberties and edge."""
    kernels: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 105
    """How many kernels."""
    side: Annotated[int, msgspec.Meta(ge=1, le=25)] = 3
    """Kernels are side x side."""
    visible: VisibleKind = VisibleKind.MULTINOMIAL
    """What the visible units are."""
    is_tied: bool = False
    """Let a kernel stand for its eight orientations."""
    has_null: bool = True
    """With --tied: let one of the eight be on everywhere."""
    batch: Positive = 100
    """Boards in a batch."""
    rate: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 0.3
    """Step size (0.3; for real units 0.01)."""
    momentum: Share = 0.9
    """Share of the last step that is taken again."""
    decay: Weight = 1e-4
    """Weight decay."""
    gibbs_steps: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    """The k of CD-k."""
    is_persistent: bool = False
    """Persistent CD: the machine's own boards go on from batch to batch."""
    sparsity: Share = 0.1
    """The share of hidden units that should be on."""
    sparsity_weight: Weight = 0.0
    """What it counts."""
    first_weight: Weight = 0.3
    """Standard deviation of the first weights: large, for from small ones all kernels take long to
    become different; of a further layer 0.1, or its hidden units soon are never on."""
    first_bias: Annotated[float, msgspec.Meta(ge=-100, le=100)] = -3.0
    """First bias of each kernel: few hidden units are on; of a further layer -1."""
    steps: Positive = 10_000
    """Batches in all."""
    seed: Annotated[int, msgspec.Meta(ge=0, lt=1 << 24)] = 1
    """Equal seeds give equal weights, on one kind of machine."""


class CrbmMeasurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """How good a machine is: a line of `metrics.jsonl`. Free energies are nats a board."""

    steps: int
    batch_reconstruction_error: float
    """Squared error a cell of what was sampled from the batches since the measurement before."""
    train_reconstruction_error: float
    """Squared error a cell of the mean reconstruction of boards that are learned from."""
    val_reconstruction_error: float | None
    """Of boards of other games; None where there are none."""
    val_error_rate: float | None
    """Share of their cells that are reconstructed as something else; None above the first
    layer."""
    train_free_energy: float
    """Mean of boards that are learned from."""
    free_energy_gap: float | None
    """By how much that of other games is higher: it grows where the machine over-fits."""
    hidden_activation: float
    """Share of hidden units that are on."""
    masked_log_likelihood: float | None = None
    """Mean log of the chance given to what is on a point of other games, the rest of the board
    being known; None above the first layer."""


class _Below(NamedTuple):
    """What stands below the layer that learns."""

    inputs: tuple[str, ...]
    features: CrbmFeatures | None

    def boards(self, states: BoardState) -> Floats:
        """[B, C, N, N]: what the layer sees of positions."""
        if self.features is None:
            return channels_of(states, self.inputs)
        return np.ascontiguousarray(self.features.hidden_maps(states))


def form_of(settings: CrbmSettings, below: CrbmFeatures | None) -> CrbmForm:
    """The machine that settings ask for, on the board or on the hidden maps of another."""
    groups = tuple(GROUPS[name] for name in check_inputs(settings.inputs))
    visible = settings.visible
    if below is not None:
        groups, visible = (below.layers[-1].form.maps,), VisibleKind.BINARY
    kernels = (settings.kernels, settings.side)
    return CrbmForm(groups, *kernels, visible, settings.is_tied, settings.has_null)


def make_fitter(
    settings: CrbmSettings, below: CrbmFeatures | None, device: str = "cpu"
) -> "CrbmFitter":
    """A machine with the first weights of its seed; raises KatachiError where torch is missing, or
    the device, or where settings make no sense."""
    try:
        from katachi.nets.crbm import Start
        from katachi.nets.crbm_fitting import DivergenceSettings, new_fitter
    except ImportError:
        raise KatachiError("learning features needs PyTorch: pip install katachi[nets]") from None
    names = DivergenceSettings._fields
    divergence = DivergenceSettings(*(getattr(settings, name) for name in names))
    start = Start(settings.seed, settings.first_weight, settings.first_bias)
    try:
        return new_fitter(form_of(settings, below), start, divergence, device)
    except (ValueError, msgspec.ValidationError) as error:
        raise KatachiError(str(error)) from None


class CrbmTrainer:
    """Shows boards of games to a machine. Batches depend only on the games, the seed and their
    number."""

    def __init__(
        self,
        settings: CrbmSettings,
        train: GameSet,
        validation: GameSet,
        below: CrbmFeatures | None = None,
        device: str = "cpu",
    ) -> None:
        """`below`: features whose last hidden maps are seen, in place of the board. Raises
        KatachiError for games of several sizes, or of none, boards smaller than a kernel, and a
        device that is not there."""
        self.settings = settings
        self._below = _Below(settings.inputs, below)
        self._fitter = make_fitter(settings, below, device)
        draw = SampleSettings(horizon=0, has_targets=False)
        self._drawer = BoardSampler(train, draw, settings.seed)
        count_windows(self._drawer.size, settings.side + (below.side - 1 if below else 0))
        self._measured = self._boards_to_measure(train, draw)
        self._others = self._boards_to_measure(validation, draw) if len(validation) else None
        self._errors: list[float] = []
        self._begin()

    def _begin(self) -> None:
        """The first visible biases: what each channel would need without any hidden unit."""
        means = self._measured.mean(axis=(0, 2, 3)).clip(LEAST_CHANCE, 1 - LEAST_CHANCE)
        kind = self._crbm.form.visible
        if kind is VisibleKind.MULTINOMIAL:
            means = np.log(means)
        elif kind is VisibleKind.BINARY:
            means = np.log(means / (1 - means))
        self._crbm.visible_bias.copy_(self._fitter.tensor(means.astype(np.float32)))

    @property
    def _crbm(self) -> "Crbm":
        return self._fitter.crbm

    @property
    def size(self) -> int:
        """The side of the boards."""
        return self._drawer.size

    @property
    def done(self) -> int:
        """Batches learned from."""
        return self._fitter.steps

    def _boards_to_measure(self, games: GameSet, draw: SampleSettings) -> Floats:
        drawer = BoardSampler(games, draw, self.settings.seed + VALIDATION_SEED)
        return self._below.boards(draw_states(drawer, 0, MEASURED_BOARDS))

    def batch(self, number: int) -> Floats:
        """[B, C, N, N]: the boards of one batch."""
        return self._below.boards(draw_states(self._drawer, number, self.settings.batch))

    def learn(self, count: int) -> None:
        """Learns from `count` more batches; raises KatachiError when what comes of it is no
        number."""
        errors = [
            self._fitter.step(self._fitter.tensor(self.batch(self.done))) for _ in range(count)
        ]
        self._errors += [float(error) for error in errors]
        self._check_numbers(self._fitter.is_finite() and np.isfinite(self._errors).all())

    def _check_numbers(self, are_finite: object) -> None:
        if not are_finite:
            raise KatachiError(
                f"weights or errors are no numbers after batch {self.done}: use a smaller step "
                f"size than {self.settings.rate:g}"
            )

    def measure(self) -> CrbmMeasurement:
        """How good the machine is, on boards that are the same each time; raises KatachiError where
        it has grown beyond all numbers."""
        from katachi.nets.crbm import guess_cells, judge_reconstruction

        seen = self._fitter.tensor(self._measured)
        energy = float(self._crbm.free_energy(seen).mean())
        other_error = wrong = gap = guess = None
        if self._others is not None:
            others = self._fitter.tensor(self._others)
            other_error, wrong = judge_reconstruction(self._crbm, others)
            gap = float(self._crbm.free_energy(others).mean()) - energy
            if self._below.features is None:
                guess = guess_cells(self._crbm, others, self.settings.seed)
            else:  # of hidden maps any number may be on, so no cell is one thing or another
                wrong = None
        found = (energy, gap, other_error, guess)
        self._check_numbers(np.isfinite([each for each in found if each is not None]).all())
        learned = float(np.mean(self._errors or [0.0]))
        self._errors = []
        return CrbmMeasurement(
            self.done,
            learned,
            judge_reconstruction(self._crbm, seen).squared_error,
            other_error,
            wrong,
            energy,
            gap,
            float(self._crbm.hidden(seen).mean()),
            guess,
        )

    def model(self) -> CrbmFeatures:
        """What has been learned, as a feature map."""
        below = self._below.features
        layer = CrbmLayer(self._crbm.form, self._crbm.arrays())
        layers = (*(below.layers if below is not None else ()), layer)
        inputs = below.inputs if below is not None else self.settings.inputs
        return CrbmFeatures(inputs, layers)

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the games."""
        return self._fitter.state()

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of other settings."""
        restore_fitter(self._fitter, tensors)


def draw_states(drawer: BoardSampler, number: int, count: int) -> BoardState:
    """Positions after random moves of random games, turned, mirrored and with colours exchanged at
    random."""
    words = drawer.sample(number, count).words[:, 0]
    return positions_of_stones(words)
