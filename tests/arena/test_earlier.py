"""A ladder goes on from the report of one whose file is lost."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from katachi.arena.database import Contestant, Database
from katachi.arena.earlier import Earlier, go_on_from
from katachi.arena.ladder import Ladder
from katachi.arena.report import (
    PairLine,
    Report,
    cross_table,
    make_report,
    notes,
    ranking_table,
    read_report,
    write_report,
)
from katachi.arena.report_picture import svg_from_report
from katachi.arena.roster import Roster
from katachi.errors import KatachiError
from tests.arena.test_ladder import by_strength, numbers_played, roster_of

STRENGTHS = by_strength({"random": -170.0, "influence": 500.0, "alp": 600.0, "other": 550.0})
OLD = roster_of("random", "influence", "alp", games=8)
NEW = roster_of("random", "influence", "alp", "other", games=8)


def entered(roster: Roster, version: str = "1") -> list[Contestant]:
    return [
        Contestant(p.name, p.spec, {"spec": p.spec, "katachi": version}, p.anchor)
        for p in roster.players
    ]


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a ladder of three players, played to its end."""
    folder = tmp_path_factory.mktemp("earlier")
    with Database(folder / "lost.db") as database:
        list(Ladder(OLD, entered(OLD), database).play(STRENGTHS))
        report = make_report(database)
    write_report(msgspec.structs.replace(report, failures={"alp": {"time": 2}}), folder / "a.json")
    return folder / "a.json"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "new.db") as opened:
        yield opened


def pair_games(report: Report) -> dict[frozenset[str], int]:
    games: dict[frozenset[str], int] = {}
    for pair in report.pairs:
        key = frozenset((pair.black, pair.white))
        games[key] = games.get(key, 0) + pair.wins + pair.draws + pair.losses
    return games


def test_old_results_count_as_if_their_games_were_there(earlier: Path, database: Database) -> None:
    old = read_report(earlier)
    assert go_on_from(Earlier(earlier), database, OLD, entered(OLD)) == []
    ladder = Ladder(OLD, entered(OLD), database)
    assert ladder.count_missing() == 0
    new = make_report(database)
    assert new.ranking == old.ranking
    assert pair_games(new) == pair_games(old)
    assert (new.games, new.stopped, new.failures) == (old.games, 0, {"alp": {"time": 2}})
    assert [(each.games, each.commit) for each in new.earlier] == [(old.games, old.commit)]
    text = f"{old.games} of the games are those of an earlier report, {old.time[:10]}, commit "
    assert f"{text}{old.commit}." in notes(new)


def test_only_what_is_lacking_is_played_and_no_game_twice(
    earlier: Path, database: Database
) -> None:
    known = pair_games(read_report(earlier))
    go_on_from(Earlier(earlier), database, NEW, entered(NEW))
    list(Ladder(NEW, entered(NEW), database).play(STRENGTHS))
    played = numbers_played(database)
    assert any("other" in pair for pair in played)
    for pair, numbers in played.items():
        first = known.get(frozenset(pair), 0)
        assert numbers == set(range(first, first + len(numbers)))
    report = make_report(database)
    assert report.games == database.count_games() + read_report(earlier).games
    ranking = [player.name for player in report.ranking]
    assert all(pair_games(report)[frozenset(p)] >= 8 for p in pairwise(ranking))


def test_the_same_report_again_changes_nothing(earlier: Path, database: Database) -> None:
    for _ in range(2):
        go_on_from(Earlier(earlier), database, NEW, entered(NEW))
        games = Ladder(NEW, entered(NEW), database).play(STRENGTHS)
        next(games)
        games.close()  # type: ignore[attr-defined]
    assert make_report(database).games == read_report(earlier).games + 2


def test_a_file_with_games_goes_on_from_no_report(earlier: Path, database: Database) -> None:
    next(Ladder(OLD, entered(OLD), database).play(STRENGTHS))
    with pytest.raises(KatachiError, match="has games already: only a new file"):
        go_on_from(Earlier(earlier), database, OLD, entered(OLD))
    assert make_report(database).games == 1


def test_a_report_names_all_that_it_goes_back_to(
    earlier: Path, database: Database, tmp_path: Path
) -> None:
    go_on_from(Earlier(earlier), database, NEW, entered(NEW))
    list(Ladder(NEW, entered(NEW), database).play(STRENGTHS))
    second = make_report(database)
    write_report(second, tmp_path / "b.json")
    with Database(tmp_path / "third.db") as third:
        go_on_from(Earlier(tmp_path / "b.json"), third, NEW, entered(NEW))
        report = make_report(third)
    first = read_report(earlier).games
    assert [each.games for each in report.earlier] == [first, second.games - first]
    assert report.failures == second.failures
    assert report.ranking == second.ranking


def test_a_player_that_has_changed_begins_anew(earlier: Path, database: Database) -> None:
    changed = [*entered(OLD)[:2], entered(OLD, version="2")[2]]
    (line,) = go_on_from(Earlier(earlier), database, OLD, changed)
    digest = entered(OLD)[2].digest[:6]
    assert line.startswith("alp is not what it was in ")
    assert line.endswith(f"games there count for alp#{digest}")
    ladder = Ladder(OLD, changed, database)
    assert ladder.count_missing() >= 8
    assert f"alp#{digest}" in ladder.fit.elo()
    assert "alp" not in ladder.fit.elo()


def test_a_player_as_it_was_counts_but_has_no_place_in_the_tables(
    earlier: Path, database: Database
) -> None:
    changed = [*entered(OLD)[:2], entered(OLD, version="2")[2]]
    go_on_from(Earlier(earlier), database, OLD, changed)
    list(Ladder(OLD, changed, database).play(STRENGTHS))
    report = make_report(database)
    (old,) = report.former
    assert old.name.startswith("alp#")
    assert [each.name for each in report.current] == [
        each.name for each in report.ranking if each != old
    ]
    for table in (ranking_table(report), cross_table(report)):
        assert [row[1] for row in table.rows] == [each.name for each in report.current]
    (line,) = [line for line in notes(report) if "as they were before" in line]
    assert line.endswith(f"alp ({old.games:,} games).")
    assert not any("#" in line for line in notes(report))
    assert old.name not in svg_from_report(report)


def test_who_is_said_to_be_the_same_is(earlier: Path, database: Database) -> None:
    changed = entered(OLD, version="2")
    given = Earlier(earlier, ("alp", "influence", "random"))
    for _ in range(2):
        assert go_on_from(given, database, OLD, changed) == []
        assert Ladder(OLD, changed, database).count_missing() == 0
    report = make_report(database)
    old = {player.name: player.elo for player in read_report(earlier).ranking}
    assert {player.name: player.elo for player in report.ranking} == old
    assert report.earlier[0].same == ["alp", "influence", "random"]
    words = "Taken for the same players, though stored otherwise then: alp, influence, random."
    assert any(words in line for line in notes(report))


def test_nobody_else_is_the_same(earlier: Path, database: Database) -> None:
    with pytest.raises(KatachiError, match="--same other: it has no such player"):
        go_on_from(Earlier(earlier, ("other",)), database, NEW, entered(NEW))


def of_other_settings(report: Report) -> Report:
    return msgspec.structs.replace(report, settings=report.settings | {"komi": 6.5})


def of_wrong_counts(report: Report) -> Report:
    return msgspec.structs.replace(report, pairs=[PairLine("alp", "random", 10**12, 0, 0)])


def of_one_player(report: Report) -> Report:
    return msgspec.structs.replace(report, pairs=[PairLine("alp", "alp", 1, 0, 0)])


def of_wrong_failures(report: Report) -> Report:
    return msgspec.structs.replace(report, failures={"alp": {"boredom": 1}})


def of_another_digest(report: Report) -> Report:
    first = msgspec.structs.replace(report.ranking[0], digest="0" * 64)
    return msgspec.structs.replace(report, ranking=[first, *report.ranking[1:]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of_other_settings, r"other settings \(komi 6.5, not 7.5\)"),
        (of_wrong_counts, "alp - random: use 0 to 1,000,000 games"),
        (of_one_player, "CHECK constraint"),
        (of_wrong_failures, "alp cannot have lost so: {'boredom': 1}"),
        (of_another_digest, "the digest is not that of the configuration"),
    ],
)
def test_what_cannot_be_taken_up_is_one_line_and_nothing_changes(
    earlier: Path,
    database: Database,
    tmp_path: Path,
    change: Callable[[Report], Report],
    words: str,
) -> None:
    write_report(change(read_report(earlier)), tmp_path / "bad.json")
    with pytest.raises(KatachiError, match=words) as error:
        go_on_from(Earlier(tmp_path / "bad.json"), database, OLD, entered(OLD))
    assert "bad.json: " in str(error.value)
    assert "\n" not in str(error.value)
    assert not database.earlier_reports()
    assert not database.scores()
