"""What a ladder says: a ranking with intervals, a cross table, and everything needed to check them.

A report is plain data. It is made from a database, kept as JSON, and every table and picture is
made from it alone, so that a committed report is enough to write them again.
"""

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from statistics import median_low
from typing import Any, NamedTuple

import msgspec

from katachi.arena.database import Database, StoredGame, time_now
from katachi.arena.ladder import fit_database
from katachi.arena.rating import FitSettings, PairScore, Rating
from katachi.arena.schema import EarlierReport, is_former, name_of
from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.files.provenance import commit_of_tree, versions
from katachi.rules.color import BLACK, WHITE

FORMAT = 1
MODEL = (
    "Bradley-Terry in Elo, maximum a posteriori; a draw is half a win; anchors fixed; "
    "95 % intervals from the observed information, given the anchors"
)


class RankedPlayer(msgspec.Struct, frozen=True):
    """A line of the ranking."""

    name: str
    elo: float
    error: float
    """Half the 95 % interval."""
    low: float
    high: float
    games: int
    score: float
    is_anchor: bool
    spec: str
    configuration: str
    digest: str


class PairLine(msgspec.Struct, frozen=True):
    """Counted results of one player with Black against another."""

    black: str
    white: str
    wins: int
    draws: int
    losses: int


class FitLine(msgspec.Struct, frozen=True):
    """How the ratings were fitted."""

    model: str
    anchors: dict[str, float]
    prior_draws: float
    """Virtual draws of each player, shared among its opponents."""
    black_advantage: float | None = None
    """In Elo, where it was fitted."""
    black_advantage_error: float | None = None


class Report(msgspec.Struct, frozen=True):
    """All that is reported about a ladder."""

    format: int
    name: str
    time: str
    seed: int
    settings: dict[str, Any]
    games: int
    """Games that count; `stopped` others had no result."""
    stopped: int
    fit: FitLine
    ranking: list[RankedPlayer]
    """Best first."""
    unrated: list[list[str]]
    """Groups of players whose games lead to no anchor."""
    pairs: list[PairLine]
    failures: dict[str, dict[str, int]]
    """How often each player lost otherwise than by score or resignation."""
    versions: dict[str, str]
    commit: str
    earlier: list[EarlierReport] = []
    """Whose games are counted here, too, though the database has their results only."""

    @property
    def current(self) -> list[RankedPlayer]:
        """The ranking of players as they are now: games of one as it was before it changed count
        for the others' ratings, but it has no place of its own."""
        return [player for player in self.ranking if not is_former(player.name)]

    @property
    def former(self) -> list[RankedPlayer]:
        """The others."""
        return [player for player in self.ranking if is_former(player.name)]

    def scores(self) -> list[PairScore]:
        """The counted results, as a fit takes them."""
        return [PairScore(p.black, p.white, p.wins, p.draws, p.losses) for p in self.pairs]

    def fit_settings(self) -> FitSettings:
        """How to fit the ratings again."""
        fit = self.fit
        return FitSettings(fit.anchors, fit.prior_draws, fit.black_advantage is not None)


class TextTable(NamedTuple):
    """A table of texts: the first two columns are left, the others right of their column."""

    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def make_report(database: Database) -> Report:
    """The report of a database as it stands; its ratings are fitted again."""
    fit, settings = fit_database(database)
    players = {player.label: player for player in database.players()}
    terms = database.terms()
    scores = database.scores()
    counted = round(sum(score.games for score in scores))
    earlier = database.earlier_reports()
    return Report(
        format=FORMAT,
        name=str(terms.get("name", "ladder")),
        time=time_now(),
        seed=int(terms.get("seed", 0)),
        settings=database.settings(),
        games=counted,
        stopped=database.count_games() + sum(each.games for each in earlier) - counted,
        fit=FitLine(
            MODEL,
            dict(settings.anchors),
            settings.prior_draws,
            _rounded(fit.black_advantage),
            _rounded(fit.black_advantage_error),
        ),
        ranking=[
            _ranked(rating, p.spec, p.configuration, p.digest)
            for rating in fit.ratings
            for p in [players[rating.name]]
        ],
        unrated=[list(group) for group in fit.unrated],
        pairs=[PairLine(s.black, s.white, *map(round, s[2:])) for s in scores],
        failures=_failures(database),
        versions=versions(),
        commit=commit_of_tree(),
        earlier=earlier,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _ranked(rating: Rating, spec: str, configuration: str, digest: str) -> RankedPlayer:
    low, high = rating.interval
    elo, error, low, high = (round(value, 2) for value in (rating.elo, rating.error, low, high))
    return RankedPlayer(
        name=rating.name,
        elo=elo,
        error=error,
        low=low,
        high=high,
        games=rating.games,
        score=rating.score,
        is_anchor=rating.is_anchor,
        spec=spec,
        configuration=configuration,
        digest=digest,
    )


def _failures(database: Database) -> dict[str, dict[str, int]]:
    failures: dict[str, dict[str, int]] = {}
    for (label, ending), count in database.endings().items():
        if ending.value not in ("score", "resign"):
            failures.setdefault(label, {})[ending.value] = count
    return failures


def write_report(report: Report, path: str | Path) -> None:
    """Writes a report as JSON; the old file stays whole until the new one is."""
    text = msgspec.json.format(msgspec.json.encode(report), indent=1)
    write_atomically(Path(path), text + b"\n")


def read_report(path: str | Path) -> Report:
    """A report from its JSON file; raises KatachiError if it is none of this format."""
    try:
        report = msgspec.json.decode(Path(path).read_bytes(), type=Report)
    except OSError as error:
        raise KatachiError(f"{path}: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise KatachiError(f"{path} is not the report of a ladder: {error}") from None
    if report.format != FORMAT:
        raise KatachiError(f"{path} has format {report.format}, but this katachi reads {FORMAT}")
    return report


def ranking_table(report: Report) -> TextTable:
    """Rank, player, Elo, 95 % interval, games and share of the points."""
    rows: list[tuple[str, ...]] = []
    for rank, player in enumerate(report.current, 1):
        error = "anchor" if player.is_anchor else f"± {player.error:.0f}"
        share = f"{player.score / player.games:.1%}" if player.games else ""
        elo = elo_text(player.elo)
        rows.append((str(rank), player.name, elo, error, f"{player.games:,}", share))
    rows += [
        ("", name, "unrated", "", f"{games_of(report, name):,}", "")
        for group in report.unrated
        for name in group
    ]
    return TextTable(("", "player", "Elo", "95 %", "games", "score"), rows)


def elo_text(elo: float) -> str:
    """A rating in whole points, with a true minus sign."""
    return f"{elo:.0f}".replace("-", "\N{MINUS SIGN}")


def games_of(report: Report, name: str) -> int:
    """How many counted games a player has."""
    pairs = [p for p in report.pairs if name in (p.black, p.white)]
    return sum(p.wins + p.draws + p.losses for p in pairs)


def cross_table(report: Report) -> TextTable:
    """Points of each player out of the games against each other; columns are ranks."""
    names = [player.name for player in report.current]
    names += [name for group in report.unrated for name in group]
    points = points_of_pairs(report.pairs)
    rows = []
    for rank, name in enumerate(names, 1):
        cells = [_cell(points.get((name, other))) if other != name else "·" for other in names]
        rows.append((str(rank), name, *cells))
    return TextTable(("", "player", *(str(n) for n in range(1, len(names) + 1))), rows)


def points_of_pairs(pairs: Iterable[PairLine]) -> dict[tuple[str, str], tuple[float, int]]:
    """(points, games) of each player against each other, colours taken together."""
    points: dict[tuple[str, str], tuple[float, int]] = {}
    for pair in pairs:
        games = pair.wins + pair.draws + pair.losses
        for key, won in (
            ((pair.black, pair.white), pair.wins + pair.draws / 2),
            ((pair.white, pair.black), pair.losses + pair.draws / 2),
        ):
            before = points.get(key, (0.0, 0))
            points[key] = before[0] + won, before[1] + games
    return points


def _cell(result: tuple[float, int] | None) -> str:
    return "" if result is None else f"{result[0]:g}/{result[1]}"


def result_text(game: StoredGame) -> str:
    """Who won a game and how, such as B+3.5 or W+resign."""
    side = {BLACK: "B+", WHITE: "W+"}.get(game.winner, "")
    how = game.ending.value if game.margin is None else f"{game.margin:g}"
    return f"{side}{how}"


def settings_line(report: Report) -> str:
    """The terms of the games and of the fit, in one line."""
    settings = report.settings
    size = settings.get("size", "?")
    parts = [f"{size}x{size}", f"komi {settings.get('komi', 0):g}"]
    parts.append(f"{settings.get('rules')} rules")
    time = settings.get("time")
    parts.append(f"{time['main']:g} s + {time['increment']:g} s" if time else "no clock")
    if settings.get("opening_moves"):
        parts.append(f"{settings['opening_moves']} random opening moves, each opening played twice")
    if settings.get("referee"):
        parts.append(f"counted by {settings['referee']}")
    return f"{', '.join(parts)}; {report.games:,} games"


def notes(report: Report) -> list[str]:
    """What a reader of the ranking must know, a line each."""
    fit = report.fit
    anchors = ", ".join(f"{name} {elo_text(elo)}" for name, elo in fit.anchors.items())
    lines = [
        f"{settings_line(report)}.",
        *_neighbours_note(report),
        f"Bradley-Terry fit with {f'anchors {anchors}' if anchors else 'the mean at 0'}; "
        f"a draw is half a win; the prior is {fit.prior_draws:g} virtual draw a player; "
        "95 % intervals are given the anchors.",
    ]
    if fit.black_advantage is not None and fit.black_advantage_error is not None:
        advantage = f"{fit.black_advantage:.0f} ± {fit.black_advantage_error:.0f}"
        lines.append(f"Moving first is worth {advantage} Elo.")
    lines += map(_earlier_note, report.earlier)
    if report.former:
        each = ", ".join(f"{name_of(p.name)} ({p.games:,} games)" for p in report.former)
        lines.append(f"Counted, but not listed: players as they were before they changed, {each}.")
    if report.unrated:
        groups = "; ".join(", ".join(group) for group in report.unrated)
        lines.append(f"Unrated, because no game leads to an anchor: {groups}.")
    for name, counts in report.failures.items():
        if is_former(name):
            continue
        text = ", ".join(f"{count} by {ending}" for ending, count in counts.items())
        lines.append(f"{name} lost {text}.")
    listed = ", ".join(f"{key} {value}" for key, value in report.versions.items())
    lines.append(f"{listed}; commit {report.commit}; seed {report.seed}.")
    return lines


def _neighbours_note(report: Report) -> list[str]:
    """How often those have met who stand next to each other: on that the ranking rests."""
    points = points_of_pairs(report.pairs)
    names = [player.name for player in report.current]
    games = {pair: points.get(pair, (0.0, 0))[1] for pair in pairwise(names)}
    if not games:
        return []
    usual = median_low(games.values())
    short = [f"{one} and {other} ({n})" for (one, other), n in games.items() if n < usual]
    fewer = f", but for {', '.join(short)}" if short else ""
    return [f"Neighbours in the ranking have {usual:,} games or more with each other{fewer}."]


def _earlier_note(earlier: EarlierReport) -> str:
    words = f"{earlier.games:,} of the games are those of an earlier report, {earlier.time[:10]}"
    same = ", ".join(earlier.same)
    taken = f" Taken for the same players, though stored otherwise then: {same}." if same else ""
    return f"{words}, commit {earlier.commit}.{taken}"


def markdown_table(table: TextTable) -> str:
    """A table as Markdown."""
    marks = ["---:", "---", *["---:"] * (len(table.head) - 2)]
    lines = [table.head, marks, *([_escape(cell) for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _escape(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def markdown_from_report(report: Report) -> str:
    """The whole report as Markdown: ranking, cross table, notes."""
    parts = [
        f"## {_escape(report.name)}\n",
        markdown_table(ranking_table(report)),
        "Points out of games, row against column:\n",
        markdown_table(cross_table(report)),
        "\n".join(f"- {line}" for line in notes(report)) + "\n",
    ]
    return "\n".join(parts)
