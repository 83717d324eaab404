# pyright: reportAttributeAccessIssue=false, reportPrivateImportUsage=false
"""The only place that knows how kernels are compiled and where the results are kept.

Numba's cache does not notice an edit in a *different* file, so the kernels of a module are kept in
a folder named by a digest of its source and of every module of the package that it imports,
directly or not: an edit starts fresh folders for those that may depend on it, and for no others.
"""

import hashlib
import os
import re
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
_ROOMS = ("nets", "rules", "records", "features", "evaluators", "search", "batch", "learning")
"""Where kernels are, and constants that they read."""
_IMPORT = re.compile(r"^[ \t]*(?:from|import) katachi([\w.]*)(?: import (\([^)]*\)|.*))?", re.M)
_KEPT_FOLDERS = 3
"""Of each module."""


@cache
def _source(file: Path) -> bytes:
    return file.read_bytes()


def _module_file(name: str) -> Path | None:
    """Where the module `katachi` + name is, if it is one."""
    place = _PACKAGE.joinpath(*name.split(".")[1:])
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in found if file.is_file()), None)


@cache
def imported_files(file: Path) -> frozenset[Path]:
    """The files of the package that a file of it names in its imports, wherever they stand."""
    found = set()
    for match in _IMPORT.finditer(_source(file).decode()):
        module, names = match.group(1), re.findall(r"\w+", match.group(2) or "")
        found |= {_module_file(name) for name in (module, *(f"{module}.{each}" for each in names))}
    return frozenset(each for each in found if each is not None)


@cache
def files_behind(file: Path) -> tuple[Path, ...]:
    """A file and all that it imports, directly or not: what its kernels may depend on."""
    found, open_files = {file, Path(__file__)}, [file]
    while open_files:
        new = imported_files(open_files.pop()) - found
        found |= new
        open_files += new
    return tuple(sorted(found))


def _digest(files: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + _source(file))
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """The folder of kernels compiled by this Python, Numba and settings.

    Numba itself would load code compiled without bounds checks when checks are asked for.
    """
    versions = (sys.implementation.cache_tag, numba.__version__)
    settings = (numba.config.BOUNDSCHECK, str(numba.config.OPT))
    digest = hashlib.sha256(repr((versions, settings)).encode())
    return user_cache_path("katachi") / "kernels" / digest.hexdigest()[:16]


@cache
def module_folder(file: Path) -> Path:
    """The folder of the kernels of one file of the package, as all that it imports now is."""
    name = ".".join(file.relative_to(_PACKAGE).with_suffix("").parts)
    return cache_folder() / f"{name}-{_digest(files_behind(file))}"


@cache
def kernel_sources() -> tuple[Path, ...]:
    """Every file of the package that may define kernels."""
    return tuple(file for room in _ROOMS for file in sorted((_PACKAGE / room).rglob("*.py")))


@cache
def _whole_digest() -> str:
    return _digest((Path(__file__), *kernel_sources()))


def _marker() -> Path:
    return cache_folder() / f"complete-{_whole_digest()}"


def _foreign_folder() -> Path:
    """The folder of kernels outside the package, as in tests: they may depend on all of it."""
    return cache_folder() / f"foreign-{_whole_digest()}"


def is_warm() -> bool:
    """Whether kernels of these sources have been compiled and kept before."""
    return _marker().exists()


def mark_warm() -> None:
    """Notes that the cache holds every kernel, and drops the oldest of earlier sources."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    _marker().touch()
    for current in (_marker(), _foreign_folder(), *map(module_folder, kernel_sources())):
        _drop_old(current)


def _drop_old(current: Path) -> None:
    """Deletes what was kept under the same name but for the newest."""
    name = current.name.rpartition("-")[0]
    others = [f for f in current.parent.glob(f"{name}-*") if f != current]
    others = [f for f in others if f.name.rpartition("-")[0] == name]
    others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
    for old in others[_KEPT_FOLDERS - 1 :]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


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


def _folder_of(function: Callable[..., object]) -> Path:
    """Where the kernel of a function is kept."""
    file = Path(function.__code__.co_filename)
    return module_folder(file) if file.is_relative_to(_PACKAGE) else _foreign_folder()


def _compile(function: Function, **options: Any) -> Function:
    """A dispatcher that keeps its machine code in our folder, whatever else uses Numba here."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_folder_of(function))
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
