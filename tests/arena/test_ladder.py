"""A ladder plays what is lacking, stores it, and goes on after whatever stopped it."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.arena.database import Contestant, Database
from katachi.arena.ladder import Ladder, Runner, fit_database, seed_from
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.roster import PlayerSection, Roster
from katachi.arena.schedule import Pair, ScheduleKind
from katachi.arena.settings import GameSettings
from katachi.arena.workers import Finished, GameTask, play_here
from katachi.errors import KatachiError
from katachi.records.record import GameRecord
from katachi.rules.color import BLACK, WHITE
from katachi.statistics import expected_score

ROOT = Path(__file__).parents[2]
SMALL = GameSettings(size=5, opening_moves=2)


def roster_of(
    *specs: str, games: int = 4, kind: ScheduleKind = ScheduleKind.NEIGHBOURS, seed: int = 1
) -> Roster:
    players = tuple(
        PlayerSection(name=spec, spec=spec, anchor=-170.0 if spec == "random" else None)
        for spec in specs
    )
    return Roster(Path("roster.toml"), "small", SMALL, players, kind, games, {}, seed)


def ladder_of(roster: Roster, database: Database) -> Ladder:
    contestants = [Contestant(p.name, p.spec, {"spec": p.spec}, p.anchor) for p in roster.players]
    return Ladder(roster, contestants, database)


def stub(winner: Callable[[GameTask], int]) -> Runner:
    """A runner whose games are decided without being played."""

    def run(tasks: Iterator[GameTask]) -> Iterator[Finished]:
        for task in tasks:
            record = GameRecord(size=5)
            yield Finished(task, Outcome(winner(task), Ending.SCORE, 1.5, "", record))

    return run


def by_strength(elo: dict[str, float]) -> Runner:
    """Games decided by lot, as the ratings would have it."""

    def winner(task: GameTask) -> int:
        chance = expected_score(elo[task.black] - elo[task.white])
        lot = seed_from(task.seed, task.number, task.black) / 2**63
        return BLACK if lot < chance else WHITE

    return stub(winner)


def numbers_played(database: Database) -> dict[Pair, set[int]]:
    played: dict[Pair, set[int]] = {}
    for game in database.recent_games(10_000):
        one, other = sorted((game.black, game.white))
        played.setdefault((one, other), set()).add(game.number)
    return played


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "ladder.db") as opened:
        yield opened


def test_real_games_are_played_stored_and_rated(database: Database) -> None:
    roster = roster_of("random", "influence", "alp")
    finished = list(ladder_of(roster, database).play(play_here))
    assert len(finished) >= 8
    assert database.count_games() == len(finished)
    for game in database.recent_games(100):
        record = sgf.Sgf_game.from_string(game.sgf)
        assert record.get_size() == 5
        assert record.get_player_name("b") == game.black
        assert record.get_player_name("w") == game.white
        assert record.get_root().get("EV") == "small"
        assert len(record.get_main_sequence()) == game.moves + 1
        assert game.settings["size"] == 5
        assert (record.get_winner() == "b") == (game.winner == BLACK)
    fit, settings = fit_database(database)
    assert settings.anchors == {"random": -170.0}
    assert len(fit.ratings) == 3
    assert len(database.rating_history("alp")) == 1


def test_both_games_of_an_opening_begin_alike(database: Database) -> None:
    list(ladder_of(roster_of("random", "alp", games=6), database).play(play_here))
    openings: dict[int, set[tuple[object, ...]]] = {}
    for game in database.recent_games(10):
        nodes = sgf.Sgf_game.from_string(game.sgf).get_main_sequence()[1:3]
        openings.setdefault(game.opening, set()).add(tuple(node.get_move() for node in nodes))
    assert sorted(openings) == [0, 1, 2]
    assert all(len(moves) == 1 for moves in openings.values())
    assert len(set.union(*openings.values())) > 1


def test_equal_seeds_give_equal_games(tmp_path: Path) -> None:
    stories = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with Database(tmp_path / f"{name}.db") as database:
            ladder = ladder_of(roster_of("random", "influence", "alp", seed=seed), database)
            list(ladder.play(play_here))
            games = database.recent_games(100)
            stories.append([(g.black, g.white, g.number, g.winner, g.moves) for g in games])
    assert stories[0] == stories[1]
    assert stories[0] != stories[2]


def test_a_ladder_that_has_all_its_games_plays_none(database: Database) -> None:
    roster = roster_of("random", "alp")
    assert len(list(ladder_of(roster, database).play(play_here))) == 4
    assert ladder_of(roster, database).count_missing() == 0
    assert list(ladder_of(roster, database).play(play_here)) == []
    assert len(database.rating_history("alp")) == 1


def test_a_stopped_ladder_goes_on_where_it_was(database: Database) -> None:
    roster = roster_of("random", "alp", games=10)
    for finished in itertools.count(1):
        ladder = ladder_of(roster, database)
        if ladder.count_missing() == 0:
            break
        games = ladder.play(play_here)
        next(games)
        games.close()  # type: ignore[attr-defined]
        assert database.count_games() == finished
    assert numbers_played(database) == {("alp", "random"): set(range(10))}


def test_more_games_can_be_asked_for_later(database: Database) -> None:
    list(ladder_of(roster_of("random", "alp", games=4), database).play(play_here))
    assert len(list(ladder_of(roster_of("random", "alp", games=7), database).play(play_here))) == 3


def test_a_new_player_joins(database: Database) -> None:
    strengths = by_strength({"random": -170.0, "influence": 0.0, "alp": 50.0})
    list(ladder_of(roster_of("random", "alp", games=20), database).play(strengths))
    ladder = ladder_of(roster_of("random", "influence", "alp", games=20), database)
    list(ladder.play(strengths))
    assert len(database.games_between("random", "alp")) == 20
    assert len(database.games_between("influence", "alp")) == 20


@pytest.mark.parametrize("truth", list(itertools.permutations([0.0, 150.0, 300.0, 450.0])))
def test_in_the_end_all_neighbours_have_their_games(
    tmp_path: Path, truth: tuple[float, ...]
) -> None:
    names = ("random", "influence", "alp", "other")
    with Database(tmp_path / "ladder.db") as database:
        ladder = ladder_of(roster_of(*names, games=30), database)
        list(ladder.play(by_strength(dict(zip(names, truth, strict=True)))))
        ranking = [rating.name for rating in ladder.fit.ratings]
        for one, other in itertools.pairwise(ranking):
            assert len(database.games_between(one, other)) == 30


def test_by_closeness_everyone_has_games(database: Database) -> None:
    elo = {"random": -170.0, "influence": 0.0, "alp": 300.0, "other": 1500.0}
    ladder = ladder_of(roster_of(*elo, games=40, kind=ScheduleKind.CLOSENESS), database)
    list(ladder.play(by_strength(elo)))
    ratings = {rating.name: rating for rating in ladder.fit.ratings}
    for name in ("influence", "alp", "other"):
        assert ratings[name].games >= 40
        assert abs(ratings[name].elo - elo[name]) < 2 * ratings[name].error
    assert ladder.count_missing() == 0


def test_the_time_may_be_up(database: Database) -> None:
    ladder = ladder_of(roster_of("random", "alp", games=100), database)
    games = ladder.play(play_here, lambda: database.count_games() >= 7)
    assert len(list(games)) == 7


def test_games_begun_and_not_stored_are_played_again(database: Database) -> None:
    def lose_the_last(tasks: Iterator[GameTask]) -> Iterator[Finished]:
        begun = list(itertools.islice(tasks, 3))
        yield from by_strength({"random": 0.0, "alp": 100.0})(iter(begun[:2]))

    ladder = ladder_of(roster_of("random", "alp", games=9), database)
    assert len(list(ladder.play(lose_the_last))) == 9
    assert numbers_played(database) == {("alp", "random"): set(range(9))}


def test_games_stored_by_another_process_are_not_played_again(database: Database) -> None:
    roster = roster_of("random", "alp", games=10)
    mine, theirs = ladder_of(roster, database), ladder_of(roster, database)
    strengths = by_strength({"random": 0.0, "alp": 100.0})
    games = mine.play(strengths)
    next(games)
    assert len(list(theirs.play(strengths))) == 9
    list(games)
    assert database.count_games() == 10


def test_a_program_that_cannot_be_started_is_no_result(database: Database) -> None:
    def run(tasks: Iterator[GameTask]) -> Iterator[Finished]:
        for task in tasks:
            record = GameRecord(size=5)
            yield Finished(task, Outcome(WHITE, Ending.MISSING, None, "alp is gone", record))

    with pytest.raises(KatachiError, match="alp is gone"):
        list(ladder_of(roster_of("random", "alp"), database).play(run))
    assert database.count_games() == 0


def test_games_without_a_result_do_not_count(database: Database) -> None:
    def run(tasks: Iterator[GameTask]) -> Iterator[Finished]:
        for task in tasks:
            yield Finished(task, Outcome(0, Ending.LIMIT, None, "stopped", GameRecord(size=5)))

    ladder = ladder_of(roster_of("random", "alp"), database)
    assert len(list(ladder.play(run))) == 4
    assert database.scores() == []
    assert ladder.fit.unrated == (("alp",),)


def test_other_settings_are_refused(database: Database) -> None:
    ladder_of(roster_of("random", "alp"), database)
    other = Roster(
        Path("roster.toml"),
        "small",
        GameSettings(size=5, opening_moves=2, komi=6.5),
        roster_of("random", "alp").players,
        ScheduleKind.ALL,
        4,
        {},
    )
    with pytest.raises(KatachiError, match=r"other settings \(komi 7.5, not 6.5\)"):
        ladder_of(other, database)


def write_roster(path: Path, games: int) -> None:
    players = "".join(
        f'[[player]]\nname = "{name}"\nspec = "{name}"\n' for name in ("random", "influence", "alp")
    )
    path.write_text(f'[ladder]\nsize = 5\nschedule = "all"\ngames = {games}\n{players}')


def start(roster: Path, database: Path) -> "subprocess.Popen[bytes]":
    arguments = ["ladder", "run", str(roster), "--database", str(database), "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "katachi", *arguments],
        cwd=ROOT,
        env=os.environ | {"TERM": "dumb"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for_games(path: Path, count: int) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if path.exists() and path.stat().st_size:
            with Database(path) as database:
                if database.count_games() >= count:
                    return
        time.sleep(0.05)
    raise AssertionError(f"no {count} games in two minutes")


@pytest.mark.slow
def test_a_killed_ladder_loses_only_the_games_under_way(tmp_path: Path) -> None:
    roster, path = tmp_path / "roster.toml", tmp_path / "ladder.db"
    write_roster(roster, 40)
    for count in (5, 30):
        process = start(roster, path)
        wait_for_games(path, count)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        with Database(path) as database:
            database.check()
            assert database.count_games() >= count
    process = start(roster, path)
    assert process.wait(120) == 0
    with Database(path) as database:
        assert database.count_games() == 120
        assert all(numbers == set(range(40)) for numbers in numbers_played(database).values())
