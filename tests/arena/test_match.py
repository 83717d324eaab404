import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.arena.intervals import SequentialTest, Verdict
from katachi.arena.match import MatchFolder, MatchSettings, play_match
from katachi.arena.settings import GameSettings
from katachi.rules.errors import KatachiError
from tests.arena.processes import all_gone, descendants_of

SMALL = GameSettings(5, opening_moves=2)


def play(folder: Path, games: int, workers: int = 1, seed: int = 1) -> MatchFolder:
    match = MatchFolder(folder, MatchSettings("alp", "random", games, SMALL, seed))
    list(play_match(match, workers))
    return match


def points_of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((folder / "games").glob("*.sgf"))]


def test_colours_alternate_and_pairs_share_an_opening() -> None:
    settings = MatchSettings("alp", "random", 4, SMALL)
    tasks = [settings.task(number) for number in range(4)]
    assert [task.black for task in tasks] == ["alp", "random", "alp", "random"]
    assert [task.opening for task in tasks] == [0, 0, 1, 1]


def test_every_game_is_saved_and_readable(tmp_path: Path) -> None:
    match = play(tmp_path, 6)
    assert match.tally.games == 6
    for data in points_of(tmp_path):
        game = sgf.Sgf_game.from_bytes(data)
        assert game.get_size() == 5
        assert game.get_root().get("RE")
        names = {game.get_player_name("b"), game.get_player_name("w")}
        assert names == {"alp", "random"}


def test_a_match_goes_on_where_it_stopped(tmp_path: Path) -> None:
    play(tmp_path / "cut", 3)
    whole = play(tmp_path / "cut", 8)
    assert len(whole.games) == 8
    play(tmp_path / "once", 8)
    assert points_of(tmp_path / "cut") == points_of(tmp_path / "once")


def test_several_processes_play_the_same_games(tmp_path: Path) -> None:
    play(tmp_path / "one", 6)
    play(tmp_path / "two", 6, workers=2)
    assert points_of(tmp_path / "one") == points_of(tmp_path / "two")


def test_a_line_cut_short_is_played_again(tmp_path: Path) -> None:
    play(tmp_path, 4)
    results = tmp_path / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-20])
    match = MatchFolder(tmp_path, MatchSettings("alp", "random", 4, SMALL))
    assert len(match.games) == 3
    list(play_match(match))
    assert len(match.games) == 4
    assert results.read_bytes().count(b"\n") == 4


@pytest.mark.parametrize(
    "other",
    [
        MatchSettings("alp", "influence", 4, SMALL),
        MatchSettings("alp", "random", 4, SMALL, seed=2),
        MatchSettings("alp", "random", 4, GameSettings(6)),
    ],
)
def test_another_match_in_the_folder_is_refused(tmp_path: Path, other: MatchSettings) -> None:
    play(tmp_path, 1)
    before = (tmp_path / "match.json").read_bytes()
    with pytest.raises(KatachiError, match="holds another match"):
        MatchFolder(tmp_path, other)
    assert (tmp_path / "match.json").read_bytes() == before


def test_a_damaged_result_is_one_line(tmp_path: Path) -> None:
    play(tmp_path, 2)
    (tmp_path / "results.jsonl").write_text("not json\n")
    with pytest.raises(KatachiError, match="line 1"):
        MatchFolder(tmp_path, MatchSettings("alp", "random", 2, SMALL))


def test_a_sequential_test_ends_the_match_early(tmp_path: Path) -> None:
    test = SequentialTest(0, 400)
    match = MatchFolder(tmp_path, MatchSettings("alp", "random", 500, SMALL, test=test))
    list(play_match(match))
    assert match.verdict is Verdict.STRONGER
    assert match.tally.games < 50


def start_match(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "katachi", "match", *arguments, "--out", str(folder)]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell may start a job with interrupts ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def count_lines(folder: Path) -> int:
    results = folder / "results.jsonl"
    return results.read_bytes().count(b"\n") if results.exists() else 0


def wait_for_lines(folder: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while count_lines(folder) < count and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    assert count_lines(folder) >= count


@pytest.mark.gnugo
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_killing_the_arena_loses_at_most_the_games_under_way(
    tmp_path: Path, gnugo: str, how: signal.Signals
) -> None:
    engine = f"{gnugo} --mode gtp --level 0"
    arguments = (engine, "random", "--games", "40", "--workers", "2")
    process = start_match(tmp_path, *arguments)
    wait_for_lines(tmp_path, 4, process)
    family = descendants_of(process.pid)
    assert family
    os.kill(process.pid, how)
    process.communicate(timeout=30)
    assert all_gone(family)
    done = count_lines(tmp_path)
    process = start_match(tmp_path, *arguments)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(40))
    assert done <= 40
    for data in points_of(tmp_path):
        sgf.Sgf_game.from_bytes(data)


@pytest.mark.gnugo
def test_killing_an_engine_loses_its_game_and_no_more(tmp_path: Path, gnugo: str) -> None:
    engine = f"{gnugo} --mode gtp --level 0"
    process = start_match(tmp_path, engine, "random", "--games", "12")
    wait_for_lines(tmp_path, 2, process)
    victims = descendants_of(process.pid)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    games = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(games) == 12
    crashed = [game for game in games if game["ending"] == "crash"]
    assert len(crashed) <= len(victims)
    assert all("ended with status -9" in game["reason"] for game in crashed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("alp", "nobody"), "no player 'nobody'"),
        (("alp", "gtp:no-such-engine"), "no program 'no-such-engine'"),
        (("alp", "cat"), "'cat': answered"),
        (("alp", "false"), "'false': ended with status 1"),
        (("alp", "random", "--games", "0"), "0 games"),
        (("alp", "random", "--rules", "klingon"), "no ruleset 'klingon'"),
        (("alp", "random", "--workers", "0"), "0 workers"),
        (("alp", "random", "--time", "-3"), "use positive numbers"),
        (("alp", "random", "--sprt", "5", "5"), "a test between"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    process = start_match(tmp_path / "match", *arguments)
    _, errors = process.communicate(timeout=60)
    lines = [line for line in errors.decode().splitlines() if "first start" not in line]
    assert process.returncode != 0
    assert len(lines) == 1
    assert words in lines[0]


def test_a_program_that_is_not_gtp_loses_every_game_with_its_reason(tmp_path: Path) -> None:
    match = MatchFolder(tmp_path, MatchSettings("cat", "random", 2, SMALL))
    games = list(play_match(match))
    assert {game.ending for game in games} == {"garbage"}
    assert all("cat" in game.reason for game in games)
