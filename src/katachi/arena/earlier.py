"""A ladder that goes on from the report of an earlier one, whose games are not kept."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from katachi.arena.database import (
    Contestant,
    Database,
    EarlierReport,
    EarlierResults,
    differences,
)
from katachi.arena.outcome import Ending
from katachi.arena.rating import check_anchor
from katachi.arena.report import RankedPlayer, Report, games_of, read_report
from katachi.arena.roster import MOST_GAMES, Roster
from katachi.errors import KatachiError

ENDINGS = {ending.value for ending in Ending}


def go_on_from(
    path: Path, database: Database, roster: Roster, contestants: list[Contestant]
) -> list[str]:
    """Lets the results of a report count in a ladder that has no games yet, for its ratings and
    for what its schedule still lacks; a line for each player that has changed since.

    A player is the same if its name and its configuration are. The old games of one that is not
    count for it as it was, as they would in its database. The games of unrated players are left
    out, for a report does not say how they played. Once done, the same report changes nothing.
    Raises KatachiError, naming the file, for other settings and for what cannot be a result.
    """
    report = read_report(path)
    try:
        _check(report, roster)
        found = {player.name: _contestant(player, report) for player in report.ranking}
        if database.earlier_reports() != _sources(report):
            _take_up(database, report, found)
    except KatachiError as error:
        raise KatachiError(f"{path}: {error}") from None
    changed = [
        (new.name, found[new.name].digest)
        for new in contestants
        if new.name in found and found[new.name].digest != new.digest
    ]
    return [
        f"{name} is not what it was in {path}: its {games_of(report, name):,} games there count "
        f"for {name}#{digest[:6]}"
        for name, digest in changed
    ]


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
    return Contestant(player.name.partition("#")[0], player.spec, configuration, anchor)


def _take_up(database: Database, report: Report, found: dict[str, Contestant]) -> None:
    """Enters the players, those of an old configuration first, and their results."""
    database.agree_on(report.settings)
    ids = {name: database.enter(found[name]) for name in sorted(found, key=_is_newest)}
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
    database.add_earlier(EarlierResults(scores, losses, _sources(report)))


def _is_newest(label: str) -> bool:
    return "#" not in label


def _sources(report: Report) -> list[EarlierReport]:
    """Where the games of a report come from: those that it went on from, and itself."""
    names = {player.name for player in report.ranking}
    rated = [p for p in report.pairs if p.black in names and p.white in names]
    games = sum(p.wins + p.draws + p.losses for p in rated)
    own = games - sum(each.games for each in report.earlier)
    return [*report.earlier, EarlierReport(report.time, report.commit, own)]
