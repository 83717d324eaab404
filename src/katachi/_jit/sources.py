"""Which source files a kernel may depend on, and a digest of them.

Numba's own cache does not notice an edit in a *different* file, so the kernels of a module are kept
under a digest of its source and of every module of the package that it imports, directly or not: an
edit starts fresh folders for those that may depend on it, and for no others.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_HERE = Path(__file__).parent
_ROOMS = ("nets", "rules", "records", "features", "evaluators", "search", "batch", "learning")
"""Where kernels are, and constants that they read."""
_IMPORT = re.compile(r"^[ \t]*(?:from|import) katachi([\w.]*)(?: import (\([^)]*\)|.*))?", re.M)


@cache
def read_source(file: Path) -> bytes:
    """What a file holds; read once."""
    return file.read_bytes()


def _module_file(name: str) -> Path | None:
    """Where the module `katachi` + name is, if it is one."""
    place = PACKAGE.joinpath(*name.split(".")[1:])
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in found if file.is_file()), None)


@cache
def imported_files(file: Path) -> frozenset[Path]:
    """The files of the package that a file of it names in its imports, wherever they stand."""
    found = set()
    for match in _IMPORT.finditer(read_source(file).decode()):
        module, names = match.group(1), re.findall(r"\w+", match.group(2) or "")
        found |= {_module_file(name) for name in (module, *(f"{module}.{each}" for each in names))}
    return frozenset(each for each in found if each is not None)


@cache
def files_behind(file: Path) -> tuple[Path, ...]:
    """A file and all that it imports, directly or not: what its kernels may depend on."""
    found, open_files = {file, *_HERE.glob("*.py")}, [file]
    while open_files:
        new = imported_files(open_files.pop()) - found
        found |= new
        open_files += new
    return tuple(sorted(found))


def digest_of(files: tuple[Path, ...]) -> str:
    """A name for these files of the package as they are, the same wherever the package lies."""
    digest = hashlib.sha256()
    for file in files:
        source = read_source(file)
        digest.update(f"{file.relative_to(PACKAGE).as_posix()}\0{len(source)}\0".encode() + source)
    return digest.hexdigest()[:16]


@cache
def kernel_sources() -> tuple[Path, ...]:
    """Every file of the package that may define kernels."""
    return tuple(file for room in _ROOMS for file in sorted((PACKAGE / room).rglob("*.py")))


@cache
def whole_digest() -> str:
    """A name for all that kernels are made of."""
    return digest_of((*sorted(_HERE.glob("*.py")), *kernel_sources()))
