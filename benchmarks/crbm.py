"""Boards a second that a convolutional RBM learns from, against the obvious one and scikit-learn's.

    python benchmarks/crbm.py [--json]

One core, 105 kernels of 3x3 on three channels, 9x9, contrastive divergence with one step, batches
of 100 boards. Peers: the convolutions one would write first (the oracle of the tests, with an
update of the weights); and BernoulliRBM of scikit-learn, shown the same windows as patches, 49 a
board: it shares no window's cells with its neighbours, so it does less. All take turns in one
process by CPU time, eight batches each, and the best round of each counts. Then: boards a second
turned into features without torch.
"""

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from _report import Measurement, measured_versions, read_options, show
from torch import Tensor
from torch.nn import functional

from katachi.features.crbm import CrbmFeatures, CrbmLayer
from katachi.nets.crbm import Start, lanes_of, new_crbm, windows_of
from katachi.nets.crbm_fitting import CrbmFitter, DivergenceSettings
from katachi.nets.crbm_form import CrbmForm
from katachi.rules.state import new_states

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracle.crbm import obvious_step

ROUNDS = 20
STEPS = 8
"""Batches of a turn."""
SIZE, BATCH = 9, 100
FORM = CrbmForm(kernels=105, side=3)
DIVERGENCE = DivergenceSettings(0.1, 0.5, 1e-4, 1, False, 0.0, 0.0, seed=1)

Step = Callable[[], object]


def random_boards() -> Tensor:
    """[BATCH, 3, SIZE, SIZE]: one channel on at each cell."""
    colors = torch.randint(0, 3, (BATCH, SIZE, SIZE))
    return functional.one_hot(colors, 3).permute(0, 3, 1, 2).float().contiguous()


def our_step(boards: Tensor) -> Step:
    """A step of ours."""
    fitter = CrbmFitter(new_crbm(FORM, Start(1, 0.3, -3.0)), DIVERGENCE)
    return lambda: fitter.step(boards)


def obvious_learning(boards: Tensor) -> Step:
    """A step of the obvious convolutions."""
    arrays = new_crbm(FORM, Start(1, 0.3, -3.0)).arrays()
    weight = torch.from_numpy(arrays["weight"])
    biases = torch.from_numpy(arrays["hidden_bias"]), torch.from_numpy(arrays["visible_bias"])

    def step() -> None:
        weight.add_(obvious_step(boards, weight, biases), alpha=DIVERGENCE.rate)

    return step


def patch_learning(boards: Tensor) -> Step | None:
    """A step of scikit-learn's machine on the same windows, if it is installed."""
    try:
        from sklearn.neural_network import BernoulliRBM
    except ImportError:
        return None
    patches = windows_of(lanes_of(boards), FORM.side)[:-1].T.contiguous().numpy()
    machine = BernoulliRBM(
        FORM.kernels, learning_rate=0.01, batch_size=len(patches), random_state=1
    )
    return lambda: machine.partial_fit(patches)


def boards_a_second(step: Step) -> float:
    """Boards a second of CPU time."""
    begin = time.process_time()
    for _ in range(STEPS):
        step()
    return STEPS * BATCH / (time.process_time() - begin)


def compare(versions: dict[str, str]) -> None:
    """Prints ours beside both peers."""
    boards = random_boards()
    mine = our_step(boards)
    peers = {"obvious convolutions": obvious_learning(boards)}
    patches = patch_learning(boards)
    if patches is not None:
        peers["scikit-learn BernoulliRBM"] = patches
    speeds: dict[str, list[float]] = {name: [] for name in ("ours", *peers)}
    for step in (mine, *peers.values()):
        step()
    for _ in range(ROUNDS):
        for name, peer in peers.items():
            speeds[name].append(boards_a_second(peer))
        speeds["ours"].append(boards_a_second(mine))
    settings: dict[str, Any] = {"size": SIZE, "batch": BATCH, "kernels": FORM.kernels}
    settings |= {"side": FORM.side, "rounds": ROUNDS, "clock": "CPU", "threads": 1}
    for name in peers:
        ratios = [one / other for one, other in zip(speeds["ours"], speeds[name], strict=True)]
        ours, other = max(speeds["ours"]), max(speeds[name])
        title, interval = f"CRBM learning v {name}", (min(ratios), max(ratios))
        show(
            Measurement(title, ours, other, ours / other, settings, "boards/s", interval), versions
        )


def transform(versions: dict[str, str]) -> None:
    """Prints how fast boards become features."""
    states = new_states(1000, SIZE, 1)
    layer = CrbmLayer(FORM, new_crbm(FORM, Start(1)).arrays())
    features = CrbmFeatures(("stones",), (layer,))
    features.transform(states)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        features.transform(states)
        best = min(best, time.process_time() - begin)
    settings = {"size": SIZE, "features": features.count(SIZE), "clock": "CPU", "threads": 1}
    found = Measurement(
        "CRBM features without torch", len(states.words) / best, None, None, settings, "boards/s"
    )
    show(found, versions)


def main() -> None:
    """Runs all comparisons."""
    read_options()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    versions = measured_versions("torch", "scikit-learn")
    compare(versions)
    transform(versions)


if __name__ == "__main__":
    main()
