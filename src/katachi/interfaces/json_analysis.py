"""Analysis in KataGo's JSON form: one query a line in, one answer a line and position out.

KaTrain and scripts written for KataGo's analysis engine speak this. Answers come once, and of a
query that the client ends at once, with what was found by then. Of a player that grows a tree
visits are visits; of others, which answer at once, they are pseudo-visits
(`katachi.search.analysis`). A player that knows no owners sends no score; KaTrain needs one.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import msgspec
import numpy as np

from katachi import __version__
from katachi.errors import KatachiError
from katachi.interfaces.console import encode_json
from katachi.interfaces.gtp import formats
from katachi.interfaces.gtp.session import LONGEST_SECONDS
from katachi.interfaces.gtp.wire import is_color, parse_color
from katachi.interfaces.json_queries import LONGEST_QUERY, Ending, QueryReader, SentLine
from katachi.players.protocol import Analyst, Searching
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, point_from_vertex, points_of, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules, check_komi
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import Analysis, Candidate
from katachi.search.stopping import Stopped, stoppable
from katachi.search.tree_limits import Goal, check_visits

_LETTERS = {BLACK: "B", WHITE: "W"}
TERRITORY_RULES = ("japanese", "korean")
Answer = dict[str, Any]


class QueryError(KatachiError):
    """A query that cannot be answered; `field` names the part that is wrong."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@contextmanager
def _blaming(field: str) -> Iterator[None]:
    """Says of what is refused in the block which part of the query asked for it."""
    try:
        yield
    except KatachiError as error:
        raise QueryError(field, str(error)) from None


class MoveList(msgspec.Struct):
    """Moves that one player should avoid, or choose from."""

    player: str
    moves: list[str]


class Query(msgspec.Struct, rename="camel"):
    """The parts of a query that mean something here; others are ignored."""

    id: str
    moves: list[tuple[str, str]]
    rules: str | dict[str, Any] = "tromp-taylor"
    komi: float = 7.5
    board_x_size: int = msgspec.field(name="boardXSize", default=19)
    board_y_size: int = msgspec.field(name="boardYSize", default=19)
    initial_stones: list[tuple[str, str]] = []
    initial_player: str | None = None
    analyze_turns: list[int] | None = None
    max_visits: int | None = None
    include_ownership: bool = False
    include_moves_ownership: bool = False
    include_policy: bool = False
    avoid_moves: list[MoveList] = []
    allow_moves: list[MoveList] = []
    override_settings: dict[str, Any] = {}


class View(NamedTuple):
    """Whose chances an answer reports: 1 for the mover's own, -1 for the other side's."""

    sign: int

    def rate(self, win_rate: float) -> float:
        """A win rate of the mover, seen from this side."""
        return win_rate if self.sign > 0 else 1.0 - win_rate


def answer_lines(lines: Iterable[bytes], analyst: Analyst) -> Iterator[bytes]:
    """The answers to query lines, in order; whatever is wrong with a line is answered too. A thread
    reads the lines meanwhile: one that ends queries holds, and is answered, before all that
    waits."""
    for sent in QueryReader(lines).take_all():
        for answer in _answer(sent, analyst):
            yield encode_json(answer)


def _answer(sent: SentLine, analyst: Analyst) -> Iterator[Answer]:
    """The answers to a line, each as soon as it is known."""
    try:
        message = _decode(sent.line)
    except KatachiError as error:
        yield {"error": str(error)}
        return
    name = message.get("id")
    try:
        if "action" in message:
            yield _act(message)
        else:
            yield from _analyse(msgspec.convert(message, Query), sent, analyst)
    except msgspec.ValidationError as error:
        field = str(error).partition("$.")[2].strip("`") or "query"
        yield {"id": name, "error": str(error), "field": field}
    except QueryError as error:
        yield {"id": name, "error": str(error), "field": error.field}
    except KatachiError as error:  # such as a model for boards of another size
        yield {"id": name, "error": str(error)}


def _decode(line: bytes) -> Answer:
    """The object of a line; raises KatachiError for a line that holds none."""
    if len(line) > LONGEST_QUERY:
        raise KatachiError(f"a query longer than {LONGEST_QUERY} bytes")
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise KatachiError(f"not a JSON query: {error}") from None
    if not isinstance(message, dict):
        raise KatachiError("a query is a JSON object")
    return message


def _act(message: Answer) -> Answer:
    """The answer to an action; raises ValidationError for one that lacks what it needs."""
    action = message["action"]
    if action in ("terminate", "terminate_all"):
        msgspec.convert(message, Ending)  # a right one was carried out when it was read
        return message
    if action == "query_version":
        return message | {"version": __version__, "git_hash": "katachi"}
    if action == "clear_cache":
        return message
    return {"id": message.get("id"), "error": f"no action {action!r}", "field": "action"}


def _analyse(query: Query, sent: SentLine, analyst: Analyst) -> Iterator[Answer]:
    """An answer for each turn that is asked for, one at a time: a long game has hundreds, which a
    client draws as they come. A query that is wrong anywhere gets no answer but that."""
    turns = set(query.analyze_turns or [len(query.moves)])
    if not all(0 <= turn <= len(query.moves) for turn in turns):
        raise QueryError("analyzeTurns", f"turns go from 0 to {len(query.moves)}")
    for _ in _positions(query, max(turns)):
        pass
    for turn, game in enumerate(_positions(query, max(turns))):
        if turn in turns:
            analysis = _search(query, game, analyst, partial(sent.is_ended, turn))
            yield {
                "id": query.id,
                "isDuringSearch": False,
                "turnNumber": turn,
                **({"noResults": True} if analysis is None else _found(query, game, analysis)),
            }


def _positions(query: Query, last: int) -> Iterator[Game]:
    """The game after 0, 1, ... `last` moves, one object that goes on; raises QueryError where it
    cannot."""
    game = _start(query)
    yield game
    for color, vertex in query.moves[:last]:
        _play(game, color, vertex)
        yield game


def _start(query: Query) -> Game:
    if query.board_x_size != query.board_y_size:
        raise QueryError("boardXSize", "only square boards are played")
    rules = _rules(query.rules)
    with _blaming("komi"):
        check_komi(query.komi)
    with _blaming("boardXSize"):
        game = Game(query.board_x_size, query.komi, rules)
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    for color, vertex in query.initial_stones:
        stones[_color(color, "initialStones")].append(_point(game, vertex, "initialStones"))
    with _blaming("initialStones"):
        game.place_setup(stones[BLACK], stones[WHITE])
    if query.initial_player:
        game.first_to_play = _color(query.initial_player, "initialPlayer")
    elif query.moves:
        game.first_to_play = _color(query.moves[0][0], "moves")
    return game


def _rules(rules: str | dict[str, Any]) -> Rules:
    """Rules by name or object. Territory rules, which clients ask for by default, are answered too:
    with the ko rule they have, and area scoring all the same."""
    with _blaming("rules"):
        if isinstance(rules, str):
            is_territory = rules.lower() in TERRITORY_RULES
            return Rules(KoRule.SIMPLE) if is_territory else formats.rules_from_name(rules)
        return formats.rules_from_object({k: v for k, v in rules.items() if k in ("ko", "suicide")})


def _color(text: str, field: str) -> int:
    if not is_color(text):
        raise QueryError(field, f"{text!r} is no colour: write B or W")
    return parse_color(text)


def _point(game: Game, vertex: str, field: str) -> int:
    with _blaming(field):
        return point_from_vertex(vertex, game.size)


def _play(game: Game, color: str, vertex: str) -> None:
    try:
        game.play(_color(color, "moves"), _point(game, vertex, "moves"))
    except KatachiError as error:
        # KaTrain looks for these words, in this case.
        text = str(error)
        raise QueryError("moves", text[:1].upper() + text[1:]) from None


def _found(query: Query, game: Game, analysis: Analysis) -> Answer:
    """What an answer says of a position besides which it is."""
    color = game.to_play
    side = str(query.override_settings.get("reportAnalysisWinratesAs", "BLACK")).upper()
    wanted = {"BLACK": BLACK, "WHITE": WHITE}.get(side, color)
    view = View(1 if wanted == color else -1)
    shown = formats.shown_candidates(analysis.candidates)
    answer: Answer = {
        "moveInfos": [_move_info(game, c, order, view) for order, c in enumerate(shown)],
        "rootInfo": _root_info(analysis, color, view),
    }
    if query.include_ownership:
        answer["ownership"] = (view.sign * analysis.ownership).round(6).tolist()
    if query.include_moves_ownership:
        for info, candidate in zip(answer["moveInfos"], shown, strict=True):
            owned = analysis.owned_after.get(candidate.point)
            if owned is not None:
                info["ownership"] = (view.sign * owned).round(6).tolist()
    if query.include_policy:
        answer["policy"] = _policy(game, color, analysis)
    return answer


def _search(
    query: Query, game: Game, analyst: Analyst, is_ended: Callable[[], bool]
) -> Analysis | None:
    """The analysis of a position; of a player that searches, as far as the query says, or as it
    came before it was ended. None where it was ended before there was any."""
    if is_ended():
        return None
    points, goal = _wanted_points(query, game, game.to_play), _goal(query)
    try:
        with stoppable(is_ended):
            if goal is None or not isinstance(analyst, Searching):
                return analyst.analyse(game, game.to_play, points)
            return analyst.analyse_to(goal, game, game.to_play, points)
    except Stopped:
        return _found_before(game, analyst, points)


def _found_before(game: Game, analyst: Analyst, points: Points | None) -> Analysis | None:
    """What a search that was ended had found; None where it was nothing."""
    if not isinstance(analyst, Searching):
        return None
    # It keeps what it finds, so that nothing is searched for this.
    found = analyst.analyse_to(Goal(visits=1, is_for_move=False), game, game.to_play, points)
    return found if any(each.visits for each in found.candidates) else None


def _goal(query: Query) -> Goal | None:
    """When a search ends; None where the query does not say. Clients send these to any player."""
    seconds = query.override_settings.get("maxTime")
    if seconds is None and query.max_visits is None:
        return None
    if query.max_visits is not None:
        with _blaming("maxVisits"):
            check_visits(query.max_visits)
    if seconds is not None and not (_is_number(seconds) and 0 < seconds <= LONGEST_SECONDS):
        text = f"seconds above 0, {LONGEST_SECONDS:g} at most"
        raise QueryError("overrideSettings", f"maxTime must be {text}")
    return Goal(seconds, query.max_visits, is_for_move=False)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wanted_points(query: Query, game: Game, color: int) -> Points | None:
    """The moves that the query leaves open; None where it rules none out. Where it leaves none, the
    pass."""
    points = np.append(sensible_moves(game, color), np.uint16(PASS))
    is_open = [_is_wanted(query, game, color, point) for point in points.tolist()]
    if all(is_open):
        return None
    return points[is_open] if any(is_open) else points[-1:]


def _is_wanted(query: Query, game: Game, color: int, point: int) -> bool:
    """Whether neither list of the query rules a move out."""
    vertex = vertex_from_point(point, game.size).upper()
    for lists, is_listed_wanted in ((query.avoid_moves, False), (query.allow_moves, True)):
        for entry in lists:
            if is_color(entry.player) and parse_color(entry.player) == color:
                listed = vertex in {move.upper() for move in entry.moves}
                if listed != is_listed_wanted:
                    return False
    return True


def _value(rate: float, lead: float | None, view: View) -> Answer:
    """Chance and score of a position or a move; no score where it is not known."""
    seen = view.rate(rate)
    value: Answer = {"winrate": seen, "utility": 2.0 * seen - 1.0}
    if lead is not None:
        score = view.sign * lead
        value |= {"scoreLead": score, "scoreMean": score, "scoreSelfplay": score}
        value["scoreStdev"] = 0.0
    return value


def _move_info(game: Game, candidate: Candidate, order: int, view: View) -> Answer:
    names = formats.line_of(candidate, lambda point: vertex_from_point(point, game.size))
    value = _value(candidate.win_rate, candidate.lead, view)
    return {
        "move": names[0],
        "visits": candidate.visits,
        **value,
        "prior": candidate.prior,
        "lcb": value["winrate"],
        "order": order,
        "pv": names,
    }


def _root_info(analysis: Analysis, color: int, view: View) -> Answer:
    return {
        "visits": sum(candidate.visits for candidate in analysis.candidates),
        **_value(analysis.win_rate, analysis.lead, view),
        "currentPlayer": _LETTERS[color],
    }


def _policy(game: Game, color: int, analysis: Analysis) -> list[float]:
    """Chances of the points row by row and of the pass; -1 where a move is illegal."""
    points = points_of(game.size)
    chances = np.where(np.isin(points, game.legal_moves(color)), 0.0, -1.0)
    for point, chance in analysis.policy.items():
        chances[points == point] = chance
    return [*chances.tolist(), analysis.policy.get(PASS, 0.0)]
