"""`katachi doctor`: what is here, what is wrong, and what fixes it."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path
from rich.table import Table
from rich.text import Text

from katachi import __version__
from katachi.errors import KatachiError
from katachi.interfaces.cli.warmup import count_cores
from katachi.interfaces.console import Console

BASE = (
    *("numpy", "numba", "cyclopts", "rich", "msgspec", "safetensors", "platformdirs", "sgfmill"),
    *("starlette", "uvicorn", "websockets"),
)
OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)
EXTRAS = {
    "torch": "nets",
    "scikit-learn": "svm",
    "matplotlib": "plots",
    "numba-cuda": "cuda",
    "gymnasium": "env",
    "ray": "ray",
    "pettingzoo": "env",
    "sb3-contrib": "rl",
}
ENGINES = {
    "gnugo": "apt-get install gnugo",
    "katago": "optional: an outside opponent, if you have one put it on the PATH",
    "pachi": "optional: an outside opponent (Debian's `pachi` is another game)",
}
ROOM_WANTED = 200 << 20
"""Bytes the kernels and game caches may need."""
_SIGNS, _ASCII_SIGNS = "✓-✗", "+-x"
"""Well, could be fixed, must be fixed."""


class Finding(NamedTuple):
    """One line of the report."""

    subject: str
    state: str
    fix: str = ""
    """The command that fixes it; empty where nothing is wrong."""
    is_fault: bool = False
    """Whether katachi cannot work like this."""


def doctor() -> int:
    """Check this installation: versions, cores, caches, GPU, engines; and how to fix it."""
    findings = list(_examine())
    console = Console()
    signs = _ASCII_SIGNS if console.options.ascii_only else _SIGNS
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        table.add_row(_sign(finding, signs), finding.subject, finding.state, finding.fix)
    console.print(table)
    faults = [finding for finding in findings if finding.is_fault]
    if faults:
        raise KatachiError(f"{len(faults)} thing(s) to fix: {', '.join(f.subject for f in faults)}")
    return 0


def _sign(finding: Finding, signs: str) -> Text:
    if finding.is_fault:
        return Text(signs[2], style="red")
    return Text(signs[1], style="yellow") if finding.fix else Text(signs[0], style="green")


def _examine() -> Iterator[Finding]:
    yield Finding("katachi", __version__)
    yield _python()
    yield Finding("machine", f"{platform.machine()}, {count_cores()} cores, {_memory()}")
    yield from (_package(name) for name in BASE)
    yield from (_extra(name, extra) for name, extra in EXTRAS.items())
    yield _disk()
    yield _kernels()
    yield _gpu()
    yield from (_engine(name, fix) for name, fix in ENGINES.items())


def _python() -> Finding:
    is_old = sys.version_info[:2] < OLDEST_PYTHON
    is_tried = sys.version_info[:2] <= NEWEST_PYTHON
    fix = "" if is_tried and not is_old else "use 3.11 to 3.14, which katachi is made for"
    return Finding("Python", platform.python_version(), fix, is_old)


def _pip(what: str) -> str:
    return f"{sys.executable} -m pip install {shlex.quote(what)}"


def _self_with(extra: str) -> str:
    """What pip installs katachi with an extra from: the source tree if it runs from one."""
    tree = Path(__file__).parents[4]
    has_source = (tree / "pyproject.toml").exists()
    return _pip(f"{tree}[{extra}]" if has_source else f"katachi[{extra}]")


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return "memory unknown"
    return f"{total / (1 << 30):.0f} GiB memory"


def _package(name: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "missing", _pip(name), is_fault=True)


def _extra(name: str, extra: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "not installed (optional)", _self_with(extra))


def _disk() -> Finding:
    folder = user_cache_path("katachi")
    existing: Path = next(f for f in (folder, *folder.parents) if f.exists())
    free = shutil.disk_usage(existing).free
    state = f"{folder}, {free / (1 << 30):.1f} GiB free"
    if not os.access(existing, os.W_OK):
        return Finding("cache folder", state, "set XDG_CACHE_HOME to a folder you may write", True)
    if free < ROOM_WANTED:
        return Finding("cache folder", state, "free some space or set XDG_CACHE_HOME", True)
    return Finding("cache folder", state)


def _kernels() -> Finding:
    try:
        from katachi import _jit
    except ImportError as error:
        return Finding("kernels", f"Numba cannot be imported: {error}", _pip("numba"), True)
    if _jit.is_warm():
        return Finding("kernels", f"compiled ({_jit.cache_folder().name})")
    return Finding("kernels", "not all compiled yet", "katachi warmup")


def _gpu() -> Finding:
    try:
        command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return Finding("GPU", "none found; everything runs on the CPU")
    name = done.stdout.decode(errors="replace").strip().partition("\n")[0]
    if not name:
        return Finding("GPU", "nvidia-smi names none; everything runs on the CPU")
    try:
        version("numba-cuda")
    except PackageNotFoundError:
        return Finding("GPU", name, _self_with("cuda"))
    return Finding("GPU", name)


def _engine(name: str, fix: str) -> Finding:
    from katachi.players.names import find_program

    path = find_program(name)
    return Finding(name, path) if path else Finding(name, "not found", fix)
