"""What may differ between one set of rules and another."""

from dataclasses import dataclass
from enum import IntEnum

from katachi.errors import KatachiError

LARGEST_KOMI = 10_000.0


def check_komi(komi: float) -> float:
    """`komi` itself; raises KatachiError for one that no game is played with, nan included."""
    if not abs(komi) <= LARGEST_KOMI:
        raise KatachiError(f"komi {komi:g} is not playable: use at most {LARGEST_KOMI:g}")
    return komi


class KoRule(IntEnum):
    """Which repetitions are forbidden."""

    SIMPLE = 0
    """Only retaking at once the single stone that has just taken a single stone. The other two
    rules forbid it as well."""
    POSITIONAL = 1
    """Recreating any earlier whole-board position."""
    SITUATIONAL = 2
    """Recreating an earlier position with the same player to move."""


@dataclass(frozen=True)
class Rules:
    """Area scoring, two passes end the game, and these two choices.

    Under the simple ko rule a suicide of one stone is refused even where suicide is allowed: it
    changes nothing and could be repeated for ever.
    """

    ko: KoRule = KoRule.POSITIONAL
    suicide: bool = False


RULESETS: dict[str, Rules] = {
    "katachi": Rules(),
    "cgos": Rules(),
    "tromp-taylor": Rules(KoRule.POSITIONAL, suicide=True),
    "chinese": Rules(KoRule.SIMPLE),
    "aga": Rules(KoRule.SITUATIONAL),
    "new-zealand": Rules(KoRule.SITUATIONAL, suicide=True),
    "simple-ko": Rules(KoRule.SIMPLE),
}


def rules_by_name(name: str) -> Rules:
    """The rules of that name, in either case, with `_` or `-`; raises KatachiError for others."""
    rules = RULESETS.get(name.strip().lower().replace("_", "-"))
    if rules is None:
        raise KatachiError(f"no ruleset {name!r}: choose from {', '.join(RULESETS)}")
    return rules
