# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false
"""The only place that knows how kernels are compiled and where the results are kept."""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
from platformdirs import user_cache_path

from katachi._jit.linked import Kernel
from katachi._jit.sources import PACKAGE, digest_of, files_behind, kernel_sources, whole_digest

Function = TypeVar("Function", bound=Callable[..., object])

_KEPT_FOLDERS = 3
"""Of each module."""
_MARKER = "complete"


@cache
def cache_folder() -> Path:
    """The folder of kernels compiled by this Python, Numba and settings for this processor.

    Numba itself would load code compiled without bounds checks when checks are asked for.
    """
    versions = (sys.implementation.cache_tag, numba.__version__)
    settings = (numba.config.BOUNDSCHECK, str(numba.config.OPT))
    processor = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    digest = hashlib.sha256(repr((versions, settings, processor)).encode())
    return user_cache_path("katachi") / "kernels" / digest.hexdigest()[:16]


@cache
def module_folder(file: Path) -> Path:
    """The folder of the kernels of one file of the package, as all that it imports now is."""
    name = ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
    return cache_folder() / f"{name}-{digest_of(files_behind(file))}"


def _marker(part: str = _MARKER) -> Path:
    return cache_folder() / f"{part}-{whole_digest()}"


def _foreign_folder() -> Path:
    """The folder of kernels outside the package, as in tests: they may depend on all of it."""
    return cache_folder() / f"foreign-{whole_digest()}"


def _count_files(folder: Path) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0


def count_kept() -> int:
    """How many kernels of these sources are kept by now, in either form."""
    return sum(_count_files(module_folder(file)) for file in kernel_sources())


def is_warm(part: str = _MARKER) -> bool:
    """Whether kernels of these sources, or of a part of them, have been compiled and are still
    kept."""
    try:
        counts = json.loads(_marker(part).read_bytes())
        return all(_count_files(cache_folder() / name) >= count for name, count in counts.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def mark_warm(part: str = _MARKER) -> None:
    """Notes that the cache holds every kernel, or all of a part, and drops the oldest of earlier
    sources."""
    folders = [module_folder(file) for file in kernel_sources()]
    counts = {folder.name: _count_files(folder) for folder in folders if folder.is_dir()}
    cache_folder().mkdir(parents=True, exist_ok=True)
    written = cache_folder() / f"probe-{os.getpid()}"
    written.write_text(json.dumps(counts))
    os.replace(written, _marker(part))
    for current in (_marker(part), _foreign_folder(), *folders):
        _drop_old(current)


def forget_kernels() -> None:
    """Drops the kept kernels of these sources, so that all are compiled anew."""
    for marker in cache_folder().glob(f"*-{whole_digest()}"):
        if marker.is_file():
            marker.unlink(missing_ok=True)
    for folder in map(module_folder, kernel_sources()):
        shutil.rmtree(folder, ignore_errors=True)


def _drop_old(current: Path) -> None:
    """Deletes what was kept under the same name but for the newest; others may do so meanwhile."""
    name = current.name.rpartition("-")[0]
    others = [f for f in current.parent.glob(f"{name}-*") if f != current]
    others = [f for f in others if f.name.rpartition("-")[0] == name]
    others.sort(key=_time_of_change, reverse=True)
    for old in others[_KEPT_FOLDERS - 1 :]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


def _time_of_change(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


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
_OPTIONS: dict[str, Any] = {
    "nopython": True,
    "boundscheck": None,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
}


def _folder_of(function: Callable[..., object]) -> Path:
    """Where the kernel of a function is kept."""
    file = Path(function.__code__.co_filename)
    return module_folder(file) if file.is_relative_to(PACKAGE) else _foreign_folder()


def _compile(function: Function, **options: Any) -> Function:
    """A dispatcher that keeps its machine code in our folder and nowhere else."""
    if numba.config.DISABLE_JIT:
        return function
    compiled = Kernel(function, {**_OPTIONS, **options}, _folder_of(function))
    return cast("Function", compiled)


def kernel(function: Function) -> Function:
    """Compiles a function for the CPU on its first call; kept between processes."""
    return _compile(function)


def inlined(function: Function) -> Function:
    """A kernel that is copied into each of its callers: for the small steps of a hot loop."""
    return _compile(function, forceinline=True)
