"""A game as people write it: moves by name, a diagram to look at, SGF, and pickling."""

from pathlib import Path
from typing import Any, Self

from katachi.errors import KatachiError
from katachi.records.conversion import game_from_record, record_from_game
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games, write_game
from katachi.rules.color import COLOR_NAMES
from katachi.rules.diagram import diagram_from_colors
from katachi.rules.game import Game as BareGame
from katachi.rules.game import Move
from katachi.rules.point import point_from_vertex
from katachi.rules.ruleset import Rules


class Game(BareGame):
    """One game of Go, from its setup stones to its last move.

    Points are written by name ("D4", "pass") or as numbers (`point_from_vertex`). Colours need
    not alternate. Every value is Black's. The game changes in place; `copy` makes another one.

    >>> game = katachi.Game(5, komi=0.5)
    >>> game.play("C3")
    >>> game.play(katachi.WHITE, "C2")
    >>> game
       A B C D E
     5 . . . . . 5
     4 . . . . . 4
     3 . . X . . 3
     2 . .(O). . 2
     1 . . . . . 1
       A B C D E
    2 moves, Black to play, komi 0.5
    """

    def play(self, color: int | str, point: int | str | None = None) -> None:
        """Plays a move for the player whose turn it is, `play("D4")`, or for a colour,
        `play(WHITE, "D4")`.

        Raises IllegalMove, and changes nothing, where the rules forbid it, and KatachiError for
        what is no move.
        """
        if point is None:
            color, point = self.to_play, color
        if isinstance(color, str):
            raise KatachiError(f"{color!r} is no player's colour: use BLACK or WHITE")
        super().play(color, self._point(point))

    def is_legal(self, color: int, point: int | str) -> bool:
        """Whether `color` may play at `point` ("pass" always may)."""
        return super().is_legal(color, self._point(point))

    def judge(self, color: int, point: int | str) -> str:
        """The word "legal", or the word for the rule that the move would break."""
        return super().judge(color, self._point(point))

    def _point(self, point: int | str) -> int:
        return point_from_vertex(point, self.size) if isinstance(point, str) else point

    def to_sgf(self) -> str:
        """The game as SGF; setup stones, komi and all moves are in it.

        >>> game = katachi.Game(5)
        >>> game.play("C3")
        >>> "B[cc]" in game.to_sgf()
        True
        """
        return write_game(record_from_game(self)).decode("utf-8")

    @classmethod
    def from_sgf(
        cls, source: str | Path | bytes, moves: int | None = None, rules: Rules | None = None
    ) -> Self:
        """The first game of SGF text (it begins with a bracket), of its bytes, or of a file: the
        position after so many moves, by default all.

        Without `rules` the game goes on under simple ko, suicide allowed, as records are read.
        Raises KatachiError for what cannot be read or has not so many moves, and IllegalMove where
        `rules` forbid a move.

        >>> katachi.Game.from_sgf("(;SZ[5]KM[0.5];B[cc];W[cd])").to_play == katachi.BLACK
        True
        """
        if isinstance(source, str) and source.lstrip().startswith("("):
            source = source.encode("utf-8")
        for record in read_games(source):
            return cls.from_record(record, moves, rules)
        raise KatachiError(f"{source!r} holds no game")

    @classmethod
    def from_record(
        cls, record: GameRecord, moves: int | None = None, rules: Rules | None = None
    ) -> Self:
        """The position of a recorded game (`read_games`, `open_games`) after so many moves, by
        default all; otherwise as `from_sgf`."""
        made = object.__new__(cls)
        made.__dict__.update(game_from_record(record, moves, rules).__dict__)
        return made

    def __repr__(self) -> str:
        board = diagram_from_colors(self.colors, self.size, self.last_point)
        count = len(self.moves)
        turn = f"{COLOR_NAMES[self.to_play].capitalize()} to play"
        words = f"{count} move{'s' * (count != 1)}, {turn}, komi {self.komi:g}"
        return f"{board}\n{words}"

    def __reduce__(self) -> tuple[Any, ...]:
        # The board is a view of memory that a pickle would tear apart: games are played again.
        told = (self.size, self.komi, self.rules, self.setup, self.first_to_play, self.moves)
        return _replayed, (type(self), *told)


def _replayed(
    kind: type[Game], size: int, komi: float, rules: Rules, setup: list[Move], *rest: Any
) -> Game:
    """The game that was pickled."""
    first_to_play, moves = rest
    game = kind(size, komi, rules)
    colors = [[move.point for move in setup if move.color == color] for color in COLOR_NAMES]
    game.place_setup(*colors)
    game.first_to_play = first_to_play
    for color, point in moves:
        game.play(color, point)
    return game
