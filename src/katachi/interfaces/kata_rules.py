"""Rules in KataGo's words, as its clients send them: a name or an object."""

from collections.abc import Mapping
from dataclasses import replace

from katachi.errors import KatachiError
from katachi.rules.ruleset import KoRule, Rules, rules_by_name

# Names that clients send for rules that are played the same way here.
_ALIASES = {
    "chinese-ogs": "cgos",
    "chinese-kgs": "cgos",
    "bga": "aga",
    "french": "aga",
    "nz": "new-zealand",
    "tromptaylor": "tromp-taylor",
    # Counted by area all the same: the difference is a point or two a group.
    "stone-scoring": "chinese",
    "ancient-area": "chinese",
}
# What KataGo's rules may say beyond ko and suicide, as far as it can be played here.
_FIXED = {
    "scoring": "AREA",
    "tax": "NONE",
    "hasButton": False,
    "whiteHandicapBonus": "0",
    "friendlyPassOk": False,
}
_FLAGS = {"true": True, "false": False, "1": True, "0": False}


def describe_rules(rules: Rules) -> dict[str, object]:
    """The rules in KataGo's words."""
    return {"ko": rules.ko.name, "suicide": rules.suicide, **_FIXED}


def rules_from_name(name: str) -> Rules:
    """The rules of that name; raises KatachiError when there are none."""
    known = "-".join(name.lower().replace("_", " ").split())
    return rules_by_name(_ALIASES.get(known, known)[:40])


def rules_from_object(wanted: Mapping[str, object]) -> Rules:
    """The rules of an object; raises KatachiError for what cannot be played."""
    rules = Rules()
    for key, value in wanted.items():
        rules = change_rule(rules, key, value)
    return rules


def change_rule(rules: Rules, key: str, value: object) -> Rules:
    """The rules with one of them changed; raises KatachiError for one that cannot be played."""
    text = str(value)
    refusal = KatachiError(f"cannot play the rule {key[:40]!r} {text[:40]!r}")
    if key == "ko":
        if text.upper() not in KoRule.__members__:
            raise refusal
        return replace(rules, ko=KoRule[text.upper()])
    if key in ("suicide", "multiStoneSuicideLegal"):
        if text.lower() not in _FLAGS:
            raise refusal
        return replace(rules, suicide=_FLAGS[text.lower()])
    if key not in _FIXED or text.upper() != str(_FIXED[key]).upper():
        raise refusal
    return rules
