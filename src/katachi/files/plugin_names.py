"""Names of players, evaluators and features of other packages, known without running their code."""

import re
from functools import cache
from importlib.metadata import entry_points

PLUGIN = "python"
FEATURES = "katachi.features"
GROUPS = ("katachi.players", "katachi.evaluators")
"""The groups of entry points by which an installed package names its own."""
_SETTING = re.compile(r"(?P<module>[^:,]+\.py|[A-Za-z_][\w.]*):(?P<attribute>[A-Za-z_][\w.]*)")
_ENTRY = re.compile(r"[\w.-]{1,100}")


def split_plugin(setting: str) -> tuple[str, str] | None:
    """(module or file, name in it) of `MODULE:NAME` or `FILE.py:NAME`; None for other texts."""
    found = _SETTING.fullmatch(setting)
    return None if found is None else (found["module"], found["attribute"])


def is_plugin_setting(setting: str) -> bool:
    """Whether a text has the form MODULE:NAME."""
    return split_plugin(setting) is not None


@cache
def installed_plugin(name: str, groups: tuple[str, ...] = GROUPS) -> str | None:
    """`MODULE:NAME` of what an installed package calls by this name; None where none does."""
    if not _ENTRY.fullmatch(name):
        return None
    for group in groups:
        for entry in entry_points(group=group, name=name):
            return f"{entry.module}:{entry.attr}"
    return None


@cache
def installed_names() -> tuple[str, ...]:
    """All names that installed packages give their players and evaluators, sorted."""
    found = {entry.name for group in GROUPS for entry in entry_points(group=group)}
    return tuple(sorted(found))
