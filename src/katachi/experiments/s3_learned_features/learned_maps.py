"""Feature maps that the experiments of S3 compare: convolutional RBMs learned from recorded boards,
kept so that each is learned once; and templates."""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.evaluators.linear_parts import viewers_of
from katachi.features.board_channels import GROUPS, STONES, channels_of
from katachi.features.crbm import CrbmFeatures, CrbmLayer
from katachi.learning.sources import RecordedGames
from katachi.nets.crbm_form import CrbmForm, VisibleKind
from katachi.records.dataset import GameSet, Split, open_games
from katachi.rules.state import BoardState

Boards = npt.NDArray[np.float32]

GNUGO = "gnugo9_1000.sgf.gz"
"""1,000 games of GNU Go against itself, as `katachi games generate` makes them."""
STARTER = "gnugo9.sgf.gz"
"""A smaller set of the same kind."""
BATCH = 100
SPLIT_SEED = 1
MOMENTUM = 0.9
UPPER_SHARE = 5
"""A second layer learns from one game in so many: hidden maps take much memory."""
RATE = 0.05
"""Step size of contrastive divergence on multinomial units."""
REAL_RATE = 0.01
"""On real-valued ones, which larger steps drive apart."""


class MachineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which machine to learn; the paper's numbers where it states them."""

    visible: VisibleKind = VisibleKind.MULTINOMIAL
    kernels: int = 105
    is_tied: bool = False
    is_pooled: bool = False
    inputs: tuple[str, ...] = (STONES,)
    epochs: int = 10
    """Times through all boards; with 0 the kernels stay as they were drawn."""
    games: int = 0
    """Most games to take boards from; 0 for all."""
    upper: int = 0
    """Kernels of a second layer, which stands on the first; 0 for none."""
    seed: int = 1


@cache
def open_split(paths: tuple[Path, ...]) -> Split:
    """Games that somebody won, a tenth of them held out."""
    games = open_games(*paths)
    won = np.array([record.result.is_decided for record in games], np.bool_)
    return GameSet(games.columns, games.rows[won]).split(SPLIT_SEED, validation=0.1, test=0.0)


@cache
def learned_map(folder: Path, paths: tuple[Path, ...], settings: MachineSettings) -> CrbmFeatures:
    """The features of a machine that learned from the boards of games, learned once a folder."""
    key = msgspec.json.encode([fingerprint(paths), settings], order="sorted")
    kept = folder / "S3-machines" / sha256(key).hexdigest()[:16]
    if not (kept / "config.json").exists():
        _learn(paths, settings).save(kept, "# A machine of an experiment\n")
    return CrbmFeatures.load(kept)


def fingerprint(paths: tuple[Path, ...]) -> str:
    """Changes when the games do."""
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _learn(paths: tuple[Path, ...], settings: MachineSettings) -> CrbmFeatures:
    train = open_split(paths).train
    games = train[: settings.games] if settings.games else train
    boards = _gather(games, lambda s: channels_of(s, settings.inputs, viewers_of(s)))
    groups = tuple(GROUPS[name] for name in settings.inputs)
    form = CrbmForm(groups, settings.kernels, 3, settings.visible, settings.is_tied)
    layers = (CrbmLayer(form, fit_machine(form, boards, settings)),)
    features = CrbmFeatures(settings.inputs, layers, is_pooled=settings.is_pooled)
    if not settings.upper:
        return features
    few = games[: len(games) // UPPER_SHARE]
    maps = _gather(few, lambda s: features.hidden_maps(s, viewers_of(s)))
    upper = CrbmForm((form.maps,), settings.upper, 3, VisibleKind.BINARY)
    above = CrbmLayer(upper, fit_machine(upper, maps, settings))
    return CrbmFeatures(settings.inputs, (*layers, above))


def _gather(games: GameSet, see: Callable[[BoardState], Boards]) -> Boards:
    """Every position of games, made into numbers game by game."""
    source = RecordedGames(games, 0)
    parts = (states for number in range(len(source)) for _, states, _ in source.take(number))
    return np.concatenate([see(part) for part in parts if len(part.words)])


def fit_machine(
    form: CrbmForm, boards: Boards, settings: MachineSettings
) -> dict[str, npt.NDArray[np.float32]]:
    """The weights that boards [N, C, size, size] teach, batch by batch in random order."""
    from katachi.nets.crbm_fitting import DivergenceSettings, new_fitter
    from katachi.nets.threads import use_one_thread

    use_one_thread()
    rate = REAL_RATE if form.visible is VisibleKind.REAL else RATE
    wanted = DivergenceSettings(rate, MOMENTUM, 0.0001, 1, False, 0.1, 0.0, settings.seed)
    fitter = new_fitter(form, wanted, "cpu")
    random = np.random.default_rng(settings.seed)
    for _ in range(settings.epochs):
        order = random.permutation(len(boards))
        for first in range(0, len(order) - BATCH + 1, BATCH):
            fitter.step(fitter.tensor(boards[order[first : first + BATCH]]))
    return {name: np.asarray(array) for name, array in fitter.crbm.arrays().items()}
