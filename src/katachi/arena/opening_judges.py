"""Who is ahead after an opening: the word of an evaluator, or of an external program."""

import re
from collections.abc import Callable
from typing import Protocol

import msgspec

from katachi.evaluators.protocol import Evaluator
from katachi.players.gtp_program import GtpProgram
from katachi.players.names import command_of, is_program
from katachi.players.protocol import FailureKind
from katachi.players.roster import make_evaluator
from katachi.records.judgements import DeadBand, Judgement
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point

GNUGO = "gnugo --mode gtp --level 1"
"""The judge of cross play, unless another one is named."""
PATIENCE = 120.0
"""Seconds that a program may think about one position."""
_SCORE = re.compile(r"\s*(?:([BW])\+\s*([0-9]+(?:\.[0-9]+)?)|0(?:\.0+)?)\b", re.IGNORECASE)


class OpeningJudge(Protocol):
    """Says who is ahead."""

    name: str

    def judge(self, game: Game, index: int = 0) -> Judgement:
        """The judgement of the present position as that of game `index`, with the game's komi;
        raises KatachiError where there is none to be had."""
        ...

    def close(self) -> None:
        """Ends what was started."""
        ...


class EvaluatorJudge:
    """An evaluator's opinion, a chance."""

    def __init__(self, name: str, evaluator: Evaluator, band: DeadBand | None = None) -> None:
        self.name = name
        self.evaluator = evaluator
        self.band = band or DeadBand()

    def judge(self, game: Game, index: int = 0) -> Judgement:
        """Black's chance by the evaluator, which knows no komi."""
        chance = round(float(self.evaluator.evaluate(game.states).value[0]), 6)
        return _judgement(self, game, index, chance=chance)

    def close(self) -> None:
        """Nothing to end."""


class ProgramJudge:
    """A program's `estimate_score`, in points."""

    def __init__(self, command: str, band: DeadBand | None = None) -> None:
        """Starts the program; raises PlayerFailure."""
        self.name = command
        self.band = band or DeadBand()
        self._program = GtpProgram(command, PATIENCE)

    def judge(self, game: Game, index: int = 0) -> Judgement:
        """Black's lead as the program estimates it."""
        send: Callable[[str], str] = self._program.send
        for command in (f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}"):
            send(command)
        for color, point in (*game.setup, *game.moves):
            send(f"play {COLOR_NAMES[color]} {vertex_from_point(point, game.size)}")
        answer = send("estimate_score")
        found = _SCORE.match(answer)
        if found is None:
            text = f"answered 'estimate_score' with {answer[:60]!r}, not with a score such as B+3.5"
            raise self._program.failure(FailureKind.GARBAGE, text)
        lead = float(found[2] or 0.0) * (1.0 if (found[1] or "B").upper() == "B" else -1.0)
        return _judgement(self, game, index, lead=lead)

    def close(self) -> None:
        """Ends the program."""
        self._program.close()


def _judgement(
    judge: EvaluatorJudge | ProgramJudge,
    game: Game,
    index: int,
    *,
    lead: float | None = None,
    chance: float | None = None,
) -> Judgement:
    found = Judgement(
        index=index,
        moves=len(game.moves),
        komi=game.komi,
        black_lead=lead,
        black_winrate=chance,
        judge=judge.name,
        band=judge.band,
    )
    return msgspec.structs.replace(found, z=found.value(judge.band))


def make_judge(name: str, band: DeadBand | None = None) -> OpeningJudge:
    """The judge of a name: a player that has an opinion of positions, or a program's command line
    (`gnugo` alone stands for GNU Go at level 1). Raises KatachiError, naming the choices."""
    if name in ("gnugo", "gtp:gnugo"):
        return ProgramJudge(GNUGO, band)
    if is_program(name):
        return ProgramJudge(command_of(name), band)
    return EvaluatorJudge(name, make_evaluator(name), band)
