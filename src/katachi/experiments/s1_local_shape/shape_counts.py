"""S1-F3: how many shapes each set has, and how many of them a position shows (Figure 3)."""

from katachi.experiments.bounds import BoardSize, Count
from katachi.experiments.claims import judge_exact
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Settings, Table
from katachi.experiments.runner import Runner
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features import shape_sets
from katachi.features.windows import count_distinct
from katachi.pictures.charts import draw_panels

WINDOWS = Quantity("windows n")
NOMINAL = Quantity("weights N")
DISTINCT = Quantity("distinct weights")

PAPER_WINDOWS = (25, 40, 16, 24, 9, 12, 4, 4, 1)
"""Of each template, location independent and dependent alike."""
PAPER_WEIGHTS = {
    shape_sets.Location.INDEPENDENT: (3, 9, 81, 729, 19683),
    shape_sets.Location.DEPENDENT: (27, 54, 324, 2916, 78732),
}
"""Of the templates up to 3x3; larger ones are hashed into h bins."""
FINAL_AGENTS = "1x1-3x3:LI+LD,1x1-3x3:LI+LD:liberty"
FINAL_SIZE = 9
PAPER_TOTAL = 1_500_000
"""About, says section 10."""
NEAR = 0.15
"""How far from a number that is stated as about so much ours may be."""
LABELS = ("{template}:{location}", "final agents, {size}x{size}")


class CountSettings(Settings, frozen=True, kw_only=True):
    """What is counted."""

    size: BoardSize = 5
    """Board size; the paper's numbers are those of 5."""
    bins: Count = shape_sets.BINS
    """Weights of each hashed set, the paper's h."""


def run(settings: CountSettings, seed: int, runner: Runner) -> Table:  # noqa: ARG001
    """Counts; there is nothing random in it."""
    rows = [
        row
        for location in shape_sets.Location
        for number in range(len(shape_sets.TEMPLATES))
        for row in _rows(settings, number, location)
    ]
    notes = [
        "N counts as the paper does: every content of a window, times the places of a quarter of "
        "the board where location matters. Distinct weights count shapes that no symmetry makes "
        "equal; that many are stored.",
        f"The final agents are {FINAL_AGENTS}; the paper says around 1.5 million.",
    ]
    total = sum(shape_sets.count_nominal(each, FINAL_SIZE, settings.bins) for each in _final_sets())
    whole = NOMINAL.row({"size": FINAL_SIZE}, total, paper=PAPER_TOTAL)
    quantities = [WINDOWS, NOMINAL, DISTINCT]
    return Table(quantities=quantities, rows=[*rows, whole], labels=LABELS, notes=notes)


def _final_sets() -> tuple[shape_sets.ShapeSet, ...]:
    return shape_sets.parse_sets(FINAL_AGENTS)


def _rows(settings: CountSettings, number: int, location: shape_sets.Location) -> list[Row]:
    each = shape_sets.ShapeSet(shape_sets.TEMPLATES[number], location, shape_sets.Family.SHAPE)
    size = settings.size
    if each.template.length > size:
        return []
    is_papers = size == 5
    stated = PAPER_WEIGHTS[location]
    weights = settings.bins if each.is_hashed else stated[number]
    counts = [
        (WINDOWS, shape_sets.count_windows(each.template, size), PAPER_WINDOWS[number]),
        (NOMINAL, shape_sets.count_nominal(each, size, settings.bins), weights),
    ]
    key = {"template": each.template.name, "location": location.value}
    rows = [q.row(key, ours, paper=paper if is_papers else None) for q, ours, paper in counts]
    if not each.is_hashed:
        rows.append(DISTINCT.row(key, count_distinct(each, size)))
    return rows


def judge(table: Table) -> list[Claim]:
    """Figure 3, and the number of weights of the final agents."""
    stated = [row for row in table.rows if row.paper is not None and "size" not in row.key]
    equal = sum(row.paper == row.ours for row in stated)
    total = table.row(NOMINAL, size=FINAL_SIZE).ours or 0.0
    return [
        judge_exact(
            (f"windows and weights of each set: {len(stated)} numbers", f"{equal} are equal"),
            "all are equal",
            holds=0 < equal == len(stated),
            n=len(stated),
        ),
        judge_exact(
            ("around 1.5 million weights of the final agents", f"{total:,.0f}"),
            f"within {100 * NEAR:g} % of the paper's",
            holds=abs(total / PAPER_TOTAL - 1) <= NEAR,
        ),
    ]


def draw(table: Table, title: str) -> str:
    """Windows and weights of each template."""
    axes = Axes("template", "location")
    panels = [
        panel_of(table, WINDOWS, axes)._replace(unit="of one position"),
        panel_of(table, NOMINAL, axes)._replace(unit="on a logarithmic scale", is_log=True),
    ]
    text = "ours equals the paper's Figure 3 in every number that it states"
    is_equal = all(row.paper in (None, row.ours) for row in table.rows if "size" not in row.key)
    series = [location.value for location in shape_sets.Location]
    return draw_panels(title, text if is_equal else "ours differs from Figure 3", series, panels)


EXPERIMENT = Experiment(CountSettings(), CountSettings(), run, draw, judge)
