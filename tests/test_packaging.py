"""What is installed and published is what is declared, and all of it is used."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BY_NAME = {"websockets"}
"""Packages that no line imports: the page's server is told their names."""
WITH_ANOTHER = {"llvmlite"}
"""Packages that numba brings along, in the one version that it can use."""
OTHER_MODULES = {"scikit_learn": "sklearn", "numba_cuda": "numba"}
"""Modules of optional packages that are not called as their packages are."""
FOR_PEOPLE = {"dev", "docs", "rl"}
"""Extras that no line of the package imports: tools, the site's, and what an example needs."""
NOT_IN_SDIST = {".ci", ".editorconfig", ".gitignore", ".pre-commit-config.yaml"}
LINK = re.compile(r"\]\((?!https?:|#)")


def package_of(requirement: str) -> str:
    """The name at the beginning of a requirement, as packages spell it."""
    found = re.match(r"[\w-]+", requirement)
    assert found is not None
    return found[0].replace("-", "_").lower()


def imported(folder: Path) -> Iterator[str]:
    """The top-level modules that the files of a folder import, at any place."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


@pytest.fixture(scope="module")
def used() -> set[str]:
    """All modules that the package imports and that do not come with Python."""
    return set(imported(ROOT / "src")) - sys.stdlib_module_names - {"katachi"}


def test_required_packages_are_those_that_are_imported(used: set[str]) -> None:
    required = {package_of(each) for each in PROJECT["project"]["dependencies"]}
    extras = PROJECT["project"]["optional-dependencies"].values()
    optional = {package_of(each) for extra in extras for each in extra}
    owners = packages_distributions()
    needed = {package_of(owners.get(module, [module])[0]) for module in used}
    assert needed - WITH_ANOTHER - (optional - required) == required - BY_NAME


def test_every_extra_is_used(used: set[str]) -> None:
    for extra, packages in PROJECT["project"]["optional-dependencies"].items():
        if extra not in FOR_PEOPLE:
            modules = {OTHER_MODULES.get(package_of(each), package_of(each)) for each in packages}
            assert modules <= used, extra


def test_the_sdist_has_whatever_is_in_the_repository() -> None:
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs the repository's history")
    tops = {line.partition("/")[0] for line in listed.stdout.splitlines()} - NOT_IN_SDIST
    patterns = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    included = {path.name for pattern in patterns for path in ROOT.glob(pattern.lstrip("/"))}
    assert tops - {"pyproject.toml", "LICENSE"} <= included


def test_what_the_wheel_takes_from_beside_the_package_is_there() -> None:
    taken = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert all((ROOT / path).exists() for path in taken)
    reports = {f"results/{path.name}" for path in (ROOT / "results").glob("ladder*.json")}
    assert reports <= set(taken)


def test_a_registry_shows_the_readme_without_links_that_lead_nowhere() -> None:
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert LINK.search(text)
    for each in hook["substitutions"]:
        assert re.search(each["pattern"], text), each["pattern"]
        text = re.sub(each["pattern"], each["replacement"], text)
    assert not LINK.search(text)
    assert "<!--" not in text
    assert "make demo" not in text
    assert ".venv" not in text
