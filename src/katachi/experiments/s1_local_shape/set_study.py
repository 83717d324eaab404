"""S1-F4: each shape set alone, and with all sets as general or more so, against ALP (Figure 4)."""

import msgspec

from katachi.experiments.bounds import Count
from katachi.experiments.claims import (
    Tested,
    gap,
    judge_above,
    judge_below,
    leave_open,
    mean_gap,
    number_of,
)
from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table, Verdict
from katachi.experiments.runner import Runner, cross
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features import shape_sets
from katachi.pictures.charts import Bar, Line, Panel, draw_panels
from katachi.statistics import T_INTERVAL, is_above, slope_of, straightness

ALONE, UP_TO = "template", "up_to"
LABELS = ("{template}:{location}", "up to {up_to}:{location}")
"""A set alone, and with all that are as general or more so."""
LI, LD = (location.value for location in shape_sets.Location)

PAPER_BEST = "2x2"
PAPER_EARLY, PAPER_SINGLE, PAPER_TOGETHER = 25.0, 80.0, 90.0
"""Wins in percent: of 2x2 after 1,000 games, of 2x2 at the end, of sets together at the end."""
STRAIGHT = 0.8
"""R squared from which we call a relation linear."""
LEFT_OUT = "Times that are lower bounds are left out of the claims' fits and differences."


class SetStudySettings(trials.TrialSettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: Count = 50
    """Independent runs of each setting."""
    templates: tuple[str, ...] = tuple(template.name for template in shape_sets.TEMPLATES)
    """The templates, each location independent and dependent, alone and with smaller ones."""

    def keys(self, kind: str) -> list[Key]:
        """The settings of sets alone or of sets together."""
        places = [location.value for location in shape_sets.Location]
        pairs = cross(location=places, template=self.templates)
        return [{kind: each["template"], "location": each["location"]} for each in pairs]


QUICK = SetStudySettings(
    runs=2, templates=("1x1", "2x2", "4x3"), games=100, test_every=50, test_games=10, final_games=20
)


def sets_of(key: Key) -> str:
    """The sets of a setting."""
    if ALONE in key:
        return f"{key[ALONE]}:{key['location']}"
    sets = shape_sets.sets_up_to(*shape_sets.parse_sets(f"{key[UP_TO]}:{key['location']}"))
    return ",".join(each.name for each in sets if each.family is shape_sets.Family.SHAPE)


def run(settings: SetStudySettings, seed: int, runner: Runner) -> Table:
    """Learns and tests every setting as often as the settings say."""
    keys = [*settings.keys(ALONE), *settings.keys(UP_TO)]
    trainings = [(key, settings.training(sets_of(key), 1)) for key in keys]
    table = trials.learn_all("S1-F4", settings, seed, runner, LABELS, trainings)
    notes = [T_INTERVAL, trials.CENSORED, LEFT_OUT, trials.KOMI, trials.BY_GAME]
    return msgspec.structs.replace(table, notes=notes)


def judge(table: Table) -> list[Claim]:
    """What the paper's section 6 says of Figure 4, held against the table."""
    claims = [claim_of_best(table, trials.FINAL), *_claims_of_papers_best(table)]
    claims += [_claim_of_locations(table, ALONE), *_claims_of_speed(table, ALONE)]
    claims += [_claim_of_highest(table), _claim_of_locations(table, UP_TO)]
    return [*claims, *_claims_of_speed(table, UP_TO), *_claims_of_time(table)]


def _percent(row: Row) -> float:
    return row.ours or 0.0


def claim_of_best(table: Table, quantity: Quantity, where: str = "") -> Claim:
    """The paper's best set beside the best of the other templates."""
    rows = [row for row in table.rows_of(quantity) if ALONE in row.key]
    papers, others = (
        [row for row in rows if (row.key[ALONE] == PAPER_BEST) == is_papers]
        for is_papers in (True, False)
    )
    one, other = (max(each, key=_percent) for each in (papers, others))
    named = [f"{table.label(row)} {_percent(row):.1f} %" for row in (one, other)]
    ours = f"{named[0]}; the best of the others {named[1]}"
    return judge_above((f"{where}of the sets alone, {PAPER_BEST} does best", ours), gap(one, other))


def _claims_of_papers_best(table: Table) -> list[Claim]:
    early, final = (
        table.row(each, template=PAPER_BEST, location=LI) for each in (trials.EARLY, trials.FINAL)
    )
    words = f"{PAPER_BEST} wins {PAPER_EARLY:g} % within {trials.EARLY_GAMES:,} games"
    claims = [
        (words, early, PAPER_EARLY),
        (f"{PAPER_BEST} ends above {PAPER_SINGLE:g} %", final, PAPER_SINGLE),
    ]
    return [
        judge_above((text, f"{table.label(row)}: {row.ours:.1f} %"), number_of(row, 1, " %"), bound)
        for text, row, bound in claims
    ]


def pairs_of(table: Table, quantity: Quantity, kind: str) -> list[tuple[Row, Row]]:
    """(location independent, dependent) of each template that has both, censored ones left out."""
    rows = [row for row in table.rows_of(quantity) if kind in row.key and is_complete(row)]
    by_key = {(row.key[kind], row.key["location"]): row for row in rows}
    return [
        (row, by_key[template, LD])
        for (template, location), row in by_key.items()
        if location == LI and (template, LD) in by_key
    ]


def words_of_pairs(pairs: list[tuple[Row, Row]], unit: str) -> str:
    """The mean difference, and how many pairs are decided each by itself."""
    differences = [gap(*pair).number for pair in pairs]
    sides = [is_above(each, 0.0) for each in differences]
    mean = mean_gap(pairs).number.value
    digits = 0 if abs(mean) > 100 else 1
    return (
        f"{mean:+,.{digits}f} {unit} on average over {len(pairs)} templates; taken one by one "
        f"more for {sides.count(True)}, less for {sides.count(False)}, not decided for "
        f"{sides.count(None)}"
    )


def _claim_of_locations(table: Table, kind: str) -> Claim:
    """Location independent sets do better than dependent ones."""
    pairs = pairs_of(table, trials.FINAL, kind)
    how = "alone" if kind == ALONE else "together"
    text = f"sets {how}: location independent does better than dependent"
    return judge_above((text, words_of_pairs(pairs, "points of wins")), mean_gap(pairs))


SPEED = {
    ALONE: "sets alone: small location independent shapes are learned faster than dependent ones",
    UP_TO: "sets together: location independent ones again learn faster than dependent ones",
}


def _claims_of_speed(table: Table, kind: str) -> list[Claim]:
    """Location independent shapes are learned faster than dependent ones: alone the paper says so
    of small ones, together of all."""
    largest = shape_sets.LARGEST_EXACT if kind == ALONE else shape_sets.TEMPLATES[-1]
    asked = {each.name for each in shape_sets.TEMPLATES if each.cells <= largest.cells}
    pairs = [pair for pair in pairs_of(table, trials.HALF_TIME, kind) if pair[0].key[kind] in asked]
    if not pairs:
        return []
    times = [row for row in table.rows_of(trials.HALF_TIME) if row.key.get(kind) in asked]
    used = {one.key[kind] for one, _ in pairs}
    out = [f"{table.label(r)} ({r.remark or 'all runs'})" for r in times if r.key[kind] not in used]
    left = f"; left out: {', '.join(out)}" if out else ""
    words, by = (SPEED[kind], words_of_pairs(pairs, "games") + left), mean_gap(pairs, 0)
    if len(out) >= len(times) / 2:
        return [leave_open(words, by, "undecided where half of the templates are left out or more")]
    return [judge_below(words, by)]


def _claim_of_highest(table: Table) -> Claim:
    rows = [row for row in table.rows_of(trials.FINAL) if UP_TO in row.key]
    best = max(rows, key=_percent)
    ours = f"the best of {len(rows)} settings is {table.label(best)}, {_percent(best):.1f} %"
    words = f"several sets together surpass {PAPER_TOGETHER:g} %", ours
    return judge_above(words, number_of(best, 1, " %"), PAPER_TOGETHER)


def is_complete(row: Row) -> bool:
    """Whether every run got there: else a time is a lower bound, and no part of a fit."""
    return row.ours is not None and not row.remark


def _claims_of_time(table: Table) -> list[Claim]:
    """Learning time grows linearly with the number of sets: all settings, then by location."""
    rows = [row for row in table.rows_of(trials.HALF_TIME) if UP_TO in row.key]
    known = [row for row in rows if is_complete(row)]
    parts = {"": known}
    for where in (LD, LI):
        parts[f", {where} alone"] = [row for row in known if row.key["location"] == where]
    return [
        claim
        for words, part in parts.items()
        if (claim := _claim_of_line(words, part, len(rows) if not words else 0))
    ]


def _claim_of_line(words: str, rows: list[Row], asked: int) -> Claim | None:
    counts = [float(len(shape_sets.parse_sets(sets_of(row.key)))) for row in rows]
    games = [row.ours or 0.0 for row in rows]
    rise, fit = slope_of(counts, games), straightness(counts, games)
    if rise is None or fit is None:
        return None
    out = f", {asked - len(rows)} censored ones left out" if asked else ""
    ours = f"{rise.value:+,.0f} games a set, R squared {fit:.2f} ({len(rows)} settings{out})"
    by = Tested(rise, len(rows), 0, "", "95 % interval of the slope")
    paper = f"learning time grows about linearly with the number of sets{words}"
    claim = judge_above((paper, ours), by)
    is_bent = claim.verdict is Verdict.YES and fit < STRAIGHT
    rule = f"{claim.rule}; undecided where R squared is below {STRAIGHT:g}"
    verdict = Verdict.UNDECIDED if is_bent else claim.verdict
    return msgspec.structs.replace(claim, rule=rule, verdict=verdict)


def _known(bar: Bar) -> Bar:
    """A bar, or its words alone where not every run got there."""
    return Bar(None, words=bar.words) if bar.words else bar


def draw(table: Table, title: str) -> str:
    """The four bar charts of Figure 4."""

    def panel(text: str, kind: str, quantity: Quantity, paper: float) -> Panel:
        is_percent = quantity.unit == "%"
        unit = "% of games" if is_percent else "learning games; fewer is faster"
        line = Line(paper, f"the paper's best: above {paper:g} %")
        top, lines = (100.0, (line,)) if is_percent else (None, ())
        found = panel_of(table, quantity, Axes(kind, "location"), text, top, lines)
        if kind == UP_TO:  # a lower bound would flatten all others
            found = found._replace(bars=[[_known(bar) for bar in bars] for bars in found.bars])
        return found._replace(unit=unit)

    panels = [
        panel("(a) wins v ALP at the end, one set alone", ALONE, trials.FINAL, PAPER_SINGLE),
        panel(
            "(b) games until both agents win over 50 %, one set alone", ALONE, trials.HALF_TIME, 0.0
        ),
        panel("(c) wins v ALP at the end, all sets up to", UP_TO, trials.FINAL, PAPER_TOGETHER),
        panel("(d) games until both win over 50 %, all sets up to", UP_TO, trials.HALF_TIME, 0.0),
    ]
    series = ["LI: location independent", "LD: location dependent"]
    count = table.rows[0].n
    text = f"mean of {count} runs; a number over a bar: only so many runs got there"
    return draw_panels(title, text, series, panels)


EXPERIMENT = Experiment(SetStudySettings(), QUICK, run, draw, judge)
