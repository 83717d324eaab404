"""S1-F3: how many shapes each set has, and how many of them a position shows (Figure 3)."""

from katachi.experiments.protocol import Experiment, Quantity, Row, Settings, Table
from katachi.experiments.table_pictures import bar_of
from katachi.experiments.workbench import Workbench
from katachi.features.shape_sets import (
    BINS,
    TEMPLATES,
    Family,
    Location,
    ShapeSet,
    count_nominal,
    count_windows,
    parse_sets,
)
from katachi.features.windows import count_distinct
from katachi.pictures.charts import Panel, draw_panels

WINDOWS = Quantity("windows n")
NOMINAL = Quantity("weights N")
DISTINCT = Quantity("distinct weights")

PAPER_WINDOWS = (25, 40, 16, 24, 9, 12, 4, 4, 1)
"""Of each template, location independent and dependent alike."""
PAPER_WEIGHTS = {
    Location.INDEPENDENT: (3, 9, 81, 729, 19683),
    Location.DEPENDENT: (27, 54, 324, 2916, 78732),
}
"""Of the templates up to 3x3; larger ones are hashed into h bins."""
FINAL_AGENTS = "1x1-3x3:LI+LD,1x1-3x3:LI+LD:liberty"
FINAL_SIZE = 9
PAPER_TOTAL = 1_500_000
"""About, says section 10."""
TOTAL = f"final agents, {FINAL_SIZE}x{FINAL_SIZE}"


class CountSettings(Settings, frozen=True, kw_only=True):
    """What is counted."""

    size: int = 5
    """Board size; the paper's numbers are those of 5."""
    bins: int = BINS
    """Weights of each hashed set, the paper's h."""


def run(settings: CountSettings, seed: int, bench: Workbench) -> Table:  # noqa: ARG001
    """Counts; there is nothing random in it."""
    rows = [
        row
        for location in Location
        for number in range(len(TEMPLATES))
        for row in _rows(settings, number, location)
    ]
    notes = [
        "N counts as the paper does: every content of a window, times the places of a quarter of "
        "the board where location matters. Distinct weights count shapes that no symmetry makes "
        "equal; that many are stored.",
        f"The final agents are {FINAL_AGENTS}; the paper says around 1.5 million.",
    ]
    total = sum(count_nominal(each, FINAL_SIZE, settings.bins) for each in _final_sets())
    whole = Row(setting=TOTAL, quantity=NOMINAL.name, ours=total, n=1, paper=PAPER_TOTAL)
    quantities = [WINDOWS, NOMINAL, DISTINCT]
    return Table(quantities=quantities, rows=[*rows, whole], notes=notes)


def _final_sets() -> tuple[ShapeSet, ...]:
    return parse_sets(FINAL_AGENTS)


def _rows(settings: CountSettings, number: int, location: Location) -> list[Row]:
    each = ShapeSet(TEMPLATES[number], location, Family.SHAPE)
    size = settings.size
    if each.template.length > size:
        return []
    is_papers = size == 5
    stated = PAPER_WEIGHTS[location]
    weights = settings.bins if each.is_hashed else stated[number]
    counts = [
        (WINDOWS, count_windows(each.template, size), PAPER_WINDOWS[number]),
        (NOMINAL, count_nominal(each, size, settings.bins), weights),
    ]
    rows = [
        Row(setting=each.name, quantity=q.name, ours=ours, n=1, paper=paper if is_papers else None)
        for q, ours, paper in counts
    ]
    if not each.is_hashed:
        distinct = count_distinct(each, size)
        rows.append(Row(setting=each.name, quantity=DISTINCT.name, ours=distinct, n=1))
    return rows


def draw(table: Table, title: str) -> str:
    """Windows and weights of each template."""
    templates = [t.name for t in TEMPLATES if any(r.setting == f"{t.name}:LI" for r in table.rows)]
    panels = [
        Panel(
            quantity.name,
            "on a logarithmic scale" if is_log else "of one position",
            templates,
            [
                [bar_of(table.row(f"{t}:{location.value}", quantity.name)) for location in Location]
                for t in templates
            ],
            is_log=is_log,
        )
        for quantity, is_log in ((WINDOWS, False), (NOMINAL, True))
    ]
    words = "ours equals the paper's Figure 3 in every number that it states"
    is_equal = all(row.paper in (None, row.ours) for row in table.rows if row.setting != TOTAL)
    series = [location.value for location in Location]
    return draw_panels(title, words if is_equal else "ours differs from Figure 3", series, panels)


EXPERIMENT = Experiment(CountSettings(), CountSettings(), run, draw)
