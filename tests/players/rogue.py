"""A GTP program that misbehaves as its first argument says; run as a program by the tests."""

import sys
import time

RULES = {"boardsize", "clear_board", "komi", "play"}


def answer(manner: str, command: str) -> str | None:
    """What is printed for one command; None prints nothing."""
    if command.split(maxsplit=1)[0] in RULES:
        return "=\n\n"
    if command.startswith("genmove"):
        return {
            "illegal": "= A1\n\n",
            "off-board": "= T19\n\n",
            "nonsense": "= banana\n\n",
            "refuses": "? I would rather not\n\n",
            "not-gtp": "hello\n",
            "resigns": "= resign\n\n",
            "passes": "= PASS\n\n",
            "binary": "= \x00\x01\n\n",
            "slow": None,
        }[manner]
    return "= \n\n"


def main() -> None:
    """Answers until the end of input."""
    manner = sys.argv[1]
    for line in sys.stdin:
        if manner == "crashes" and line.startswith("genmove"):
            sys.stderr.write("out of cheese\n")
            sys.exit(7)
        if manner == "slow" and line.startswith("genmove"):
            time.sleep(60)
        if manner == "endless" and line.startswith("genmove"):
            while True:
                sys.stdout.write("= " + "x" * 100000)
        text = answer(manner, line)
        if text is not None:
            sys.stdout.write(text)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
