"""What an engine remembers between commands: the game, the player, the clock.

Nothing here imports NumPy or Numba until a command needs a board, so that a client hears the name
of the engine at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from katachi.errors import IllegalMove, KatachiError
from katachi.interfaces.gtp.errors import (
    CANNOT_UNDO,
    ILLEGAL_MOVE,
    INVALID_COORDINATE,
    UNACCEPTABLE_SIZE,
    CommandError,
)
from katachi.interfaces.gtp.options import EngineOptions
from katachi.interfaces.gtp.wire import Inbox
from katachi.players.boards import check_board
from katachi.players.clock import Clock
from katachi.rules.color import EMPTY
from katachi.rules.ruleset import Rules

if TYPE_CHECKING:
    from katachi.players.finishing import Finisher
    from katachi.players.protocol import Player
    from katachi.rules.game import Game

Loaded = TypeVar("Loaded")


class Session:
    """One conversation with one client.

    `commands` is the table of all commands, `log` writes one line where a person may look.
    """

    def __init__(
        self,
        options: EngineOptions,
        inbox: Inbox,
        commands: Mapping[str, Command],
        log: Callable[[str], None],
    ) -> None:
        self.options = options
        self.inbox = inbox
        self.commands = commands
        self.log = log
        self.clock = Clock()
        self.seconds = options.seconds
        self.finish = options.finish
        """When to pass and to resign, and how games are counted."""
        self.handicap = 0
        self.explanation = ""
        """Why the last generated move was chosen."""
        self.opponent = ""
        """Whom the player plays against, if the client has said so."""
        self.names: dict[int, str] = {}
        """Who plays each colour, as far as it is known."""
        self.resigned: int | None = None
        """The colour that has resigned the game on the board."""
        self.is_done = False
        self.exit_status = 0
        self._game: Game | None = None
        self._player: Player | None = None
        self._finisher: Finisher | None = None

    @property
    def game(self) -> Game:
        """The game on the board; the first use loads the rules."""
        self.open()
        assert self._game is not None
        return self._game

    def open(self) -> None:
        """Loads the rules; raises KatachiError when there is no place for compiled kernels."""
        if self._game is None:
            self._game = self._load(self._first_game)

    @property
    def player(self) -> Player:
        """Who chooses the moves; made on first use. Raises KatachiError when it cannot be had."""
        if self._player is None:
            self._player = self._load(self._make_player)
        return self._player

    @property
    def finisher(self) -> Finisher:
        """Who passes and resigns in the player's place, by the present settings."""
        from katachi.players.finishing import Finisher

        if self._finisher is None:
            self._finisher = Finisher(self.finish)
            self._finisher.prepare(self.game)
        self._finisher.settings = self.finish
        return self._finisher

    def _first_game(self) -> Game:
        from katachi.interfaces.cold_start import announce_cold_start

        announce_cold_start(self.log)
        # Not before the check: a cache that cannot be written is to be told in one line.
        from katachi.rules.game import Game

        return Game(self.options.size, self.options.komi)

    def _make_player(self) -> Player:
        from katachi.players.roster import make_player

        make = self.options.make_player or make_player
        return make(self.options.player, self.options.seed)

    def _load(self, make: Callable[[], Loaded]) -> Loaded:
        try:
            return make()
        except KatachiError:
            self.exit_status = 1
            raise

    def close(self) -> None:
        """Ends what the player has started."""
        if self._player is not None:
            self._player.close()

    def start_game(self, size: int | None = None) -> None:
        """An empty board, of the present size if none is given; komi and rules stay."""
        from katachi.rules.game import Game
        from katachi.rules.size import MAX_SIZE, MIN_SIZE

        old = self.game
        size = old.size if size is None else size
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise CommandError(UNACCEPTABLE_SIZE)
        self._check_board(size)
        self.replace_game(Game(size, old.komi, old.rules))

    def _check_board(self, size: int) -> None:
        """Raises CommandError for a board that the player's model is not for."""
        if self.options.make_player is None:
            try:
                check_board(self.options.player, size)
            except KatachiError as error:
                raise CommandError(f"{UNACCEPTABLE_SIZE}: {error}") from None

    def replace_game(self, game: Game, handicap: int = 0) -> None:
        """Goes on with another game; the clocks start anew."""
        self._game = game
        self.handicap = handicap
        self.explanation = ""
        self.names = {}
        self.resigned = None
        self.clock.restart()

    def point(self, vertex: str, error: str = INVALID_COORDINATE) -> int:
        """The point of a vertex or pass; raises CommandError with `error` for any other text."""
        from katachi.rules.point import point_from_vertex

        size = self.game.size
        try:
            return point_from_vertex(vertex, size)
        except KatachiError:
            raise CommandError(error) from None

    def vertex(self, point: int) -> str:
        """The name of a point of the present board, or `pass`."""
        from katachi.rules.point import vertex_from_point

        return vertex_from_point(point, self.game.size)

    def vertices(self, points: list[int]) -> str:
        """The names of points, with blanks between."""
        return " ".join(self.vertex(point) for point in points)

    def play(self, color: int, point: int) -> None:
        """Plays a stone or pass for either colour; raises CommandError if the rules forbid it."""
        try:
            self.game.play(color, point)
        except IllegalMove:
            raise CommandError(ILLEGAL_MOVE) from None
        self.resigned = None

    def undo(self, count: int = 1) -> None:
        """Takes back so many moves, or none if there are fewer."""
        game = self.game
        if not 0 <= count <= len(game.moves):
            raise CommandError(CANNOT_UNDO)
        for _ in range(count):
            game.undo()
        self.resigned = None

    def strict_game(self) -> Game:
        """A copy under positional superko without suicide: what is legal there always is."""
        game = self.game.copy()
        game.rules = Rules()
        return game

    @property
    def is_board_empty(self) -> bool:
        """Whether nothing has been played or set up."""
        return not self.game.moves and not (self.game.colors != EMPTY).any()


Command = Callable[[Session, list[str]], str | Iterator[str]]
"""A command: takes the session and its arguments and returns the reply, or its lines one by one.

Its docstring is its help. It raises KatachiError to refuse, with the reply as text.
"""
