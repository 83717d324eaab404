"""A GTP program plays itself: records to learn from, counted by the program.

One process of the program plays both colours of a game and is started anew for the next, so that a
game depends on its opening and its seed alone: a set that was interrupted goes on to be the same,
if the program draws its random numbers from the seed it is given.
"""

import dataclasses
import math

import numpy as np

from katachi.arena.game import play_game
from katachi.arena.openings import draw_opening
from katachi.arena.outcome import Ending, Outcome, recorded_result
from katachi.arena.roster import LONGEST_WORDS
from katachi.arena.workers import GameTask
from katachi.errors import KatachiError
from katachi.players.gtp_program import GtpProgram
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import FailureKind, PlayerFailure
from katachi.records.conversion import game_from_record
from katachi.records.record import GameRecord, GameTexts, Ownership
from katachi.rules.area import area_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.point import points_of

SEED_WORD = "{seed}"
"""Stands in a command where the program takes the seed of a game."""


def name_program(command: str) -> str:
    """What a program calls itself, with its version.

    Raises KatachiError, saying what it answered, for a command that does not speak GTP.
    """
    try:
        program = GtpProgram(command.replace(SEED_WORD, "1"), patience=20.0)
        try:
            words = [program.send(word)[:LONGEST_WORDS] for word in ("name", "version")]
        finally:
            program.close()
    except PlayerFailure as failure:
        if failure.kind is FailureKind.MISSING:
            raise
        raise KatachiError(f"{failure}; a program that speaks GTP is needed") from None
    return " ".join(words).strip()


class SelfPlaySeats:
    """Both seats of a table, taken by one program that is started for each game."""

    def __init__(self) -> None:
        self._player: ProgramPlayer | None = None

    def play(self, task: GameTask) -> Outcome:
        """Plays one task; raises KatachiError where the program fails."""
        opening = draw_opening(task.settings, task.seed, task.opening)
        command = task.black.replace(SEED_WORD, str(task.seed + task.number))
        player = ProgramPlayer(command, name=task.names[0] if task.names else command)
        self._player = player
        try:
            outcome = play_game(player, player, task.settings, opening)
            if outcome.ending is Ending.SCORE:
                return _counted(player, outcome)
            if outcome.ending not in (Ending.RESIGN, Ending.LIMIT):
                raise KatachiError(f"game {task.number + 1}: {outcome.reason}")
            return outcome
        finally:
            self.close()

    def close(self) -> None:
        """Ends the program of the present game."""
        player = self._player  # another thread may do the same
        if player is not None:
            player.close()
        self._player = None


def _counted(player: ProgramPlayer, outcome: Outcome) -> Outcome:
    """A finished game as its player counts it, with the owners of all points where they agree."""
    game = game_from_record(outcome.record)
    player.set_up(game)
    score = player.final_score()
    winner = EMPTY if score == 0 else BLACK if score > 0 else WHITE
    result = recorded_result(winner, Ending.SCORE, abs(score))
    record = dataclasses.replace(
        outcome.record,
        result=result,
        texts=_with_result(outcome.record, str(result)),
        ownership=_owners(player, game, score),
    )
    return dataclasses.replace(outcome, winner=winner, margin=abs(score), record=record)


def _with_result(record: GameRecord, text: str) -> GameTexts:
    return dataclasses.replace(record.texts, result=text)


def _owners(player: ProgramPlayer, game: Game, score: float) -> Ownership | None:
    """The owners when the stones that the program calls dead are lifted; None where they do not
    count to its score, or it knows no dead stones."""
    try:
        dead = player.dead_stones(game)
    except PlayerFailure:
        return None
    colors = game.colors
    colors[np.isin(points_of(game.size), dead)] = EMPTY
    owners = area_owners(Board.from_colors(colors, game.size).words)
    signed = np.asarray((owners == BLACK).astype(np.int8) - (owners == WHITE), np.int8)
    return signed if math.isclose(int(signed.sum()) - game.komi, score, abs_tol=1e-6) else None
