"""What an engine is started with and remembers between commands: the game, the player, the clock.

Nothing here imports NumPy or Numba until a command needs a board, so that a client hears the name
of the engine at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

from katachi.errors import IllegalMove, KatachiError
from katachi.interfaces.gtp import wire
from katachi.interfaces.gtp.legality import fallback_move, legal_points
from katachi.players.clock import Clock, expected_moves_left
from katachi.players.finish_settings import FinishSettings
from katachi.players.kinds import DEFAULT_PLAYER, TREE, split_name, split_tree
from katachi.players.names import check_board
from katachi.rules.color import COLOR_NAMES, EMPTY, opponent
from katachi.rules.ruleset import Rules, check_komi
from katachi.search.tree_limits import TreeLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from katachi.players.finishing import Finisher
    from katachi.players.protocol import Choice, Player
    from katachi.rules.game import Game
    from katachi.search.analysis import Analysis

LONGEST_SECONDS = 1e6
ENGINE_HELP = (
    "A player without search gives pseudo-visits: 1000 shared out among the moves by how good they "
    "look, and at least 10 for each move shown, so that clients draw the candidates. They are no "
    "count of anything searched."
)


class Compat(Enum):
    """A client whose demands on name and version go beyond the protocol."""

    NONE = "none"
    LIZZIE = "lizzie"
    """Lizzie and LizzieYzy show territory only for a name that begins with KataGo, and ask for a
    version 0.N.x with N at least 15."""


@dataclass(frozen=True)
class EngineOptions:
    """How to play, and the board before a client says otherwise."""

    player: str = DEFAULT_PLAYER
    seed: int = 0
    seconds: float = 5.0
    """Thinking time for a move while no clock is set."""
    size: int = 19
    komi: float = 7.5
    compat: Compat = Compat.NONE
    make_player: Callable[[str, int], Player] | None = None
    """Makes the player from its name and seed; by default the roster does."""
    finish: FinishSettings = field(default_factory=FinishSettings)
    """When to pass and to resign before a client says otherwise."""
    limits: TreeLimits | None = None
    """Of the trees that the player grows, if any."""
    ponders: bool = False
    """Whether a tree grows on while the opponent thinks."""

    def __post_init__(self) -> None:
        """Raises KatachiError for a time or komi that no command would take either."""
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise KatachiError(
                f"{self.seconds:g} seconds a move: use more than 0, at most {LONGEST_SECONDS:g}"
            )
        check_komi(self.komi)


class SearchSettings(NamedTuple):
    """How a player that grows a tree searches."""

    is_tree: bool
    """Whether it does."""
    visits: int | None
    """A position; None for as many as the time allows."""
    limits: TreeLimits

    @classmethod
    def of(cls, options: EngineOptions) -> Self:
        """Those that the player's name and the options ask for."""
        kind, setting = split_name(options.player)
        is_tree = kind == TREE and options.make_player is None
        visits = split_tree(setting)[0] if is_tree else None
        return cls(is_tree, visits, options.limits or TreeLimits())


Loaded = TypeVar("Loaded")


class Session:
    """One conversation with one client.

    `commands` is the table of all commands, `log` writes one line where a person may look.
    """

    def __init__(
        self,
        options: EngineOptions,
        inbox: wire.Inbox,
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
        self.to_ponder: int | None = None
        """Whose move is awaited after one of the player's own."""
        self.resigned: int | None = None
        """The colour that has resigned the game on the board."""
        self.own: set[int] = set()  # the colours that the player has moved for in this game
        self.ready_size = 0
        """Of the board that the player was last made ready for, before a clock ran."""
        self.search = SearchSettings.of(options)
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
            self.change_search(self.search)
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
        # Not before the check: a cache that cannot be written is to be reported in one line.
        from katachi.rules.game import Game

        return Game(self.options.size, self.options.komi)

    def _make_player(self) -> Player:
        from katachi.players.roster import make_player

        options = self.options
        if options.make_player is not None:
            return options.make_player(options.player, options.seed)
        return make_player(options.player, options.seed, self.search.limits)

    def _load(self, make: Callable[[], Loaded]) -> Loaded:
        try:
            return make()
        except KatachiError:
            self.exit_status = 1
            raise

    def close(self) -> None:
        """Ends what the player has started."""
        self._end_game()
        if self._player is not None:
            self._player.close()

    def start_game(self, size: int | None = None) -> None:
        """An empty board, of the present size if none is given; komi and rules stay."""
        from katachi.rules.game import Game
        from katachi.rules.size import MAX_SIZE, MIN_SIZE

        old = self.game
        size = old.size if size is None else size
        wire.require(MIN_SIZE <= size <= MAX_SIZE, wire.UNACCEPTABLE_SIZE)
        self._check_board(size)
        self.replace_game(Game(size, old.komi, old.rules))

    def _check_board(self, size: int) -> None:
        """Raises CommandError for a board that the player's model is not for."""
        if self.options.make_player is None:
            try:
                check_board(self.options.player, size)
            except KatachiError as error:
                raise wire.CommandError(f"{wire.UNACCEPTABLE_SIZE}: {error}") from None

    def replace_game(self, game: Game, handicap: int = 0) -> None:
        """Goes on with another game; the clocks start again."""
        self._end_game()
        self._game = game
        self.handicap = handicap
        self.explanation = ""
        self.names = {}
        self.own = set()
        self.resigned = None
        self.to_ponder = None
        self.clock.restart()

    def _end_game(self) -> None:
        if self._player is not None and len(self.own) == 1:
            from katachi.interfaces.gtp.following import tell_result

            tell_result(self)

    def point(self, vertex: str, error: str = "invalid coordinate") -> int:
        """The point of a vertex or pass; raises CommandError with `error` for any other text."""
        from katachi.rules.point import point_from_vertex

        try:
            return point_from_vertex(vertex, self.game.size)
        except KatachiError:
            raise wire.CommandError(error) from None

    def vertex(self, point: int | None) -> str:
        """The name of a point of the present board, `pass`, or `resign` for None."""
        from katachi.rules.point import vertex_from_point

        return "resign" if point is None else vertex_from_point(point, self.game.size)

    def vertices(self, points: list[int]) -> str:
        """The names of points, with blanks between."""
        return " ".join(self.vertex(point) for point in points)

    def color_to_move(self, arguments: list[str]) -> tuple[int, list[str]]:
        """The colour that is the first argument, or whose turn it is, and the other arguments."""
        if arguments and wire.is_color(arguments[0]):
            return wire.parse_color(arguments[0]), arguments[1:]
        return self.game.to_play, arguments

    def play(self, color: int, point: int) -> None:
        """Plays a stone or pass for either colour; raises CommandError if the rules forbid it."""
        try:
            self.game.play(color, point)
        except IllegalMove:
            raise wire.CommandError(wire.ILLEGAL_MOVE) from None
        self.resigned = None
        self.to_ponder = None

    def undo(self, count: int = 1) -> None:
        """Takes back so many moves, or none if there are fewer."""
        game = self.game
        wire.require(0 <= count <= len(game.moves), wire.CANNOT_UNDO)
        for _ in range(count):
            game.undo()
        self.resigned = None
        self.to_ponder = None

    def strict_game(self) -> Game:
        """A copy under positional superko without suicide: what is legal there always is."""
        game = self.game.copy()
        game.rules = Rules()
        return game

    @property
    def is_board_empty(self) -> bool:
        """Whether nothing has been played or set up."""
        return not self.game.moves and not (self.game.colors != EMPTY).any()

    def thinking_seconds(self, color: int) -> float:
        """How long the next move may take: by the clock, or the default where there is none."""
        game = self.game
        budget = self.clock.budget(color, expected_moves_left(game.size, len(game.moves)))
        return self.seconds if budget is None else budget

    def ask_player(self, color: int) -> Choice:
        """The player's answer, whatever it is, or a pass or resignation in its place."""
        seconds = self.thinking_seconds(color)
        return self.finisher.choose(self.player, self.strict_game(), color, seconds)

    def choose_move(self, color: int, ask: Callable[[int], Choice] | None = None) -> Choice:
        """The player's move for `color`, legal under positional superko, charged to its clock and
        explained; it is not played. `ask` gets it from the player, by default
        `ask_player`.

        An illegal answer is logged and replaced; raises KatachiError when the player fails.
        """
        begun = time.perf_counter()
        choice = (ask or self.ask_player)(color)
        took = time.perf_counter() - begun
        self.clock.spend(color, took)
        if choice.failure is not None:
            raise choice.failure
        game, name = self.strict_game(), self.player.name
        if choice.point is not None and not game.is_legal(color, choice.point):
            self.log(f"the player {name} answered with an illegal move")
            choice = choice._replace(point=fallback_move(game, color), win_rate=None)
        text = f"{COLOR_NAMES[color]} {self.vertex(choice.point)} by {name} in {took:.3f} s"
        rate = "" if choice.win_rate is None else f", win rate {100 * choice.win_rate:.1f} %"
        self.explanation = text + rate
        return choice

    def play_choice(self, color: int, choice: Choice) -> str:
        """Plays a choice of the session's player, or notes that it resigned; returns its name."""
        self.names[color] = self.player.name
        self.own.add(color)
        if self.opponent:
            self.names[opponent(color)] = self.opponent
        if choice.point is None:
            self.resigned = color
        else:
            self.play(color, choice.point)
            self.to_ponder = None if self.game.is_over else opponent(color)
        return self.vertex(choice.point)

    def change_search(self, settings: SearchSettings) -> None:
        """Searches by these settings from now on."""
        from katachi.players.protocol import Searching

        self.search = settings
        player = self._player
        if settings.is_tree and player is not None and isinstance(player, Searching):
            player.visits = settings.visits
            player.use_threads(settings.limits.threads)

    def ponder(self) -> None:
        """Lets the player think about the opponent's move until the client sends a line, which
        ends it at once; returns before that where there is no room to think on."""
        if not self.options.ponders or self.to_ponder is None:
            return
        from katachi.search.stopping import stoppable

        # A search that fails says so in the next move.
        with suppress(KatachiError), stoppable(lambda: self.inbox.wait(0)):
            self.think(self.to_ponder, LONGEST_SECONDS)

    def think(self, color: int, seconds: float, points: Sequence[int] | None = None) -> Analysis:
        """What a player whose analysis grows thinks after so many more seconds; of these moves if
        given, as in `analyse`."""
        from katachi.players.protocol import Thinker

        assert isinstance(self.player, Thinker)
        game = self.strict_game()
        return self.player.think(game, color, seconds, legal_points(game, color, points))

    def analyse(self, color: int, points: Sequence[int] | None = None) -> Analysis:
        """What the player thinks of the position with `color` to move, and of these moves if given.

        Only moves that are legal under positional superko are looked at; without any, the pass is.
        """
        from katachi.players.protocol import Analyst

        player = self.player
        if not isinstance(player, Analyst):
            raise wire.CommandError(f"the player {player.name} does not analyse")
        game = self.strict_game()
        return player.analyse(game, color, legal_points(game, color, points))


Command = Callable[[Session, list[str]], str | Iterator[str] | None]
"""A command: takes the session and its arguments and returns the reply, its lines one by one, or
none where there is nothing to say.

Its docstring is its help. It raises KatachiError to refuse, with the reply as text.
"""
