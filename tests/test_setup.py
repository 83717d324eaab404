"""The set-up script, on copies of the project's frame that need no package index."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "setup.sh"
TOOLS = ("bash", "dirname", "id", "env", "mkdir", "rm", "mv", "grep", "tail", "flock")

# A build backend that makes an empty wheel, so that pip has something to install offline.
BACKEND = r"""
import zipfile

FILES = {
    "METADATA": "Metadata-Version: 2.1\nName: katachi\nVersion: 0.1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "RECORD": "",
}

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "katachi-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        for file, text in FILES.items():
            wheel.writestr("katachi-0.1.0.dist-info/" + file, text)
    return name
"""

PYPROJECT = """
[build-system]
requires = [{requires}]
build-backend = "backend"
backend-path = ["."]
[project]
name = "katachi"
version = "0.1.0"
"""


def lay_out_project(folder: Path, requires: str = "") -> Path:
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "src" / "katachi").mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, folder / "scripts")
    (folder / "src" / "katachi" / "__init__.py").write_text('__version__ = "0.1.0"\n')
    (folder / "backend.py").write_text(BACKEND)
    (folder / "constraints.txt").write_text("")
    (folder / "pyproject.toml").write_text(PYPROJECT.format(requires=requires))
    return folder


def bare_path(folder: Path, *, python: str | None = None) -> Path:
    """A folder with the commands the script calls, no apt-get, and `python3` if one is given."""
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (folder / tool).symlink_to(found)
    if python is not None:
        (folder / "python3").write_text(python)
        (folder / "python3").chmod(0o755)
    return folder


def setup_environment(path: Path | str, **variables: str) -> dict[str, str]:
    quiet = {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
    refused = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    return {"PATH": str(path), "HOME": os.devnull} | quiet | refused | variables


def run_setup(
    project: Path, path: Path | str, kind: str = "base", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [project / "scripts" / "setup.sh", kind],
        env=setup_environment(path, **variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def assert_one_line(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """The run failed with a single line on stderr that holds all the words."""
    lines = result.stderr.splitlines()
    assert result.returncode == 1
    assert len(lines) == 1, result.stderr
    assert all(word in lines[0] for word in words), lines[0]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bare_path(tmp_path_factory.mktemp("path") / "bin")


@pytest.fixture(scope="module")
def ready_project(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Path:
    """A project that was set up once; a test leaves it as whole as it found it."""
    project = lay_out_project(tmp_path_factory.mktemp("ready"))
    result = run_setup(project, tools, PYTHON=sys.executable)
    assert result.returncode == 0, result.stderr
    return project


def test_no_python_is_one_line_that_says_what_to_install(tmp_path: Path, tools: Path) -> None:
    result = run_setup(lay_out_project(tmp_path), tools)
    assert_one_line(result, "no Python 3.11 or newer", "python3-venv", "PYTHON=")


def test_a_shim_that_does_not_run_is_not_a_python(tmp_path: Path) -> None:
    path = bare_path(tmp_path / "bin", python="#!/bin/sh\necho 'command not found' >&2\nexit 127\n")
    result = run_setup(lay_out_project(tmp_path / "project"), path)
    assert_one_line(result, "no Python 3.11 or newer")


def test_an_old_python_is_refused_by_name(tmp_path: Path, tools: Path) -> None:
    old = tmp_path / "old-python"
    program = "import sys; sys.version_info = (3, 10, 0); exec(sys.argv[2])"
    old.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{program}' \"$@\"\n")
    old.chmod(0o755)
    result = run_setup(lay_out_project(tmp_path / "project"), tools, PYTHON=str(old))
    assert_one_line(result, f"PYTHON={old}", "3.11")


def test_a_python_without_venv_names_the_debian_package(tmp_path: Path, tools: Path) -> None:
    (tmp_path / "broken" / "ensurepip").mkdir(parents=True)
    (tmp_path / "broken" / "ensurepip" / "__init__.py").write_text("raise ImportError")
    result = run_setup(
        lay_out_project(tmp_path / "project"),
        tools,
        PYTHON=sys.executable,
        PYTHONPATH=str(tmp_path / "broken"),
    )
    version = f"python3.{sys.version_info.minor}-venv"
    assert_one_line(result, "python3-venv", f"apt-get install {version}")


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    project = lay_out_project(tmp_path)
    result = subprocess.run(
        [project / "scripts" / "setup.sh", "everything"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert_one_line(result, "usage")


def test_a_second_run_is_quick_and_silent(ready_project: Path, tools: Path) -> None:
    before = (ready_project / ".venv" / "ready-base").stat().st_mtime_ns
    start = time.monotonic()
    result = run_setup(ready_project, tools, PYTHON=sys.executable)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (ready_project / ".venv" / "ready-base").stat().st_mtime_ns == before
    assert time.monotonic() - start < 20


def test_a_missing_browser_is_one_line_and_no_failure(
    ready_project: Path, tmp_path: Path, tools: Path
) -> None:
    line = (
        "katachi: Chromium is absent: tests of the page in a browser will be skipped "
        "(apt-get install chromium)"
    )
    result = run_setup(ready_project, tools, "dev", PYTHON=sys.executable)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines().count(line) == 1
    (tmp_path / "chromium").symlink_to("/bin/true")
    result = run_setup(ready_project, f"{tools}:{tmp_path}", "dev", PYTHON=sys.executable)
    assert result.returncode == 0, result.stderr
    assert "Chromium" not in result.stdout


def test_an_active_environment_is_not_made_again_by_its_own_python(
    ready_project: Path, tools: Path
) -> None:
    active = f"{ready_project / '.venv' / 'bin'}:{tools}"
    result = run_setup(ready_project, active)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (ready_project / ".venv" / "bin" / "python").exists()


def test_no_network_is_one_line_and_leaves_the_old_environment_whole(
    ready_project: Path, tools: Path
) -> None:
    lay_out_project(ready_project, requires='"a-build-tool"')
    result = run_setup(ready_project, tools, PYTHON=sys.executable)
    lay_out_project(ready_project)
    assert_one_line(result, "package index cannot be reached")
    assert run_setup(ready_project, tools, PYTHON=sys.executable).stdout == ""


@contextmanager
def silent_index() -> Iterator[tuple[socket.socket, str]]:
    """A package index that accepts a connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server, f"http://127.0.0.1:{server.getsockname()[1]}/simple"


@pytest.mark.slow
def test_an_interrupted_install_is_not_mistaken_for_a_finished_one(
    ready_project: Path, tools: Path
) -> None:
    leftover = ready_project / ".venv" / "leftover"
    leftover.touch()
    lay_out_project(ready_project, requires='"a-build-tool"')
    with silent_index() as (server, address):
        variables = setup_environment(tools, PYTHON=sys.executable, PIP_INDEX_URL=address)
        script = [str(ready_project / "scripts" / "setup.sh"), "base"]
        process = subprocess.Popen(
            script, env=variables, stdout=subprocess.DEVNULL, start_new_session=True
        )
        server.accept()[0].close()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert (ready_project / ".venv" / "unfinished").exists()
    lay_out_project(ready_project)
    assert "ready" in run_setup(ready_project, tools, PYTHON=sys.executable).stdout
    assert not leftover.exists()


# Mounts a small disk where nobody else sees it, copies a project there and sets it up.
ON_A_DISK = """
mount -t tmpfs -o size=4m tmpfs "$1" && cp -a "$2/." "$1" && mount -o "remount,$3" "$1" || exit 77
PATH=$4 "$1/scripts/setup.sh" base
status=$?
ls -A "$1/.venv" 2>/dev/null
exit $status
"""


def run_setup_on_disk(folder: Path, tools: Path, options: str) -> subprocess.CompletedProcess[str]:
    """The set-up on a disk of 4 MiB; what it left in .venv is listed on stdout."""
    project = lay_out_project(folder / "project")
    (folder / "disk").mkdir()
    alone = ["unshare", "--mount"] + ["--map-root-user"] * (os.geteuid() != 0)
    result = subprocess.run(
        [*alone, "bash", "-c", ON_A_DISK, "bash", folder / "disk", project, options, tools],
        env=setup_environment(os.environ["PATH"], PYTHON=sys.executable),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if result.returncode not in (0, 1) or "unshare" in result.stderr:
        pytest.skip("needs the right to mount a small disk")
    return result


def test_a_full_disk_is_one_line_and_the_next_run_starts_again(tmp_path: Path, tools: Path) -> None:
    result = run_setup_on_disk(tmp_path, tools, "rw")
    assert_one_line(result, "no disk space")
    left = result.stdout.split()
    assert "unfinished" in left
    assert "ready-base" not in left


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, tools: Path) -> None:
    result = run_setup_on_disk(tmp_path, tools, "ro")
    assert_one_line(result, "cannot be written to")
    assert result.stdout == ""
