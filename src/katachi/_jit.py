# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false
"""The only place that knows how kernels are compiled and where the results are kept.

Numba's cache does not notice an edit in a *different* file, so the cache folder is named by a
digest of every source file that holds kernels: any edit starts a fresh folder.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from platformdirs import user_cache_path

Function = TypeVar("Function", bound=Callable[..., object])

_PACKAGE = Path(__file__).parent
_KEPT_FOLDERS = 4


@cache
def kernel_sources() -> tuple[Path, ...]:
    """Every file of the package that defines kernels or constants that kernels read."""
    rooms = ("nets", "rules", "records", "features", "evaluators", "search", "batch", "learning")
    files = [Path(__file__)]
    for room in rooms:
        files += sorted((_PACKAGE / room).rglob("*.py"))
    return tuple(files)


@cache
def cache_folder() -> Path:
    """The folder of compiled kernels of exactly these sources, this Python, Numba and settings.

    Numba itself would load code compiled without bounds checks when checks are asked for.
    """
    versions = (sys.implementation.cache_tag, numba.__version__)
    settings = (numba.config.BOUNDSCHECK, str(numba.config.OPT))
    digest = hashlib.sha256(repr((versions, settings)).encode())
    for file in kernel_sources():
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return user_cache_path("katachi") / "kernels" / digest.hexdigest()[:16]


def is_warm() -> bool:
    """Whether kernels of these sources have been compiled and kept before."""
    return (cache_folder() / "complete").exists()


def mark_warm() -> None:
    """Notes that the cache holds every kernel, and drops the oldest folders of earlier sources."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "complete").touch()
    others = [f for f in folder.parent.iterdir() if f.is_dir() and f != folder]
    others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
    for old in others[_KEPT_FOLDERS - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def prepare_cache() -> None:
    """Creates the cache folder and proves that it can be written; raises OSError otherwise."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f"probe-{os.getpid()}"
    try:
        probe.write_bytes(b"\0" * 65536)
    finally:
        probe.unlink(missing_ok=True)


# Without the private `_nrt` option every array argument of a helper costs two atomic counter
# updates a call. It also forbids allocation, which kernels do not do anyway.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def _compile(function: Function, **options: Any) -> Function:
    """A dispatcher that keeps its machine code in our folder, whatever else uses Numba here."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return cast("Function", numba.njit(**_OPTIONS, **options)(function))
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """Compiles a function for the CPU on its first call; kept between processes."""
    return _compile(function)


def inlined(function: Function) -> Function:
    """A kernel that is copied into each of its callers: for the small steps of a hot loop."""
    return _compile(function, forceinline=True)
