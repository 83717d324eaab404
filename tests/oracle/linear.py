"""Linear values, slow and plain: every window is read point by point, every product written out."""

from katachi.features.window_map import WindowTable
from katachi.rules.diagram import Colors


def window_contents(colors: Colors, size: int, side: int, viewer: int) -> list[list[int]]:
    """What stands in each window, row by row: 0 empty, 1 the viewer's stone, 2 the other's."""
    seen = [0 if color == 0 else 1 if color == viewer else 2 for color in colors.tolist()]
    return [
        [seen[(row + down) * size + col + right] for down in range(side) for right in range(side)]
        for row in range(size - side + 1)
        for col in range(size - side + 1)
    ]


def plain_features(colors: Colors, size: int, table: WindowTable, viewer: int) -> list[float]:
    """The features of a position as a viewer sees it, window by window."""
    features: list[float] = []
    for content in window_contents(colors, size, table.side, viewer):
        code = sum(state * 3**place for place, state in enumerate(content))
        if table.rows is None:
            features += [float(kind == code) for kind in range(3 ** (table.side**2))]
        else:
            features += [float(value) for value in table.rows[code]]
    return features


def plain_value(
    colors: Colors, size: int, table: WindowTable, viewer: int, theta: list[float]
) -> float:
    """The logit of the viewer's chance to win."""
    features = plain_features(colors, size, table, viewer)
    return sum(weight * feature for weight, feature in zip(theta, features, strict=True))
