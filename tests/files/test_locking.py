"""A lock is held by one process at a time and ends with its block."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.files.locking import locked

HOLD = """
import sys
from pathlib import Path
from katachi.files.locking import locked
with locked(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_another_process_holds_is_refused_until_that_one_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        words = r"^the folder is in use by another process$"
        with pytest.raises(KatachiError, match=words), locked(tmp_path / "lock", "the folder"):
            pass
        other.kill()
    with locked(tmp_path / "lock", "the folder"):
        pass


def test_a_lock_ends_with_its_block_even_where_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "lock", "it"):
        raise ZeroDivisionError
    with (
        locked(tmp_path / "lock", "it"),
        pytest.raises(KatachiError, match="it is in use"),
        locked(tmp_path / "lock", "it"),
    ):
        pass


def test_a_lock_file_that_was_removed_meanwhile_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    monkeypatch.setattr(fcntl, "flock", lambda *_: path.unlink())
    with pytest.raises(KatachiError, match="until now: try again"), locked(path, "the set"):
        pass


FORK = """
import os
import sys
import time
from pathlib import Path
from katachi.files.locking import locked
begun, tell = os.pipe()
with locked(Path(sys.argv[1]), "it"):
    child = os.fork()
    if child == 0:
        os.write(tell, b"!")
        time.sleep(60)
        os._exit(0)
    os.read(begun, 1)
    print(child, flush=True)
    sys.stdin.read()
"""


def test_a_lock_ends_with_its_process_though_one_that_it_forked_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORK, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        child = int(other.stdout.readline())
        try:
            with pytest.raises(KatachiError, match="in use"), locked(tmp_path / "lock", "it"):
                pass
            other.kill()
            other.wait()
            with locked(tmp_path / "lock", "it"):
                os.kill(child, 0)  # raises where it is gone
        finally:
            os.kill(child, signal.SIGKILL)
