"""External programs on the Computer Go Server, where nobody removes dead stones."""

from katachi.errors import KatachiError
from katachi.players.names import PROGRAM_PREFIX, check_player_name
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Choice, FailureKind, Player, PlayerFailure
from katachi.players.roster import make_player
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex

_CLEAN_UP = "kgs-genmove_cleanup"


class PlayingOut(ProgramPlayer):
    """A program that, where it would pass, is asked to capture dead stones first."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The program's move; instead of a pass, its move to clean up, if it knows how to."""
        choice = super().choose(game, color, seconds)
        if choice.point != PASS:
            return choice
        try:
            return self._clean_up(game, color)
        except PlayerFailure:
            self.close()
            return choice

    def _clean_up(self, game: Game, color: int) -> Choice:
        if not self.program.knows(_CLEAN_UP):
            return Choice(PASS)
        self.set_up(game)
        answer = self.program.send(f"{_CLEAN_UP} {COLOR_NAMES[color]}")
        # The board is told what was played with the next move, as after any other.
        self.program.send("undo")
        return Choice(self._legal_point(game, color, answer))

    def _legal_point(self, game: Game, color: int, answer: str) -> int:
        try:
            point = point_from_vertex(answer, game.size)
        except KatachiError as error:
            raise self.program.failure(FailureKind.GARBAGE, str(error)) from None
        return point if game.is_legal(color, point) else PASS


def make_server_player(name: str, seed: int = 0) -> Player:
    """The player of that name as it should play on the server."""
    if not name.startswith(PROGRAM_PREFIX):
        return make_player(name, seed)
    check_player_name(name)
    return PlayingOut(name.removeprefix(PROGRAM_PREFIX))
