"""How every benchmark prints: a line a person reads, or with --json one object a line."""

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from katachi import __version__


@dataclass(frozen=True)
class Measurement:
    """One figure of ours beside a peer's, taken in one process."""

    name: str
    ours: float
    peer: float | None
    ratio: float | None
    settings: dict[str, Any] = field(default_factory=dict)
    unit: str = "games/s"
    interval: tuple[float, float] | None = None
    """Smallest and largest ratio of a single round."""


def read_options() -> None:
    """Refuses what the command line of a plain benchmark does not know."""
    parser = argparse.ArgumentParser(description="Ours and a peer, side by side in one process.")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--commit", help="the commit, where the tree has no history")
    parser.parse_args()


def measured_versions(*packages: str) -> dict[str, str]:
    """Versions of Python, katachi, its commit and the packages a figure depends on."""
    versions = {"python": platform.python_version(), "commit": commit_of_tree()}
    versions["katachi"] = __version__
    for package in ("numpy", "numba", *packages):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def machine() -> str:
    """The processor and how many of its cores can be used."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores"


def commit_of_tree() -> str:
    """The commit this was measured at, marked where files had been changed since."""
    if "--commit" in sys.argv:  # where the tree was copied without its history
        return sys.argv[sys.argv.index("--commit") + 1]
    folder = Path(__file__).parent
    try:
        command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def show(measurement: Measurement, versions: dict[str, str]) -> None:
    """Prints one measurement in the form the command line asks for."""
    if "--json" in sys.argv:
        line = asdict(measurement) | {"machine": machine(), "versions": versions}
        print(json.dumps(line), flush=True)
        return
    peer = "" if measurement.peer is None else f"  peer {measurement.peer:>12,.0f}"
    ratio = "" if measurement.ratio is None else f"  ratio {measurement.ratio:6.3g}"
    if measurement.interval is not None:
        ratio += " ({:.3g} to {:.3g})".format(*measurement.interval)
    ours = f"{measurement.ours:>12,.0f} {measurement.unit}"
    print(f"{measurement.name:<52}{ours}{peer}{ratio}", flush=True)
