"""Gives the rows of results of format 1, which knew their settings in words only, keys.

    python scripts/convert_results.py results/*.json

A file of another format is left as it is. Every key is written out again and must give the words
that it was made from.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

import msgspec

from katachi.experiments.catalogue import CATALOGUE
from katachi.experiments.protocol import Value, label_of

PAIR = "{player} v {opponent}"
NET_LAMBDA = "{net}, lambda {lam:g}"
FORMS = {
    "S1-F3": ("final agents, {size:d}x{size:d}", "{template}:{location}"),
    "S1-F4": ("up to {up_to}:{location}", "{template}:{location}"),
    "S1-F5": (PAIR, "{player}"),
    "S1-strength": (PAIR,),
    "S1-grow": ("{way}, {size:d}x{size:d}", "{way}, {part}"),
    "S1-cascade": ("{match:cascade v plain}", "{rule:plain|cascade}", "{set}"),
    "S1-ablation": ("{factor} {value}, {loss}",),
    "S2-T2": ("{games}, {moves:whole games|moves [0-9-]+}: {player}",),
    "S2-F2a": (
        "{first:d}-{last:d} stones",
        "{first:d} stones and more",
        "epoch {epoch:d}",
        "{part}",
    ),
    "S2-F2b": ("best {best:d}",),
    "S2-F3": ("{move}: {number:d}, {vertex}", "{moves}"),
    "S2-P": ("{net}",),
    "S2-t": ("an update every {batch:d} positions", "one ply, {size:d}x{size:d}", "{growth}"),
    "S2-week": (
        "{epochs:d} epochs, an update every {batch:d} positions",
        "after {after:d} of these",
    ),
    "S2-own": ("{way}, {part}",),
    "S2-width": ("{net}",),
    "S2-ablation": ("{net}",),
    "S2-combination": (PAIR, "{player}, {phase:moves.*|all moves}", "{player}"),
    "S3-1": ("{variant}",),
    "S3-2": ("{kind}, run {run:d}", "{kind}, {of}"),
    "S3-3": ("{people}, {stage:middle|final}, {set}", "{set}"),
    "S3-4": ("{shape}, kernels beyond chance", "{shows}"),
    "S3-5": ("{set}",),
    "S3-crbm": ("{machine}",),
    "S3-td": ("{learner}, {games:,} games", "{learner}"),
    "S4-T1": ("{style}, {set:all judged}", "{set:all judged openings}", "{style}"),
    "S4-F2": ("{way}, lambda {lam:g}",),
    "S4-a": ("lambda {lam:g}, first weights {weights}",),
    "S4-T2": ("first stone {stone}", "{answer:always saying even}", "{style}"),
    "S4-T3": ("lambda {lam:g}",),
    "S4-F3": ("{net}",),
    "S4-lambda": (NET_LAMBDA, "{net}"),
    "S4-value": ("{net}, after move {moves:d}", "{net}, says {low:+g} to {high:+g}"),
}
"""How the settings of each experiment were written. `d` and `,` are whole numbers, `g` are others;
any other text after a colon is a pattern of the words that a field may have."""
NUMBERS = {"d": r"\d+", ",": r"[\d,]+", "g": r"[-+.\de]+", "+g": r"[-+.\de]+"}


def key_of(form: str, words: str) -> dict[str, Value] | None:
    """The values of the fields of a form, where it fits."""
    pattern, kinds = "", {}
    for text, field, kind, _ in Formatter().parse(form):
        pattern += re.escape(text)
        if field in kinds:
            pattern += f"(?P={field})"
        elif field is not None:
            kinds[field] = kind or ""
            pattern += f"(?P<{field}>{NUMBERS.get(kind or '', kind or '.+')})"
    found = re.fullmatch(pattern, words)
    return found and {
        field: value_of(text, kinds[field]) for field, text in found.groupdict().items()
    }


def value_of(text: str, kind: str) -> Value:
    """A word or number of a setting."""
    if kind in ("d", ","):
        return int(text.replace(",", ""))
    return float(text) if kind in ("g", "+g") else text


def convert(data: dict[str, Any]) -> dict[str, Any]:
    """A result of format 1 with keys."""
    home = import_module(f"katachi.experiments.{CATALOGUE[data['id']].home}")
    labels, rows = getattr(home, "LABELS", ()), []
    for row in data["rows"]:
        words = row.pop("setting")
        keys = [key for form in FORMS[data["id"]] if (key := key_of(form, words))]
        if not keys or label_of(labels, keys[0]) != words:
            sys.exit(f"{data['id']}: no key for {words!r}")
        rows.append({"key": keys[0]} | row)
    return data | {"format": 2, "rows": rows, "labels": labels}


def main() -> None:
    """Converts the files of the command line."""
    for path in map(Path, sys.argv[1:]):
        data = json.loads(path.read_bytes())
        if data.get("format") == 1 and data.get("id") in CATALOGUE:
            text = msgspec.json.format(msgspec.json.encode(convert(data)), indent=1)
            path.write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
