# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What a net that judges territory sees of a position: planes of numbers from -1 to 1.

Wu and Baldi (2006), table 1, and extensions; which inputs a model has is data of the model. Planes
are Black's view. *Windowed* planes are given to the net around each point, *local* ones at the
point only; in an array of planes the windowed ones come first, each kind in the order named.
"""

from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features import large_propensity, propensity
from katachi.features.block_strength import ORDERS
from katachi.features.influence import KERNEL_NUMBERS, InfluenceKernel
from katachi.features.large_propensity import LargeTable
from katachi.features.placing import PARTS
from katachi.features.propensity import PLACES, PropensityTable, window_tables
from katachi.features.territory_planes import (
    ENEMY_PLANES,
    KINDS,
    InputPlan,
    InputScratch,
    Planes,
    fill_planes,
    new_scratch,
)
from katachi.rules.checking import check_boards
from katachi.rules.point import CELLS, Points
from katachi.rules.size import check_size
from katachi.rules.state import SIZE, BoardState, Words

MOST_RECENT = 32
"""Most of the last moves that can be inputs."""
LARGEST_CAP = 1000
LONGEST_NAME = 40
"""Letters of an unknown input that a message tells."""


class Input(NamedTuple):
    """One kind of input."""

    planes: int
    is_windowed: bool
    swapped: tuple[int, ...]
    """Where each of its planes comes from when the colours are exchanged."""
    sign: int
    """What its planes are multiplied by when the colours are exchanged."""


def _same(count: int, *, is_windowed: bool, sign: int = 1) -> Input:
    return Input(count, is_windowed, tuple(range(count)), sign)


_ENEMY = (1, 0, 2, 3, 4)
INPUTS = {
    "stones": Input(3, True, (1, 0, 2), 1),
    "influence": Input(2, True, (1, 0), 1),
    "influence:strict": Input(2, True, (1, 0), 1),
    "propensity": _same(1, is_windowed=True, sign=-1),
    "propensity:deviation": _same(1, is_windowed=True),
    "propensity:weighted": _same(1, is_windowed=True, sign=-1),
    "propensity:large": _same(1, is_windowed=True, sign=-1),
    "propensity:windows": _same(PLACES, is_windowed=False, sign=-1),
    "eyes": _same(1, is_windowed=False),
    "liberties": _same(ORDERS, is_windowed=False),
    "weakest": Input(2 * ENEMY_PLANES, False, (*_ENEMY, *(5 + each for each in _ENEMY)), 1),
    "edge": _same(1, is_windowed=False),
    "recent": _same(0, is_windowed=False),
    "nearness": _same(1, is_windowed=False),
    "danger": Input(2, True, (1, 0), 1),
    "placing": Input(2 * PARTS, False, (3, 4, 5, 0, 1, 2), 1),
    "last": _same(1, is_windowed=True),
    "nearness:last": _same(1, is_windowed=False),
}
"""Every kind of input by its name; `recent:N` has N planes."""
_LOOKS_BACK = {"nearness": 2, "nearness:last": 1, "last": 1}
"""How many of the last moves an input looks at."""
_LARGE = "propensity:large"
_PAPER = ("stones", "influence", "propensity", "eyes", "liberties", "weakest")


class InputSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which inputs a net has and how they are scaled; the defaults give the paper's 69."""

    inputs: tuple[str, ...] = _PAPER
    """Names from `INPUTS`, or `recent:N`: where the last N moves were, the newest first."""
    influence_kernel: InfluenceKernel = InfluenceKernel.DISTANCE
    eye_cap: int = 2
    """More eyes count as this many, which is written 1."""
    liberty_caps: tuple[int, int, int, int] = (10, 15, 20, 20)
    """The same for liberties of each order."""
    edge_cap: int = 5
    """The same for the line on which a point lies, counted from 1 at the edge."""


class PlaneGroup(NamedTuple):
    """The planes of one input."""

    name: str
    kind: Input
    first: int
    """Number of its first plane."""


def _kind_of(name: str) -> tuple[str, Input]:
    """(name without number, what it is); raises KatachiError for an unknown name."""
    base, _, number = name.partition(":")
    is_count = number.isdecimal() and len(number) <= len(str(MOST_RECENT))
    if base == "recent" and is_count and 1 <= int(number) <= MOST_RECENT:
        return base, _same(int(number), is_windowed=INPUTS["recent"].is_windowed)
    if name == "recent" or name not in INPUTS:
        known = ", ".join(f"{each}:N" if each == "recent" else each for each in INPUTS)
        given = name[:LONGEST_NAME]
        raise KatachiError(f"no input {given!r}: there are {known} (N from 1 to {MOST_RECENT})")
    return name, INPUTS[name]


def plane_groups(settings: InputSettings) -> tuple[PlaneGroup, ...]:
    """The inputs in the order of their planes; raises KatachiError for names that make no sense,
    or caps that cannot divide."""
    kinds = [_kind_of(name) for name in settings.inputs]
    names = [name for name, _ in kinds]
    if not names or len(set(names)) < len(names):
        given = ", ".join(settings.inputs[:LONGEST_NAME])
        raise KatachiError(f"a net needs inputs, each of them once: {given}")
    caps = (settings.eye_cap, *settings.liberty_caps, settings.edge_cap)
    if not 1 <= min(caps) <= max(caps) <= LARGEST_CAP:
        raise KatachiError(f"caps of inputs are 1 to {LARGEST_CAP}")
    groups, first = [], 0
    for name, kind in sorted(kinds, key=lambda each: not each[1].is_windowed):
        groups.append(PlaneGroup(name, kind, first))
        first += kind.planes
    return tuple(groups)


def plane_count(settings: InputSettings) -> tuple[int, int]:
    """(number of windowed planes, number of local planes)."""
    kinds = [group.kind for group in plane_groups(settings)]
    windowed = sum(kind.planes for kind in kinds if kind.is_windowed)
    return windowed, sum(kind.planes for kind in kinds) - windowed


def recent_count(settings: InputSettings) -> int:
    """How many of the last moves are inputs."""
    return sum(each.kind.planes for each in plane_groups(settings) if each.name == "recent")


def moves_needed(settings: InputSettings) -> int:
    """How many of the last moves the inputs look at."""
    looks_back = max((_LOOKS_BACK.get(name, 0) for name in settings.inputs), default=0)
    return max(recent_count(settings), looks_back)


def needs_propensity(settings: InputSettings) -> bool:
    """Whether a propensity table is needed."""
    small = [each for each in settings.inputs if each.startswith("propensity")]
    return any(each != _LARGE for each in small)


def needs_large(settings: InputSettings) -> bool:
    """Whether a table of large squares is needed."""
    return _LARGE in settings.inputs


def exchanged_planes(
    settings: InputSettings,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """(where each plane comes from, its sign) when the colours are exchanged."""
    groups = plane_groups(settings)
    sources = [group.first + each for group in groups for each in group.kind.swapped]
    signs = [group.kind.sign for group in groups for _ in group.kind.swapped]
    return np.array(sources, np.int64), np.array(signs, np.float32)


@cache
def _unused_table() -> PropensityTable:
    return PropensityTable(np.zeros((1, 1, PLACES), np.float32), np.zeros((1, 1), np.float32))


def plan_inputs(
    settings: InputSettings,
    size: int,
    table: PropensityTable | None = None,
    large: LargeTable | None = None,
) -> InputPlan:
    """What `fill_planes` needs on a board of this size.

    Raises KatachiError for settings that make no sense, a propensity input without a table, or one
    on a board too small for windows.
    """
    groups = plane_groups(settings)
    first = np.full(len(KINDS), -1, np.int64)
    for group in groups:
        first[KINDS.index(group.name)] = group.first
    if not needs_propensity(settings):
        table, windows = _unused_table(), window_tables(propensity.SIDE)
    elif table is None:
        raise KatachiError("propensity inputs need a table fitted on games")
    else:
        propensity.check_windows_fit(check_size(size))
        table, windows = propensity.check_table(table), window_tables(size)
    if not needs_large(settings):
        large = large_propensity.empty_table()
    elif large is None:
        raise KatachiError("large propensity needs a table fitted on games")
    caps = [settings.eye_cap, *settings.liberty_caps, settings.edge_cap]
    number = KERNEL_NUMBERS[InfluenceKernel(settings.influence_kernel)]
    planes = sum(plane_count(settings))
    return InputPlan(
        first,
        planes,
        recent_count(settings),
        number,
        np.array(caps, np.float32),
        windows,
        table,
        large_propensity.square_keys(),
        large_propensity.check_table(large),
        np.array([0, 2]),
    )


def planes_of(states: BoardState, plan: InputPlan, recent: Points | None = None) -> Planes:
    """[B, planes, size, size]: the inputs of B positions of one board size.

    `recent` [B, R]: where the last moves of each were, the newest first; PASS for passes and for
    moves before the first. Only the inputs `recent:N` and `nearness` look at it; R may be
    smaller than N.
    """
    return planes_of_boards(states.words, plan, recent, new_scratch())


def planes_of_boards(
    words: Words, plan: InputPlan, recent: Points | None, scratch: InputScratch
) -> Planes:
    """The same of boards [B, WORDS], in memory that is used again."""
    check_boards(words)
    count, size = len(words), int(words[0, SIZE]) if len(words) else 0
    out = np.zeros((count, plan.planes, size, size), np.float32)
    if recent is None:
        recent = np.zeros((count, 0), np.uint16)
    if len(recent) != count or recent.max(initial=0) >= CELLS:
        raise KatachiError(f"the last moves of {count} positions must be points of their boards")
    # A plan without propensity has the windows of the smallest board.
    if len(plan.windows.corner) not in (1, (size - propensity.SIDE + 1) ** 2) and count:
        raise KatachiError(f"these inputs were planned for other boards than {size}x{size}")
    fill_planes(words, recent, plan, scratch, out)
    return out
