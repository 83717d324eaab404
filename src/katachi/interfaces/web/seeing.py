"""Operations that show what an evaluator sees: candidates, territory, reasons, whole games."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.interfaces.web.messages import (
    GameRequest,
    Name,
    Vertex,
    game_from_message,
    matrix,
    point_to_play,
)
from katachi.interfaces.web.offers import evaluator_named, lane_of_player
from katachi.interfaces.web.operations import (
    Answers,
    Context,
    Lane,
    Part,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.records import Players
from katachi.interfaces.web.seen_fields import (
    analysis_fields,
    hands_fields,
    shape_fields,
    territory_fields,
)
from katachi.interfaces.web.tree_seeing import (
    analyse_by_tree,
    explain_by_tree,
    territory_by_tree,
)
from katachi.interfaces.web.trees import PageTree, is_tree, tree_named
from katachi.pictures.review import Mistake, mean_loss, reason_for
from katachi.pictures.review_notes import annotated_review, judgement_entry, move_entry
from katachi.records.conversion import record_from_game
from katachi.records.record import GameTexts
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.search.analysis import analyse
from katachi.search.review import (
    EvaluatorReviewer,
    GameReview,
    Reviewer,
    before_first_move,
    review_move,
)
from katachi.search.territory_views import read_territory, source_line

CONTINUATIONS = 512
"""Random continuations for an evaluator that knows no owners: a page should not wait for more."""
MISTAKES = 10
"""Of each side, for which a reason is given."""


Judged = TypeVar("Judged")


class EvaluatorRequest(GameRequest):
    """A game, and who judges it."""

    evaluator: Name


def _asked(request: EvaluatorRequest, context: Context) -> tuple[Game, Evaluator]:
    """The game and the evaluator of a request; raises RequestError."""
    game = game_from_message(request.game)
    return game, evaluator_named(request.evaluator, context)


class AnalyseRequest(EvaluatorRequest):
    """How many candidates of a position."""

    count: Annotated[int, Meta(ge=1, le=50)] = 10


def _lane(request: EvaluatorRequest) -> Lane:
    """Where an evaluator works: a tree, which takes seconds, beside players that do."""
    return lane_of_player(request.evaluator)


@operation("analyse", AnalyseRequest, lane=_lane)
def analyse_position(request: AnalyseRequest, context: Context) -> Answers:
    """The best moves of a position, and who will own what."""
    if is_tree(request.evaluator):
        game = game_from_message(request.game)
        with closing((yield from tree_named(request.evaluator, context))) as tree:
            yield from analyse_by_tree(tree, request.evaluator, game, request.count)
        return
    game, evaluator = _asked(request, context)
    yield None
    present = _judged(lambda: evaluator.evaluate(game.states))
    if present.ownership is not None:  # the candidates take ten times as long
        yield Part({"ownership": matrix(present.ownership[0], game.size), "is_estimate": True})
    found = _judged(lambda: analyse(evaluator, game, game.to_play))
    fields = analysis_fields(found, game, request.count)
    yield Result({"evaluator": request.evaluator, **fields})


def _judged(work: Callable[[], Judged]) -> Judged:
    """What an evaluator says; raises RequestError where it is not for such a board."""
    try:
        return work()
    except KatachiError as error:
        raise RequestError("evaluator", error) from None


class PointRequest(EvaluatorRequest):
    """A move of the side to move."""

    vertex: Vertex


@operation("territory", PointRequest, lane=_lane)
def territory(request: PointRequest, context: Context) -> Answers:
    """Who will own what: now, after a move, after a pass instead, and the difference."""
    if is_tree(request.evaluator):
        game, point = _game_and_point(request)
        with closing((yield from tree_named(request.evaluator, context))) as tree:
            yield from territory_by_tree(tree, request.evaluator, game, point)
        return
    game, evaluator = _asked(request, context)
    point = point_to_play(game, request.vertex)
    yield None
    reading = _judged(lambda: read_territory(evaluator, game, game.to_play, point, CONTINUATIONS))
    source = source_line(request.evaluator, reading, CONTINUATIONS)
    yield Result(territory_fields(reading, source))


def _game_and_point(request: PointRequest) -> tuple[Game, int]:
    """The game of a request and the point of its move; raises RequestError."""
    game = game_from_message(request.game)
    return game, point_to_play(game, request.vertex)


class ExplainRequest(PointRequest):
    """A move, and how many changes of shapes."""

    count: Annotated[int, Meta(ge=1, le=100)] = 12


@operation("explain", ExplainRequest, lane=_lane)
def explain(request: ExplainRequest, context: Context) -> Answers:
    """Why a move is good or bad: shapes that come and go, points that change hands."""
    if is_tree(request.evaluator):
        game, point = _game_and_point(request)
        with closing((yield from tree_named(request.evaluator, context))) as tree:
            yield from explain_by_tree(tree, game, point, request.count)
        return
    game, evaluator = _asked(request, context)
    point, color = point_to_play(game, request.vertex), game.to_play
    number = len(game.moves) + 1
    yield None
    move = _judged(lambda: review_move(evaluator, game, number, color, point))
    yield None
    shapes = shape_fields(evaluator, game, point, request.count)
    yield None
    has_owners = move.played.lead is not None
    reading = read_territory(evaluator, game, color, point) if has_owners else None
    yield None
    yield Result(
        {
            "vertex": vertex_from_point(point, game.size),
            "color": COLOR_NAMES[color],
            "rank": move.rank,
            "candidates": move.candidates,
            "loss": move.loss,
            "unit": "points" if has_owners else "chance",
            "shapes": shapes,
            "territory": None if reading is None else hands_fields(reading, color),
            "reply": _reply(evaluator, game, point),
            "best": judgement_entry(move.best, game.size),
        }
    )


def _reply(evaluator: Evaluator, game: Game, point: int) -> dict[str, Any] | None:
    """The opponent's best answer to a move; None where the game is over then."""
    after = game.copy()
    after.play(game.to_play, point)
    if after.is_over:
        return None
    found = review_move(evaluator, after, len(after.moves) + 1, after.to_play, PASS)
    return judgement_entry(found.best, game.size)


class Reviewing(NamedTuple):
    """Who judges the moves of a game."""

    reviewer: Reviewer
    tree: PageTree | None = None

    def close(self) -> None:
        """Lets go of the tree, if there is one."""
        if self.tree is not None:
            self.tree.close()


def _reviewing(
    request: EvaluatorRequest, context: Context
) -> Generator[None, None, tuple[Game, Reviewing]]:
    """The game of a request and who reviews it; raises RequestError."""
    game = game_from_message(request.game)
    if not game.moves:
        raise RequestError("game.moves", "the game has no moves to review")
    if is_tree(request.evaluator):
        tree = yield from tree_named(request.evaluator, context)
        return game, Reviewing(tree.reviewer, tree)
    evaluator = evaluator_named(request.evaluator, context)
    return game, Reviewing(EvaluatorReviewer(evaluator))


@operation("review", EvaluatorRequest, lane=_lane)
def review(request: EvaluatorRequest, context: Context) -> Answers:
    """Every move of a game beside the best one, and why the largest mistakes are mistakes."""
    game, reviewing = yield from _reviewing(request, context)
    with closing(reviewing):
        found = yield from _review(reviewing.reviewer, game)
    mistakes: list[dict[str, Any]] = []
    for mistake in _mistakes(reviewing.reviewer.evaluator, game, found):
        move = mistake.move
        why = mistake.reason.lines
        mistakes.insert(0, {"number": move.number, "loss": move.loss, "why": why})
        yield None
    means = {COLOR_NAMES[color]: mean_loss(found.by(color)) for color in (BLACK, WHITE)}
    unit = "points" if found.is_in_points else "chance"
    yield Result({"unit": unit, "mistakes": mistakes, "mean_loss": means})


def _review(reviewer: Reviewer, game: Game) -> Generator[Part, None, GameReview]:
    """Sends each move as it is judged; the whole review comes back at the end."""
    first = before_first_move(game)
    start = _judged(lambda: reviewer.judge_start(first))
    yield Part({"number": 0, "win_rate": start.win_rate, "lead": start.lead})
    moves = []
    for move in reviewer.review_moves(game):
        moves.append(move)
        yield Part(move_entry(move, game.size))
    return GameReview(start, moves)


def _mistakes(evaluator: Evaluator, game: Game, found: GameReview) -> Iterator[Mistake]:
    """The largest mistakes of both sides, the last of the game first."""
    before = game.copy()
    for move in reversed(found.all_mistakes(MISTAKES)):
        while len(before.moves) >= move.number:
            before.undo()
        yield Mistake(move, before.copy(), reason_for(evaluator, before, move))


class AnnotateRequest(EvaluatorRequest):
    """A game to annotate, and who played."""

    players: Players | None = None


@operation("annotate", AnnotateRequest, lane=_lane)
def annotate(request: AnnotateRequest, context: Context) -> Answers:
    """A game as an SGF file with what an evaluator says of every move."""
    game, reviewing = yield from _reviewing(request, context)
    with closing(reviewing):
        found = yield from _review(reviewing.reviewer, game)
    mistakes = []
    for mistake in _mistakes(reviewing.reviewer.evaluator, game, found):
        mistakes.append(mistake)
        yield None
    players = request.players or Players()
    texts = GameTexts(black=players.black, white=players.white)
    record = record_from_game(game, texts, handicap=request.game.handicap)
    source = f"as {request.evaluator} sees it"
    yield Result({"text": annotated_review(record, source, found, mistakes).decode()})
