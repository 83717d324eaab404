"""How many threads torch uses."""

import torch


def use_one_thread() -> None:
    """Keeps torch to the thread that calls it, in this process and in those forked from it, in
    which threads begun before would be missed."""
    torch.set_num_threads(1)
