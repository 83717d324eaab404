"""Sets of local shapes: their names, their order from general to specific, and their sizes.

A set is a template (a rectangle of points), a location rule and a family. Silver, Sutton and
Müller (2007), sections 3 and 4.
"""

from enum import Enum
from math import ceil
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.rules.size import check_size

BINS = 100_000
"""Weights of a hashed set."""
STATES = 3
"""What a point of a shape can be: empty, own, enemy."""
LIBERTY_STATES = 7
"""What a point of a liberty shape can be: empty, or a stone of either colour whose block has no,
one, or more liberties outside the template."""


class Template(NamedTuple):
    """A rectangle of points, `length` >= `width`; both of its orientations are meant."""

    length: int
    width: int

    @property
    def name(self) -> str:
        """Such as 3x2."""
        return f"{self.length}x{self.width}"

    @property
    def cells(self) -> int:
        """Number of points."""
        return self.length * self.width


class Location(Enum):
    """Whether a shape means the same wherever it stands."""

    INDEPENDENT = "LI"
    DEPENDENT = "LD"


class Family(Enum):
    """What is looked at in a template."""

    SHAPE = "shape"
    LIBERTY = "liberty"


TEMPLATES = tuple(
    Template(length, width)
    for length, width in ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5))
)
"""Each fits inside the next."""
LARGEST_EXACT = Template(3, 3)
"""Shapes of larger templates are hashed."""


class ShapeSet(NamedTuple):
    """All shapes of one template, location rule and family."""

    template: Template
    location: Location
    family: Family = Family.SHAPE

    @property
    def name(self) -> str:
        """Such as 3x3:LI or 2x2:LD:liberty."""
        ending = f":{self.family.value}" if self.family is Family.LIBERTY else ""
        return f"{self.template.name}:{self.location.value}{ending}"

    @property
    def is_hashed(self) -> bool:
        """Whether shapes share weights by the hash of what they hold."""
        return self.family is Family.LIBERTY or self.template.cells > LARGEST_EXACT.cells


def is_as_general(general: ShapeSet, specific: ShapeSet) -> bool:
    """Whether the first set is as general as the second, or more so (the paper's partial order).

    Its template fits inside, it is location independent or both are dependent, and it is a plain
    shape or both look at liberties (the last is our extension).
    """
    return (
        general.template.cells <= specific.template.cells
        and general.location in (Location.INDEPENDENT, specific.location)
        and general.family in (Family.SHAPE, specific.family)
    )


def sets_up_to(specific: ShapeSet) -> tuple[ShapeSet, ...]:
    """Every set that is as general as this one or more so, templates in order."""
    return tuple(
        each
        for template in TEMPLATES
        for family in Family
        for location in Location
        if is_as_general(each := ShapeSet(template, location, family), specific)
    )


_HOW = "write for example 2x2:LI, 1x1-3x3:LI+LD or 1x1-2x2:LI:liberty"


def parse_sets(text: str) -> tuple[ShapeSet, ...]:
    """The sets that a text such as `1x1-3x3:LI+LD,2x2:LI:liberty` names, each once, in order.

    Raises KatachiError for a text that names none.
    """
    sets: dict[ShapeSet, None] = {}
    for item in text.replace("\u00d7", "x").split(","):
        sets.update(dict.fromkeys(_parse_item(item.strip())))
    return tuple(sets)


def _parse_item(item: str) -> list[ShapeSet]:
    templates, _, rest = item.partition(":")
    locations, _, family = rest.partition(":")
    try:
        return [
            ShapeSet(template, Location(location.upper()), Family(family.lower() or "shape"))
            for template in _parse_templates(templates)
            for location in locations.split("+")
        ]
    except ValueError:
        raise KatachiError(f"no shape set {item!r}: {_HOW}") from None


def _parse_templates(text: str) -> tuple[Template, ...]:
    names = [template.name for template in TEMPLATES]
    first, _, last = text.partition("-")
    begin, end = names.index(first), names.index(last or first)
    if end < begin:
        raise ValueError(text)
    return TEMPLATES[begin : end + 1]


def check_sets(sets: tuple[ShapeSet, ...], size: int) -> None:
    """Raises KatachiError unless there are sets and each of them fits on the board."""
    check_size(size)
    if not sets:
        raise KatachiError(f"no shape sets given: {_HOW}")
    for each in sets:
        if each.template.length > size:
            raise KatachiError(f"the shape set {each.name} does not fit a {size}x{size} board")


def count_windows(template: Template, size: int) -> int:
    """How many places of the board a template has, both orientations counted."""
    across = size - template.length + 1
    down = size - template.width + 1
    if across < 1:
        return 0
    return across * down * (1 if template.length == template.width else 2)


def count_nominal(each: ShapeSet, size: int, bins: int = BINS) -> int:
    """The number of weights as the paper's Figure 3 counts them: shapes, times the places of a
    quarter of the board where location matters; the bins of a hashed set."""
    if each.is_hashed:
        return bins
    shapes = STATES**each.template.cells
    if each.location is Location.INDEPENDENT:
        return shapes
    places = ceil((size - each.template.length + 1) / 2) * ceil(
        (size - each.template.width + 1) / 2
    )
    return places * shapes
