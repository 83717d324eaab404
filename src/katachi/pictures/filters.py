"""Filters drawn as small boards: what each prefers at every point, and how much.

On the left of each kernel its plot, as the paper draws it: the channel with the largest weight. On
the right a map for each channel: blue where the kernel wants it, red where it does not.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.board_channels import EMPTY_CHANNEL, GROUPS, STONES
from katachi.features.filter_shapes import FilterPlot, filter_plots
from katachi.pictures.boards import draw_piece, draw_stone
from katachi.pictures.drawing import BAD, FAINT_INK, GOOD, LETTER, Box, Drawing, Label

PITCH, CELL = 15.0, 7.0
"""From point to point of a plot, and of a map."""
MARGIN, GAP, LINE = 22.0, 14.0, 14.0
WIDTH = 900.0
CHANNEL_NAMES = ("black", "white", "empty")

Weights = npt.NDArray[np.float32]


class KernelPage(NamedTuple):
    """What is drawn of an RBM."""

    title: str
    subtitle: str
    weight: Weights
    """[K, C, side, side]."""
    captions: list[str]
    """A line over each kernel."""


def page_of_kernels(page: KernelPage) -> Drawing:
    """All kernels with their maps, row by row."""
    drawing = Drawing(page.title)
    legend = "stones and empty points: the channel with the largest weight; beside it, blue where "
    legend += "black, white, empty are wanted, red where not"
    drawing.add_heading(MARGIN, 34, page.subtitle, legend)
    side = page.weight.shape[2]
    width = PITCH * side + 6 + CELL * side + GAP
    height = max(PITCH * side, 3 * (CELL * side + 3)) + 2 * LINE
    columns = max(1, int((WIDTH - 2 * MARGIN) // width))
    plots = filter_plots(page.weight)
    largest = float(np.abs(page.weight).max()) or 1.0
    for number, plot in enumerate(plots):
        x = MARGIN + width * (number % columns)
        y = 88 + height * (number // columns)
        drawing.add(Label(x, y + 8, _clipped(page.captions[number], width - GAP), 9, FAINT_INK))
        draw_plot(drawing, plot, x, y + LINE)
        maps = page.weight[number, : GROUPS[STONES]] / largest
        _draw_maps(drawing, maps, x + PITCH * side + 6, y + LINE)
    drawing.width, drawing.height = max(drawing.width, WIDTH), drawing.height + MARGIN
    return drawing


def _clipped(text: str, width: float) -> str:
    """As much of the words as there is room for."""
    room = int(width / (9 * LETTER)) - 1
    return text if len(text) <= room else f"{text[: room - 1]}…"


def draw_plot(drawing: Drawing, plot: FilterPlot, x: float, y: float) -> None:
    """Draws a plot as a piece of a board, its top left corner at (x, y)."""
    draw_piece(drawing, (x, y), (len(plot), len(plot)), PITCH)
    for row, col in np.argwhere(plot != EMPTY_CHANNEL).tolist():
        center = x + PITCH * (col + 0.5), y + PITCH * (row + 0.5)
        draw_stone(drawing, center, 0.44 * PITCH, is_black=plot[row, col] == 0)


def _draw_maps(drawing: Drawing, maps: Weights, x: float, y: float) -> None:
    """Draws the weights of the channels of stones, -1 to 1, one map under the other."""
    side = maps.shape[1]
    for channel, weights in enumerate(maps):
        top = y + channel * (CELL * side + 3)
        for row, col in np.ndindex(side, side):
            color = _shade(float(weights[row, col]))
            drawing.add(Box(x + CELL * col, top + CELL * row, CELL, CELL, color))


def _shade(value: float) -> str:
    """From red for -1 over white to blue for 1; small weights are made easier to see."""
    strength = min(abs(value), 1.0) ** 0.5
    color = GOOD if value > 0 else BAD
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in parts)
