"""Learning a convolutional RBM on a CUDA card: boards a second by batch, board and kernels.

    python benchmarks/crbm_cuda.py [--json]

Contrastive divergence with one step on random boards. The peer is the obvious version with
two-dimensional convolutions on the same GPU.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from _report import Measurement, measured_versions, read_options, show
from torch.nn import functional

from katachi.nets.crbm import Start, new_crbm
from katachi.nets.crbm_fitting import CrbmFitter, DivergenceSettings
from katachi.nets.crbm_form import CrbmForm

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracle.crbm import obvious_step

SIZES = (9, 19)
BATCHES = (100, 1000, 10_000)
FORMS = (CrbmForm(), CrbmForm(kernels=512, side=5), CrbmForm(kernels=105, is_tied=True))
DIVERGENCE = DivergenceSettings(0.1, 0.5, 1e-4, 1, False, 0.0, 0.0, seed=1)
SECONDS = 1.0


def boards_a_second(step: Callable[[], object], batch: int) -> float:
    """Boards a second, by the clock."""
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < SECONDS:
        step()
        torch.cuda.synchronize()
        count += 1
    return count * batch / (time.perf_counter() - begin)


def measure(form: CrbmForm, size: int, batch: int) -> tuple[float, float | None]:
    """Boards a second of ours, and of the obvious version where there is one."""
    colors = torch.randint(0, 3, (batch, size, size), device="cuda")
    boards = functional.one_hot(colors, 3).permute(0, 3, 1, 2).float().contiguous()
    fitter = CrbmFitter(new_crbm(form, Start(1, 0.3, -3.0), "cuda"), DIVERGENCE)
    ours = boards_a_second(lambda: fitter.step(boards), batch)
    if form.is_tied:
        return ours, None
    arrays = {name: torch.from_numpy(a).cuda() for name, a in fitter.crbm.arrays().items()}
    weight, biases = arrays["weight"], (arrays["hidden_bias"], arrays["visible_bias"])

    def step() -> None:
        weight.add_(obvious_step(boards, weight, biases), alpha=DIVERGENCE.rate)

    return ours, boards_a_second(step, batch)


def main() -> None:
    """Measures and prints."""
    read_options()
    if not torch.cuda.is_available():
        sys.exit("no CUDA card here")
    torch.manual_seed(0)
    card = torch.cuda.get_device_name(0)
    for form in FORMS:
        for size in SIZES:
            for batch in BATCHES:
                try:
                    ours, peer = measure(form, size, batch)
                except torch.cuda.OutOfMemoryError:
                    continue
                tied = ", tied" if form.is_tied else ""
                kernels = f"{form.kernels} kernels {form.side}x{form.side}{tied}"
                ratio = None if peer is None else ours / peer
                found = Measurement(
                    f"{size}x{size}, {kernels}, batch {batch:,}",
                    ours,
                    peer,
                    ratio,
                    {"card": card, "seconds": SECONDS},
                    "boards/s",
                )
                show(found, measured_versions("torch"))


if __name__ == "__main__":
    main()
