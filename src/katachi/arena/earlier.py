"""A ladder that goes on from the report of an earlier one, whose games are not kept."""

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from katachi.arena.database import Contestant, Database, differences
from katachi.arena.outcome import Ending
from katachi.arena.rating import check_anchor
from katachi.arena.report import RankedPlayer, Report, games_of, read_report
from katachi.arena.roster import MOST_GAMES, Roster
from katachi.arena.schema import (
    EarlierReport,
    EarlierResults,
    former_label,
    is_former,
    name_of,
)
from katachi.errors import KatachiError

ENDINGS = {ending.value for ending in Ending}


class Earlier(NamedTuple):
    """What a ladder goes on from."""

    path: Path
    """The report."""
    same: tuple[str, ...] = ()
    """Players who play as they did then, though their configuration is another."""


def go_on_from(
    earlier: Earlier, database: Database, roster: Roster, contestants: list[Contestant]
) -> list[str]:
    """Lets the results of a report count in a ladder that has no games yet, for its ratings and
    for what its schedule still lacks; a line for each player that has changed since.

    A player is the same if its name and its configuration are, or if it is said to be. The old
    games of one that is not count for it as it was, as they would in its database. The games of
    unrated players are left out, for a report does not say how they played. Once done, the same
    report changes nothing. Raises KatachiError, naming the file, for other settings and for what
    cannot be a result.
    """
    path = earlier.path
    report = read_report(path)
    now = {each.name: each for each in contestants}
    try:
        _check(report, roster)
        then = {player.name: _contestant(player, report) for player in report.ranking}
        same = [name for name in earlier.same if _is_moved(name, then, now)]
        found = then | {name: now[name] for name in same}
        if not _is_done(database, report):
            _take_up(database, report, found, same)
    except KatachiError as error:
        raise KatachiError(f"{path}: {error}") from None
    return [
        f"{name} is not what it was in {path}: its {games_of(report, name):,} games there count "
        f"for {former_label(name, found[name].digest)}"
        for name in now
        if name in found and found[name].digest != now[name].digest
    ]


def _is_moved(name: str, then: dict[str, Contestant], now: dict[str, Contestant]) -> bool:
    """Whether a player that is said to be the same has another configuration; raises KatachiError
    for one that is not in both lists, or that had another spec."""
    if name not in then or name not in now or then[name].spec != now[name].spec:
        raise KatachiError(f"--same {name}: it has no such player, or the roster has none")
    return then[name].digest != now[name].digest


def _check(report: Report, roster: Roster) -> None:
    """Raises KatachiError for games of another kind and for counts that are none."""
    others = differences(report.settings, roster.settings.describe())
    if others:
        raise KatachiError(f"its games had other settings ({others})")
    for pair in report.pairs:
        if not all(0 <= games <= MOST_GAMES for games in (pair.wins, pair.draws, pair.losses)):
            raise KatachiError(f"{pair.black} - {pair.white}: use 0 to {MOST_GAMES:,} games")
    for name, counts in report.failures.items():
        if not (set(counts) <= ENDINGS and all(0 <= n <= MOST_GAMES for n in counts.values())):
            raise KatachiError(f"{name} cannot have lost so: {counts}")


def _contestant(player: RankedPlayer, report: Report) -> Contestant:
    """A player as it entered; raises KatachiError where its configuration is not the one that the
    digest is of."""
    text = player.configuration.encode()
    if sha256(text).hexdigest() != player.digest:
        raise KatachiError(f"{player.name}: the digest is not that of the configuration")
    try:
        configuration = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise KatachiError(f"{player.name}: the configuration is not a JSON object") from None
    anchor = report.fit.anchors.get(player.name)
    if anchor is not None:
        check_anchor(player.name, anchor)
    return Contestant(name_of(player.name), player.spec, configuration, anchor)


def _is_done(database: Database, report: Report) -> bool:
    """Whether the results of the report count in the database."""
    known = [msgspec.structs.replace(each, same=[]) for each in database.earlier_reports()]
    return known == [msgspec.structs.replace(each, same=[]) for each in _sources(report, [])]


def _take_up(
    database: Database, report: Report, found: dict[str, Contestant], same: list[str]
) -> None:
    """Enters the players, those of an old configuration first, and their results."""
    database.agree_on(report.settings)
    ids = {name: database.enter(found[name]) for name in sorted(found, key=is_former, reverse=True)}
    scores = [
        (ids[pair.black], ids[pair.white], pair.wins, pair.draws, pair.losses)
        for pair in report.pairs
        if pair.black in ids and pair.white in ids
    ]
    losses = [
        (ids[name], ending, games)
        for name, counts in report.failures.items()
        for ending, games in counts.items()
        if name in ids
    ]
    database.add_earlier(EarlierResults(scores, losses, _sources(report, same)))


def _sources(report: Report, same: list[str]) -> list[EarlierReport]:
    """Where the games of a report come from: those that it went on from, and itself."""
    names = {player.name for player in report.ranking}
    rated = [p for p in report.pairs if p.black in names and p.white in names]
    games = sum(p.wins + p.draws + p.losses for p in rated)
    own = games - sum(each.games for each in report.earlier)
    return [*report.earlier, EarlierReport(report.time, report.commit, own, same)]
