"""Those who watch our server, and the lines they are told.

A viewer is told of every game (`match`, `gameover`); of one it observes, of every move (`setup`,
then `update`). White is named before Black, and times are milliseconds.
"""

from katachi.interfaces.cgos.store import Store
from katachi.interfaces.cgos.table import PlayedMove, Table, Verdict
from katachi.interfaces.cgos.wire import LineStream, Setup
from katachi.rules.color import BLACK, WHITE

GAMES_SHOWN = 40
"""Finished games a viewer is told of when it comes."""
_LONGEST_NUMBER = 15
_UNDER_WAY = "- -"
"""Instead of date and time."""


class Viewers:
    """Everybody who watches."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._streams: set[LineStream] = set()
        self._observers: dict[str, set[LineStream]] = {}

    def welcome(self, stream: LineStream, tables: list[Table]) -> None:
        """Tells someone new of the last games and of those under way."""
        self._streams.add(stream)
        for setup, started, result in self._store.last_games(GAMES_SHOWN):
            stream.send(match_line(setup, started[:16], result))
        for table in tables:
            stream.send(match_line(table.setup))

    def dismiss(self, stream: LineStream) -> None:
        """Forgets one who has left."""
        self._streams.discard(stream)
        for watching in self._observers.values():
            watching.discard(stream)

    def hear(self, stream: LineStream, line: str, tables: list[Table]) -> bool:
        """Answers what a viewer says; False when it wants to leave."""
        words = line.split()
        if words[:1] == ["observe"] and len(words) == 2:
            self._show(stream, words[1], tables)
        return words[:1] != ["quit"]

    def _show(self, stream: LineStream, number: str, tables: list[Table]) -> None:
        """Sends the moves of a game; those of one under way will follow."""
        table = next((table for table in tables if table.setup.game_id == number), None)
        if table is not None:
            self._observers.setdefault(number, set()).add(stream)
            stream.send(setup_line(table, _UNDER_WAY))
            return
        is_number = number.isdecimal() and len(number) <= _LONGEST_NUMBER
        kept = self._store.finished_game(int(number)) if is_number else None
        if kept is None:
            stream.send(f"setup {number[:_LONGEST_NUMBER]} ?")
        else:
            stream.send(f"{setup_line(kept[0], kept[0].started[:16])} {kept[1]}")

    def tell(self, line: str) -> None:
        """Tells everybody."""
        for stream in self._streams:
            stream.send(line)

    def begin(self, table: Table) -> None:
        """A game begins."""
        self.tell(match_line(table.setup))

    def update(self, table: Table, words: str) -> None:
        """Tells those who observe a game what happened in it."""
        for stream in self._observers.get(table.setup.game_id, ()):
            stream.send(f"update {table.setup.game_id} {words}")

    def play(self, table: Table, move: PlayedMove) -> None:
        """A move was made."""
        self.update(table, f"{move.vertex} {move.milliseconds}")

    def end(self, table: Table, verdict: Verdict) -> None:
        """A game is over."""
        main = table.setup.milliseconds
        if verdict.text.endswith("Resign"):
            self.update(table, f"resign {round(1000 * table.left[table.game.to_play])}")
        white, black = (main - round(1000 * table.left[color]) for color in (WHITE, BLACK))
        self.tell(f"gameover {table.setup.game_id} {verdict.text} {white} {black}")
        self.update(table, verdict.text)
        self._observers.pop(table.setup.game_id, None)


def match_line(setup: Setup, when: str = _UNDER_WAY, result: str = "-") -> str:
    """A game in the list of games."""
    game = f"{setup.game_id} {when} {setup.size} {setup.komi:g}"
    return f"match {game} {setup.white} {setup.black} {result}"


def setup_line(table: Table, when: str) -> str:
    """A game with its moves so far."""
    setup = table.setup
    game = f"{setup.game_id} {when} {setup.size} {setup.komi:g}"
    moves = "".join(f" {move.vertex} {move.milliseconds}" for move in table.moves)
    return f"setup {game} {setup.white} {setup.black} {setup.milliseconds}{moves}"
