"""A person at the table, from the first move to the last word."""

from collections.abc import Callable
from pathlib import Path

from katachi.errors import KatachiError
from katachi.interfaces.console import Console
from katachi.interfaces.play.advice import Adviser
from katachi.interfaces.play.desks import Desk
from katachi.interfaces.play.game_file import GameFile
from katachi.interfaces.play.table import Table, result_words
from katachi.interfaces.play.view import View, command_lines
from katachi.interfaces.views.board_text import NO_MARKS, Marks, owner_legend
from katachi.rules.point import points_of, vertex_from_point

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
        lines, marks = [result_words(table)], NO_MARKS
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
