"""Players on the server: what they say with a move; programs, for nobody removes dead stones."""

import json

import numpy as np

from katachi.errors import KatachiError
from katachi.interfaces.gtp import formats
from katachi.players.evaluating import JudgingPlayer
from katachi.players.kinds import PROGRAM_PREFIX
from katachi.players.names import check_player_name
from katachi.players.phases import PhasesPlayer
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Analyst, Choice, FailureKind, Player, PlayerFailure
from katachi.players.roster import make_player
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, point_from_vertex, vertex_from_point
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import predicted_scores

_FORGIVENESS = 0.9
"""An analysis that was left out for want of time counts as so much quicker the next time."""


class Commentator:
    """Writes analyses, as long as the time for them is there."""

    def __init__(self) -> None:
        self._costs: dict[int, float] = {}
        """Seconds the last analysis took, by board size."""

    def can_afford(self, size: int, seconds: float) -> bool:
        """Whether an analysis is likely to take no longer than this."""
        cost = self._costs.get(size, 0.0)
        if cost <= seconds:
            return True
        self._costs[size] = _FORGIVENESS * cost
        return False

    def note(self, size: int, seconds: float) -> None:
        """An analysis took so long."""
        self._costs[size] = seconds


def can_comment(player: Player) -> bool:
    """Whether a player may have something to say about its moves."""
    return not isinstance(player, ProgramPlayer)


def speaker_of(player: Player, game: Game) -> Player:
    """Who chooses the next move, where several share a game."""
    return player.player_of(game) if isinstance(player, PhasesPlayer) else player


def analysis_text(player: Analyst, game: Game, color: int, point: int, comment: str) -> str:
    """The line of JSON that goes with a move; every number is the mover's."""
    analysis = player.analyse(game, color, _likely_moves(player, game, color, point))
    candidates = formats.shown_candidates(formats.with_choice_first(analysis.candidates, point))
    record = json.loads(
        formats.cgos_line(analysis, candidates, lambda p: vertex_from_point(p, game.size))
    )
    record["comment"] = comment
    return _one_line(record)


def _likely_moves(player: Analyst, game: Game, color: int, point: int) -> Points | None:
    """The most likely moves, where the player knows them without judging all; else None.

    To judge every move of a large board takes seconds, and few of them are shown.
    """
    if point == PASS or not isinstance(player, JudgingPlayer):
        return None
    points = sensible_moves(game, color)
    scores = predicted_scores(player.evaluator, game, color, points) if len(points) else None
    if scores is None:
        return None
    best = points[np.argsort(-scores, kind="stable")[: formats.ENOUGH_MOVES]]
    return best if point in best else np.append(best[:-1], np.uint16(point))


def short_text(choice: Choice, size: int, comment: str) -> str:
    """The line for a player who tells no more than its move and its chances; empty if not even
    these are known."""
    if choice.point is None or choice.win_rate is None:
        return ""
    rate = round(min(max(choice.win_rate, 0.0), 1.0), 6)
    move = {"move": vertex_from_point(choice.point, size), "winrate": rate, "pv": "", "visits": 1}
    return _one_line({"winrate": rate, "visits": 1, "moves": [move], "comment": comment})


def _one_line(record: dict[str, object]) -> str:
    return json.dumps(record, separators=(",", ":"))


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
        # The program hears what was played with the next move, as after any other.
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
