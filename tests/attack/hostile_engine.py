"""A GTP program that is drawn to be nasty: run as a program by the attack suite.

`python hostile_engine.py SEED` answers most commands rightly and does something hostile at random
instants, a different thing for each seed.
"""

import os
import random
import signal
import subprocess
import sys
import time

HOSTILE_TEXTS = (
    *("= [/x]", "= [bold]D4[/]", "? [/]\x1b[2J\x07", "= D4\r\r\r", "= :smile:", "=\tpass"),
    *("= \udcff\udcfe", "= Z99", "= A0", "= resign now", "=" * 10000, "= " + "9" * 5000, "? \x00"),
)


class Hostile:
    """One program and its chances."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.manner = self.random.choice(
            ("text", "flood", "slow", "crash", "silence", "child", "stderr", "stop", "half", "late")
        )
        self.left = self.random.randrange(1, 25)

    def say(self, text: str) -> None:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

    def answer(self, line: str) -> None:
        """Answers one command, or does what it is here for."""
        self.left -= 1
        if self.left == 0:
            getattr(self, f"do_{self.manner}")()
        word = (line.split(maxsplit=1) or [""])[0]
        if word == "genmove":
            self.say("= pass\n\n")
        elif word == "known_command":
            self.say("= true\n\n" if "time" in line else "= false\n\n")
        elif word == "quit":
            self.say("=\n\n")
            sys.exit()
        else:
            self.say("=\n\n")

    def do_text(self) -> None:
        self.say(self.random.choice(HOSTILE_TEXTS) + "\n\n")

    def do_flood(self) -> None:
        for _ in range(400):
            self.say("x" * 99_999 + "\n")

    def do_slow(self) -> None:
        time.sleep(3)

    def do_late(self) -> None:
        self.say("= pass\n\n= pass\n\n= pass\n\n")

    def do_crash(self) -> None:
        sys.stderr.write("[/red] out of cheese \x1b[31m\n")
        sys.stderr.flush()
        os._exit(self.random.choice((0, 1, 139)))

    def do_silence(self) -> None:
        sys.stdout.close()
        os.close(1)
        time.sleep(60)

    def do_child(self) -> None:
        subprocess.Popen(["sleep", "3"])
        os._exit(3)

    def do_stderr(self) -> None:
        sys.stderr.write("[/x]" * 500_000)
        sys.stderr.flush()

    def do_stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def do_half(self) -> None:
        self.say("= D")
        time.sleep(2)


def main() -> None:
    """Answers until the end of input."""
    hostile = Hostile(int(sys.argv[1]))
    for line in sys.stdin:
        hostile.answer(line)


if __name__ == "__main__":
    main()
