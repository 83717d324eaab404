"""Compiled kernels are kept as long as nothing that they depend on changes, and no longer."""

import errno
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from katachi import _jit
from katachi._jit import sources, store
from katachi._jit.linked import LinkedForm
from katachi._jit.store import KernelStore

PACKAGE = sources.PACKAGE


def used_modules(module: types.ModuleType) -> Iterator[str]:
    """The modules of the package from which the functions of a module take something."""
    for value in vars(module).values():
        function = getattr(value, "py_func", value)
        if getattr(function, "__module__", None) != module.__name__:
            continue
        for name in getattr(getattr(function, "__code__", None), "co_names", ()):
            used = getattr(vars(module).get(name), "__module__", None)
            if used is not None and used.startswith("katachi."):
                yield used


@pytest.mark.parametrize("room", ["rules", "records", "features", "evaluators", "search"])
def test_whatever_a_kernel_uses_is_behind_it(room: str) -> None:
    for file in sorted((PACKAGE / room).glob("*.py")):
        module = importlib.import_module(f"katachi.{room}.{file.stem}")
        behind = sources.files_behind(file)
        for used in used_modules(module):
            source = importlib.import_module(used).__file__
            assert source is not None
            assert Path(source) in behind, f"{file.name} uses {used}"


def test_an_edit_starts_fresh_folders_only_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    edited = PACKAGE / "features" / "influence.py"
    below, above = PACKAGE / "rules" / "kernels.py", PACKAGE / "features" / "territory_planes.py"
    before = [_jit.module_folder.__wrapped__(file) for file in (below, edited, above)]
    real = sources.read_source

    def source(file: Path) -> bytes:
        return real(file) + (b"# edited" if file == edited else b"")

    monkeypatch.setattr(sources, "read_source", source)
    after = [_jit.module_folder.__wrapped__(file) for file in (below, edited, above)]
    assert [a == b for a, b in zip(after, before, strict=True)] == [True, False, False]


def test_old_folders_of_a_module_are_dropped_but_for_the_newest(tmp_path: Path) -> None:
    names = [f"rules.area-{number:016x}" for number in range(5)]
    for name in (*names, "rules.area.more-0123"):
        (tmp_path / name).mkdir()
    _jit._drop_old(tmp_path / names[0])
    kept = {each.name for each in tmp_path.iterdir()}
    assert names[0] in kept
    assert len(kept & set(names)) == 3
    assert "rules.area.more-0123" in kept


def added(first: int, second: int) -> int:
    return first + second


def stored(folder: Path) -> Callable[[int, int], int]:
    """A kernel outside the package, kept in a folder; each call makes a dispatcher that has loaded
    nothing yet."""
    compiled = _jit.kernel(added)
    cast("Any", compiled)._cache = KernelStore(added, folder)
    return compiled


def kept_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def is_whole(file: Path) -> bool:
    data = file.read_bytes()
    return hashlib.sha256(data[32:]).digest() == data[:32]


def files_beside_sources() -> set[Path]:
    """Whatever stands in folders of sources, other than Python's own."""
    found = Path(__file__).parent.rglob("*")
    return {each for each in found if each.is_file() and each.suffix not in (".py", ".pyc")}


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders of the kernels that were compiled since; they are kept as ever."""
    folders: list[Path] = []
    save = KernelStore.save_overload

    def note(self: KernelStore, signature: Any, result: Any) -> None:
        folders.append(self._folder)
        save(self, signature, result)

    monkeypatch.setattr(KernelStore, "save_overload", note)
    return folders


def test_a_kept_kernel_is_not_compiled_again(tmp_path: Path, compiled: list[Path]) -> None:
    assert [stored(tmp_path)(1, 2), stored(tmp_path)(3, 4)] == [3, 7]
    assert compiled == [tmp_path]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one bit": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "another format": lambda data: hashlib.sha256(b"x").digest() + b"x",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_compiled_and_written_again(
    tmp_path: Path,
    compiled: list[Path],
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[bytes], bytes],
) -> None:
    stored(tmp_path)(1, 2)
    file = kept_file(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    assert stored(tmp_path)(3, 4) == 7
    assert len(caplog.records) == 1
    assert is_whole(kept_file(tmp_path))
    assert stored(tmp_path)(5, 6) == 11
    assert len(compiled) == 2


def test_kernels_that_cannot_be_kept_work_and_cost_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store, "_unwritable", set())
    (tmp_path / "file").write_text("no folder can be made below")
    before = files_beside_sources()
    for _ in range(2):
        assert stored(tmp_path / "file" / "kernels")(1, 2) == 3
    (line,) = caplog.messages
    assert line.startswith(f"cannot keep compiled kernels in {tmp_path / 'file'}: ")
    assert {each.name for each in tmp_path.iterdir()} == {"file"}
    assert files_beside_sources() == before


def test_a_warm_cache_may_be_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[Path]
) -> None:
    stored(tmp_path)(1, 2)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("write_bytes", "mkdir", "unlink", "touch"):
        monkeypatch.setattr(Path, name, refuse)
    assert stored(tmp_path)(3, 4) == 7
    assert len(compiled) == 1


PLAY = """
import sys
from katachi import _jit
from katachi._jit.store import KernelStore
import katachi
compiled = []
if "--spy" in sys.argv:
    KernelStore.save_overload = lambda self, *_: compiled.append(self._name)
from katachi.rules.game import Game
game = Game(5)
game.play(1, int(game.legal_moves(1)[0]))
print(katachi.__file__, len(compiled), _jit._marker())
"""


def test_copies_of_the_package_share_their_kernels(tmp_path: Path) -> None:
    def play(place: Path, *arguments: str) -> list[str]:
        command = [sys.executable, "-c", PLAY, *arguments]
        variables = os.environ | {"PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        return done.stdout.split()

    for file in PACKAGE.rglob("*.py"):
        copy = tmp_path / "katachi" / file.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    *_, marker = play(PACKAGE.parent)
    file = tmp_path / "katachi" / "__init__.py"
    assert play(tmp_path, "--spy") == [str(file), "0", marker]


TWINS = """
import sys, time
from pathlib import Path
from katachi import _jit
from katachi._jit.store import KernelStore
def slow(n):
    total = 0
    for each in range(n):
        total += each * each
    return total
compiled = _jit.kernel(slow)
compiled._cache = KernelStore(slow, Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(compiled(10), flush=True)
"""


def test_processes_that_compile_one_kernel_at_once_leave_whole_files(tmp_path: Path) -> None:
    script, folder = tmp_path / "twins.py", tmp_path / "kernels"
    script.write_text(TWINS)
    command = [sys.executable, str(script), str(folder)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    twins = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for twin in twins:
        assert twin.stdout is not None
        assert twin.stdout.readline() == "ready\n"
    for twin in twins:
        assert twin.stdin is not None
        twin.stdin.write("\n")
        twin.stdin.flush()
    assert [twin.communicate(timeout=60)[0] for twin in twins] == ["285\n", "285\n"]
    assert is_whole(kept_file(folder))


def test_a_cache_that_has_lost_something_is_not_warm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    folder = tmp_path / "rules.area-0123"
    folder.mkdir()
    for name in ("a.kernel", "b.kernel"):
        (folder / name).touch()
    assert not _jit.is_warm()
    _jit._marker().write_text('{"rules.area-0123": 2}')
    assert _jit.is_warm()
    (folder / "a.kernel").unlink()
    assert not _jit.is_warm()
    shutil.rmtree(folder)
    assert not _jit.is_warm()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"rules.area-0123": "two"}', "\0"])
def test_a_damaged_marker_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(_jit, "cache_folder", lambda: tmp_path)
    _jit._marker().write_text(text)
    assert not _jit.is_warm()


def test_old_folders_may_vanish_while_they_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"rules.area-{number:016x}" for number in range(6)]
    for name in names[:-1]:
        (tmp_path / name).mkdir()
    (tmp_path / names[-1]).symlink_to(tmp_path / "nowhere")

    def vanish(path: Path) -> float:
        if path.is_dir():
            path.rmdir()
        return 0.0

    _jit._drop_old(tmp_path / names[0])
    assert len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr(_jit, "_time_of_change", vanish)
    _jit._drop_old(tmp_path / names[0])
    assert (tmp_path / names[0]).is_dir()


needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without JIT"
)


@needs_compiler
def test_a_kernel_that_others_call_is_compiled_once_and_into_them_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jit, "_folder_of", lambda _: tmp_path)
    sum_of: Any = _jit.kernel(added)

    @_jit.kernel
    def sums(number: int) -> int:
        return int(sum_of(number, number) + sum_of(4, 5) + sum_of(number, 6))

    assert sums(1) == 18
    assert [len(form.signatures) for form in (sum_of, sum_of.linked)] == [0, 1]
    assert sum_of(2, 3) == 5
    assert sums(2) == 21
    assert [len(form.signatures) for form in (sum_of, sum_of.linked)] == [1, 1]


@needs_compiler
def test_code_that_goes_into_callers_is_kept_as_well(tmp_path: Path, compiled: list[Path]) -> None:
    signature = "int64(int64, int64)"
    forms = [LinkedForm(added, {"nopython": True}, tmp_path) for _ in range(2)]
    for form in forms:
        form.compile(signature)
    assert compiled == [tmp_path]
    assert kept_file(tmp_path).suffix == ".linked"
    results: list[Any] = [next(iter(form.overloads.values())) for form in forms]
    assert [each.library.get_llvm_str().count("define") for each in results] == [1, 1]
