"""A person at the table, from the first move to the last word, and the advice they may ask for."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from katachi.arena.stop_signals import leave_on_signals
from katachi.errors import KatachiError
from katachi.evaluators.chances import with_komi
from katachi.evaluators.protocol import Evaluator, predicts_moves
from katachi.interfaces.cold_start import tell
from katachi.interfaces.console import Console
from katachi.interfaces.play.desks import Desk, View, command_lines, open_desk
from katachi.interfaces.play.table import GameFile, Table, result_text
from katachi.interfaces.views.board_text import NO_MARKS, Marks, owner_legend
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.roster import make_evaluator
from katachi.records.sgf import write_game
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import Points, points_of, vertex_from_point
from katachi.rules.ruleset import Rules
from katachi.search import analysis
from katachi.search.afterstates import sensible_moves

ADVISER = DEFAULT_PLAYER
"""Who is asked where the player has no opinion of positions, or knows no owners."""
HINTS = 3
LIKELY = 0.7
"""From this chance on a point is drawn as somebody's."""


class Advice(NamedTuple):
    """An answer in words, and what it puts on the board."""

    lines: list[str]
    labels: dict[int, str]
    owners: dict[int, int]


def lead_text(lead: float) -> str:
    """Black's lead in points, in words."""
    if abs(lead) < 0.05:
        return "even"
    return f"{'Black' if lead > 0 else 'White'} leads by {abs(lead):.1f}"


class Adviser:
    """Hints by the player's evaluator where it has one, scores by one that knows owners."""

    def __init__(self, player: str, make: Callable[[str], Evaluator]) -> None:
        """`make` gives evaluators by name and is called when the first question comes."""
        self._player = player
        self._make = make
        self._known: dict[str, Evaluator] = {}

    def _evaluator(self, name: str) -> Evaluator:
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def _own(self) -> tuple[str, Evaluator]:
        try:
            return self._player, self._evaluator(self._player)
        except KatachiError:
            return ADVISER, self._evaluator(ADVISER)

    def hint(self, game: Game, color: int) -> Advice:
        """The best moves of `color`, at most three, best first."""
        strict = game.copy()
        strict.rules = Rules()
        points = sensible_moves(strict, color)
        if len(points) == 0:
            return Advice(["pass: there is no other move that helps"], {}, {})
        name, evaluator = self._own()
        keys = analysis.predicted_scores(evaluator, strict, color, points)
        if keys is None:
            keys = analysis.mover_logits(evaluator, strict, color, points)
        best = points[np.argsort(-keys, kind="stable")[:HINTS]]
        names = [vertex_from_point(point, game.size) for point in best.tolist()]
        after = _words_after(evaluator, strict, color, best)
        pairs = enumerate(zip(names, after, strict=True), 1)
        lines = [f"{number}  {vertex}  {words}".rstrip() for number, (vertex, words) in pairs]
        labels = {point: str(number) for number, point in enumerate(best.tolist(), 1)}
        return Advice([f"{name} likes:", *lines], labels, {})

    def score(self, game: Game) -> Advice:
        """Who is ahead by how much, komi counted, and whose the points will be."""
        name, evaluator = self._own()
        evaluation = evaluator.evaluate(game.states)
        if evaluation.ownership is None:
            name, evaluation = ADVISER, self._evaluator(ADVISER).evaluate(game.states)
        chances = analysis.black_ownership(game.states, evaluation)[0]
        lead = float((2.0 * chances - 1.0).sum()) - game.komi
        rate = float(with_komi(evaluation, game.komi).value[0])
        owners = {
            int(point): BLACK if chance > LIKELY else WHITE
            for point, chance in zip(points_of(game.size), chances.tolist(), strict=True)
            if not 1 - LIKELY <= chance <= LIKELY
        }
        ahead = f"Black wins {rate:.0%}" if rate >= 0.5 else f"White wins {1 - rate:.0%}"
        return Advice(
            [f"{name} estimates, komi {game.komi:g} counted:", f"{lead_text(lead)}; {ahead}"],
            {},
            owners,
        )


def _words_after(evaluator: Evaluator, game: Game, color: int, points: Points) -> list[str]:
    """What each move leads to; nothing of an evaluator that knows moves alone."""
    evaluation = analysis.evaluate_moves(evaluator, game, color, points)
    if evaluation.ownership is not None:
        leads = (2.0 * evaluation.ownership - 1.0).sum(axis=1) - game.komi
        return [lead_text(lead) for lead in leads.tolist()]
    if predicts_moves(evaluator):
        return [""] * len(points)
    rates = evaluation.value if color == BLACK else 1.0 - evaluation.value
    return [f"{COLOR_NAMES[color].capitalize()} wins {rate:.0%}" for rate in rates.tolist()]


SHORT = {"p": "pass", "u": "undo", "h": "hint", "s": "score", "q": "quit", "?": "help"}
"""Words that may be typed by a letter."""


class Sitting:
    """Shows the game, takes what is entered, lets the player answer, and keeps the game."""

    def __init__(self, table: Table, file: GameFile, adviser: Adviser, console: Console) -> None:
        self.table, self.file, self.adviser, self.console = table, file, adviser, console
        self._view = View(table)
        self._is_left = False
        self._commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "undo": self._undo,
            "hint": self._hint,
            "score": self._score,
            "save": self._save,
            "resign": self._resign,
            "quit": self._quit,
            "pass": self._play,
        }

    def run(self, desk: Desk) -> None:
        """Plays until the person leaves; raises PlayerFailure, and KatachiError when the game
        cannot be kept."""
        self.file.keep(self.table)
        self._let_answer(desk)
        if self.table.is_over:
            self._show_result()
        while not self._is_left:
            desk.show(self._view)
            line = desk.ask(self._view)
            if line is None:
                return
            self._view = View(self.table, is_board_new=False)
            self._obey(line, desk)

    def _obey(self, line: str, desk: Desk) -> None:
        """Does what was entered; what is wrong with it becomes the message."""
        words = line.split(None, 1)
        name = SHORT.get(line.lower(), words[0].lower() if words else "")
        before = (len(self.table.game.moves), self.table.resigned)
        try:
            self._commands.get(name, self._play)(line if name != "save" else line[4:].strip())
        except KatachiError as error:
            self._say(str(error))
        if (len(self.table.game.moves), self.table.resigned) != before:
            self._go_on(desk)

    def _go_on(self, desk: Desk) -> None:
        """Keeps what has changed, and lets the player answer if it is its turn."""
        self.file.keep(self.table)
        self._view = View(self.table, self._view.message)
        self._let_answer(desk)
        if self.table.is_over:
            self._show_result()

    def _let_answer(self, desk: Desk) -> None:
        if self.table.is_over or self.table.is_persons_turn:
            return
        name = self.table.player.name
        desk.show(View(self.table, (f"{name} is thinking ...",), is_board_new=False))
        answer = self.table.answer()
        self.file.keep(self.table)
        self._view = View(self.table, (f"{name}: {answer}",))

    def _show_result(self) -> None:
        """Counts the game and shows what it found."""
        table, status = self.table, self.table.status()
        size = table.game.size
        lines, marks = [result_text(table)], NO_MARKS
        if status is not None:
            owned = zip(points_of(size).tolist(), status.owners.tolist(), strict=True)
            marks = Marks(owners=dict(owned))
            names = " ".join(vertex_from_point(point, size) for point in status.dead)
            lines += [f"dead stones: {names or 'none'}", owner_legend(self.console)]
        lines.append(f"saved as {self.file.save(table)}")
        self._view = View(table, tuple(lines), marks)

    def _say(self, *lines: str) -> None:
        self._view = View(self.table, lines, is_board_new=False)

    def _play(self, line: str) -> None:
        if not line:
            self._say("type a move such as D4, or help")
            return
        self.table.play("pass" if line.lower() == "p" else line)

    def _help(self, _: str) -> None:
        self._say(*command_lines())

    def _undo(self, _: str) -> None:
        self.table.undo()
        self._say("taken back")

    def _hint(self, _: str) -> None:
        if self.table.is_over:
            raise KatachiError("the game is over: undo goes on with it, quit ends it")
        advice = self.adviser.hint(self.table.game, self.table.person)
        self._view = View(self.table, tuple(advice.lines), Marks(labels=advice.labels))

    def _score(self, _: str) -> None:
        if self.table.is_over:
            self._show_result()
            return
        advice = self.adviser.score(self.table.game)
        lines = (*advice.lines, owner_legend(self.console))
        self._view = View(self.table, lines, Marks(owners=advice.owners))

    def _save(self, name: str) -> None:
        self._say(f"saved as {self.file.save(self.table, Path(name) if name else None)}")

    def _resign(self, _: str) -> None:
        self.table.resign()

    def _quit(self, _: str) -> None:
        self._is_left = True


def sit(table: Table, file: GameFile, name: str) -> bool:
    """Plays the game in the terminal; however it is left, it is kept, and where is said. Returns
    whether it was interrupted."""
    leave_on_signals()
    console = Console()
    sitting = Sitting(table, file, Adviser(name, make_evaluator), console)
    is_interrupted = False
    try:
        with open_desk(console, table.game.size) as desk:
            sitting.run(desk)
    except KeyboardInterrupt:
        is_interrupted = True
        console.print()
    finally:
        _leave(table, file)
    return is_interrupted


def _leave(table: Table, file: GameFile) -> None:
    """Writes the game, if a move was made, and says where; where it cannot be written, its SGF is
    printed."""
    if not table.game.moves:
        return
    try:
        path = file.save(table)
    except KatachiError as error:
        tell(f"{error}; this is the game:")
        sys.stdout.write(write_game(table.record()).decode() + "\n")
        return
    name = shlex.quote(str(path))
    then = "review {}" if table.is_over else "play --resume {}"
    tell(f"the game is saved as {path}; next: katachi {then.format(name)}")
