"""Who was ahead, move by move, as a curve in the terminal."""

from collections.abc import Sequence

HEIGHT = 4
"""Lines above and below the middle."""
LABEL = 6


def score_curve(
    values: Sequence[float], labels: tuple[str, str, str], width: int, *, is_ascii: bool
) -> list[str]:
    """Bars from the middle, up for values above 0; the largest is as high as the curve.

    `labels` stand at the top, in the middle and at the bottom; there are at most `width` columns of
    text, and where there are more values each column shows the last of several.
    """
    room = max(1, width - LABEL - 2)
    shown = _thinned(values, room)
    largest = max((abs(value) for value in shown), default=0.0) or 1.0
    levels = [round(2 * HEIGHT * value / largest) for value in shown]
    full, half_up, half_down = "###" if is_ascii else "█▄▀"
    side, middle = "|-" if is_ascii else "│─"
    top = [
        "".join(_cell(level - 2 * row, full, half_up) for level in levels)
        for row in reversed(range(HEIGHT))
    ]
    bottom = [
        "".join(_cell(-level - 2 * row, full, half_down) for level in levels)
        for row in range(HEIGHT)
    ]
    names = [labels[0], *[""] * (HEIGHT - 1), labels[1], *[""] * (HEIGHT - 1), labels[2]]
    rows = [*top, middle * len(shown), *bottom]
    return [f"{name:>{LABEL}} {side}{row}".rstrip() for name, row in zip(names, rows, strict=True)]


def _cell(level: int, full: str, half: str) -> str:
    return " " if level <= 0 else half if level == 1 else full


def _thinned(values: Sequence[float], most: int) -> list[float]:
    count = min(len(values), most)
    return [values[(at + 1) * len(values) // count - 1] for at in range(count)]
