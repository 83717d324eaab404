"""What a process does when it is asked to end."""

import signal
import sys
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def leave_on_signals() -> None:
    """Lets SIGTERM and SIGHUP end this process as an error does, by SystemExit, so that what was
    kept is whole and every program is ended. One that is ignored, as nohup has it, stays so."""
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)
