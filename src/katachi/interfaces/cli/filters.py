"""`katachi filters`: what a convolutional RBM has learned, filter by filter."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.text import Text

from katachi.errors import KatachiError
from katachi.features.board_channels import CHANNEL_OF_STATE
from katachi.features.crbm import CrbmFeatures
from katachi.features.filter_shapes import FilterPlot, count_shapes, filter_plots, shapes_in
from katachi.features.strongest_windows import Firing, find_strongest
from katachi.files.shipped_folders import find_model
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, write_json
from katachi.pictures.drawing import write_picture
from katachi.pictures.filters import CHANNEL_NAMES, KernelPage, page_of_kernels
from katachi.pictures.shape_text import side_by_side
from katachi.rules.state import BoardState

MOST_SHOWN = 4096
POSITIONS = 2000
"""Positions searched for what activates a filter."""
AT_ONCE = 200
_UNICODE, _ASCII = "●○·", "#o."
"""Black, white, empty."""


def filters(
    model: str,
    *,
    count: int = 20,
    games: Path | None = None,
    fired: int = 3,
    maps: Annotated[bool, Parameter(negative="")] = False,
    svg: Path | None = None,
    png: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Show the filters of a convolutional RBM: what each prefers at every point.

    Filters with the largest weights come first. Known shapes are counted over all of them, next to
    how many there would be if the points of each filter were shuffled.

    Parameters
    ----------
    model
        A model's folder, or a shipped model.
    count
        How many filters to show.
    games
        Show the windows of these games that activate each filter most: an SGF file, a collection
        or a folder.
    fired
        How many windows.
    maps
        Print the weights of each channel too.
    svg
        Draw the filters, with signed maps of their weights, as an SVG picture in this file.
    png
        The same as a PNG; this needs matplotlib.
    json
        Print JSON instead.
    """
    if not 1 <= count <= MOST_SHOWN or not 1 <= fired <= MOST_SHOWN:
        raise KatachiError(f"a count of {min(count, fired)}: use 1 to {MOST_SHOWN}")
    features = CrbmFeatures.load(find_model(model))
    weight = features.layers[0].arrays["weight"]
    order = np.argsort(-np.abs(weight).sum(axis=(1, 2, 3)), kind="stable")[:count].tolist()
    firings = None if games is None else _firings(features, games, fired)
    plots = filter_plots(weight)
    captions = [f"{number + 1} {', '.join(shapes_in(plots[number]))}" for number in order]
    title = f"Filters of {Path(model).name}"
    page = KernelPage(title, _summary(features), weight[order], captions)
    write_picture(page_of_kernels(page), svg, png)
    entries = [_entry(features, number, firings) for number in order]
    counts = [each._asdict() for each in count_shapes(plots)]
    if json:
        write_json({"model": model, "kernels": entries, "shapes": counts})
    else:
        _show(Console(), title, features, (entries, counts), has_maps=maps)


def _summary(features: CrbmFeatures) -> str:
    form = features.layers[0].form
    tied = ", tied orientations" if form.is_tied else ""
    more = f"; {len(features.layers)} layers, the first is shown" * (len(features.layers) > 1)
    return f"{form.kernels} of {form.side}x{form.side}, {form.visible.value} units{tied}{more}"


def _firings(features: CrbmFeatures, file: Path, count: int) -> list[list[Firing]]:
    """The windows of recorded positions that activate each filter of the first layer most."""
    from katachi.learning.crbm_run import CrbmPlan, open_plan
    from katachi.learning.crbm_training import draw_states
    from katachi.records.sampling import BoardSampler, SampleSettings

    announce_cold_start()
    first = CrbmFeatures(features.inputs, features.layers[:1])
    train = open_plan(CrbmPlan((str(file),))).train
    drawer = BoardSampler(train, SampleSettings(horizon=0, has_targets=False), 1)
    first.count(drawer.size)

    def batches() -> Iterator[BoardState]:
        for number in range(POSITIONS // AT_ONCE):
            yield draw_states(drawer, number, AT_ONCE)

    found = find_strongest(first, batches(), count)
    turns = len(found) // first.layers[0].form.kernels
    return [
        sorted(chain(*found[at : at + turns]), key=lambda each: -each.chance)[:count]
        for at in range(0, len(found), turns)
    ]


def _entry(
    features: CrbmFeatures, number: int, firings: list[list[Firing]] | None
) -> dict[str, Any]:
    arrays = features.layers[0].arrays
    plot = filter_plots(arrays["weight"])[number]
    entry: dict[str, Any] = {
        "kernel": number + 1,
        "plate": _rows(plot, _ASCII),
        "bias": float(arrays["hidden_bias"][number]),
        "shapes": shapes_in(plot),
        "weights": arrays["weight"][number].round(4).tolist(),
    }
    if firings is not None:
        entry["fired"] = [
            {"chance": each.chance, "window": _rows(_plot_of(each), _ASCII)}
            for each in firings[number]
        ]
    return entry


def _plot_of(firing: Firing) -> FilterPlot:
    """The stones of a window as channels, as Black sees them."""
    return np.asarray(CHANNEL_OF_STATE[firing.colors])


def _rows(plot: FilterPlot, letters: str) -> list[str]:
    return ["".join(letters[channel] for channel in row) for row in plot.tolist()]


def _show(
    console: Console,
    title: str,
    features: CrbmFeatures,
    found: tuple[list[dict[str, Any]], list[dict[str, Any]]],
    *,
    has_maps: bool,
) -> None:
    entries, counts = found
    letters = _ASCII if console.options.ascii_only else _UNICODE
    console.print(f"{title}: {_summary(features)}", style="bold", soft_wrap=True)
    legend = f"{letters[0]} black   {letters[1]} white   {letters[2]} empty has the largest weight"
    console.print(legend, style="dim", soft_wrap=True)
    console.print()
    blocks = [_block(entry, letters, has_maps=has_maps) for entry in entries]
    console.print(Text("\n".join(side_by_side(blocks, console.width))), soft_wrap=True)
    console.print()
    console.print(f"Known shapes in all {len(features.layers[0].arrays['weight'])} filters")
    for each in counts:
        text = f"{each['name']:<16}{each['found']:>5}   by chance {each['by_chance']:.1f}"
        console.print(text)


def _block(entry: dict[str, Any], letters: str, *, has_maps: bool) -> list[str]:
    """A filter as lines: its plot, what activates it, its maps and its shapes."""
    turned = str.maketrans(_ASCII, letters)
    lines = [f"{entry['kernel']}", *_spaced(entry["plate"], turned)]
    for firing in entry.get("fired", ()):
        lines += [f"{firing['chance']:.2f}", *_spaced(firing["window"], turned)]
    if has_maps:
        for name, rows in zip(CHANNEL_NAMES, entry["weights"], strict=False):
            lines += [name, *("".join(f"{value:+6.2f}" for value in row) for row in rows)]
    return [*lines, *entry["shapes"], ""]


def _spaced(rows: list[str], turned: dict[int, int]) -> list[str]:
    return [" ".join(row.translate(turned)) for row in rows]
