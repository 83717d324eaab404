"""The lines our server says, in either dialect."""

from typing import NamedTuple

from katachi.interfaces.cgos.settings import Dialect
from katachi.interfaces.cgos.table import PlayedMove, Table, Verdict
from katachi.interfaces.cgos.wire import Setup, TimedMove, bare_name
from katachi.rules.color import BLACK, opponent

_LETTERS = {True: "b", False: "w"}


class Speech(NamedTuple):
    """How a dialect puts things."""

    dialect: Dialect

    @property
    def is_lite(self) -> bool:
        """Whether this is the dialect that polls."""
        return self.dialect is Dialect.LITE

    def setup_line(self, setup: Setup) -> str:
        """A game begins or goes on."""
        if self.is_lite:
            setup = setup._replace(
                game_id="0",
                white=bare_name(setup.white),
                black=bare_name(setup.black),
                moves=tuple(TimedMove(m.vertex.upper(), m.milliseconds) for m in setup.moves),
            )
        return f"setup {setup}"

    def play_line(self, table: Table, move: PlayedMove, now: float) -> str:
        """The move just made, for the opponent."""
        mover = opponent(table.game.to_play)
        letter = _LETTERS[mover == BLACK]
        if self.is_lite:
            milliseconds = table.milliseconds(opponent(mover), now)
            return f"play {letter} {move.vertex.upper()} {milliseconds}"
        return f"play {letter} {move.vertex} {move.milliseconds}"

    def genmove_line(self, table: Table, now: float) -> str:
        """Asks the player to move for a move."""
        color = table.game.to_play
        return f"genmove {_LETTERS[color == BLACK]} {table.milliseconds(color, now)}"

    def gameover_line(self, verdict: Verdict, date: str) -> str | None:
        """Tells the end of a game, where the dialect does."""
        if self.is_lite:
            return None
        return f"gameover {date} {verdict.text} {verdict.reason}".rstrip()
