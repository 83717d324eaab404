"""What the ladder's file keeps, refuses and survives."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from katachi.arena.database import Contestant, Database, canonical_json
from katachi.arena.outcome import Ending
from katachi.arena.rating import FitSettings, PairScore, fit_ratings
from katachi.arena.schema import APPLICATION_ID, VERSION, VERSION_WITH_EARLIER
from katachi.errors import KatachiError
from katachi.rules.color import BLACK, EMPTY, WHITE
from tests.arena.stored_games import SETTINGS, SGF, contestant, new_game


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ladder.db"


def test_a_new_file_carries_its_mark_and_version(path: Path) -> None:
    Database(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    assert connection.execute("PRAGMA user_version").fetchone()[0] == VERSION
    connection.close()


def test_games_are_there_when_the_file_is_opened_again(path: Path) -> None:
    with Database(path) as database:
        a, b = database.enter(contestant("a")), database.enter(contestant("b", anchor=850.0))
        assert database.add_game(new_game(a, b, 0))
        assert database.add_game(new_game(b, a, 1, WHITE, Ending.RESIGN))
    with Database(path) as database:
        second, first = database.recent_games(10)
        assert (first.black, first.white, first.number, first.opening) == ("a", "b", 0, 0)
        assert (first.winner, first.ending, first.margin) == (BLACK, Ending.SCORE, 3.5)
        assert (first.seconds, first.sgf, first.settings) == (0.75, SGF, SETTINGS)
        assert first.seed == 2**63 + 1
        assert (second.black, second.winner, second.ending) == ("b", WHITE, Ending.RESIGN)
        assert database.game(first.id) == first
        assert database.players()[1].anchor == 850.0
        database.check()


def test_a_game_is_stored_once(path: Path) -> None:
    with Database(path) as database:
        a, b = database.enter(contestant("a")), database.enter(contestant("b"))
        assert database.add_game(new_game(a, b, 0))
        assert not database.add_game(new_game(a, b, 0, WHITE))
        assert database.count_games() == 1
        assert database.scores() == [PairScore("a", "b", 1, 0, 0)]


def test_results_are_counted_by_pair_and_colour(path: Path) -> None:
    with Database(path) as database:
        a, b, c = (database.enter(contestant(name)) for name in "abc")
        for number, winner in enumerate((BLACK, BLACK, WHITE, EMPTY)):
            database.add_game(new_game(a, b, number, winner))
        database.add_game(new_game(b, a, 4, BLACK))
        database.add_game(new_game(a, c, 0, EMPTY, Ending.LIMIT))
        assert database.scores() == [PairScore("a", "b", 2, 1, 1), PairScore("b", "a", 1, 0, 0)]
        assert database.played() == {(a, b): {0, 1, 2, 3, 4}, (a, c): {0}}
        assert database.endings() == {("a", Ending.SCORE): 2, ("b", Ending.SCORE): 2}


def test_games_are_found_by_their_players(path: Path) -> None:
    with Database(path) as database:
        a, b, c = (database.enter(contestant(name)) for name in "abc")
        for number, (black, white) in enumerate([(a, b), (b, a), (a, c), (b, c)]):
            database.add_game(new_game(black, white, number))
        assert [game.number for game in database.games_between("b", "a")] == [0, 1]
        assert database.games_between("a", "a") == []
        with pytest.raises(KatachiError, match=r"no player 'nobody' \(known: a, b, c\)"):
            database.games_between("a", "nobody")
        with pytest.raises(KatachiError, match="no game 99"):
            database.game(99)


def test_another_configuration_is_another_player(path: Path) -> None:
    old, new, other = contestant("a", "1"), contestant("a", "2"), contestant("b")
    with Database(path) as database:
        first, second, b = (database.enter(entry) for entry in (old, new, other))
        assert first != second
        database.add_game(new_game(first, b, 0))
        database.add_game(new_game(second, b, 0, WHITE))
        label = f"a#{old.digest[:6]}"
        assert [player.label for player in database.players()] == [label, "a", "b"]
        assert [score.black for score in database.scores()] == [label, "a"]
        assert len(database.games_between("a", "b")) == 2
        assert len(database.games_between(label, "b")) == 1
        time.sleep(0.002)
        assert database.enter(old) == first
        assert database.players()[0].label == "a"


def test_the_digest_is_of_the_whole_configuration_in_any_order() -> None:
    one = Contestant("x", "alp", {"spec": "alp", "katachi": "1"})
    same = Contestant("y", "alp", {"katachi": "1", "spec": "alp"})
    other = Contestant("x", "alp", {"spec": "alp", "katachi": "2"})
    assert one.digest == same.digest
    assert one.digest != other.digest
    assert len(one.digest) == 64
    assert canonical_json({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}'


def test_ratings_have_a_history(path: Path) -> None:
    with Database(path) as database:
        a, b = database.enter(contestant("a", anchor=0.0)), database.enter(contestant("b"))
        for number in range(2):
            database.add_game(new_game(a, b, number))
            fit = fit_ratings(database.scores(), FitSettings({"a": 0.0}))
            database.add_fit(fit, {"anchors": {"a": 0.0}})
        history = database.rating_history("b")
        assert [elo for _, elo, _ in history] == sorted((e for _, e, _ in history), reverse=True)
        assert len(history) == 2
        assert history[1][1] == fit_ratings(database.scores(), FitSettings({"a": 0.0})).elo()["b"]


def test_one_file_is_one_ladder(path: Path) -> None:
    with Database(path) as database:
        assert database.settings() == {}
        database.agree_on({"size": 9, "komi": 7.5})
        database.agree_on({"komi": 7.5, "size": 9})
        with pytest.raises(KatachiError, match=r"other settings \(size 9, not 19\)"):
            database.agree_on({"size": 19, "komi": 7.5})
        assert database.settings() == {"size": 9, "komi": 7.5}


def make_foreign(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (x)")
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("must_exist", [True, False])
def test_files_that_are_not_ours_are_refused_and_unchanged(path: Path, must_exist: bool) -> None:
    contents = []
    make_foreign(path, "PRAGMA application_id = 7")
    contents.append((path.read_bytes(), "not one of katachi's ladders"))
    path.unlink()
    Database(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION_WITH_EARLIER + 1}")
    connection.close()
    contents.append((path.read_bytes(), "version 3, but this katachi reads versions 1 and 2"))
    contents.append((b"(;FF[4]SZ[9];B[ee])" * 20, "is not a database"))
    contents.append((b"short", "is not a database"))
    for content, words in contents:
        path.write_bytes(content)
        with pytest.raises(KatachiError, match=words) as error:
            Database(path, must_exist=must_exist)
        assert "\n" not in str(error.value)
        assert path.read_bytes() == content
        assert os.listdir(path.parent) == [path.name]


def test_a_file_that_must_be_there_is_not_made(path: Path) -> None:
    with pytest.raises(KatachiError, match="no such ladder database"):
        Database(path, must_exist=True)
    assert not path.exists()
    with pytest.raises(KatachiError, match="no such ladder database"):
        Database(path.parent / "nowhere" / "ladder.db")
    with pytest.raises(KatachiError, match="directory"):
        Database(path.parent)


def test_a_damaged_file_is_reported_in_one_line(path: Path) -> None:
    with Database(path) as database:
        a, b = database.enter(contestant("a")), database.enter(contestant("b"))
        for number in range(50):
            database.add_game(new_game(a, b, number))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with Database(path) as database, pytest.raises(KatachiError, match=str(path)):
        database.recent_games(10)


def test_a_failed_transaction_leaves_nothing(path: Path) -> None:
    with Database(path) as database:
        a = database.enter(contestant("a"))
        with pytest.raises(KatachiError, match="FOREIGN KEY"):
            database.add_game(new_game(a, 99, 0))
        with pytest.raises(KatachiError, match="CHECK"):
            database.add_game(new_game(a, a, 0))
        assert database.count_games() == 0
        assert database.enter(contestant("b")) == 2


def test_two_processes_share_a_file(path: Path) -> None:
    with Database(path) as one, Database(path) as two:
        a, b = one.enter(contestant("a")), two.enter(contestant("b"))
        done = [0]

        def write() -> None:
            with Database(path) as third:
                for number in range(20):
                    done[0] += third.add_game(new_game(a, b, number))

        thread = threading.Thread(target=write)
        thread.start()
        for number in range(20, 40):
            assert one.add_game(new_game(a, b, number))
            assert two.count_games() >= 1
        thread.join()
        assert done == [20]
        assert two.count_games() == 40


def kill_after(path: Path, first: int, seconds: float) -> int:
    """Kills a process that stores games; returns how many it said were stored."""
    command = [sys.executable, "-m", "tests.arena.stored_games", str(path), str(first)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    timer = threading.Timer(seconds, lambda: os.kill(process.pid, signal.SIGKILL))
    timer.start()
    lines += process.stdout.readlines()
    process.stdout.close()
    assert process.wait(30) == -signal.SIGKILL
    timer.join()
    return sum(line.endswith("\n") for line in lines)


def test_killing_the_writer_at_any_instant_loses_no_stored_game(path: Path) -> None:
    stored = 0
    for attempt in range(8):
        reported = kill_after(path, stored, 0.01 + 0.0137 * attempt)
        with Database(path) as database:
            database.check()
            count = database.count_games()
            # The last game may have been stored without a chance to say so.
            assert stored + reported <= count <= stored + reported + 1
            assert all(game.sgf == SGF for game in database.recent_games(count))
        stored = count
    assert stored > 8


@pytest.mark.parametrize("instant", [0.0, 0.01, 0.03])
def test_killing_the_maker_of_a_file_leaves_one_that_opens(path: Path, instant: float) -> None:
    code = (
        "import sys; from katachi.arena.database import Database\n"
        "sys.stdout.write('ready'); sys.stdout.flush()\n"
        "while True: Database(sys.argv[1]).close(); __import__('os').unlink(sys.argv[1])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read(5) == b"ready"
    time.sleep(instant)
    process.kill()
    process.wait(30)
    process.stdout.close()
    with Database(path) as database:
        database.check()
        assert database.players() == []


def test_the_present_player_keeps_its_name_after_the_clock_went_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database(path) as database:
        old = database.enter(contestant("a", version="1"))
        monkeypatch.setattr("katachi.arena.database.time_now", lambda: "2001-01-01T00:00:00.000")
        new = database.enter(contestant("a", version="2"))
        labels = {player.id: player.label for player in database.players()}
        assert labels[new] == "a"
        assert labels[old].startswith("a#")
        database.enter(contestant("a", version="1"))
        assert {player.id: player.label for player in database.players()}[old] == "a"
