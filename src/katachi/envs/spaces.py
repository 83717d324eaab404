"""The spaces and render modes that the environments of both packages share."""

import numpy as np
from gymnasium import spaces

from katachi.errors import KatachiError
from katachi.features.observation import PLANE_COUNT

RENDER_MODES = ["ansi"]


def plane_space(size: int) -> spaces.Box:
    """What an agent sees of a board."""
    return spaces.Box(0, 1, (PLANE_COUNT, size, size), np.uint8)


def check_render_mode(mode: str | None) -> str | None:
    """`mode` itself; raises KatachiError for one that there is not."""
    if mode is not None and mode not in RENDER_MODES:
        raise KatachiError(f"render mode {mode!r}: use {', '.join(RENDER_MODES)} or None")
    return mode
