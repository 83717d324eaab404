"""S1-F4: each shape set alone, and with all sets as general or more so, against ALP (Figure 4)."""

import msgspec

from katachi.experiments.crew import Task
from katachi.experiments.protocol import Claim, Experiment, Quantity, Row, Table
from katachi.experiments.s1_local_shape.trials import (
    BY_GAME,
    CENSORED,
    EARLY,
    EARLY_GAMES,
    FINAL,
    HALF_TIME,
    KOMI,
    Trial,
    TrialSettings,
    behaviour_of,
    cost_of,
    learn,
    trial_rows,
)
from katachi.experiments.statistics import (
    T_INTERVAL,
    is_above,
    is_larger,
    is_mostly,
    straightness,
)
from katachi.experiments.table_pictures import bar_of
from katachi.experiments.workbench import Study, Workbench
from katachi.features.shape_sets import (
    LARGEST_EXACT,
    TEMPLATES,
    Family,
    Location,
    parse_sets,
    sets_up_to,
)
from katachi.pictures.charts import Line, Panel, draw_panels

UP_TO = "up to "

PAPER_BEST = "2x2"
PAPER_EARLY, PAPER_SINGLE, PAPER_TOGETHER = 25.0, 80.0, 90.0
"""Wins in percent: of 2x2 after 1,000 games, of 2x2 at the end, of sets together at the end."""
STRAIGHT = 0.8
"""R squared from which we call a relation linear."""


class SetStudySettings(TrialSettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: int = 50
    """Independent runs of each setting."""
    templates: tuple[str, ...] = tuple(template.name for template in TEMPLATES)
    """The templates, each location independent and dependent, alone and with smaller ones."""

    def settings_by_name(self) -> dict[str, str]:
        """The sets of each setting: `2x2:LI` alone, `up to 2x2:LI` with the more general ones."""
        alone = [f"{t}:{location.value}" for location in Location for t in self.templates]
        return {name: name for name in alone} | {UP_TO + name: together(name) for name in alone}


QUICK = SetStudySettings(
    runs=2, templates=("1x1", "2x2", "4x3"), games=100, test_every=50, test_games=10, final_games=20
)


def together(name: str) -> str:
    """All sets as general as this one or more so."""
    sets = [each for each in sets_up_to(*parse_sets(name)) if each.family is Family.SHAPE]
    return ",".join(each.name for each in sets)


def measure(settings: SetStudySettings, task: Task, seed: int) -> Trial:
    """One run of one setting."""
    return learn(settings, settings.training(settings.settings_by_name()[task.setting], seed))[0]


def run(settings: SetStudySettings, seed: int, bench: Workbench) -> Table:
    """Learns and tests every setting as often as the settings say."""
    named = settings.settings_by_name()
    tasks = [
        Task(name, number, cost_of(sets, settings.size))
        for name, sets in named.items()
        for number in range(1, settings.runs + 1)
    ]
    behaviour = behaviour_of(settings.training(sets, 1) for sets in named.values())
    study = Study("S1-F4", settings, seed, tasks, measure, Trial, behaviour)
    trials = bench.measure_all(study)
    numbers = range(1, settings.runs + 1)
    rows = [
        row
        for name in named
        for row in trial_rows(settings, name, [trials[name, number] for number in numbers])
    ]
    table = Table(quantities=[FINAL, HALF_TIME, EARLY], rows=rows)
    return Table(
        quantities=table.quantities,
        rows=rows,
        claims=claims_of(settings, table),
        notes=[T_INTERVAL, CENSORED, KOMI, BY_GAME],
    )


def claims_of(settings: SetStudySettings, table: Table) -> list[Claim]:
    """What the paper's section 6 says of Figure 4, held against the table."""
    return [
        *_claims_of_sets_alone(settings, table),
        *_claims_of_sets_together(settings, table),
    ]


def _percent(table: Table, name: str, quantity: Quantity = FINAL) -> float:
    return table.row(name, quantity.name).ours or 0.0


def _final(table: Table, name: str) -> Row:
    return table.row(name, FINAL.name)


def _claims_of_sets_alone(settings: SetStudySettings, table: Table) -> list[Claim]:
    alone = [name for name in settings.settings_by_name() if not name.startswith(UP_TO)]
    best = max(alone, key=lambda name: _percent(table, name))
    others = [name for name in alone if name.startswith(PAPER_BEST) != best.startswith(PAPER_BEST)]
    is_sure = all(is_larger(_final(table, best), _final(table, name)) for name in others)
    ours = f"{PAPER_BEST}:LI"
    claims = [
        Claim(
            f"of the sets alone, {PAPER_BEST} does best",
            f"{best} does best, {_percent(table, best):.1f} %",
            best.startswith(PAPER_BEST) if is_sure else None,
        )
    ]
    if ours in alone:
        early, final = _percent(table, ours, EARLY), _percent(table, ours)
        claims += [
            Claim(
                f"{PAPER_BEST} wins {PAPER_EARLY:g} % within {EARLY_GAMES:,} games",
                f"{ours}: {early:.1f} %",
                is_above(table.row(ours, EARLY.name), PAPER_EARLY),
            ),
            Claim(
                f"{PAPER_BEST} ends above {PAPER_SINGLE:g} %",
                f"{ours}: {final:.1f} %",
                is_above(_final(table, ours), PAPER_SINGLE),
            ),
        ]
    return [*claims, _claim_of_locations(settings, table, ""), _claim_of_speed(settings, table)]


def _claim_of_speed(settings: SetStudySettings, table: Table) -> Claim:
    """Small location independent shapes are learned faster than dependent ones."""
    small = [each.name for each in TEMPLATES if each.cells <= LARGEST_EXACT.cells]
    templates = [name for name in settings.templates if name in small]

    def time(name: str) -> Row:
        row = table.row(name, HALF_TIME.name)
        if row.ours is not None:
            return row
        # Runs that never got there count with all their games, as elsewhere.
        return msgspec.structs.replace(row, low=settings.games, high=settings.games)

    slower = [is_larger(time(f"{t}:LD"), time(f"{t}:LI")) for t in templates]
    words = "sets alone: small location independent shapes are learned faster than dependent ones"
    return Claim(words, _words_of_pairs(slower, "templates up to 3x3"), is_mostly(slower))


def _words_of_pairs(verdicts: list[bool | None], of: str) -> str:
    """How many pairs of intervals part, and to which side."""
    count, against = verdicts.count(True), verdicts.count(False)
    overlapping = len(verdicts) - count - against
    return (
        f"for {count} of {len(verdicts)} {of}, the other way for {against}; the intervals of "
        f"{overlapping} overlap"
    )


def _claim_of_locations(settings: SetStudySettings, table: Table, prefix: str) -> Claim:
    """Location independent sets do better than dependent ones."""
    better = [
        is_larger(_final(table, f"{prefix}{t}:LI"), _final(table, f"{prefix}{t}:LD"))
        for t in settings.templates
    ]
    kind = "together" if prefix else "alone"
    words = f"sets {kind}: location independent does better than dependent"
    return Claim(words, _words_of_pairs(better, "templates"), is_mostly(better))


def _claims_of_sets_together(settings: SetStudySettings, table: Table) -> list[Claim]:
    names = [name for name in settings.settings_by_name() if name.startswith(UP_TO)]
    best = max(names, key=lambda name: _percent(table, name))
    top = _percent(table, best)
    above = [is_above(_final(table, name), PAPER_TOGETHER) for name in names]
    highest = Claim(
        f"several sets together surpass {PAPER_TOGETHER:g} %",
        f"{above.count(True)} of {len(names)} settings do for sure; the best is {best}, "
        f"{top:.1f} %",
        True if True in above else None if None in above else False,
    )
    return [highest, _claim_of_locations(settings, table, UP_TO), _claim_of_time(names, table)]


def _claim_of_time(names: list[str], table: Table) -> Claim:
    """Learning time grows linearly with the number of sets."""
    rows = {name: table.row(name, HALF_TIME.name) for name in names}
    known = {name: row.ours for name, row in rows.items() if row.ours is not None}
    counts = [float(len(parse_sets(together(name.removeprefix(UP_TO))))) for name in known]
    fit = straightness(counts, list(known.values()))
    words = "too few settings get there" if fit is None else f"R squared of a line is {fit:.2f}"
    paper = "learning time grows about linearly with the number of sets"
    told = f"{words} ({len(known)} of {len(names)} settings)"
    return Claim(paper, told, None if fit is None else fit >= STRAIGHT)


def draw(table: Table, title: str) -> str:
    """The four bar charts of Figure 4."""
    names = [row.setting for row in table.rows if row.quantity == FINAL.name]
    templates = [name.removesuffix(":LI") for name in names if _is_alone(name, "LI")]

    def panel(letter: str, words: str, prefix: str, quantity: Quantity, line: Line) -> Panel:
        bars = [
            [bar_of(table.row(f"{prefix}{t}:{loc.value}", quantity.name)) for loc in Location]
            for t in templates
        ]
        is_percent = quantity.unit == "%"
        unit = "% of games" if is_percent else "learning games; fewer is faster"
        top, lines = (100.0, (line,)) if is_percent else (None, ())
        return Panel(f"({letter}) {words}", unit, templates, bars, top, lines)

    above = "the paper's best: above"
    alone = Line(PAPER_SINGLE, f"{above} {PAPER_SINGLE:g} %")
    combined = Line(PAPER_TOGETHER, f"{above} {PAPER_TOGETHER:g} %")
    panels = [
        panel("a", "wins v ALP at the end, one set alone", "", FINAL, alone),
        panel("b", "games until both agents win over 50 %, one set alone", "", HALF_TIME, alone),
        panel("c", "wins v ALP at the end, all sets up to", UP_TO, FINAL, combined),
        panel("d", "games until both win over 50 %, all sets up to", UP_TO, HALF_TIME, combined),
    ]
    series = ["LI: location independent", "LD: location dependent"]
    count = table.rows[0].n
    words = f"mean of {count} runs; a number over a bar: only so many runs got there"
    return draw_panels(title, words, series, panels)


def _is_alone(name: str, location: str) -> bool:
    return not name.startswith(UP_TO) and name.endswith(f":{location}")


EXPERIMENT = Experiment(SetStudySettings(), QUICK, run, draw)
