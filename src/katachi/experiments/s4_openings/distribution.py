"""S4-T1: openings by style and judgement (Table 1)."""

from katachi.experiments.claims import judge_exact
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner
from katachi.experiments.s4_openings import material
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.records.openings import Opening, Style
from katachi.rules.symmetry import SYMMETRIES

BLACK, WHITE, EVEN = (Quantity(name, "games") for name in ("for Black", "for White", "even"))
TOTAL = Quantity("all", "games")
COLUMNS = (BLACK, WHITE, EVEN)
SUM = "all styles"
JUDGED = "all judged"
WHOLE = "all judged openings"


def count_cells(openings: list[Opening]) -> dict[str, list[int]]:
    """How many openings there are for Black, for White and even, by style."""
    found = {style.value: [0, 0, 0] for style in Style}
    for opening in openings:
        if opening.judgement is not None:
            found[opening.style.value][material.VERDICTS.index(opening.judgement)] += 1
    return found


def _rows(key: Key, counts: list[int], paper: list[int] | None) -> list[Row]:
    ours, papers = [*counts, sum(counts)], [*paper, sum(paper)] if paper else [None] * 4
    return [
        quantity.row(key, mine, sum(counts), theirs)
        for quantity, mine, theirs in zip((*COLUMNS, TOTAL), ours, papers, strict=True)
    ]


def run(settings: material.OpeningSettings, seed: int, runner: Runner) -> Table:
    """Draws the openings and counts them."""
    judged = material.judged_of(runner, settings).openings
    found = count_cells(material.sample_paper_set(judged, seed))
    rows = []
    for style, counts in material.CELLS.items():
        copies = [SYMMETRIES * count for count in found[style.value]]
        rows += _rows({"style": style.value}, copies, [SYMMETRIES * count for count in counts])
    columns = [SYMMETRIES * sum(each[i] for each in found.values()) for i in range(3)]
    paper = [SYMMETRIES * sum(each[i] for each in material.CELLS.values()) for i in range(3)]
    rows += _rows({"style": SUM}, columns, paper)
    whole = count_cells(judged)
    rows += _rows({"set": WHOLE}, [sum(each[i] for each in whole.values()) for i in range(3)], None)
    for style in Style:
        rows += _rows({"style": style.value, "set": JUDGED}, whole[style.value], None)
    notes = [
        material.REBUILT.format(band=settings.band),
        "Rows of styles count mirror images, as the paper's; rows of all judged openings do not.",
    ]
    return Table(quantities=[*COLUMNS, TOTAL], rows=rows, notes=notes)


def judge(table: Table) -> list[Claim]:
    """Table 1: every number of the rows that the paper has."""
    stated = [row for row in table.rows if row.paper is not None]
    equal = sum(row.ours == row.paper for row in stated)
    whole = table.row(TOTAL, style=SUM)
    ours = f"{whole.ours:,.0f} mirror images; {equal} of {len(stated)} numbers are equal"
    words = "1,704 games, eight of each of 213, by style and judgement", ours
    return [judge_exact(words, "all are equal", holds=equal == len(stated), n=len(stated))]


def draw(table: Table, title: str) -> str:
    """Three bars a style, and of all that were judged."""
    panels = []
    for heading, part in (("as the paper", {}), (WHOLE, {"set": JUDGED})):
        names = [style.value for style in Style]
        bars = [
            [Bar(table.row(column, style=name, **part).ours) for column in COLUMNS]
            for name in names
        ]
        panels.append(Panel(heading, "games", names, bars))
    text = "judged by a strong program's lead after move 50"
    return draw_panels(title, text, [column.name for column in COLUMNS], panels)


EXPERIMENT = Experiment(material.OpeningSettings(), material.OpeningSettings(), run, draw, judge)
