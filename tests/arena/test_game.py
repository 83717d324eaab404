from pathlib import Path

import pytest

from katachi.arena.game import check_referee, play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Ending, Outcome, score_of
from katachi.arena.settings import GameSettings, fischer_time
from katachi.errors import KatachiError
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import FailureKind
from katachi.players.roster import make_player
from katachi.records.result import Ending as RecordedEnding
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import PASS, point_from_vertex, row_col_from_point
from tests.arena.scripted import Fails, Resigns, Script, Sleeps, Thinks
from tests.arena.shell_engines import write_engine

C3 = point_from_vertex("C3", 5)


def test_two_passes_end_the_game_and_area_counts() -> None:
    outcome = play_game(Script([C3]), Script([]), GameSettings(5, komi=7.5))
    assert (outcome.winner, outcome.ending, outcome.margin) == (BLACK, Ending.SCORE, 17.5)
    assert str(outcome.record.result) == "B+17.5"


def test_komi_can_make_a_draw() -> None:
    outcome = play_game(Script([C3]), Script([]), GameSettings(5, komi=25))
    assert (outcome.winner, outcome.ending) == (EMPTY, Ending.SCORE)
    assert score_of(outcome, BLACK) == score_of(outcome, WHITE) == 0.5


def test_an_illegal_move_loses_and_says_why() -> None:
    outcome = play_game(Script([C3]), Script([0, C3], "clumsy"), GameSettings(5))
    assert (outcome.winner, outcome.ending) == (BLACK, Ending.ILLEGAL)
    assert "clumsy" in outcome.reason
    assert "occupied" in outcome.reason
    assert outcome.record.result.ending == RecordedEnding.FORFEIT


def test_resigning_loses() -> None:
    outcome = play_game(Resigns([]), Script([]), GameSettings(5))
    assert (outcome.winner, outcome.ending) == (WHITE, Ending.RESIGN)
    assert str(outcome.record.result) == "W+R"


@pytest.mark.parametrize("kind", list(FailureKind))
def test_a_failing_player_loses_with_its_reason(kind: FailureKind) -> None:
    outcome = play_game(Script([C3]), Fails(kind), GameSettings(5))
    assert (outcome.winner, outcome.ending.value) == (BLACK, kind.value)
    assert outcome.reason == "failing: it failed"


def test_an_endless_game_is_stopped_without_a_winner() -> None:
    players = make_player("random", 1), make_player("random", 2)
    outcome = play_game(*players, GameSettings(5, move_limit=7))
    assert (outcome.winner, outcome.ending) == (EMPTY, Ending.LIMIT)
    assert not outcome.is_decided
    assert len(outcome.record.moves) == 7


def test_whoever_oversteps_the_time_loses() -> None:
    settings = GameSettings(5, time=fischer_time(0.3, 0.1))
    outcome = play_game(Script([C3]), Sleeps([], "slow"), settings)
    assert (outcome.winner, outcome.ending) == (BLACK, Ending.TIME)
    assert outcome.seconds[WHITE] >= 0.5


@pytest.mark.usefixtures("own_time")
def test_a_player_that_uses_its_budget_never_oversteps() -> None:
    settings = GameSettings(5, time=fischer_time(0.3, 0.02), move_limit=60)
    record = play_game(make_player("random", 1), make_player("random", 2), GameSettings(5)).record
    points = record.moves.tolist()
    outcome = play_game(Thinks(points), Thinks(points), settings)
    assert outcome.ending is Ending.SCORE
    assert outcome.seconds[BLACK] > 0.25


def test_opinions_are_kept_as_blacks() -> None:
    outcome = play_game(Script([C3], rate=0.75), Script([], rate=0.25), GameSettings(5))
    assert outcome.evaluations == (0.75, 0.75, 0.75)


def test_openings_are_equal_for_equal_numbers_and_avoid_the_edge() -> None:
    settings = GameSettings(9, opening_moves=6)
    opening = sample_opening(settings, seed=3, number=5)
    assert opening == sample_opening(settings, seed=3, number=5)
    assert opening != sample_opening(settings, seed=3, number=6)
    assert opening != sample_opening(settings, seed=4, number=5)
    assert [move.color for move in opening] == [BLACK, WHITE] * 3
    assert all(0 < axis < 8 for move in opening for axis in row_col_from_point(move.point))


def test_an_opening_is_part_of_the_game() -> None:
    settings = GameSettings(9, opening_moves=4)
    opening = sample_opening(settings, 1, 0)
    outcome = play_game(Script([]), Script([]), settings, opening)
    assert outcome.record.moves.tolist() == [*[move.point for move in opening], PASS, PASS]


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 26},
        {"komi": float("nan")},
        {"opening_moves": -1},
        {"move_limit": 0},
        {"move_limit": 20_001},
    ],
)
def test_settings_that_cannot_be_played_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(KatachiError):
        GameSettings(**wrong)  # type: ignore[arg-type]


def play_on_a_clock(engine: str, main: float) -> Outcome:
    player = ProgramPlayer(engine)
    try:
        return play_game(Script([C3]), player, GameSettings(5, time=fischer_time(main, 0)))
    finally:
        player.close()


@pytest.mark.parametrize("command", ["play", "genmove", "time_left"])
def test_the_clock_runs_whatever_a_program_does_on_its_turn(tmp_path: Path, command: str) -> None:
    slow = {"known_command": "echo '= true'", command: "sleep 0.5; echo '= pass'"}
    outcome = play_on_a_clock(write_engine(tmp_path / "engine", **slow), main=0.4)
    assert (outcome.winner, outcome.ending) == (BLACK, Ending.TIME)
    assert outcome.seconds[WHITE] >= 0.5


def test_to_start_takes_no_time_from_the_clock(tmp_path: Path) -> None:
    engine = write_engine(tmp_path / "engine")
    script = tmp_path / "engine"
    script.write_text(script.read_text().replace("while", "sleep 2\nwhile", 1))
    outcome = play_on_a_clock(engine, main=1.9)
    assert outcome.ending is Ending.SCORE
    assert outcome.seconds[WHITE] < 1.9


def test_whoever_has_time_left_may_use_it_for_one_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The share of the time that a move should take is no limit: the clock is."""
    monkeypatch.setattr("katachi.players.program.GRACE", 0.1)
    engine = write_engine(tmp_path / "engine", genmove="sleep 1; echo '= pass'")
    assert play_on_a_clock(engine, main=5).ending is Ending.SCORE
    deaf = write_engine(tmp_path / "engine", genmove="sleep 60; echo '= pass'")
    assert play_on_a_clock(deaf, main=0.3).ending is Ending.TIME


def test_a_program_that_dies_when_it_hears_of_the_clock_is_not_started_twice(
    tmp_path: Path,
) -> None:
    engine = write_engine(tmp_path / "engine", play=f"echo x >> {tmp_path}/starts; exit 3")
    outcome = play_on_a_clock(engine, main=60)
    assert outcome.ending is Ending.CRASH
    assert "ended with status 3" in outcome.reason
    assert (tmp_path / "starts").read_text() == "x\n"


def test_a_referee_that_cannot_be_started_is_no_result() -> None:
    outcome = play_game(Script([C3]), Script([]), GameSettings(5, referee="no-such-referee"))
    assert (outcome.winner, outcome.ending) == (EMPTY, Ending.MISSING)
    assert "no-such-referee" in outcome.reason


def test_a_referee_that_counts_no_empty_board_but_knows_how_to_count_is_fine(
    tmp_path: Path,
) -> None:
    knows = {"known_command": "echo '= true'", "final_score": "echo '? no stones'"}
    check_referee(GameSettings(5, referee=write_engine(tmp_path / "engine", **knows)))
    with pytest.raises(KatachiError, match="no stones"):
        check_referee(
            GameSettings(5, referee=write_engine(tmp_path / "e", final_score=knows["final_score"]))
        )


@pytest.mark.gnugo
def test_a_referee_counts_dead_stones(gnugo: str) -> None:
    """A white stone deep in Black's area is dead for GNU Go, alive for plain area counting."""
    walls = [point_from_vertex(f"E{row}", 9) for row in range(1, 10)]
    others = [point_from_vertex(f"F{row}", 9) for row in range(1, 10)]
    moves = [point for pair in zip(walls, others, strict=True) for point in pair]
    moves += [PASS, point_from_vertex("B5", 9)]
    plain = play_game(Script(moves), Script(moves), GameSettings(9, komi=0.5, opening_moves=0))
    command = f"{gnugo} --mode gtp --chinese-rules"
    settings = GameSettings(9, komi=0.5, opening_moves=0, referee=command)
    counted = play_game(Script(moves), Script(moves), settings)
    assert plain.winner == WHITE
    assert counted.winner == BLACK
