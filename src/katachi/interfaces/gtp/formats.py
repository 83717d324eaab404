"""Analyses in the formats that clients read, and rules in KataGo's words.

Every number is the mover's. A player that grows a tree shows its visits and lines. One that looks
one move ahead has no search behind it: a move's principal variation is the move itself, its bound
is its value, its visits are pseudo-visits. Who knows no owners sends no score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from katachi.errors import KatachiError
from katachi.rules.ruleset import KoRule, Rules, rules_by_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from katachi.search.analysis import Analysis, Candidate


ENOUGH_MOVES = 10
"""Moves shown even if hardly anything speaks for them, where the client sets no number."""
LEAST_PRIOR = 0.01
_CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+"

VertexName = Callable[[int], str]
OwnedAfter = Mapping[int, "npt.NDArray[np.float64]"]
"""Ownership after each move, by its point."""


def shown_candidates(
    candidates: Sequence[Candidate], fewest: int = 0, most: int | None = None
) -> Sequence[Candidate]:
    """The best candidates: at least `fewest`, at most `most`, and always one."""
    likely = sum(candidate.prior >= LEAST_PRIOR for candidate in candidates)
    count = max(likely, ENOUGH_MOVES, fewest)
    if most is not None:
        count = min(count, most)
    return candidates[: max(1, count)]


def with_choice_first(candidates: Sequence[Candidate], point: int | None) -> list[Candidate]:
    """The candidates, with the chosen one before all others."""
    return sorted(candidates, key=lambda c: c.point != point)


def line_of(candidate: Candidate, vertex: VertexName) -> list[str]:
    """The names of a candidate and of what is expected to follow."""
    return [vertex(point) for point in (candidate.point, *candidate.line)]


def lz_line(candidates: Sequence[Candidate], vertex: VertexName) -> str:
    """A line of `lz-analyze`: integers, ten thousand for certainty."""
    return " ".join(_lz_info(order, c, vertex) for order, c in enumerate(candidates))


def _lz_info(order: int, candidate: Candidate, vertex: VertexName) -> str:
    rate = round(10_000 * candidate.win_rate)
    return (
        f"info move {vertex(candidate.point)} visits {candidate.visits} winrate {rate} "
        f"prior {round(10_000 * candidate.prior)} lcb {rate} order {order} "
        f"pv {' '.join(line_of(candidate, vertex))}"
    )


def kata_line(
    candidates: Sequence[Candidate], vertex: VertexName, owned: OwnedAfter | None = None
) -> str:
    """The moves of a line of `kata-analyze`; with the ownership after each, where it is given."""
    return " ".join(_kata_info(order, c, vertex, owned) for order, c in enumerate(candidates))


def _kata_info(
    order: int, candidate: Candidate, vertex: VertexName, owned: OwnedAfter | None
) -> str:
    rate, visits = candidate.win_rate, candidate.visits
    shares = (owned or {}).get(candidate.point)
    after = "" if shares is None else " movesOwnership " + " ".join(_share_texts(shares.tolist()))
    return (
        f"info move {vertex(candidate.point)} visits {visits} edgeVisits {visits} "
        f"{_kata_value(rate, candidate.lead)} "
        f"prior {candidate.prior:.6f} lcb {rate:.6f} utilityLcb {2 * rate - 1:.6f} "
        f"weight {visits} order {order} pv {' '.join(line_of(candidate, vertex))}{after}"
    )


def _kata_value(rate: float, lead: float | None) -> str:
    text = f"utility {2 * rate - 1:.6f} winrate {rate:.6f}"
    if lead is None:
        return text
    return (
        f"{text} scoreMean {lead:.3f} scoreStdev 0.000 "
        f"scoreLead {lead:.3f} scoreSelfplay {lead:.3f}"
    )


def kata_root(analysis: Analysis) -> str:
    """The `rootInfo` part of a line of `kata-analyze`."""
    visits = sum(candidate.visits for candidate in analysis.candidates)
    return (
        f"rootInfo visits {visits} {_kata_value(analysis.win_rate, analysis.lead)} weight {visits}"
    )


def kata_ownership(analysis: Analysis) -> str:
    """The `ownership` part: row by row from the top left, 1 where the mover owns the point."""
    return "ownership " + " ".join(ownership_texts(analysis))


def ownership_texts(analysis: Analysis, sign: int = 1) -> list[str]:
    """Each point's share, the mover's, or with sign -1 the opponent's."""
    return _share_texts((sign * analysis.ownership).tolist())


def _share_texts(shares: Sequence[float]) -> list[str]:
    # Adding 0 turns -0.0 into 0.0.
    return [f"{share + 0.0:.3f}" for share in shares]


def cgos_line(analysis: Analysis, candidates: Sequence[Candidate], vertex: VertexName) -> str:
    """The one line of JSON that a CGOS client passes on."""
    record = {
        **_cgos_value(analysis.win_rate, analysis.lead),
        "visits": sum(candidate.visits for candidate in analysis.candidates),
        "moves": [
            {
                "move": vertex(candidate.point),
                **_cgos_value(candidate.win_rate, candidate.lead),
                "prior": round(candidate.prior, 6),
                "pv": " ".join(line_of(candidate, vertex)[1:]),
                "visits": candidate.visits,
            }
            for candidate in candidates
        ],
        "ownership": cgos_ownership(analysis.ownership.tolist()),
    }
    return json.dumps(record, separators=(",", ":"))


def _cgos_value(rate: float, lead: float | None) -> dict[str, float]:
    value = {"winrate": round(rate, 6)}
    return value if lead is None else value | {"score": round(lead, 3)}


def cgos_ownership(shares: Sequence[float]) -> str:
    """One character a point, from A for -1 to + for 1."""
    return "".join(_CGOS_DIGITS[round((share + 1) / 2 * 62)] for share in shares)


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
