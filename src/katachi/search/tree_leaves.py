# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What is said of the leaves of a tree: a value, and how likely each move is.

Any evaluator will do. One that predicts moves gives the likelihoods itself; of another they follow
from its values of the positions after each move. Values come from owners where they are known, else
from its own chances, mixed with those of random games.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.chances import (
    black_logits,
    chances_of,
    logits_of,
    winning_logits,
    with_komi,
)
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.rules.area import SCRATCH, mark_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import STRIDE, Points, index_of_points
from katachi.rules.random_play import RandomStates, copy_board, play_random_moves, random_states
from katachi.rules.state import NEWEST, RECENT, SIZE, WORDS, BoardState, Words
from katachi.search.afterstates import expand_moves
from katachi.search.guided_moves import NO_GUIDE, Guide, play_guided_moves
from katachi.search.shape_guide import guide_of, shipped_guide
from katachi.search.shape_search import can_follow
from katachi.search.tree import CERTAIN, Floats, Numbers, node_moves
from katachi.search.tree_shapes import ShapeScorer
from katachi.search.tree_walk import Said

Owners = npt.NDArray[np.float32]

SCORE_SHARE = 0.1
"""Of a value, what the lead in points counts for beside the chance to win: among moves that all win
the one that wins by more is taken."""
POINTS_AT_STAKE = 0.1
"""Of the board, the lead at which that share is at three quarters."""
PRIOR_TEMPERATURE = 0.25
"""Of the logits of winning that moves are compared by where nobody predicts them."""
NO_SCORE = -1e9
PLAYOUTS = 4
"""Random games from each leaf that an evaluator judges without knowing owners. Chosen by few games,
on 9x9 at 0.05 s a move, which tell none from several and no more: shape won 12 of 20 against
alpha-beta by the same shapes with 4 of them or with 2, 7 with none and 5 with one; average
liberties won 11 of 16, with none 4."""
PLAYOUT_SHARE = 0.5
"""What they count for beside its value."""
NET_PLAYOUT_SHARE = 0.3
"""What random games count for beside a net that says owners and moves, where a move is to be
played. They see fights to the end that a net misjudges to the last: of 24 positions from games that
a tree by `selfplay9` had lost to GNU Go, 20 to 44 moves before it knew, it won 16 with them, and 5
to 8 without, whatever its visits; against itself without them it won 62 of 120 games."""
LARGEST_SHARED = 9
"""The largest board on which they have that share. On larger ones they are evidence, too."""
PLAYOUT_EVIDENCE = 3.5
"""On larger boards, what the share of random games that Black wins, beyond half, adds to the logit
of its chance. Fitted to the winners of 2,810 games on 19x19 of strong amateurs who gave up, from
which `owners19` had not learned, one position of each after move 60: with it 0.583 nats a game,
without 0.602."""
LARGE_PLAYOUT_SHARE = 0.4
"""What they count for, besides, beside that chance: a net can be sure of a race that it has lost,
and no evidence moves it then. Of those amateurs' games, which end before such races are played out,
0.590 nats a game with both; of positions of 97 games of programs on the 19x19 ladder, from move 60
to the end, 0.343, with evidence alone 0.363, with neither 0.385. From 26 positions of 13 lost games
that the net had misjudged a tree won 7 with both and 5 with neither against GNU Go, at 0.5 s a
move; against itself without them it won 8 of 17 games at 0.25 s: play tells no difference yet."""
MOVES_A_POINT = 3
"""Moves of a random game at most, a point of the board."""

PlayOn = Callable[[Words, Numbers, int, float], tuple[Floats, Owners]]
"""(B positions of one size, [B] who moves next, random games from each, komi) -> (Black's share of
wins [B], its share of each point [B, size * size])."""
Judge = Callable[[BoardState, Numbers], Said]
"""(B positions of one size, [B] who moves next) -> what is said of them."""


def value_of_owners(ownership: Owners, lead: Floats) -> Floats:
    """[B] Black's chance by owners [B, size * size] and the lead that they make, with a share for
    that lead."""
    logits = np.empty((2, len(lead)))
    logits[0] = winning_logits(ownership, lead)
    logits[1] = lead / (POINTS_AT_STAKE * ownership.shape[1])
    chances, ahead = chances_of(logits)
    return np.asarray((1.0 - SCORE_SHARE) * chances + SCORE_SHARE * ahead)


def with_evidence(values: Floats, wins: Floats) -> Floats:
    """[B] Black's chances on a large board, joined with the share of random games that it won."""
    chances = chances_of(logits_of(values) + PLAYOUT_EVIDENCE * (wins - 0.5))
    return np.asarray((1.0 - LARGE_PLAYOUT_SHARE) * chances + LARGE_PLAYOUT_SHARE * wins)


def lead_of_owners(ownership: Owners, komi: float | Owners) -> Floats:
    """[B] Black's lead by owners [B, size * size], where all games have this komi, or each its own
    [B]."""
    return 2.0 * ownership.sum(axis=1, dtype=np.float64) - ownership.shape[1] - komi


def judge_of(evaluator: Evaluator, komi: float, seed: int = 0) -> Judge:
    """How an evaluator judges the leaves of a game with this komi; of one thread, for random games
    go on from a seed."""
    abilities = abilities_of(evaluator)
    if abilities.look is not None:
        return _Looking(abilities.look, komi)
    return Comparing(evaluator, komi, seed)


def judge_for_play(evaluator: Evaluator, komi: float, seed: int = 0) -> Judge:
    """As `judge_of`; the values of a net that says owners and moves at one look are joined with
    those of random games."""
    judge = judge_of(evaluator, komi, seed)
    return judge if abilities_of(evaluator).look is None else _PlayingOut(judge, komi, seed)


class _PlayingOut:
    """By a judge and random games from the same leaves."""

    def __init__(self, judge: Judge, komi: float, seed: int) -> None:
        self._judge, self._komi = judge, komi
        self._games = RandomGames(seed, shipped_guide())

    def __call__(self, states: BoardState, sides: Numbers) -> Said:
        said, words = self._judge(states, sides), states.words
        wins, _ = self._games(words, sides, PLAYOUTS, self._komi)
        if words[0, SIZE] > LARGEST_SHARED:
            return said._replace(values=with_evidence(said.values, wins))
        share = NET_PLAYOUT_SHARE
        return said._replace(values=(1.0 - share) * said.values + share * wins)


class _Looking:
    """By an evaluator that says owners and moves at one look."""

    def __init__(
        self, look: Callable[[BoardState, Numbers], tuple[Owners, Floats]], komi: float
    ) -> None:
        self._look = look
        self._komi = komi

    def __call__(self, states: BoardState, sides: Numbers) -> Said:
        ownership, scores = self._look(states, sides)
        return _said_by_owners(ownership, self._komi, scores)


def judge_by_random_games(komi: float, seed: int, playouts: int = PLAYOUTS) -> Judge:
    """By so many random games alone; all moves are equally likely."""
    play = RandomGames(seed)

    def judge(states: BoardState, sides: Numbers) -> Said:
        wins, ownership = play(states.words, sides, playouts, komi)
        said = _said_by_owners(ownership, komi, np.zeros(ownership.shape))
        return said._replace(values=wins)

    return judge


class RandomGames:
    """As `PlayOn` says, here; random numbers go on from call to call."""

    def __init__(self, seed: int, guide: Guide = NO_GUIDE) -> None:
        """Moves are as likely as a guide says."""
        self._room = random_states(seed, 0, 1), np.zeros(WORDS + SCRATCH, np.uint16)
        self._guide = guide

    def __call__(
        self, words: Words, sides: Numbers, count: int, komi: float
    ) -> tuple[Floats, Owners]:
        """Plays them."""
        points = int(words[0, SIZE]) ** 2
        ownership = np.zeros((len(sides), points), np.float32)
        wins = np.zeros(len(sides))
        play_all(words, sides, (count, komi), (*self._room, self._guide), (wins, ownership))
        return wins, ownership


def _said_by_owners(ownership: Owners, komi: float, scores: Floats) -> Said:
    leads = lead_of_owners(ownership, komi)
    shades = np.rint(CERTAIN * ownership).astype(np.uint8)
    return Said(value_of_owners(ownership, leads), leads, np.ascontiguousarray(scores), shades)


class Comparing:
    """By an evaluator of positions: all positions one move later are judged, too, where it predicts
    no moves; and random games are played where it knows no owners."""

    def __init__(
        self,
        evaluator: Evaluator,
        komi: float,
        seed: int = 0,
        playouts: int = PLAYOUTS,
        share: float = PLAYOUT_SHARE,
        play: PlayOn | None = None,
    ) -> None:
        """A judge; `share` of a value is that of so many random games, which `play` plays
        elsewhere."""
        self._evaluator = evaluator
        self._abilities = abilities_of(evaluator)
        self._komi = komi
        self._playouts, self._share = playouts, share
        self._seed, self._play = seed, play
        self._games: dict[int, RandomGames] = {}
        self._after: BoardState | None = None
        self._scorers: dict[int, ShapeScorer | None] = {}

    def __call__(self, states: BoardState, sides: Numbers) -> Said:
        """What is said of B positions."""
        evaluation = self._evaluator.evaluate(states)
        moves = self._abilities.moves
        scores = self._scores(states, sides) if moves is None else moves(states, sides)
        if evaluation.ownership is not None:
            return _said_by_owners(evaluation.ownership, self._komi, scores)
        values = np.asarray(evaluation.value, np.float64)
        if self._playouts == 0 or self._share == 0.0:
            unknown = np.zeros((len(values), 0), np.uint8)
            return Said(values, np.zeros(len(values)), np.ascontiguousarray(scores), unknown)
        play = self._play or self._random_games(int(states.words[0, SIZE]))
        wins, ownership = play(states.words, sides, self._playouts, self._komi)
        said = _said_by_owners(ownership, self._komi, scores)
        return said._replace(values=(1.0 - self._share) * values + self._share * wins)

    def _random_games(self, size: int) -> RandomGames:
        """Random games on boards of a size, by the evaluator's shapes where it has such."""
        if size not in self._games:
            model = self._shapes(size)
            guide = NO_GUIDE if model is None else guide_of(model)
            self._games[size] = RandomGames(self._seed, guide)
        return self._games[size]

    def _scores(self, states: BoardState, sides: Numbers) -> Floats:
        """Scores of all leaves by what their moves lead to."""
        size = int(states.words[0, SIZE])
        scores = np.full((len(sides), size * size), NO_SCORE)
        scorer = self._scorer(size)
        if scorer is not None:
            scorer.score(states, sides, PRIOR_TEMPERATURE, scores)
            return scores
        for row, side in enumerate(sides.tolist()):
            state = BoardState(states.words[row], states.hashes[row], states.keys)
            points = node_moves(state, side)
            if len(points):
                logits = self._move_logits(state, side, points)
                scores[row, index_of_points(points, size)] = logits / PRIOR_TEMPERATURE
        return scores

    def _move_logits(self, state: BoardState, side: int, points: Points) -> Floats:
        """[M] the mover's logits of winning after these moves."""
        fast = self._abilities.fast_moves
        logits = None if fast is None else fast(state.words, side, points)
        if logits is not None:
            return logits
        after = self._positions_after(state, side, points)
        said = with_komi(self._evaluator.evaluate(after), self._komi)
        return black_logits(said) * (1 if side == BLACK else -1)

    def _positions_after(self, state: BoardState, side: int, points: Points) -> BoardState:
        """The positions after each of these moves of `side`, until the next ones are asked for."""
        room = self._after
        if room is None or room.words[0, SIZE] != state.words[SIZE]:
            most = int(state.words[SIZE]) ** 2
            words = np.tile(state.words, (most, 1))
            room = self._after = BoardState(words, np.zeros((most, 2), np.uint64), state.keys)
        after = BoardState(room.words[: len(points)], room.hashes[: len(points)], state.keys)
        expand_moves(state, side, points, after)
        return after

    def _scorer(self, size: int) -> ShapeScorer | None:
        """What follows the shapes of the evaluator on boards of a size, if it can be followed."""
        if size not in self._scorers:
            model = self._shapes(size)
            self._scorers[size] = None if model is None else ShapeScorer(model)
        return self._scorers[size]

    def _shapes(self, size: int) -> LocalShape | None:
        """The shapes of the evaluator on boards of a size, if they can be followed."""
        shapes = self._abilities.shapes
        model = None if shapes is None else shapes(size)
        return model if model is not None and can_follow(model) else None


@kernel
def play_all(
    boards: Words,
    sides: Numbers,
    terms: tuple[int, float],
    room: tuple[RandomStates, Words, Guide],
    found: tuple[Floats, Owners],
) -> None:
    """Plays random games from B positions and writes Black's share of wins [B] and of each point
    [B, size * size], zeros before, into `found`. `terms` are how many games from each and komi;
    `room` is a random state [1], which is taken further, memory [WORDS + SCRATCH] and a guide."""
    wins, ownership = found
    for row in range(len(sides)):
        wins[row] = play_on(boards[row], sides[row], terms, room, ownership[row])


@kernel
def play_on(
    board: Words,
    side: int,
    terms: tuple[int, float],
    memory: tuple[RandomStates, Words, Guide],
    ownership: Owners,
) -> float:
    """The same from one position; returns the share of wins."""
    size = np.int64(board[SIZE])
    count, komi = terms
    random, room, guide = memory
    last = np.int64(board[RECENT + board[NEWEST]])
    limit = MOVES_A_POINT * size * size
    marks = room[WORDS:]
    won = 0.0
    half = np.float32(0.5 / count)
    for _ in range(count):
        copy_board(board, room)
        if len(guide) > 0:
            random[0] = play_guided_moves(room[:WORDS], side, last, limit, guide, random[0])
        else:
            _, random[0] = play_random_moves(room[:WORDS], side, limit, random[0])
        lead = mark_area(room[:WORDS], marks) - komi
        won += 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
        place = 0
        for row in range(1, size + 1):
            for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
                owner = marks[point] & 3
                ownership[place] += half * (1 + int(owner == BLACK) - int(owner == WHITE))
                place += 1
    return won / count
