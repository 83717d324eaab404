"""S4-T2: hits of the first prediction, and why they say nothing about the games (Table 2).

P1 is a number of the point where the first stone lies. The set holds all eight mirror images of
each game, so within openings that begin at the same kind of point every game has the same eight
values of P1, whatever its z. A share h of them is above 0.5, l below -0.5, e between: then exactly
h of the won games count as hits, l of the lost ones and e of the even ones, and h + l + e = 1.
"""

from collections.abc import Iterator

import msgspec
import numpy as np

from katachi.experiments.bounds import Share
from katachi.experiments.claims import judge_above, judge_exact, number_of
from katachi.experiments.protocol import (
    Claim,
    Experiment,
    Key,
    Quantity,
    Row,
    Table,
    Value,
    label_of,
)
from katachi.experiments.runner import Runner, Study, Task, tasks_of
from katachi.experiments.s4_openings import material
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.pictures.charts import Bar, Panel, draw_panels
from katachi.records.openings import Opening, Style
from katachi.rules.point import row_col_from_point
from katachi.statistics import T_INTERVAL

LAM = 0.7
THRESHOLD = 0.5
PAPER_HITS = {
    Style.TWO_STAR: (36, 36, 34),
    Style.THREE_STAR: (38, 92, 30),
    Style.CHINESE: (26, 52, 78),
    Style.SHUSAKU: (6, 36, 38),
    Style.MISC: (4, 20, 18),
}
PAPER_GAMES = {
    Style.TWO_STAR: (144, 72, 136),
    Style.THREE_STAR: (152, 184, 120),
    Style.CHINESE: (104, 104, 312),
    Style.SHUSAKU: (24, 72, 152),
    Style.MISC: (16, 40, 72),
}
LABELS = ("lambda {lam:g}", "first stone {stone}")
COLUMNS = tuple(
    Quantity(name, "% hits", 1) for name in ("of games for Black", "of games for White", "of even")
)
TOTAL = Quantity("of all", "% hits", 1)
SUM, EVEN = "all styles", "always saying even"


class HitSettings(material.PaperSettings, frozen=True, kw_only=True):
    """As the paper's nets learn, with one lambda."""

    lambdas: tuple[Share, ...] = (LAM,)
    """The paper tells its table for 0.7 only."""


class Hits(msgspec.Struct, frozen=True):
    """Hits and games, for Black, for White and even, by style and by the first stone."""

    hits: dict[str, list[int]]
    games: dict[str, list[int]]
    shares: dict[str, list[float]]
    """Of the mirror images of each kind of first stone: P1 high, low, between."""


def first_stone(opening: Opening) -> str:
    """The lines on which the first stone lies, such as 3-4."""
    lines = [
        min(each, opening.size - 1 - each) + 1 for each in row_col_from_point(int(opening.moves[0]))
    ]
    return "-".join(map(str, sorted(lines)))


def name_of_stone(stone: str) -> str:
    """What the openings that begin with a stone on these lines are called."""
    return label_of(LABELS, {"stone": stone})


def count_hits(
    found: material.PaperSet, first: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> Hits:
    """Hits of P1 [mirror images] by the paper's rule."""
    verdict = np.where(first > THRESHOLD, 1.0, np.where(first < -THRESHOLD, -1.0, 0.0))
    groups: dict[str, list[np.ndarray[tuple[int], np.dtype[np.float64]]]] = {}
    hits: dict[str, list[int]] = {}
    games: dict[str, list[int]] = {}
    for number, opening in enumerate(found.openings):
        own = verdict[8 * number : 8 * number + 8]
        column = material.VERDICTS.index(opening.judgement or 0.0)
        stone = first_stone(opening)
        groups.setdefault(stone, []).append(own)
        for name in (opening.style.value, name_of_stone(stone)):
            hits.setdefault(name, [0, 0, 0])[column] += int((own == opening.judgement).sum())
            games.setdefault(name, [0, 0, 0])[column] += len(own)
    shares = {
        stone: [
            round(float(np.mean(np.concatenate(parts) == each)), 6) for each in material.VERDICTS
        ]
        for stone, parts in groups.items()
    }
    return Hits(hits, games, shares)


def measure(settings: HitSettings, task: Task) -> Hits:
    """One net."""
    lam = task.key["lam"]
    found = material.paper_set(task, settings, task.seed)
    net, _ = material.learn_as_paper(settings, found, lam, task.seed)
    return count_hits(found, 2.0 * net.chances(found.games)[:, 1] - 1.0)


def _percent(hits: list[int], games: list[int]) -> list[float | None]:
    """Of each column, and of all."""
    pairs = [*zip(hits, games, strict=True), (sum(hits), sum(games))]
    return [100 * hit / game if game else None for hit, game in pairs]


def _rows(key: Key, runs: list[Hits], paper: list[float | None] | None) -> Iterator[Row]:
    name = label_of(LABELS, key)
    shares = [_percent(each.hits[name], each.games[name]) for each in runs if name in each.hits]
    for column, quantity in enumerate((*COLUMNS, TOTAL)):
        known = [value for each in shares if (value := each[column]) is not None]
        if known:
            yield quantity.mean(key, known, (0.0, 100.0), paper[column] if paper else None)


def _with_sum(found: Hits) -> Hits:
    """The same with all styles together."""
    styles = [style.value for style in Style if style.value in found.hits]
    hits, games = (
        [sum(counts[style][i] for style in styles) for i in range(3)]
        for counts in (found.hits, found.games)
    )
    return Hits(found.hits | {SUM: hits}, found.games | {SUM: games}, found.shares)


def run(settings: HitSettings, seed: int, runner: Runner) -> Table:
    """Learns what is missing."""
    tasks = tasks_of([{"lam": settings.lambdas[0]}], settings.runs, labels=LABELS)
    behaviour = material.fingerprint(runner, settings)
    found = runner.measure_all(Study("S4-T2", settings, seed, tasks, measure, behaviour))
    runs = [_with_sum(each) for _, nets in found for each in nets]
    rows: list[Row] = []
    for style in Style:
        rows += _rows(
            {"style": style.value}, runs, _percent([*PAPER_HITS[style]], [*PAPER_GAMES[style]])
        )
    sums = [[sum(each[i] for each in counts.values()) for i in range(3)] for counts in PAPER_COUNTS]
    rows += _rows({"style": SUM}, runs, _percent(*sums))
    for stone in sorted({stone for each in runs for stone in each.shares}):
        rows += _rows({"stone": stone}, runs, None)
    even = [100 * each.games[SUM][2] / sum(each.games[SUM]) for each in runs]
    rows.append(TOTAL.mean({"answer": EVEN}, even, remark="46.5 % in the paper's set, too"))
    notes = [
        material.REBUILT.format(band=settings.band),
        "A hit: P1 above 0.5 and good for Black, below -0.5 and good for White, or between and "
        "even. Nets that learned from all openings, which are also those that are counted.",
        "Rows of first stones show where the numbers come from: among openings that begin at the "
        "same kind of point the three rates are shares of its mirror images, and add up to 100 % "
        "in each run. In the table they do where every run has games of all three judgements; else "
        "the columns are means over different runs.",
        T_INTERVAL,
    ]
    return Table(quantities=[*COLUMNS, TOTAL], rows=rows, labels=LABELS, notes=notes)


PAPER_COUNTS = (PAPER_HITS, PAPER_GAMES)


def judge(table: Table) -> list[Claim]:
    """That the paper's table is an artefact, and that its nets know less than nothing."""
    cells = [[table.row(q, style=style.value).paper for q in COLUMNS] for style in Style]
    paper = "hits of the first prediction by opening style: 15 cells"
    stones = [str(stone) for stone in table.values("stone") if _adds_up(table, stone)]
    ours = (
        "all its styles have the same three rates, 25.0, 50.0 and 25.0 %; in ours the three rates "
        f"add up to 100 % for first stones {' and '.join(stones)}, whatever became of the games"
    )
    rule = "the paper's styles differ in some rate"
    claims = [judge_exact((paper, ours), rule, holds=any(each != cells[0] for each in cells), n=15)]
    total, even = table.row(TOTAL, style=SUM), table.row(TOTAL, answer=EVEN)
    ours = f"{total.ours:.1f} %; always saying even has {even.ours:.1f} %"
    words = "the net predicts 544 of 1,704 games correctly, 31.9 %", ours
    return [*claims, judge_above(words, number_of(total, 1, " %"), round(even.ours or 0.0, 1))]


def _adds_up(table: Table, stone: Value) -> bool:
    """Whether the three rates of a first stone, each of all runs, are shares of one whole."""
    rows = [row for quantity in COLUMNS for row in table.rows_of(quantity, stone=stone)]
    is_whole = len(rows) == len(COLUMNS) and len({row.n for row in rows}) == 1
    return is_whole and abs(sum(row.ours or 0.0 for row in rows) - 100) < 0.1


def draw(table: Table, title: str) -> str:
    """Three bars a style and a first stone, ours and the paper's."""
    panels = [
        panel_of(table, COLUMNS, Axes(factor, has_words=False), heading, 100.0)
        for heading, factor in (("by style", "style"), ("by the first stone", "stone"))
    ]
    styles = table.values("style")
    papers = [[Bar(table.row(q, style=name).paper) for q in COLUMNS] for name in styles]
    panels.append(Panel("the paper", "% hits", list(map(str, styles)), papers, 100.0))
    text = (
        "hits of P1, the net's view after the first move: the same for every game that begins at "
        "the same kind of point"
    )
    return draw_panels(title, text, [q.name for q in COLUMNS], panels)


QUICK = HitSettings(runs=1, epochs=2)
EXPERIMENT = Experiment(HitSettings(), QUICK, run, draw, judge)
