"""The tree of a best-first search grows as an obvious one does, and adds up."""

import random

import numpy as np
import pytest

from katachi.evaluators.simple import ConstantEvaluator
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, point_from_vertex
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import BoardState
from katachi.search.tree import ENDED, NO_NODE, NODES, OPEN, ROOT, Numbers, Tree, new_tree
from katachi.search.tree_growing import Growth
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_search import TreeResult, TreeSearch
from katachi.search.tree_walk import Said, TreeSettings, choose_edge
from tests.oracle.games import play_random_move
from tests.oracle.puct import OracleTree
from tests.search.positions import game_from
from tests.search.tree_judges import by_nobody, by_scrambler, oracle_scrambler, scrambled

SMALL = 4 << 20


class OpenSearch(TreeSearch):
    """A search whose tree can be looked at."""

    @property
    def tree(self) -> Tree:
        assert self._trees is not None
        return self._trees[0]

    def _begin(self, game: Game, color: int, only: tuple[int, ...] | None) -> Growth:
        self.growth = super()._begin(game, color, only)
        return self.growth


def searcher(batch: int = 1, threads: int = 1) -> OpenSearch:
    return OpenSearch(ConstantEvaluator(), TreeLimits(batch, threads, SMALL), by_scrambler)


def all_visits(count: int) -> Goal:
    return Goal(visits=count, is_for_move=False)


def random_game(size: int, moves: int, seed: int, rules: Rules | None = None) -> Game:
    source = random.Random(seed)
    game = Game(size, source.choice((0.5, 3.5, 7.0)), rules)
    for _ in range(moves):
        play_random_move(game, source)
    return game


@pytest.mark.kernel
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_one_leaf_at_a_time_it_visits_what_the_oracle_visits(size: int) -> None:
    for seed in range(6):
        # By simple ko alone a way may go in circles, where the kernel's own visits hold it back.
        ko = KoRule.POSITIONAL if seed % 2 else KoRule.SITUATIONAL
        game = random_game(size, seed * size, seed, Rules(ko))
        color, settings = game.to_play, TreeSettings(game.komi, ko=game.rules.ko.value)
        root = OracleTree(settings, oracle_scrambler).search(game, color, 150)
        found = searcher().search(game, color, all_visits(150))
        expected = {e.move: e.taken for e in root.edges if game.is_legal(color, e.move)}
        assert {move.point: move.visits for move in found.moves} == expected
        assert found.win_rate == pytest.approx(root.chance(color))
        priors = {edge.move: edge.prior for edge in root.edges}
        for move in found.moves:
            assert move.prior == pytest.approx(priors[move.point], rel=1e-5)


def check_tree(tree: Tree, deepest: int = 0) -> None:
    """What holds of every tree that nobody is growing."""
    for node in range(int(tree.counts[NODES])):
        edges = slice(int(tree.first[node]), int(tree.first[node]) + int(tree.width[node]))
        assert tree.state[node] in (OPEN, ENDED)
        assert tree.visits[node] >= 1
        assert 0.0 <= tree.total[node] <= tree.visits[node]
        if tree.state[node] == ENDED:
            assert edges.start == edges.stop
            continue
        assert tree.visits[node] == 1 + tree.taken[edges].sum() + deepest
        assert tree.prior[edges].sum() == pytest.approx(1.0, abs=1e-5)
        assert (np.diff(tree.prior[edges]) <= 0).all()
        assert (tree.pending[edges] == 0).all()
        assert (tree.child[edges][tree.taken[edges] > 0] != NO_NODE).all()
        assert len(set(tree.move[edges].tolist())) == edges.stop - edges.start


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (8, 1), (3, 2), (8, 4)])
def test_visits_priors_and_values_add_up_at_every_node(batch: int, threads: int) -> None:
    search = searcher(batch, threads)
    for seed in range(4):
        game = random_game(5, 6 * seed, seed)
        result = search.search(game, game.to_play, all_visits(400))
        check_tree(search.tree)
        assert result.visits >= 400
        assert result.visits - 1 == sum(move.visits for move in result.moves)


def test_batches_find_as_many_visits_as_were_asked_for() -> None:
    for batch in (1, 5, 8):
        for visits in (1, 2, 7, 100):
            result = searcher(batch).search(random_game(5, 3, 1), WHITE, all_visits(visits))
            assert result.visits == visits


@pytest.mark.parametrize(
    ("visits", "most"), [(1, 1), (6, 1), (15, 1), (25, 3), (63, 7), (64, 8), (400, 8)]
)
def test_few_visits_have_few_leaves_judged_together(visits: int, most: int) -> None:
    seen: list[int] = []

    def judge(states: BoardState, sides: Numbers) -> Said:
        seen.append(len(sides))
        return scrambled(states, sides)

    search = TreeSearch(ConstantEvaluator(), TreeLimits(8, 1, SMALL), lambda *_: judge)
    assert search.search(Game(9), BLACK, all_visits(visits)).visits == visits
    assert max(seen) == most


def test_six_visits_are_those_of_a_search_that_looks_at_each_before_the_next() -> None:
    for seed in range(4):
        game = random_game(5, 3 * seed, seed)
        one, eight = (searcher(batch).search(game, BLACK, Goal(visits=6)) for batch in (1, 8))
        assert without_time(one) == without_time(eight)


@pytest.mark.parametrize(("threads", "most"), [(1, 2), (2, 4)])
def test_several_threads_have_more_leaves_judged_together_in_a_large_tree(
    threads: int, most: int
) -> None:
    seen: list[int] = []

    def judge(states: BoardState, sides: Numbers) -> Said:
        seen.append(len(sides))
        return scrambled(states, sides)

    search = OpenSearch(ConstantEvaluator(), TreeLimits(2, threads, SMALL), lambda *_: judge)
    search.search(Game(9), BLACK, all_visits(200))
    assert max(seen) == 2
    search.search(Game(9), BLACK, all_visits(600))
    assert max(seen) == most
    check_tree(search.tree)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_is_stopped_brings_in_what_is_under_way(threads: int) -> None:
    looks = 0

    def judge(states: BoardState, sides: Numbers) -> Said:
        nonlocal looks
        looks += 1
        if looks == 10:
            search.stop()
        return scrambled(states, sides)

    limits = TreeLimits(4, threads, SMALL)
    search = OpenSearch(ConstantEvaluator(), limits, lambda *_: judge)
    result = search.search(Game(9), BLACK, all_visits(10_000))
    assert result.visits < 200
    check_tree(search.tree)


def without_time(result: TreeResult) -> TreeResult:
    return result._replace(seconds=0.0, ownership=None)


def test_equal_seeds_find_equal_results() -> None:
    game = random_game(7, 10, 5)
    evaluator = ConstantEvaluator()
    found = [
        TreeSearch(evaluator).search(game, BLACK, Goal(visits=200), np.random.default_rng(seed))
        for seed in (1, 1, 2)
    ]
    assert without_time(found[0]) == without_time(found[1])
    assert without_time(found[0]) != without_time(found[2])


def reachable(tree: Tree, root: int) -> dict[int, tuple[object, ...]]:
    """By key, what is known of each position that can be reached from a node."""
    found: dict[int, tuple[object, ...]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        key = int(tree.keys[node])
        if key in found:
            continue
        edges = range(int(tree.first[node]), int(tree.first[node]) + int(tree.width[node]))
        children = [int(tree.child[edge]) for edge in edges]
        known = [int(tree.keys[child]) if child != NO_NODE else None for child in children]
        counts = [(int(tree.move[e]), int(tree.taken[e]), float(tree.prior[e])) for e in edges]
        found[key] = int(tree.visits[node]), float(tree.total[node]), known, counts
        waiting += [child for child in children if child != NO_NODE]
    return found


def test_after_two_moves_exactly_what_can_be_reached_is_kept() -> None:
    search, game = searcher(4), random_game(5, 4, 3)
    result = search.search(game, game.to_play, all_visits(500))
    best = result.moves[0]
    game.play(game.to_play, best.point)
    game.play(game.to_play, best.line[0])
    before = search.tree
    again = search.search(game, game.to_play, all_visits(1))
    assert again.new_visits == 0
    assert again.visits > 1
    tree = search.tree
    root = next(
        node
        for node in range(int(before.counts[NODES]))
        if before.keys[node] == tree.keys[tree.counts[ROOT]]
    )
    assert reachable(tree, int(tree.counts[ROOT])) == reachable(before, root)
    assert len(reachable(tree, 0)) == tree.counts[NODES]
    check_tree(tree)


def test_a_kept_tree_goes_on_growing() -> None:
    search, game = searcher(8), Game(5, 0.5)
    while not game.is_over and len(game.moves) < 30:
        result = search.search(game, game.to_play, all_visits(60))
        check_tree(search.tree)
        assert result.visits >= 60
        assert game.is_legal(game.to_play, result.moves[0].point)
        game.play(game.to_play, result.moves[0].point)


def test_what_was_found_of_some_moves_is_kept_while_the_same_are_asked_about() -> None:
    search, game = searcher(), random_game(5, 6, 1)
    asked = game.legal_moves(BLACK)[:3]

    def kept(points: Points | None, visits: int) -> int:
        """Visits that an earlier search had left."""
        result = search.search(game, BLACK, all_visits(visits), points=points)
        assert points is None or {move.point for move in result.moves} == set(points.tolist())
        assert points is not None or len(result.moves) > 3
        assert result.visits == visits
        return result.visits - result.new_visits

    assert kept(None, 30) == 0
    assert kept(asked, 40) == 0
    assert kept(asked[::-1], 60) == 40
    assert kept(asked[:2], 70) == 0
    assert kept(None, 80) == 0
    assert kept(None, 90) == 80
    assert kept(asked, 100) == 0
    game.play(BLACK, int(asked[0]))
    game.play(WHITE, PASS)
    assert kept(None, 110) == 0


def test_a_second_pass_ends_a_game_and_a_first_does_not() -> None:
    """White has passed; a pass of Black ends the game, whatever was seen of that position with
    fewer passes before it."""
    game = game_from(".X.X.\nXXXXX\nOOOOO\n.O.O.\n.O.O.", 2.5)  # Black: 9, White: 16 or so
    search = OpenSearch(ConstantEvaluator(), TreeLimits(1, 1, SMALL), by_nobody)
    for color, rate in ((BLACK, 0.0), (WHITE, 1.0)):
        twin = game.copy()
        twin.play(opponent(color), PASS)
        found = search.search(twin, color, all_visits(300))
        passing = next(move for move in found.moves if move.point == PASS)
        assert passing.win_rate == rate
        assert passing.line == ()


def test_superko_holds_inside_the_tree_on_every_way() -> None:
    """No line ever comes back to a position that was there before."""
    for seed in range(8):
        game = random_game(3, 12, seed)
        search = searcher(4)
        found = search.search(game, game.to_play, all_visits(600))
        for move in found.moves:
            twin = game.copy()
            for point in (move.point, *move.line):
                assert twin.is_legal(twin.to_play, point)
                twin.play(twin.to_play, point)


def test_a_move_that_repeats_a_position_is_no_move_at_the_root() -> None:
    """After the ko fight's third position the retake would repeat the board: it is not offered,
    though the tree met it on another way."""
    game = game_from(".XO..\nXO.O.\n.XO..\n.....\n.....", 0.5)
    take, retake = point_from_vertex("C4", 5), point_from_vertex("B4", 5)
    search = OpenSearch(ConstantEvaluator(), TreeLimits(4, 1, SMALL), by_nobody)
    search.search(game, BLACK, all_visits(300))
    game.play(BLACK, take)
    found = search.search(game, WHITE, all_visits(300))
    assert retake not in [move.point for move in found.moves]
    for color in (WHITE, BLACK):
        game.play(color, PASS)
    # By simple ko it may be taken back now; by superko it may not.
    found = search.search(game, WHITE, all_visits(300))
    assert not game.is_legal(WHITE, retake)
    assert retake not in [move.point for move in found.moves]


def test_the_tree_stays_within_its_memory() -> None:
    limits = TreeLimits(batch=4, memory=1 << 20)
    search = OpenSearch(ConstantEvaluator(), limits, by_nobody)
    result = search.search(Game(5), BLACK, all_visits(1_000_000))
    assert sum(array.nbytes for array in search.tree) <= (1 << 19) * 1.1
    assert result.visits > 200
    check_tree(search.tree)


@pytest.mark.parametrize(("lost", "stays"), [(0.0, True), (1.0, False)])
def test_visits_under_way_count_as_lost_as_far_as_the_settings_say(
    lost: float, stays: bool
) -> None:
    search, game = searcher(), Game(5)
    search.search(game, BLACK, all_visits(300))
    tree, root = search.tree, search.growth.root
    settings = TreeSettings(game.komi, exploration=0.0, lost=lost)
    node = int(tree.counts[ROOT])
    best = choose_edge(tree, settings, node, BLACK, root.state)
    tree.pending[best] = 1000
    assert (choose_edge(tree, settings, node, BLACK, root.state) == best) == stays


def test_new_trees_are_empty() -> None:
    assert new_tree(4, 9, 4).counts.tolist() == [0, 0, NO_NODE, 0]
