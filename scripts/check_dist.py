"""Builds the sdist, and the wheel from it, into `dist/`; then installs the wheel in an empty
environment outside of the tree, plays a game there and runs every example.

    python scripts/check_dist.py [--extras rl]

Examples that need packages which are not there are skipped and say so; `--extras` installs them.
PYTHON=/path/to/python chooses what the empty environment is made with.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CLIENT = ROOT / "examples" / "web_client.py"
OUTSIDE = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
"""The environment without what would find the source tree."""
PATIENCE = 900
"""Seconds for one step; kernels may be compiled in it."""


def run(*command: object, cwd: Path = ROOT, **more: str) -> str:
    """What a command prints; ends the program with its words where it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=cwd,
        env=OUTSIDE | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}")
    return done.stdout


def say(text: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def build() -> Path:
    """The wheel, made from the sdist, as a registry's users make it."""
    for old in DIST.glob("katachi-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    for path in sorted(DIST.glob("katachi-*")):
        say(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB")
    return next(DIST.glob("katachi-*.whl"))


def install(wheel: Path, extras: str, folder: Path) -> Path:
    """The bin folder of a new environment with the wheel, and no compiler used."""
    python = os.environ.get("PYTHON", sys.executable)
    run(python, "-m", "venv", folder / "env")
    bin_folder = folder / "env" / "bin"
    target = f"{wheel}[{extras}]" if extras else str(wheel)
    run(bin_folder / "pip", "install", "--quiet", "--only-binary", ":all:", target)
    return bin_folder


def play(bin_folder: Path, folder: Path) -> None:
    """A match, and what else needs files that come with the wheel."""
    katachi = bin_folder / "katachi"
    say(f"katachi {run(katachi, '--version', cwd=folder).strip()}")
    run(katachi, "match", "shape", "random", "--size", "5", "--games", "2", cwd=folder)
    if "Elo" not in run(katachi, "players", cwd=folder):
        sys.exit("the wheel has no ratings: `katachi players` shows none")
    script = "from katachi.arena.roster import read_roster; read_roster('house9')"
    run(bin_folder / "python", "-c", script, cwd=folder)
    say("a match was played")


def ask_page(bin_folder: Path, folder: Path) -> None:
    """Starts the page and lets the example ask it."""
    command = [str(bin_folder / "katachi"), "web", "--no-open", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=OUTSIDE, stdout=pipe, text=True) as page:
        assert page.stdout is not None
        try:
            address = next(word for word in page.stdout.readline().split() if "://" in word)
            say(run(bin_folder / "python", CLIENT, address, cwd=folder).strip())
        finally:
            page.terminate()


def main() -> None:
    """Builds, installs, plays, and runs the examples."""
    parser = argparse.ArgumentParser(description="Build katachi and try the wheel alone.")
    parser.add_argument("--extras", default="", help="extras to install too: env,rl")
    extras = parser.parse_args().extras
    wheel = build()
    with tempfile.TemporaryDirectory(prefix="katachi-dist-") as name:
        folder = Path(name)
        bin_folder = install(wheel, extras, folder)
        play(bin_folder, folder)
        ask_page(bin_folder, folder)
        pytest = (sys.executable, "-m", "pytest", "-q", "-n", "0", "--rootdir", ROOT)
        tests = ROOT / "tests" / "test_examples.py"
        python = str(bin_folder / "python")
        say(run(*pytest, "-m", "", tests, cwd=folder, EXAMPLES_PYTHON=python).strip())


if __name__ == "__main__":
    main()
