"""S3-5: how many features a board has, by kernels and by templates (section 3.1)."""

import msgspec

from katachi.experiments.bounds import BoardSize, Count
from katachi.experiments.claims import judge_exact
from katachi.experiments.protocol import Claim, Experiment, Quantity, Settings, Table
from katachi.experiments.runner import Runner
from katachi.features.templates import template_map
from katachi.features.window_map import count_windows
from katachi.pictures.charts import Bar, Panel, draw_panels

FEATURES = Quantity("features")
WINDOWS = Quantity("windows")
KINDS = Quantity("features of a window")
PAPER_KERNELS, PAPER_TEMPLATES = 5145, 5184


class Kernels(msgspec.Struct, frozen=True):
    """A set of kernels to count."""

    kernels: Count
    """How many kernels."""
    side: Count
    """Kernels are side x side."""

    @property
    def name(self) -> str:
        """Such as 105 kernels 3x3."""
        return f"{self.kernels} kernels {self.side}x{self.side}"


PAPER = Kernels(105, 3)


class CountSettings(Settings, frozen=True, kw_only=True):
    """What is counted."""

    size: BoardSize = 9
    """Side of the board."""
    kernels: tuple[Kernels, ...] = (PAPER, Kernels(81, 2), Kernels(207, 5))
    """Sets of kernels, that of the paper first."""
    templates: tuple[Count, ...] = (2, 3)
    """Sides of enumerated templates."""


def run(settings: CountSettings, seed: int, runner: Runner) -> Table:  # noqa: ARG001
    """Counts; there is nothing random in it."""
    found = {each.name: (each.side, each.kernels) for each in settings.kernels}
    for side in settings.templates:
        found[f"templates {side}x{side}"] = side, 3 ** (side * side)
    papers = {PAPER.name: PAPER_KERNELS, "templates 2x2": PAPER_TEMPLATES}
    rows = []
    for name, (side, kinds) in found.items():
        windows = count_windows(settings.size, side)
        paper = papers.get(name) if settings.size == CountSettings().size else None
        key = {"set": name}
        total = FEATURES.row(key, windows * kinds, paper=paper)
        rows += [WINDOWS.row(key, windows), KINDS.row(key, kinds), total]
    notes = [f"On a {settings.size}x{settings.size} board, one weight a feature and location."]
    quantities = [WINDOWS, KINDS, FEATURES]
    return Table(quantities=quantities, rows=rows, notes=notes)


def judge(table: Table) -> list[Claim]:
    """The paper's two numbers; those of templates as our own map of them counts, too."""
    stated = [row for row in table.rows_of(FEATURES) if row.paper is not None]
    if not stated:
        return []
    counted = template_map(2).count(9)
    holds = all(row.ours == row.paper for row in stated) and counted == PAPER_TEMPLATES
    ours = " and ".join(f"{row.ours:,.0f}" for row in stated)
    words = "5,145 features of 105 kernels, 5,184 of 2x2 templates", ours
    return [judge_exact(words, "both are equal", holds=holds, n=len(stated))]


def draw(table: Table, title: str) -> str:
    """A bar a set, on boards of one size; 3x3 templates would dwarf the others and are text."""
    rows = table.rows_of(FEATURES)
    small = [row for row in rows if (row.ours or 0) < 20 * PAPER_TEMPLATES]
    bars = [[Bar(row.ours, words=f"{row.ours or 0:,.0f}")] for row in small]
    names = [table.label(row) for row in small]
    others = [f"{table.label(row)}: {row.ours or 0:,.0f}" for row in rows if row not in small]
    panel = Panel("features of a board", "features", names, bars)
    return draw_panels(title, "; ".join(others), [], [panel])


EXPERIMENT = Experiment(CountSettings(), CountSettings(), run, draw, judge)
