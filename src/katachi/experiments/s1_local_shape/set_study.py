"""S1-F4: each shape set alone, and with all sets as general or more so, against ALP (Figure 4)."""

import msgspec

from katachi.experiments.protocol import Claim, Experiment, Key, Quantity, Row, Table
from katachi.experiments.runner import Runner, cross
from katachi.experiments.s1_local_shape import trials
from katachi.experiments.table_pictures import Axes, panel_of
from katachi.features import shape_sets
from katachi.pictures.charts import Line, Panel, draw_panels
from katachi.statistics import T_INTERVAL, is_above, is_larger, is_mostly, straightness

ALONE, UP_TO = "template", "up_to"
LABELS = ("{template}:{location}", "up to {up_to}:{location}")
"""A set alone, and with all that are as general or more so."""
LI, LD = (location.value for location in shape_sets.Location)

PAPER_BEST = "2x2"
PAPER_EARLY, PAPER_SINGLE, PAPER_TOGETHER = 25.0, 80.0, 90.0
"""Wins in percent: of 2x2 after 1,000 games, of 2x2 at the end, of sets together at the end."""
STRAIGHT = 0.8
"""R squared from which we call a relation linear."""


class SetStudySettings(trials.TrialSettings, frozen=True, kw_only=True):
    """What is compared, beyond how each is learned."""

    runs: int = 50
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
    claims, notes = (
        claims_of(settings, table),
        [T_INTERVAL, trials.CENSORED, trials.KOMI, trials.BY_GAME],
    )
    return msgspec.structs.replace(table, claims=claims, notes=notes)


def claims_of(settings: SetStudySettings, table: Table) -> list[Claim]:
    """What the paper's section 6 says of Figure 4, held against the table."""
    return [*_claims_of_sets_alone(settings, table), *_claims_of_sets_together(settings, table)]


def _percent(row: Row) -> float:
    return row.ours or 0.0


def _claims_of_sets_alone(settings: SetStudySettings, table: Table) -> list[Claim]:
    alone = [table.row(trials.FINAL, **key) for key in settings.keys(ALONE)]
    best = max(alone, key=_percent)
    is_papers = best.key[ALONE] == PAPER_BEST
    others = [row for row in alone if (row.key[ALONE] == PAPER_BEST) != is_papers]
    is_sure = all(is_larger(best, row) for row in others)
    claims = [
        Claim(
            f"of the sets alone, {PAPER_BEST} does best",
            f"{table.label(best)} does best, {_percent(best):.1f} %",
            is_papers if is_sure else None,
        )
    ]
    if PAPER_BEST in settings.templates:
        early, final = (
            table.row(each, template=PAPER_BEST, location=LI)
            for each in (trials.EARLY, trials.FINAL)
        )
        claims += [
            Claim(
                f"{PAPER_BEST} wins {PAPER_EARLY:g} % within {trials.EARLY_GAMES:,} games",
                f"{table.label(early)}: {_percent(early):.1f} %",
                is_above(early, PAPER_EARLY),
            ),
            Claim(
                f"{PAPER_BEST} ends above {PAPER_SINGLE:g} %",
                f"{table.label(final)}: {_percent(final):.1f} %",
                is_above(final, PAPER_SINGLE),
            ),
        ]
    return [*claims, _claim_of_locations(settings, table, ALONE), _claim_of_speed(settings, table)]


def _claim_of_speed(settings: SetStudySettings, table: Table) -> Claim:
    """Small location independent shapes are learned faster than dependent ones."""
    small = [
        each.name for each in shape_sets.TEMPLATES if each.cells <= shape_sets.LARGEST_EXACT.cells
    ]
    templates = [name for name in settings.templates if name in small]

    def time(template: str, location: str) -> Row:
        row = table.row(trials.HALF_TIME, template=template, location=location)
        if row.ours is not None:
            return row
        # Runs that never got there count with all their games, as elsewhere.
        return msgspec.structs.replace(row, low=settings.games, high=settings.games)

    slower = [is_larger(time(t, LD), time(t, LI)) for t in templates]
    text = "sets alone: small location independent shapes are learned faster than dependent ones"
    return Claim(text, _text_of_pairs(slower, "templates up to 3x3"), is_mostly(slower))


def _text_of_pairs(verdicts: list[bool | None], of: str) -> str:
    """How many pairs of intervals part, and to which side."""
    count, against = verdicts.count(True), verdicts.count(False)
    overlapping = len(verdicts) - count - against
    return (
        f"for {count} of {len(verdicts)} {of}, the other way for {against}; the intervals of "
        f"{overlapping} overlap"
    )


def _claim_of_locations(settings: SetStudySettings, table: Table, kind: str) -> Claim:
    """Location independent sets do better than dependent ones."""

    def final(template: str, location: str) -> Row:
        return table.row(trials.FINAL, **{kind: template, "location": location})

    better = [is_larger(final(t, LI), final(t, LD)) for t in settings.templates]
    how = "alone" if kind == ALONE else "together"
    text = f"sets {how}: location independent does better than dependent"
    return Claim(text, _text_of_pairs(better, "templates"), is_mostly(better))


def _claims_of_sets_together(settings: SetStudySettings, table: Table) -> list[Claim]:
    rows = [table.row(trials.FINAL, **key) for key in settings.keys(UP_TO)]
    best = max(rows, key=_percent)
    above = [is_above(row, PAPER_TOGETHER) for row in rows]
    highest = Claim(
        f"several sets together surpass {PAPER_TOGETHER:g} %",
        f"{above.count(True)} of {len(rows)} settings do for sure; the best is "
        f"{table.label(best)}, {_percent(best):.1f} %",
        True if True in above else None if None in above else False,
    )
    return [highest, _claim_of_locations(settings, table, UP_TO), _claim_of_time(settings, table)]


def _claim_of_time(settings: SetStudySettings, table: Table) -> Claim:
    """Learning time grows linearly with the number of sets."""
    rows = [table.row(trials.HALF_TIME, **key) for key in settings.keys(UP_TO)]
    known = [(row.key, row.ours) for row in rows if row.ours is not None]
    counts = [float(len(shape_sets.parse_sets(sets_of(key)))) for key, _ in known]
    fit = straightness(counts, [games for _, games in known])
    text = "too few settings get there" if fit is None else f"R squared of a line is {fit:.2f}"
    paper = "learning time grows about linearly with the number of sets"
    ours = f"{text} ({len(known)} of {len(rows)} settings)"
    return Claim(paper, ours, None if fit is None else fit >= STRAIGHT)


def draw(table: Table, title: str) -> str:
    """The four bar charts of Figure 4."""

    def panel(text: str, kind: str, quantity: Quantity, paper: float) -> Panel:
        is_percent = quantity.unit == "%"
        unit = "% of games" if is_percent else "learning games; fewer is faster"
        line = Line(paper, f"the paper's best: above {paper:g} %")
        top, lines = (100.0, (line,)) if is_percent else (None, ())
        found = panel_of(table, quantity, Axes(kind, "location"), text, top, lines)
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


EXPERIMENT = Experiment(SetStudySettings(), QUICK, run, draw)
