"""Memory of a device of PyTorch, and what is carried there."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


class CardMemory:
    """Where the boards and planes of a net lie: a GPU, or this machine."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    @property
    def card(self) -> int:
        """The number of the GPU, where it is one."""
        return self.device.index or 0

    def send(self, rows: npt.NDArray[np.uint16], parts: Sequence[slice]) -> Tensor:
        """[W, B] on the device: rows [B, W] side by side, as int16. Only these columns are sent;
        others are not set."""
        ends = np.cumsum([part.stop - part.start for part in parts]).tolist()
        begins = [0, *ends[:-1]]
        places = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        packed = self.held(len(rows), ends[-1], kind=torch.int16)
        given, into = rows.view(np.int16), packed.numpy()
        for part, place in zip(parts, places, strict=True):
            into[:, place] = given[:, part]  # not by torch: its threads would wait for each other
        sent = packed.to(self.device, non_blocking=True).t()
        beside = torch.empty((rows.shape[1], len(rows)), dtype=torch.int16, device=self.device)
        for part, place in zip(parts, places, strict=True):
            beside[part] = sent[place]
        return beside

    def held(self, *shape: int, kind: torch.dtype) -> Tensor:
        """Memory of this machine that a GPU can reach by itself."""
        return torch.empty(shape, dtype=kind, pin_memory=self.device.type == "cuda")

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        """Tensors of the device, one after another; a single one as it is."""
        return parts[0] if len(parts) == 1 else torch.cat(list(parts))

    def room(self, *shape: int) -> Tensor:
        """Memory of the device for float32 numbers, which are not set."""
        return torch.empty(shape, device=self.device)
