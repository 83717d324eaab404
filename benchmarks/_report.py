"""How every benchmark prints: a line a person reads, or with --json one object a line."""

import argparse
import json
import platform
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from katachi import __version__
from katachi.files.provenance import commit_of_tree, machine


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
