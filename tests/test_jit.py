"""Compiled kernels are kept as long as nothing that they depend on changes, and no longer."""

import importlib
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from katachi import _jit
from katachi._jit import sources

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
