"""Templates as feature maps: every possible content of a small square, place by place.

One feature for each template and location, no two of them shared: 81 templates of 2x2 at 64 places
of a 9x9 board are 5,184 features, 64 of them 1 in any position.
"""

from katachi.errors import KatachiError
from katachi.features.window_map import LARGEST_TABLE, WindowMap, WindowTable

PREFIX = "templates:"


def template_map(side: int) -> WindowMap:
    """All templates of a square with these sides; raises KatachiError where they are too many."""
    return WindowMap(f"{PREFIX}{side}x{side}", WindowTable(side, None))


def parse_templates(text: str) -> WindowMap:
    """The map that a text such as `2x2` names; raises KatachiError."""
    for side in range(1, LARGEST_TABLE + 1):
        if text == f"{side}x{side}":
            return template_map(side)
    choices = ", ".join(f"{side}x{side}" for side in range(1, LARGEST_TABLE + 1))
    raise KatachiError(f"no templates {text!r}: choose one of {choices}")
