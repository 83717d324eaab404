"""Commands that stream what the player thinks of the moves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from katachi.interfaces.gtp import formats, wire
from katachi.interfaces.gtp.session import Command, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from katachi.search.analysis import Analysis, Candidate

    LineMaker = Callable[[Session, "Question", Analysis], str]

_DEFAULT_INTERVAL = 100.0
_SHORTEST_INTERVAL = 1.0
_LONGEST_INTERVAL = 1e6
_FIRST_THOUGHT = 0.2
"""Seconds before the first line of an analysis that grows."""
# Known to clients, and nothing that is shown here.
_IGNORED_FLAGS = (
    *("ownershipstdev", "movesownershipstdev"),
    *("pvvisits", "pvedgevisits", "noresultvalue"),
)


@dataclass
class Question:
    """What a client wants analysed, and what it wants to see."""

    color: int
    interval: float = _DEFAULT_INTERVAL
    """Centiseconds between two lines."""
    fewest: int = 0
    most: int | None = None
    with_ownership: bool = False
    with_moves_ownership: bool = False
    with_root: bool = False
    avoided: set[int] = field(default_factory=set)
    allowed: set[int] | None = None

    @property
    def is_restricted(self) -> bool:
        """Whether only some of the moves may be looked at."""
        return self.allowed is not None or bool(self.avoided)

    def shown(self, analysis: Analysis) -> Sequence[Candidate]:
        """The candidates that are to be seen."""
        return formats.shown_candidates(analysis.candidates, self.fewest, self.most)


def parse_question(session: Session, arguments: list[str]) -> Question:
    """A question such as `B 50 ownership true avoid b D4,Q16 1`; raises CommandError otherwise."""
    color, words = session.color_to_move(arguments)
    question = Question(color)
    if words and wire.is_number(words[0]):
        words = ["interval", *words]
    rest = iter(words)
    for word in rest:
        _read_setting(session, question, word.lower(), rest)
    return question


def _read_setting(session: Session, question: Question, key: str, rest: Iterator[str]) -> None:
    if key in ("avoid", "allow"):
        _read_restriction(session, question, key, rest)
    elif key == "interval":
        interval = wire.parse_number(_next(rest))
        question.interval = min(max(interval, _SHORTEST_INTERVAL), _LONGEST_INTERVAL)
    elif key == "minmoves":
        question.fewest = wire.parse_integer(_next(rest))
    elif key == "maxmoves":
        question.most = wire.parse_integer(_next(rest))
    else:
        _read_flag(question, key, wire.parse_flag(_next(rest)))


def _read_flag(question: Question, key: str, value: bool) -> None:  # noqa: FBT001
    if key == "ownership":
        question.with_ownership = value
    elif key == "movesownership":
        question.with_moves_ownership = value
    elif key == "rootinfo":
        question.with_root = value
    elif key not in _IGNORED_FLAGS:
        raise wire.CommandError(wire.SYNTAX_ERROR)


def _read_restriction(session: Session, question: Question, key: str, rest: Iterator[str]) -> None:
    color = wire.parse_color(_next(rest))
    points = {session.point(vertex) for vertex in _next(rest).split(",") if vertex}
    depth = wire.parse_integer(_next(rest))
    if color != question.color or depth < 1:
        return
    if key == "avoid":
        question.avoided |= points
    else:
        question.allowed = points | (question.allowed or set())


def _next(words: Iterator[str]) -> str:
    word = next(words, None)
    if word is None:
        raise wire.CommandError(wire.SYNTAX_ERROR)
    return word


def answer(session: Session, question: Question) -> Analysis:
    """The player's analysis of the moves that the question leaves open."""
    return session.analyse(question.color, _open_points(session, question))


def _open_points(session: Session, question: Question) -> list[int] | None:
    """The moves that the question leaves open; None where it rules none out."""
    if not question.is_restricted:
        return None
    points = question.allowed
    if points is None:
        from katachi.search.afterstates import sensible_moves

        points = set(sensible_moves(session.strict_game(), question.color).tolist())
    return sorted(points - question.avoided)


def lz_text(session: Session, question: Question, analysis: Analysis) -> str:
    """A whole line of `lz-analyze`."""
    return formats.lz_line(question.shown(analysis), session.vertex)


def kata_text(session: Session, question: Question, analysis: Analysis) -> str:
    """A whole line of `kata-analyze`."""
    owned = analysis.owned_after if question.with_moves_ownership else None
    parts = [formats.kata_line(question.shown(analysis), session.vertex, owned)]
    if question.with_root:
        parts.append(formats.kata_root(analysis))
    if question.with_ownership:
        parts.append(formats.kata_ownership(analysis))
    return " ".join(parts)


def cgos_text(session: Session, question: Question, analysis: Analysis) -> str:
    """A whole line of `cgos-genmove_analyze`."""
    return formats.cgos_line(analysis, question.shown(analysis), session.vertex)


def _stream(session: Session, arguments: list[str], make_line: LineMaker) -> Iterator[str]:
    """The analysis at once, and again after each interval until the client sends any line."""
    from katachi.players.protocol import Thinker

    question = parse_question(session, arguments)
    if isinstance(session.player, Thinker):
        yield from _stream_thoughts(session, question, make_line)
        return
    line = make_line(session, question, answer(session, question))
    yield line
    while not session.inbox.wait(question.interval / 100):
        yield line


def _stream_thoughts(session: Session, question: Question, make_line: LineMaker) -> Iterator[str]:
    """A deeper analysis after each interval until the client sends any line, which ends it at
    once."""
    from katachi.search.stopping import Stopped, stoppable

    points = _open_points(session, question)
    seconds = question.interval / 100
    first = session.think(question.color, min(seconds, _FIRST_THOUGHT), points)
    yield make_line(session, question, first)
    while not session.inbox.wait(0):
        begin = time.monotonic()
        try:
            with stoppable(lambda: session.inbox.wait(0)):
                analysis = session.think(question.color, seconds, points)
        except Stopped:
            return
        if session.inbox.wait(max(0.0, begin + seconds - time.monotonic())):
            return  # a tree without room says so at once
        yield make_line(session, question, analysis)


def _generate(session: Session, arguments: list[str], make_line: LineMaker) -> Iterator[str]:
    """The analysis, if the player makes any, then the move that is played."""
    from katachi.players.protocol import Analyst, Choice

    question = parse_question(session, arguments)
    if not isinstance(session.player, Analyst):
        choice = session.choose_move(question.color)
        yield f"play {session.play_choice(question.color, choice)}"
        return
    analyses: list[Analysis] = []

    def ask(color: int) -> Choice:
        """The player's move; under restrictions, which it does not know of, the best candidate."""
        if not question.is_restricted:
            choice = session.ask_player(color)
            analyses.append(answer(session, question))
            return choice
        analyses.append(answer(session, question))
        best = analyses[0].candidates[0]
        return Choice(best.point, best.win_rate)

    choice = session.choose_move(question.color, ask)
    candidates = formats.with_choice_first(analyses[0].candidates, choice.point)
    line = make_line(session, question, analyses[0]._replace(candidates=candidates))
    played = session.play_choice(question.color, choice)
    yield line
    yield f"play {played}"


def lz_analyze(session: Session, arguments: list[str]) -> Iterator[str]:
    """Streams candidates in Leela Zero's format until any line is sent."""
    return _stream(session, arguments, lz_text)


def kata_analyze(session: Session, arguments: list[str]) -> Iterator[str]:
    """Streams candidates in KataGo's format until any line is sent."""
    return _stream(session, arguments, kata_text)


def lz_genmove_analyze(session: Session, arguments: list[str]) -> Iterator[str]:
    """Candidates in Leela Zero's format, then the move chosen and played."""
    return _generate(session, arguments, lz_text)


def kata_genmove_analyze(session: Session, arguments: list[str]) -> Iterator[str]:
    """Candidates in KataGo's format, then the move chosen and played."""
    return _generate(session, arguments, kata_text)


def cgos_genmove_analyze(session: Session, arguments: list[str]) -> Iterator[str]:
    """The analysis as one line of JSON, then the move chosen and played; as on the server, all
    stones count as alive and nobody resigns."""
    session.finish = session.finish.to_the_end()
    return _generate(session, arguments, cgos_text)


def stop(_session: Session, _arguments: list[str]) -> None:
    """Ends an analysis, as any line does."""


COMMANDS: dict[str, Command] = {
    "lz-analyze": lz_analyze,
    "kata-analyze": kata_analyze,
    "lz-genmove_analyze": lz_genmove_analyze,
    "kata-genmove_analyze": kata_genmove_analyze,
    "cgos-genmove_analyze": cgos_genmove_analyze,
    "stop": stop,
}
