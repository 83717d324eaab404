"""A player that grows a tree keeps the contract and the time, and can be stopped."""

import threading
import time
from typing import Any

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.outcome import Ending
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.shipped import load_territory
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.players.clock import TimeSettings, TimeSystem
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.roster import make_player
from katachi.players.tree import TreePlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import BoardState
from katachi.search.stopping import Stopped, stoppable
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_search import TreeSearch
from tests.checks import check_player
from tests.search.positions import game_from
from tests.timing import SLACK

SMALL = TreeLimits(memory=16 << 20)
SLOW_LOOK = 0.02


class SlowEvaluator:
    """Takes its time for each position."""

    name = "slow"

    def __init__(self, seconds: float = SLOW_LOOK) -> None:
        self.seconds = seconds

    def evaluate(self, states: BoardState) -> Evaluation:
        time.sleep(self.seconds * len(states.words))
        return ConstantEvaluator().evaluate(states)


class FailingEvaluator:
    """Judges so many positions and then no more."""

    name = "failing"

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def evaluate(self, states: BoardState) -> Evaluation:
        self.looks -= 1
        if self.looks < 0:
            raise KatachiError("no more of this")
        return ConstantEvaluator().evaluate(states)


@pytest.mark.parametrize("visits", [1, 2, 30])
def test_it_is_a_player_like_any_other(visits: int) -> None:
    def make(seed: int) -> TreePlayer:
        return TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL), seed, visits)

    check_player(make, (2, 3, 5, 9) if visits > 2 else (2, 3, 5, 9, 19, 25), passes_early=True)


@pytest.mark.parametrize(
    "inner", ["alp", "influence", "shape", "linear:linear9", "crbm", "owners9"]
)
def test_every_evaluator_can_judge_leaves(inner: str) -> None:
    player = make_player(f"tree:24:{inner}", 1)
    assert isinstance(player, TreePlayer)
    game = Game(9)
    game.play(BLACK, point_from_vertex("E5", 9))
    analysis = player.analyse(game, WHITE)
    assert sum(each.visits for each in analysis.candidates) == 23
    assert analysis.lead is not None
    assert (np.abs(analysis.ownership) <= 1.0).all()
    assert set(analysis.owned_after) == {each.point for each in analysis.candidates}


def test_a_player_without_values_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match="moves9 predicts moves and judges no position"):
        make_player("tree:5:territory:moves9")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"memory": 1000}, "MiB are too little for a tree on this board: use"),
        ({"memory": 0}, "0 MiB are too little for a tree on this board: use"),
        ({"batch": 0}, "leaves are judged 0 at a time: use 1 or more"),
        ({"threads": 0}, "cannot search by 0 threads: use 1 to 64"),
        ({"threads": 10**9}, "use 1 to 64"),
        ({"memory": 1 << 40}, "1048576 MiB are too much for a tree: use 65536 MiB or less"),
    ],
)
def test_senseless_limits_are_one_clear_line(limits: dict[str, Any], words: str) -> None:
    with pytest.raises(KatachiError, match=words) as caught:
        TreeSearch(ConstantEvaluator(), TreeLimits(**limits)).search(Game(9), BLACK)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [2, 9, 19, 25])
def test_the_memory_that_a_message_asks_for_is_enough(size: int) -> None:
    with pytest.raises(KatachiError, match="too little") as caught:
        TreeSearch(ConstantEvaluator(), TreeLimits(memory=0)).search(Game(size), BLACK)
    asked = int(str(caught.value).split("use ")[1].split()[0])
    search = TreeSearch(ConstantEvaluator(), TreeLimits(memory=asked << 20))
    assert search.search(Game(size), BLACK, Goal(visits=2)).visits == 2


def test_memory_that_is_not_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: int) -> None:
        raise MemoryError

    monkeypatch.setattr("katachi.search.tree_search.new_tree", refuse)
    with pytest.raises(KatachiError, match="there is no memory for a tree of 16 MiB: use less"):
        TreeSearch(ConstantEvaluator(), SMALL).search(Game(5), BLACK)


@pytest.mark.parametrize("visits", [0, -1, 10**12])
def test_senseless_visits_are_one_clear_line(visits: int) -> None:
    with pytest.raises(KatachiError, match=f"cannot search {visits} visits: use 1 to 10000000"):
        TreeSearch(ConstantEvaluator(), SMALL).search(Game(5), BLACK, Goal(visits=visits))


@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_it_keeps_the_time_though_its_evaluator_is_slow(seconds: float) -> None:
    evaluator = SlowEvaluator(0.0)  # for what a player does before its first game
    player = TreePlayer("tree", TreeSearch(evaluator, SMALL))
    evaluator.seconds = 0.002
    begin = time.perf_counter()
    player.choose(Game(5), BLACK, seconds)
    assert time.perf_counter() - begin < seconds + SLACK


def test_a_leaf_that_cannot_be_judged_in_time_is_not_begun() -> None:
    search = TreeSearch(SlowEvaluator(0.1), SMALL)
    result = search.search(Game(2), BLACK, Goal(seconds=0.05))
    assert result.visits == 1


def test_the_only_move_is_played_at_once() -> None:
    game = game_from(".X.\nXXX\n.X.", 0.5)
    result = TreeSearch(ConstantEvaluator(), SMALL).search(game, WHITE, Goal(seconds=5.0))
    assert [move.point for move in result.moves] == [PASS]
    assert result.visits == 1


def test_a_move_that_cannot_be_overtaken_is_not_thought_over() -> None:
    game = game_from("XX.\nXX.\nXX.", 0.5)  # any pass of Black wins once White has passed
    game.play(WHITE, PASS)
    search = TreeSearch(ConstantEvaluator(), SMALL)
    result = search.search(game, BLACK, Goal(visits=3000))
    assert result.visits < 2900
    whole = TreeSearch(ConstantEvaluator(), SMALL)
    assert whole.search(game, BLACK, Goal(visits=3000, is_for_move=False)).visits == 3000


@pytest.mark.usefixtures("own_time")
def test_a_clock_is_never_lost() -> None:
    clock = TimeSettings(TimeSystem.ABSOLUTE, main=1.0)
    settings = GameSettings(5, time=clock, opening_moves=0)
    black = TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL))
    outcome = play_game(black, EvaluatingPlayer("alp", AverageLiberties()), settings)
    assert outcome.ending is Ending.SCORE


def test_another_thread_stops_it_at_once_and_hears_what_was_found() -> None:
    search = TreeSearch(SlowEvaluator(0.001), SMALL)
    begin = time.perf_counter()
    threading.Timer(0.2, search.stop).start()
    result = search.search(Game(9), BLACK, Goal(seconds=30.0))
    assert time.perf_counter() - begin < SLACK
    assert result.visits > 1


@pytest.mark.parametrize("threads", [1, 2])
def test_who_no_longer_waits_stops_it_and_what_was_found_is_kept(threads: int) -> None:
    search = TreeSearch(SlowEvaluator(0.001), TreeLimits(threads=threads, memory=16 << 20))
    end = time.perf_counter() + 0.2
    with pytest.raises(Stopped), stoppable(lambda: time.perf_counter() > end):
        search.search(Game(9), BLACK, Goal(seconds=30.0))
    assert time.perf_counter() - end < SLACK
    assert search.search(Game(9), BLACK, Goal(visits=2)).visits > 2


@pytest.mark.parametrize("threads", [1, 2])
def test_an_evaluator_that_fails_ends_the_search_and_the_next_one_is_sound(threads: int) -> None:
    evaluator = FailingEvaluator(400)
    limits = TreeLimits(threads=threads, memory=16 << 20)
    search = TreeSearch(evaluator, limits)
    with pytest.raises(KatachiError, match="no more of this"):
        search.search(Game(5), BLACK, Goal(seconds=30.0))
    evaluator.looks = 10**9
    assert search.search(Game(5), BLACK, Goal(visits=20, is_for_move=False)).visits >= 20


def test_moves_that_are_asked_about_are_all_tried_and_no_others() -> None:
    player = TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL), visits=60)
    asked = [point_from_vertex(name, 9) for name in ("A1", "E5", "C3")]
    analysis = player.analyse(Game(9), BLACK, np.array(asked, np.uint16))
    assert sorted(each.point for each in analysis.candidates) == sorted(asked)
    assert sum(each.visits for each in analysis.candidates) == 59
    assert [each.rank for each in analysis.candidates] == [1, 2, 3]


def test_asked_about_no_move_it_judges_the_pass() -> None:
    player = TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL), visits=10)
    analysis = player.analyse(Game(5), BLACK, np.zeros(0, np.uint16))
    assert [each.point for each in analysis.candidates] == [PASS]


def test_an_analysis_shows_real_visits_and_lines_that_can_be_played() -> None:
    player = make_player("tree:120", 1)
    assert isinstance(player, TreePlayer)
    game = Game(9)
    analysis = player.analyse(game, BLACK)
    assert sum(each.visits for each in analysis.candidates) == 119
    assert len(analysis.candidates[0].line) >= 2
    for candidate in analysis.candidates:
        twin = game.copy()
        for point in (candidate.point, *candidate.line):
            twin.play(twin.to_play, point)
    assert sum(analysis.policy.values()) == pytest.approx(1.0, abs=1e-4)
    # Owners and lead are means over the same positions.
    assert analysis.ownership.sum() - game.komi == pytest.approx(analysis.lead, abs=1.0)


def test_a_move_just_chosen_is_not_searched_again() -> None:
    evaluator = SlowEvaluator(0.0)
    player = TreePlayer("tree", TreeSearch(evaluator, SMALL))
    evaluator.seconds = 0.001
    game = Game(9)
    choice = player.choose(game, BLACK, 0.1)
    begin = time.perf_counter()
    analysis = player.analyse(game.copy(), BLACK)
    assert time.perf_counter() - begin < SLACK
    assert analysis.candidates[0].point == choice.point


@pytest.mark.parametrize("elsewhere", [["A1", "E5"], []])
def test_a_move_chosen_is_searched_again_when_its_tree_is_gone(elsewhere: list[str]) -> None:
    player = TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL), visits=40)
    game = Game(9)
    choice = player.choose(game, BLACK)
    if elsewhere:
        points = np.array([point_from_vertex(name, 9) for name in elsewhere], np.uint16)
        player.analyse(game, BLACK, points)
    else:
        assert choice.point is not None
        after = game.copy()
        after.play(BLACK, choice.point)
        player.think(after, WHITE, 0.01)
    assert sum(each.visits for each in player.analyse(game, BLACK).candidates) == 39


@pytest.mark.usefixtures("own_time")
@pytest.mark.parametrize("names", [[], ["A1", "E5", "C3"]])
def test_thinking_goes_on_where_it_ended(names: list[str]) -> None:
    player = TreePlayer("tree", TreeSearch(AverageLiberties(), SMALL))
    points = np.array([point_from_vertex(name, 9) for name in names], np.uint16) if names else None
    visits = [
        sum(each.visits for each in player.think(Game(9), BLACK, 0.05, points).candidates)
        for _ in range(3)
    ]
    assert visits[0] < visits[1] < visits[2]


def test_looking_ahead_beats_the_same_evaluator_without() -> None:
    settings = GameSettings(5, opening_moves=0)
    won = 0
    for seed in range(10):
        deep = TreePlayer("deep", TreeSearch(AverageLiberties(), SMALL), seed, 100)
        flat = EvaluatingPlayer("flat", AverageLiberties(), seed)
        black, white = (deep, flat) if seed % 2 else (flat, deep)
        outcome = play_game(black, white, settings)
        won += outcome.winner == (BLACK if seed % 2 else WHITE)
    assert won >= 8


@pytest.mark.parametrize(
    ("name", "device", "why"),
    [
        ("tree:shape", "cuda:1", "no device 'cuda:1' for random games: use cpu or cuda"),
        ("tree", "mps", "no device 'mps': use cpu, cuda or cuda:N"),
        ("tree:territory:paper9", "cuda", "a net of sweeps is computed on the CPU"),
    ],
)
def test_a_device_that_is_not_for_a_player_is_told(name: str, device: str, why: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(KatachiError, match=why):
        make_player(name, limits=TreeLimits(device=device))


def test_a_net_says_the_same_wherever_it_is_computed() -> None:
    pytest.importorskip("torch")
    net = load_territory("selfplay9")
    game = Game(9)
    game.play(BLACK, point_from_vertex("E5", 9))
    white = np.array([WHITE])
    ours, theirs = net.look(game.states, white), net.on("cpu").look(game.states, white)
    assert np.allclose(ours[0], theirs[0], atol=1e-4)
    assert np.allclose(ours[1], theirs[1], atol=1e-4)


def test_a_move_of_before_it_was_made_ready_is_searched_again() -> None:
    player, game = make_player("tree:200:alp", 1), Game(7)
    player.choose(game, BLACK)
    assert isinstance(player, TreePlayer)
    player.start(game)
    found = player.analyse(game, BLACK)
    assert sum(each.visits for each in found.candidates) > 100
