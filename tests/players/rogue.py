"""A GTP program that misbehaves as its first argument says; run as a program by the tests."""

import sys
import time
from pathlib import Path

ANSWERS = {
    "illegal": "= A1\n\n",
    "off-board": "= T19\n\n",
    "nonsense": "= banana\n\n",
    "refuses": "? I would rather not\n\n",
    "not-gtp": "hello\n",
    "resigns": "= resign\n\n",
    "passes": "= PASS\n\n",
    "binary": "= \x00\x01\n\n",
}


class Rogue:
    """One program, with the board size it was given."""

    def __init__(self, manner: str) -> None:
        self.manner = manner
        self.size = 19

    def answer(self, command: str) -> str:
        """What is printed for one command."""
        if command.startswith("boardsize"):
            self.size = int(command.split()[1])
        if not command.startswith("genmove"):
            return "=\n\n"
        if self.manner == "crashes-once":
            return "= E5\n\n" if self.size == 9 else "= Q16\n\n"
        return ANSWERS[self.manner]

    def misbehave(self) -> None:
        """What happens at a genmove before any answer."""
        if self.manner == "crashes":
            sys.stderr.write("out of cheese\n")
            sys.exit(7)
        if self.manner == "crashes-once" and not Path(sys.argv[2]).exists():
            Path(sys.argv[2]).touch()
            sys.exit(7)
        if self.manner == "slow":
            time.sleep(60)
        while self.manner == "endless":
            sys.stdout.write("= " + "x" * 100000)


def main() -> None:
    """Answers until the end of input."""
    rogue = Rogue(sys.argv[1])
    for line in sys.stdin:
        if line.startswith("genmove"):
            rogue.misbehave()
        sys.stdout.write(rogue.answer(line))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
