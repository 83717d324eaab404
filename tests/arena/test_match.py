import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.arena.match import MatchFolder, MatchSettings, play_match
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.files.model_folder import WEIGHTS_FILE
from katachi.files.shipped_folders import find_model
from katachi.interfaces.cli.match import match
from katachi.statistics import SequentialTest, Verdict
from tests.arena.processes import all_gone, descendants_of, name_of
from tests.arena.shell_engines import write_engine
from tests.players.finished_runs import write_shape_run

SLOW = pytest.mark.slow
SMALL = GameSettings(5, opening_moves=2)


def play(folder: Path, games: int, workers: int = 1, seed: int = 1) -> MatchFolder:
    with MatchFolder(folder, MatchSettings("alp", "random", games, SMALL, seed)) as match:
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
    arguments = (engine, "random", "--games", "6", "--workers", "2", "--size", "5")
    process = start_match(tmp_path, *arguments)
    wait_for_lines(tmp_path, 2, process)
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
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(6))
    assert done <= 6
    for data in points_of(tmp_path):
        sgf.Sgf_game.from_bytes(data)


@pytest.mark.slow
@pytest.mark.gnugo
def test_killing_an_engine_loses_its_game_and_no_more(tmp_path: Path, gnugo: str) -> None:
    engine = f"{gnugo} --mode gtp --level 0"
    process = start_match(tmp_path, engine, "random", "--games", "5", "--size", "7")
    wait_for_lines(tmp_path, 2, process)
    victims = descendants_of(process.pid)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    games = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(games) == 5
    crashed = [game for game in games if game["ending"] == "crash"]
    assert len(crashed) <= len(victims)
    assert all("ended with status -9" in game["reason"] for game in crashed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("alp", "nobody"), "no player 'nobody'"),
        pytest.param(
            ("alp", "gtp:no-such-engine"), "no program 'no-such-engine'", marks=pytest.mark.slow
        ),
        (("alp", "cat"), "'cat': answered"),
        pytest.param(("alp", "false"), "'false': ended with status 1", marks=SLOW),
        pytest.param(("alp", "random", "--games", "0"), "0 games", marks=SLOW),
        pytest.param(
            ("alp", "random", "--rules", "klingon"), "no ruleset 'klingon'", marks=pytest.mark.slow
        ),
        pytest.param(("alp", "random", "--workers", "0"), "0 workers", marks=SLOW),
        pytest.param(
            ("alp", "random", "--time", "-3"), "use positive numbers", marks=pytest.mark.slow
        ),
        pytest.param(
            ("alp", "random", "--sprt", "5", "5"), "a test between", marks=pytest.mark.slow
        ),
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
    engine = write_engine(tmp_path / "engine", genmove="echo hello")
    with MatchFolder(tmp_path / "match", MatchSettings(engine, "random", 2, SMALL)) as match:
        games = list(play_match(match))
    assert {game.ending for game in games} == {"garbage"}
    assert all("hello" in game.reason for game in games)


def test_a_folder_that_is_open_elsewhere_is_refused(tmp_path: Path) -> None:
    settings = MatchSettings("alp", "random", 2, SMALL)
    with (
        MatchFolder(tmp_path / "m", settings),
        pytest.raises(KatachiError, match="in use by another process"),
    ):
        MatchFolder(tmp_path / "m", settings)
    MatchFolder(tmp_path / "m", settings).close()


def test_a_game_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    play(tmp_path, 2)
    results = tmp_path / "results.jsonl"
    results.write_bytes(results.read_bytes() * 2)
    assert play(tmp_path, 2).tally.games == 2


def test_a_match_is_refused_when_the_weights_behind_a_name_have_changed(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(find_model("shape9"), model)
    settings = MatchSettings(f"shape:{model}", "random", 2)
    MatchFolder(tmp_path / "m", settings).close()
    MatchFolder(tmp_path / "m", settings).close()
    weights = model / WEIGHTS_FILE
    weights.write_bytes(weights.read_bytes() + b" ")
    with pytest.raises(KatachiError, match=r"weights of 'shape:.*' was '.*', is '"):
        MatchFolder(tmp_path / "m", settings)


@pytest.mark.parametrize("seat", ["first", "second", "referee"])
def test_a_match_is_refused_when_a_program_has_another_version(tmp_path: Path, seat: str) -> None:
    engine = write_engine(tmp_path / "engine", version="echo '= 1'", final_score="echo '= B+1'")
    names = {"first": "random", "second": "random", "referee": None} | {seat: engine}
    first, second, referee = names.values()
    game = GameSettings(5, referee=referee)
    settings = MatchSettings(str(first), str(second), 2, game)
    MatchFolder(tmp_path / "m", settings).close()
    write_engine(tmp_path / "engine", version="echo '= 2'", final_score="echo '= B+1'")
    with pytest.raises(KatachiError, match=r"version of '.*engine' was '1', is '2'"):
        MatchFolder(tmp_path / "m", settings)


def test_a_match_of_an_older_version_goes_on_and_is_held_to_what_plays_now(tmp_path: Path) -> None:
    play(tmp_path, 1)
    about = tmp_path / "match.json"
    found = json.loads(about.read_text())
    playing = found.pop("playing")
    about.write_text(json.dumps(found))
    assert play(tmp_path, 2).tally.games == 2
    assert json.loads(about.read_text())["playing"] == playing


def test_a_referee_that_does_not_start_is_reported_before_the_first_game(tmp_path: Path) -> None:
    settings = MatchSettings("alp", "random", 2, GameSettings(5, referee="no-such-referee -x"))
    with pytest.raises(KatachiError, match="the referee 'no-such-referee -x': there is no such"):
        MatchFolder(tmp_path / "m", settings)
    assert not (tmp_path / "m").exists()


def test_a_referee_that_cannot_count_is_reported_before_the_first_game(tmp_path: Path) -> None:
    referee = write_engine(tmp_path / "engine")
    settings = MatchSettings("alp", "random", 2, GameSettings(5, referee=referee))
    with pytest.raises(KatachiError, match="answered final_score with ''"):
        MatchFolder(tmp_path / "m", settings)


def test_a_referee_that_fails_later_is_reported_in_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once = f"[ -e {tmp_path}/mark ] && exit 3; touch {tmp_path}/mark; echo '= B+1'"
    referee = write_engine(tmp_path / "engine", final_score=once)
    match("alp", "random", games=2, size=5, referee=referee, out=tmp_path / "m")
    shown = " ".join(capsys.readouterr().out.split())
    assert "2 games: counted by area, for the referee failed" in shown
    assert "ended with status 3" in shown


def test_a_program_that_can_no_longer_be_started_is_no_result(tmp_path: Path) -> None:
    twice = f"[ -e {tmp_path}/mark ] && rm {tmp_path}/engine; touch {tmp_path}/mark; exit 1"
    engine = write_engine(tmp_path / "engine", genmove=twice)
    with (
        MatchFolder(tmp_path / "m", MatchSettings(f"gtp:{engine}", "random", 3, SMALL)) as folder,
        pytest.raises(KatachiError, match="there is no such program"),
    ):
        list(play_match(folder))
    assert [game.ending for game in folder.games.values()] == ["crash", "crash"]


def test_a_reason_is_short_whatever_a_program_answers(tmp_path: Path) -> None:
    long = "printf '? \\033[31m'; head -c 100000 /dev/zero | tr '\\000' x; echo"
    engine = write_engine(tmp_path / "engine", genmove=long)
    with MatchFolder(tmp_path / "m", MatchSettings(engine, "random", 1, SMALL)) as folder:
        (game,) = play_match(folder)
    assert game.ending == "garbage"
    assert "xxx" in game.reason
    assert len(game.reason) <= 400
    assert game.reason.isprintable()


@pytest.mark.parametrize(
    ("how", "workers"),
    [
        (signal.SIGTERM, "2"),
        pytest.param(signal.SIGHUP, "1", marks=SLOW),
        (signal.SIGKILL, "2"),
        pytest.param(signal.SIGTERM, "1", marks=SLOW),
        pytest.param(signal.SIGHUP, "2", marks=SLOW),
        pytest.param(signal.SIGKILL, "1", marks=SLOW),
    ],
)
def test_no_engine_outlives_its_match(tmp_path: Path, how: signal.Signals, workers: str) -> None:
    """Engines that think for a minute, whatever happens to their input; two processes each."""
    deaf = "trap '' TERM HUP INT; sleep 60; echo '= pass'"
    engine = write_engine(tmp_path / "engine", genmove=deaf)
    options = ("--games", "4", "--size", "5", "--openings", "0", "--workers", workers)
    process = start_match(tmp_path / "m", engine, "alp", *options)
    engines = wait_for_sleepers(process, int(workers))
    os.killpg(process.pid, how)
    process.communicate(timeout=30)
    assert all_gone(engines)


def wait_for_sleepers(process: subprocess.Popen[bytes], count: int) -> list[int]:
    """What runs below a match when so many engines think."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and process.poll() is None:
        family = descendants_of(process.pid)
        if sum(name_of(pid) == "sleep" for pid in family) >= count:
            return family
        time.sleep(0.05)
    pytest.fail("the match did not begin")


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("shape:shape5", "shape5 is for 5x5 boards, not 9x9"),
        ("territory:shape9", "shape9 holds a model of kind 'local shape', not 'territory'"),
        ("shape:{damaged}", "damaged is damaged: weights.safetensors does not match"),
    ],
)
def test_a_refused_match_leaves_nothing_behind(tmp_path: Path, first: str, words: str) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(find_model("shape9"), damaged)
    (damaged / WEIGHTS_FILE).write_bytes(b"")
    with pytest.raises(KatachiError, match=words):
        match(first.format(damaged=damaged), "alp", games=2, size=9, out=tmp_path / "matches" / "m")
    assert not (tmp_path / "matches").exists()


def test_a_match_is_not_written_among_other_files(tmp_path: Path) -> None:
    run = write_shape_run(tmp_path / "run")
    files = sorted(run.rglob("*"))
    with pytest.raises(KatachiError, match=r"run holds other files, such as agent-1: choose anot"):
        MatchFolder(run, MatchSettings("alp", "random", 2, SMALL))
    assert sorted(run.rglob("*")) == files


def test_a_match_that_was_killed_before_it_began_is_begun(tmp_path: Path) -> None:
    (tmp_path / "m" / "games").mkdir(parents=True)
    (tmp_path / "m" / "lock").touch()
    assert play(tmp_path / "m", 1).tally.games == 1


def test_the_board_is_the_one_that_a_player_is_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_shape_run(tmp_path / "run")
    match("random", str(run), games=1, out=tmp_path / "m")
    shown = json.loads((tmp_path / "m" / "match.json").read_text())
    assert shown["settings"]["size"] == 5
    assert "is a training run: its best model, agent-2, plays" in capsys.readouterr().out
