"""What the server's lines mean to a client: replies, the board, and when a game is over.

Nothing here waits or connects: a line goes in, a reaction comes out.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from katachi import __version__
from katachi.errors import IllegalMove, KatachiError
from katachi.interfaces.cgos import wire
from katachi.interfaces.cgos.career import RESIGNED, UNKNOWN, Career, Outcome, outcome_of
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules

RESIGN = "resign"
POLLS_AFTER_END = 30
"""So many polls in a row mean that a game is over whose end nobody announced."""
_PASSWORDS_IN_A_ROW = 3
_CLOSES_IN_A_ROW = 2
"""Connections closed right after the password that make a refusal."""
_STRANGE_LINES = 20
"""Lines that mean nothing to us before a server is no Computer Go Server."""
_COLORS = {"b": BLACK, "w": WHITE, "black": BLACK, "white": WHITE}


_PASSING = re.compile(r"\b(already logged|try again|again later|in time|is full)\b", re.IGNORECASE)
_RIVAL = re.compile(r"another (login|connection)", re.IGNORECASE)
_SORRY = re.compile(r"(sorry|error)\b", re.IGNORECASE)


def is_error(line: str) -> bool:
    """Whether a line says that something is wrong, in the way most servers do."""
    return line.split(maxsplit=1)[0].rstrip(":").lower() == "error"


def is_passing(text: str) -> bool:
    """Whether what a server complains of may be over at the next try.

    A server that has not noticed the end of our last connection says that we are here already.
    """
    return _PASSING.search(text) is not None


def is_rival(text: str) -> bool:
    """Whether someone else has logged in, or tries to, under our name."""
    return _RIVAL.search(text) is not None


def is_apology(line: str) -> bool:
    """Whether a line after the password refuses it without calling that an error."""
    return _SORRY.match(line) is not None


class LoginRefused(KatachiError):
    """The server will not have us under this name and password: there is no use in trying again."""


class Turn(NamedTuple):
    """It is our move: the colour, and the milliseconds on our clock."""

    color: int
    milliseconds: int


class Reaction(NamedTuple):
    """What to do after a line: send a reply, think, end."""

    reply: str | None = None
    turn: Turn | None = None
    is_last: bool = False
    """The connection is to be closed after the reply: we have played enough."""


@dataclass(frozen=True)
class Identity:
    """Who logs in, and whether its moves come with analysis."""

    name: str
    password: str = field(repr=False)
    gives_analysis: bool = False

    def redact(self, text: str) -> str:
        """The text without the password, whoever wrote it there."""
        return text.replace(self.password, "***")


class ClientSession:
    """One connection of a client, from the server's greeting to its end."""

    def __init__(self, identity: Identity, career: Career, log: Callable[[str], None]) -> None:
        self.identity = identity
        self.career = career
        self.log = log
        self.turn: Turn | None = None
        """Our move, while we think about it."""
        self.sends_analysis = False
        self.has_begun = False
        """Whether a game was set up on this connection."""
        self.is_polled = False
        """Whether this server asks for signs of life between games: then it is silent in them."""
        self._has_given_name = False
        self._has_sent_password = False
        self._is_logged_in = False
        self._news = ""
        self._last_words = ""
        """What the server said that means nothing to us."""
        self._rival = ""
        """The server's words on someone who logs in under our name, if they were its last."""
        self._has_resigned = False
        self._passwords = 0
        self._polls = 0
        self._strange_lines = 0

    def receive(self, line: str) -> Reaction:
        """What to do about a line of the server; raises ProtocolError or LoginRefused."""
        words = line.split()
        if not words:
            return Reaction()
        command = words[0]
        if command != "username":
            self._polls = 0
        if command != "password":
            self._passwords = 0
        if command != "info":
            self._rival = ""
        if command in _REACTIONS:
            self._note_login(command)
            return _REACTIONS[command](self, words[1:])
        if is_error(line):
            raise self._refusal(wire.shown(line))
        return self._wonder(line)

    def _note_login(self, command: str) -> None:
        """Whoever hears of games is logged in; news come to some who are not."""
        if command in ("protocol", "username", "password"):
            return
        self._is_logged_in = self._has_sent_password
        if self._is_logged_in:
            self.career.closes = 0
            self.career.is_known |= command != "info"

    def _refusal(self, text: str) -> KatachiError:
        if is_rival(text):
            return self._displaced(text)
        if self._is_logged_in or not self._has_given_name or is_passing(text):
            return wire.ProtocolError(f"the server said {text!r}")
        return LoginRefused(f"the server refused the login: {text}")

    def _displaced(self, text: str) -> LoginRefused:
        return LoginRefused(
            f"someone else has logged in as {self.identity.name}: the server said {text!r}"
        )

    def explain_close(self, *, is_prompt: bool) -> KatachiError | OSError:
        """Why the server has closed the connection; `is_prompt` if it did so right after its last
        line, or after our answer to it."""
        if is_prompt and self._rival:
            return self._displaced(self._rival)
        said = f" after it said {self._last_words!r}" if self._last_words else ""
        if is_prompt and self._has_sent_password and not self._is_logged_in:
            self.career.closes += 1
            if self.career.closes >= _CLOSES_IN_A_ROW and not self.career.is_known:
                return LoginRefused(
                    f"the server refused the login: it closed the connection{said}, "
                    "right after the password"
                )
        return ConnectionError(f"the server closed the connection{said}")

    def _wonder(self, line: str) -> Reaction:
        self._last_words = wire.shown(line)
        if self._has_sent_password and not self._is_logged_in and is_apology(line):
            raise LoginRefused(f"the server refused the login: {self._last_words}")
        self.log(f"the server says: {self._last_words}")
        self._strange_lines += 1
        if self._strange_lines > _STRANGE_LINES:
            raise wire.ProtocolError(
                f"this is no Computer Go Server: it said {wire.shown(line, 60)!r}"
            )
        return Reaction()

    def greet(self, words: list[str]) -> Reaction:
        """Says what we are; analysis is promised only where it is asked for."""
        self.sends_analysis = self.identity.gives_analysis and wire.ANALYSIS in words
        word = f" {wire.ANALYSIS}" if self.sends_analysis else ""
        return Reaction(f"e1 katachi-{__version__}{word}")

    def give_name(self, _words: list[str]) -> Reaction:
        """The name at login, and ever after as a sign of life."""
        if self._has_sent_password:
            self._is_logged_in = self.is_polled = True
            self._notice_poll()
            if self.career.is_done:
                return Reaction(is_last=True)
        self._has_given_name = True
        return Reaction(self.identity.name)

    def _notice_poll(self) -> None:
        """A server that tells no result polls instead, once a game is over."""
        career = self.career
        self._polls += 1
        if not career.is_playing or self.turn is not None:
            return
        if self._has_resigned or (career.game is not None and career.game.is_over):
            self._finish(_counted(career.game))
        elif self._polls > POLLS_AFTER_END:
            self._finish(UNKNOWN)

    def _finish(self, result: str) -> None:
        color, against = self._side()
        outcome = outcome_of(result, color)
        self.career.finish(result, outcome)
        self.turn = None
        how = f", {outcome.value}" if outcome != Outcome.OPEN else ""
        self.log(f"game over: {result}{how}{against} ({self.career.played} played)")

    def _side(self) -> tuple[int | None, str]:
        """Our colour in the game under way, and words on whom we play against."""
        setup = self.career.setup
        if setup is None:
            return None, ""
        names = {BLACK: wire.bare_name(setup.black), WHITE: wire.bare_name(setup.white)}
        for color, name in names.items():
            if name == self.identity.name:
                other = wire.shown(names[opponent(color)], 40)
                return color, f" with {COLOR_NAMES[color].capitalize()} against {other}"
        return None, ""

    def give_password(self, _words: list[str]) -> Reaction:
        """The password, whenever it is asked for."""
        self._passwords += 1
        if self._passwords > _PASSWORDS_IN_A_ROW:
            raise LoginRefused("the server asks for the password again and again")
        self._has_sent_password = True
        return Reaction(self.identity.password)

    def take_notice(self, words: list[str]) -> Reaction:
        """Nothing to do but to tell the news, once each."""
        news = wire.shown(" ".join(words))
        if news and news != self._news:
            self.log(f"the server says: {news}")
        self._news = news
        if is_rival(news):
            self._rival = news
        return Reaction()

    def set_up(self, words: list[str]) -> Reaction:
        """A new game, or one that goes on."""
        setup = wire.setup_from_words(words)
        game = Game(setup.size, setup.komi, Rules())
        color = BLACK
        for move in setup.moves:
            self._follow(game, color, move.vertex)
            color = opponent(color)
        self.career.begin(setup, game)
        self.turn = None
        self.has_begun = True
        self._has_resigned = False
        self._announce(setup)
        return Reaction()

    def _announce(self, setup: wire.Setup) -> None:
        resumed = f", resumed after {len(setup.moves)} moves" if setup.moves else ""
        black, white = wire.shown(setup.black, 40), wire.shown(setup.white, 40)
        self.log(
            f"game {setup.game_id}: {black} (Black) - {white}, "
            f"{setup.size}x{setup.size}, komi {setup.komi:g}, "
            f"{setup.milliseconds / 1000:g} s each{resumed}"
        )

    def follow(self, words: list[str]) -> Reaction:
        """The opponent's move."""
        wire.require(len(words) == 3, f"a play line of {len(words)} words")
        game = self._game_to_move(words[0])
        wire.require(self.turn is None, "a move was made for us while we were asked for one")
        wire.milliseconds_from_text(words[2])
        self._follow(game, game.to_play, words[1])
        return Reaction()

    def _follow(self, game: Game, color: int, vertex: str) -> None:
        """Plays a move the server vouches for: it may hold to simple ko."""
        try:
            point = point_from_vertex(vertex, game.size)
            try:
                game.play(color, point)
            except IllegalMove as error:
                if error.reason != "superko":
                    raise
                self.log(f"{error}: the server allows it")
                self._play_under_simple_ko(game, color, point)
        except KatachiError as error:
            raise wire.ProtocolError(f"an impossible move: {wire.shown(str(error), 80)}") from None

    def _play_under_simple_ko(self, game: Game, color: int, point: int) -> None:
        game.rules = Rules(KoRule.SIMPLE)
        try:
            game.play(color, point)
        finally:
            game.rules = Rules()

    def think(self, words: list[str]) -> Reaction:
        """Our move."""
        wire.require(len(words) == 2, f"a genmove line of {len(words)} words")
        game = self._game_to_move(words[0])
        wire.require(self.turn is None, "a move was asked for twice")
        self.turn = Turn(game.to_play, wire.milliseconds_from_text(words[1]))
        return Reaction(turn=self.turn)

    def _game_to_move(self, letter: str) -> Game:
        """The game under way, if it is this colour's turn in it."""
        game = self.career.game
        if game is None or not self.has_begun:
            raise wire.ProtocolError("a move before any game was set up")
        color = _COLORS.get(letter.lower())
        if color is None:
            raise wire.ProtocolError(f"a player of colour {wire.shown(letter, 40)!r}")
        self.career.revive()
        wire.require(self.career.is_playing, "a move after the game was over")
        wire.require(color == game.to_play, f"a move of {COLOR_NAMES[color]}, whose turn it is not")
        return game

    def answer(self, point: int | None, analysis: str = "") -> str:
        """Plays our move on our board (None resigns) and returns the line that tells it."""
        game, turn = self.career.game, self.turn
        if game is None or turn is None:
            raise AssertionError("nobody asked for a move")
        self.turn = None
        if point is None:
            self._has_resigned = True
            return RESIGN
        game.play(turn.color, point)
        vertex = vertex_from_point(point, game.size)
        return f"{vertex} {analysis}" if analysis and self.sends_analysis else vertex

    def hear_result(self, words: list[str]) -> Reaction:
        """The game is over: ready for the next one, unless it was the last."""
        result = words[1] if len(words) > 1 else UNKNOWN
        self._finish(self.identity.redact(wire.shown(" ".join([result, *words[2:]]), 80)))
        done = self.career.is_done
        return Reaction("quit" if done else "ready", is_last=done)


def _counted(game: Game | None) -> str:
    """The result by area of a game whose end was not announced; a resignation counts nothing."""
    if game is None or not game.is_over:
        return RESIGNED
    score = game.area_score()
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}" if score else "Draw"


_REACTIONS: dict[str, Callable[[ClientSession, list[str]], Reaction]] = {
    "protocol": ClientSession.greet,
    "username": ClientSession.give_name,
    "password": ClientSession.give_password,
    "info": ClientSession.take_notice,
    "setup": ClientSession.set_up,
    "play": ClientSession.follow,
    "genmove": ClientSession.think,
    "gameover": ClientSession.hear_result,
}
