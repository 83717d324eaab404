"""What a figure was made with: versions, commit, machine."""

import contextlib
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from katachi import __version__


def versions() -> dict[str, str]:
    """Versions of katachi and of what its figures depend on; torch where it is installed."""
    found = {
        "katachi": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }
    with contextlib.suppress(PackageNotFoundError):
        found["torch"] = version("torch")
    return found


def commit_of_tree() -> str:
    """The commit of katachi's source tree: what KATACHI_COMMIT says, for a tree that came without
    its history; else git's word, marked where files were changed since; else unknown."""
    if commit := os.environ.get("KATACHI_COMMIT"):
        return commit
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(
            [*command, "--abbrev=12"], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


@cache
def machine() -> str:
    """The processor, how many cores there are, and the GPU where there is one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return ", ".join([model, f"{os.cpu_count()} cores", *_gpus()])


def _gpus() -> list[str]:
    """The names of NVIDIA's GPUs, as their driver says them."""
    command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()
