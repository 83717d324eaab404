"""What runs below a process, read from /proc."""

import time
from pathlib import Path


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if parent == pid:
                found.append(int(entry.name))
    return found


def descendants_of(pid: int) -> list[int]:
    direct = children_of(pid)
    return direct + [deep for child in direct for deep in descendants_of(child)]


def all_gone(pids: list[int], patience: float = 15.0) -> bool:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        alive = [pid for pid in pids if _is_alive(pid)]
        if not alive:
            return True
        time.sleep(0.05)
    return False


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def name_of(pid: int) -> str:
    """The name of a running program; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
