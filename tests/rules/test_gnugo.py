"""Agreement with GNU Go 3.8 on legal moves and captures in random positions.

Its rules can be set to ours: simple ko, positional or situational superko; suicide forbidden, or
allowed (`--allow-suicide` leaves that of a single stone forbidden, as ours does under simple ko;
`--allow-all-suicide` is our suicide rule under superko). Differences, by rule, are written where they
are met: see `REMARKS`. It counts prisoners from its own moves, so captures are compared too.
"""

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules
from tests.oracle.games import EVERY_RULES, RULES_IDS

KO_OPTIONS = {
    KoRule.SIMPLE: "--simple-ko",
    KoRule.POSITIONAL: "--positional-superko",
    KoRule.SITUATIONAL: "--situational-superko",
}


def options_for(rules: Rules) -> list[str]:
    suicide = "--forbid-suicide"
    if rules.suicide:
        suicide = "--allow-suicide" if rules.ko == KoRule.SIMPLE else "--allow-all-suicide"
    return ["--chinese-rules", KO_OPTIONS[rules.ko], suicide]


class Gtp:
    """A conversation in GTP."""

    def __init__(self, commands: IO[str], answers: IO[str]) -> None:
        self.commands = commands
        self.answers = answers

    def ask(self, command: str) -> str:
        """The answer to a command, without its mark; fails when the program refuses."""
        self.commands.write(command + "\n")
        self.commands.flush()
        lines = []
        while (line := self.answers.readline()).strip():
            lines.append(line.strip())
        answer = " ".join(lines)
        assert answer.startswith("="), f"{command}: {answer}"
        return answer[1:].strip()


@contextmanager
def conversation(program: str, rules: Rules) -> Iterator[Gtp]:
    command = [program, "--mode", "gtp", *options_for(rules)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Gtp(process.stdin, process.stdout)
        finally:
            process.kill()


def legal_points(gtp: Gtp, game: Game, color: int) -> list[int]:
    vertices = gtp.ask(f"all_legal {COLOR_NAMES[color]}").split()
    return sorted(point_from_vertex(vertex, game.size) for vertex in vertices)


def compare_game(gtp: Gtp, game: Game, source: random.Random, plies: int) -> list[str]:
    """Plays random moves in both; what they disagreed on."""
    gtp.ask(f"boardsize {game.size}")
    gtp.ask("clear_board")
    remarks = []
    for _ in range(plies):
        color = game.to_play
        moves = game.legal_moves(color).tolist()
        theirs = legal_points(gtp, game, color)
        for p in sorted(set(theirs) ^ set(moves)):
            remarks.append(f"{p in theirs} {game.judge(color,p)} {vertex_from_point(p, game.size)} {color} {[(m.color,vertex_from_point(m.point,game.size)) for m in game.moves]}\n{game.board}")
        point = source.choice(moves) if moves and source.random() < 0.98 else PASS
        game.play(color, point)
        gtp.ask(f"play {COLOR_NAMES[color]} {vertex_from_point(point, game.size)}")
        captures = (int(gtp.ask("captures black")), int(gtp.ask("captures white")))
        if captures != game.captures: remarks.append("captures"); break
    return remarks


if __name__=="__main__":
    from collections import Counter
    for rules in EVERY_RULES:
        with conversation("/usr/games/gnugo", rules) as gtp:
            for size in (2,3,4,5,7,9,13,19):
                n=0; ex=None; src=random.Random(size); plies=0; kinds=Counter()
                for g in range({2:40,3:40,4:20,5:10,7:3,9:2}.get(size,1)):
                    game=Game(size,rules=rules)
                    r=compare_game(gtp,game,src,3*size*size if size<9 else 2*size*size)
                    plies+=len(game.moves); n+=len(r)
                    kinds.update(" ".join(x.split()[:2]) for x in r)
                    if r and (ex is None or len(r[0])<len(ex)): ex=r[0]
                print(rules,size,plies,n,kinds)
                if ex and len(ex)<900: print(ex)
